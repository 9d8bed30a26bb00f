//! Moves a tensor from any layout to any other, at memory speed.
//!
//! A [`Plan`] is made of two [`Map`](bitstride::map::Map)s of one tensor and the size of an [`Element`]: the elements as
//! loops over digits that both layouts have (`nest.rs`), a block of them that a kernel moves at once (`block.rs`), and the
//! loops around it, which are run on all threads (`run.rs`). Kernels are for the instructions of an [`Isa`].
//!
//! All unsafe code of the workspace that moves bytes on the CPU is here: the kernels, and the walk that hands them pointers.

mod block;
mod cast;
mod element;
mod kernel;
mod nest;
mod order;
mod plan;
mod run;

pub use element::Element;
pub use kernel::Isa;
pub use plan::Plan;
