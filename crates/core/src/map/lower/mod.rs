//! Lowers every family into a map, one file per family. No file knows two families.
//!
//! Law: the map gives at every point what the notation defines.

mod affine;
mod cute;
mod form;
mod linear;
mod memdesc;
mod strides;
mod tag;
mod tiled;
