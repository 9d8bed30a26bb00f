//! The linear family: F2-linear maps between named dims, as Triton uses them.
//!
//! A [`LinearLayout`] says for each place (register, lane, warp, block; or an offset in memory) which element of the
//! tensor lives there. Bits add by xor. One operation a file; each has its law.

pub(crate) mod bits;
mod bruhat;
mod columns;
mod compose;
mod convert;
mod describe;
mod divide;
mod elimination;
mod fields;
mod inverse;
mod layout;
mod make;
mod matrix;
mod measure;
mod name;
mod places;
mod print;
mod product;
mod rearrange;
mod regs;
mod reshape;
mod sublayout;
mod subspace;
mod tensor;
mod trace;

pub(crate) use bits::{Echelon, low, ones, with_kernel};
pub use bruhat::Bruhat;
pub use columns::ColumnAction;

pub(crate) use layout::pack;
pub use layout::{Columns, Dim, Dims, LinearLayout};
pub use make::Bases;
pub(crate) use make::{not_permutation, permutation};
pub use name::Name;
pub use places::Places;
pub use trace::{Division, Elimination, Reduction};
