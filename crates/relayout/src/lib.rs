//! Moves a tensor from any layout to any other, at memory speed.
//!
//! | | |
//! |---|---|
//! | [`Plan`] | how to move a tensor between two [`Map`](bitstride::map::Map)s, for the size of an [`Element`]; made once, run often |
//! | [`Plan::explain`] | why the plan moves it so |
//! | [`Plan::run_filled`], [`Plan::fill_holes`] | also set the places without an element |
//! | [`Plan::run_in_chunks`], [`Plan::run_from`] | run chunk by chunk and report progress |
//! | [`Plan::slabs`], [`Slab`] | parts of a plan for memory that holds less than a tensor |
//! | [`Joined`] | several plans between two buffers in one pass, with constants xored |
//! | [`InPlace`] | moves a tensor within its own memory |
//! | [`SourceFile`], [`OutputFile`] | files, which may be larger than memory |
//! | [`Isa`] | the instructions that a plan uses |
//! | [`Machine`] | the processor that a plan is made for |
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
//! A plan consists of loops over digits that both layouts have (`nest.rs`), a block of them that a kernel moves at once
//! (`block/`), and the loops around the block in a cache-friendly order (`order.rs`). Threads share these loops
//! (`run.rs`), and kernels move the bytes (`kernel/`). Pairs without such loops that repeat are moved by the operations of one
//! tile (`joined/periods.rs`), all others element by element, by a table of places (`pointwise.rs`). This is slow, and [`Plan::slow`]
//! gives the reason.
//!
//! All unsafe code of the workspace that moves bytes on the CPU is here: the kernels, the walk that passes pointers to
//! them, and the memory maps of files.
//!
//! # Words
//!
//! These words are used in this crate only, or in a narrower sense than elsewhere.
//!
//! | word | meaning |
//! |---|---|
//! | nest | a full box of elements as loops over common digits, at which both layouts can be cut |
//! | run | bytes that are contiguous on both sides |
//! | unit | the largest power of two, up to 16 bytes, that divides all distances |
//! | line | a cache line: 64 aligned bytes of memory |
//! | vector | 64 bytes that a kernel exchanges, at any address; in a shuffle, one register |
//! | piece | the part of a vector that is contiguous on a side |
//! | position | the index of a unit inside a vector |
//! | kernel | copy, network, strips, shuffle or parts (units below a byte, one by one) |
//! | block | what a kernel moves at once |
//! | tile origin | where a block begins, as a distance on each side |
//! | tile list | the tile origins that a kernel visits before a loop around it steps |
//! | row of blocks | several blocks in equal steps at one tile origin, in copies and shuffles |
//! | network | an exchange of bits of an index, as in an in-register transpose |
//! | round | a bit of the number of a vector and a bit of the position inside it change roles, in all vectors |
//! | bit order | the permutation of the position bits that remains after the rounds |
//! | pass | a walk over a block that makes as many rounds as registers allow |
//! | unpack | several rounds made together by unpack instructions |
//! | period | the steps along an axis after which both sides lead a constant number of whole bytes further |
//! | pointwise | element by element, evaluating both maps at every point |
//! | part | one of the equal units, a power of two of at most 16 bytes, that make up an element |
//! | flip | XOR with a mask, as swizzles do |
//! | strip | loops that are contiguous on a side, counted as one sequence of units |
//! | window | the units of a strip that one tile list moves |
//! | row | the distance on the other side of a unit of a strip, or of a vector of a block |
//! | misalignment | the distance of a row from the line on which it begins |
//! | realigned | vectors of misaligned rows are joined to whole lines; the last one is *pending* until the next arrives |
//! | write combining | partial lines stay in a buffer until more of their row is ready |
//! | padded, packed | rows padded to a power of two in a buffer are packed without the padding |
//! | streamed | written by non-temporal stores, which bypass the caches |
//! | cached | written by ordinary stores |
//! | deferred stores | lines wait in the first cache for those of the neighbouring block |
//! | immediate stores | lines are stored as soon as they are made |
//! | prefetch distance | how far ahead software prefetches the lines of later blocks |

mod block;
mod cast;
mod chunks;
mod cost;
mod element;
mod explain;
mod file;
mod fill;
mod holes;
mod in_place;
mod injective;
mod joined;
mod kernel;
mod machine;
mod nest;
mod order;
mod place_table;
mod plan;
mod pointwise;
mod problem;
mod readahead;
mod run;
mod slabs;
mod stages;

pub use element::Element;
pub use file::{OutputFile, SourceFile};
pub use in_place::InPlace;
pub use joined::Joined;
pub use kernel::Isa;
pub use machine::Machine;
pub use plan::{Bound, Plan};
pub use problem::{Address, Axis, Problem};
pub use slabs::Slab;
