//! Tensors spread over devices: which device holds which elements, exactly.
//!
//! A sharding is a layout with an axis of devices. Four notations say it: XLA's text ([`HloText`]), a `PartitionSpec` of JAX
//! on a mesh, Shardy, and placements of PyTorch's DTensor. Each is read into one [`Sharding`], whose device holds a product of
//! one set of [`Indices`] a dim. What a system accepts although it has no meaning is refused, with the reason.
//!
//! Law: two shardings are the same where each device holds the same elements, whatever notation wrote them.

mod axes;
mod compare;
mod convert;
mod coordinates;
mod devices;
mod digits;
mod dim_rule;
mod dtensor;
mod exchange;
mod flat;
mod hlo;
mod hlo_mesh;
mod indices;
mod meeting;
mod mesh;
mod moves;
mod order;
mod parse;
mod pieces;
mod placement;
mod prints;
mod reader;
mod reduction;
mod reshard;
mod shardy;
mod spec;
mod summands;
mod tensor;

pub use compare::{Allocations, Comparison, ElementDifference, Evidence, written};
pub use digits::{Digits, IndexDigit, OtherDigit};
pub use dim_rule::{DimRule, MovedDigit};
pub use exchange::Exchange;
pub use flat::{Flat, FlatPiece};
pub use hlo::{Group, HloKind, HloSharding, HloText};
pub use indices::{Indices, Run, Segment};
pub use mesh::{Mesh, MeshAxis, Part};
pub use moves::Moves;
pub use order::Order;
pub use pieces::{Piece, Pieces};
pub use placement::{PlaceDigit, Placement, Reduction, Role, Rule, Spread};
pub(crate) use prints::PRINTS;
pub use reshard::{Groups, Movement, Reshard};
pub use tensor::{Notation, Sharding};
