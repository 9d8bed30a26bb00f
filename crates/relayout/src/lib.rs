//! Moves a tensor from any layout to any other, at memory speed.
//!
//! A [`Plan`] is made of two [`Map`](bitstride::map::Map)s of one tensor and the size of an [`Element`]: the elements
//! as loops over digits that both layouts have (`nest.rs`), a block of them that a kernel moves at once (`block.rs`),
//! and the loops around it, which are run on all threads (`run.rs`). Kernels are for the instructions of an [`Isa`].
//!
//! [`Plan::explain`] says why it is made so (`explain/`).
//!
//! [`Plan::run_filled`] also sets what holds no element, [`InPlace`] moves a tensor within its own memory, and
//! [`SourceFile`] and [`OutputFile`] are files that are larger than memory.
//!
//! All unsafe code of the workspace that moves bytes on the CPU is here: the kernels, the walk that hands them
//! pointers, and the maps of files.

mod apart;
mod block;
mod cast;
mod element;
mod explain;
mod file;
mod fill;
mod in_place;
mod kernel;
mod nest;
mod order;
mod plan;
mod progress;
mod run;

pub use element::Element;
pub use file::{OutputFile, SourceFile};
pub use fill::fill;
pub use in_place::InPlace;
pub use kernel::Isa;
pub use plan::{Bound, Plan};
