//! XLA's tiled layouts: an array with an order of its dims, tiled again and again, and the memory it fills.
//!
//! `bf16[16,256]{1,0:T(8,128)(2,1)}` says: sixteen by 256 elements, dim 1 the fastest, cut into tiles of 8 by 128, each
//! of those cut into tiles of 2 by 1. The law of the family is the definition of one tile step: pad the dims to
//! multiples of the tile, reshape each into (grid, inside), and move the insides behind the grid. What is padded has a
//! place in memory and no index.
//!
//! | file | what it is |
//! |---|---|
//! | `element`, `shape`, `layout` | what a text says, valid or not |
//! | `jax`, `mosaic` | the same layouts as JAX and Mosaic write them, and the affine map |

mod digits;
mod element;
mod image;
mod jax;
mod layout;
pub mod mosaic;
mod reader;
mod same;
mod shape;

pub use digits::Digit;
pub use element::ElementType;
pub use image::{Cut, Extents, Image, Place, Step};
pub use jax::JaxLayout;
pub use layout::{IndexType, Layout, Split, Tile, TileDim};
pub use same::{Difference, Sameness};
pub use shape::{Array, Dim, Shape};
