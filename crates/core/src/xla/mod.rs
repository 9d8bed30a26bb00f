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
//! | `parse` with `read_layout` and `lexer`, `print` | text to that and back, as XLA does |
//! | `validate` | what XLA refuses of it, and what has no meaning although XLA does not |
//! | `image` | the meaning: the offset of an index, the index at an offset, sizes |
//! | `digits` | the offset as a sum of digits of the dims, where it is one |
//! | `same` | whether two arrays have the same memory, decided on digits and periods |
//! | `bitcast`, `reshape`, `edit` | what a bitcast does, what a reshape does, other dims for the same memory |
//! | `stride`, `padding`, `describe` | strides, the cost of padding, the layout in words |
//! | `jax`, `mosaic` | the same layouts as JAX and Mosaic write them, and the affine map |
//! | `bare` | a layout that stands alone, and an array in another layout |

mod bare;
mod bitcast;
mod describe;
mod digits;
mod edit;
mod element;
mod image;
mod jax;
mod layout;
mod lexer;
pub mod mosaic;
mod padding;
mod parse;
mod print;
mod read_layout;
mod reshape;
mod same;
mod shape;
mod stride;
mod tokens;
mod validate;

pub use bare::BareLayout;
pub(crate) use bare::read_bare;
pub use bitcast::Bitcast;
pub use digits::Digit;
pub use element::ElementType;
pub use image::{Cut, Extents, Image, Place, Step};
pub use jax::JaxLayout;
pub use layout::{IndexType, Layout, Split, Tile, TileDim};
pub use padding::Padding;
pub(crate) use parse::read_shape;
pub use reshape::{TransposeStep, normalized_transpose, normalized_transpose_traced, unit_dims, unmodified_dims};
pub use same::{CommonDigits, Difference, MemoryStep, Sameness};
pub use shape::{Array, Dim, Shape};
