//! Moves a tensor from any layout to any other, at memory speed.
//!
//! | | |
//! |---|---|
//! | [`Plan`] | from two [`Map`](bitstride::map::Map)s of one tensor and the size of an [`Element`]; made once, run often |
//! | [`Plan::explain`] | why it is made so |
//! | [`Plan::run_filled`], [`Plan::fill_holes`] | set the places that hold no element, too |
//! | [`Plan::run_in_parts`], [`Plan::run_from`] | tell how far they are |
//! | [`InPlace`] | moves a tensor within its own memory |
//! | [`SourceFile`], [`OutputFile`] | files, which may be larger than memory |
//! | [`Isa`] | which instructions a plan is for |
//!
//! ```
//! use bitstride::map::Map;
//! use bitstride_relayout::{Element, Plan};
//! let rows = Map::of_layout(&"(2,3):(3,1)".parse()?)?;
//! let columns = Map::of_layout(&"(2,3):(1,2)".parse()?)?;
//! let plan = Plan::new(&rows, &columns, Element::of_bits(8)?)?;
//! let mut moved = [0; 6];
//! plan.run(b"abcdef", &mut moved)?;
//! assert_eq!(&moved, b"adbecf");
//! # Ok::<(), bitstride::Error>(())
//! ```
//!
//! A plan is made of loops over digits that both layouts have (`nest.rs`), a block of them that a kernel moves at once
//! (`block/`), and the loops around it in the order that suits the caches (`order.rs`), which are run on all threads
//! (`run.rs`); kernels move the bytes (`kernel/`). Pairs that have no such loops are moved element by element, by a table of
//! places (`pointwise.rs`), which is slow and says so ([`Plan::slow`]).
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
mod holes;
mod in_parts;
mod in_place;
mod kernel;
mod nest;
mod order;
mod place_table;
mod plan;
mod pointwise;
mod reads;
mod run;
mod stages;

pub use element::Element;
pub use file::{OutputFile, SourceFile};
pub use in_place::InPlace;
pub use kernel::Isa;
pub use plan::{Bound, Plan};
