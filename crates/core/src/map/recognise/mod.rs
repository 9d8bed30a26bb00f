//! Recognises every family from a map, one file per family. No file knows two families.
//!
//! Law: the recognised layout gives at every point what the map gives. A refusal gives the numbers that prevent it.

mod affine;
mod carrying;
mod chain;
mod cute;
mod factors;
mod field;
mod greedy;
mod linear;
mod merged;
mod mixed;
mod padded_shared;
mod plain;
mod sorted;
mod strides;
mod swizzles;
mod tag;
mod tiled;
mod untile;

pub(super) use carrying::of_table;
pub use cute::Padded;
pub use mixed::{Mixed, MixedLeaf};
