//! Lowers every family into a map, one file per family. No file knows two families.
//!
//! Law: the map gives at every point what the notation defines.

mod affine;
mod cute;
mod expression;
mod form;
mod index_stages;
mod linear;
mod memdesc;
mod sharding;
mod strides;
mod tag;
mod tiled;
mod vector;
