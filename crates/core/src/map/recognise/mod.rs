//! Every family is recognised from a map: one file a family, each knowing no other.
//!
//! Law: what is recognised gives at every point what the map gives; what is refused is refused with its numbers.

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
mod strides;
mod swizzles;
mod tag;
mod tiled;
mod untile;

pub(super) use carrying::of_table;
pub use cute::Padded;
pub use mixed::{Mixed, MixedLeaf};
