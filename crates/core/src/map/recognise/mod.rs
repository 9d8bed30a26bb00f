//! Every family is recognised from a map: one file a family, each knowing no other.
//!
//! Law: what is recognised gives at every point what the map gives; what is refused is refused with its numbers.

mod cute;
mod field;
mod linear;
mod mixed;
mod swizzles;

pub use cute::{Cute, Padded};
pub use mixed::{Mixed, MixedLeaf};
