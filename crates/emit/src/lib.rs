//! Source text of layouts, in C, CUDA, Python, Rust, MLIR and Triton.
//!
//! [`Index`] has the functions of one layout: the place of a coordinate, and the way back. All text is made from integer
//! expressions, which are simplified by their ranges and printed by one printer a language ([`Language`]).
//!
//! Law: what is emitted computes what the map gives, at every point. Where an integer on the way may leave 64 bits, nothing is emitted.

mod code;
mod expr;
mod fragment;
mod function;
mod index;
mod lang;
mod print;
mod relayout;

pub use fragment::Fragment;
pub use function::Function;
pub use index::Index;
pub use lang::Language;
pub use relayout::{CudaKernel, Relayout};
