//! Every family lowers into a map: one file a family, each knowing no other.
//!
//! Law: the map gives at every point what the notation says.

mod affine;
mod cute;
mod form;
mod linear;
mod memdesc;
mod strides;
mod tag;
mod tiled;
