//! What family a map belongs to: one file a family, each knowing no other.
//!
//! Law: what is recognised lowers to the same function; what is refused is refused with what stands against it.

mod affine;
mod chain;
mod merged;
mod strides;
mod tag;
mod tiled;
mod untile;
