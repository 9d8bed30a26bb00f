//! Moves a tensor from any layout to any other, at memory speed.
//!
//! | | |
//! |---|---|
//! | [`Plan`] | from two [`Map`](bitstride::map::Map)s of one tensor and the size of an [`Element`]; made once, run often |
//! | [`Plan::explain`] | why it is made so |
//! | [`Plan::run_filled`], [`Plan::fill_holes`] | set the places that hold no element, too |
//! | [`Plan::run_in_chunks`], [`Plan::run_from`] | tell how far they are |
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
//!
//! # Words
//!
//! Some words mean something else here than in the glossary of bitstride.
//!
//! - **Nest**: a full box of elements as loops over *common digits*, those at which both layouts can be cut.
//! - **Run**: bytes that lie together on both sides. **Unit**: the largest power of two, up to 16 bytes, that divides all distances.
//! - **Line**: 64 aligned bytes of memory. **Word**: 64 bytes that a kernel exchanges, at any address; of a shuffle, a register. **Piece**: the
//!   part of a word that lies together on a side.
//! - **Kernel**: copy, network, strips, shuffle or parts (units below a byte, one by one). **Block**: what a kernel moves at once. **Place**: where a block
//!   begins, as a distance on each side; copies and shuffles may have several blocks there, in equal steps. **List**: the places that a kernel visits before a loop around it steps.
//! - **Network**: an exchange of bits of an index. **Round**: a bit of a word's number and a bit of the place inside a word change roles, in all
//!   words. **Bit order**: what order the bits inside a word are in, after the rounds. **Pass**: a walk over a block in which instructions
//!   that do not permute a line exchange up to two bits of the number, each as often as the order needs; or, where they do, the bits of so many
//!   words as registers hold. **Interleaved**: rounds made together by words whose units alternate.
//! - **Pointwise**: element by element, by evaluating both maps at every point: how a pair is moved that no kernel moves. **Part**: one of the
//!   equal units, at most 16 bytes and a power of two, of which an element consists that is wider or no power of two.
//! - **Flip**: xor a place with a pattern, as swizzles do.
//! - **Strip**: loops that lie one after the other on a side, counted as one sequence of units. **Tile**: the units of a strip in one block.
//!   **Window**: those in one list. **Row**: where a unit of a strip, or a word of a block, is on the other side.
//! - **Carried**: a word waits for the next one of its row, and both fill a line. Rows **go on** where a list begins where the one before
//!   ended. **Staged**: what is short is put together in a buffer first. **Held**: what does not fill a
//!   line waits until more of its row is ready. **Pair**: two words of a row that are carried together. **Packed**: rows that were **filled up** to a power of two
//!   in a buffer are put together without what fills them.
//! - **Past the caches**: by non-temporal stores. **Behind**: lines wait in the first cache for those of the neighbouring block. **At once**: they do not.
//!   **Quad**: four neighbouring blocks, whose lines are read and written in turn. **Fetched ahead**: prefetched.

mod block;
mod cast;
mod chunks;
mod element;
mod explain;
mod file;
mod fill;
mod holes;
mod in_place;
mod injective;
mod kernel;
mod nest;
mod order;
mod place_table;
mod plan;
mod pointwise;
mod readahead;
mod run;
mod stages;

pub use element::Element;
pub use file::{OutputFile, SourceFile};
pub use in_place::InPlace;
pub use kernel::Isa;
pub use plan::{Bound, Plan};
