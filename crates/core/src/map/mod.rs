//! [`Map`]: the common representation of all layout families.
//!
//! A map is a box of named axes (the domain), a chain of [stages](Stage) from a closed set, and named axes that it
//! leads to (the codomain). Every notation lowers into a map exactly. Composition concatenates stages and never fails.
//!
//! Decisions are made on the normal form [`Form`], where a map has one: each coordinate is an offset, plus a stride for
//! each digit of each axis, plus XOR masks for single bits.
//!
//! Law: whatever is done to a map, evaluating it point by point gives the same function.

mod agreement;
mod axes;
mod bounds;
mod boxes;
mod canonical;
mod compare;
mod comparison;
mod contiguity;
mod cycles;
mod decoding_plan;
mod differences;
mod fit;
mod form;
mod form_of;
mod guarded;
mod image;
mod injective;
mod inverse;
mod layout;
mod low_bits;
mod low_sums;
mod lower;
mod mismatch;
mod order;
mod periods;
mod preimages;
#[cfg(test)]
mod random;
mod reached;
mod recognise;
mod residues;
mod runs;
mod solutions;
mod stage;
mod swizzle_to;
mod swizzled;
mod symbolic;
mod undo;
mod verdict;
mod walk;
mod wires;
mod xored;

pub use crate::axis::{Axis, Unit};
pub use crate::index::{Affine, Expression, OffsetExpression, Offsets};
pub use comparison::{Certificate, Comparison};
pub use contiguity::Contiguity;
pub use cycles::Cycles;
pub use fit::{Break, Family, Fit, Table};
pub use form::{AffineExpr, Digit, Form};
pub use image::Image;
pub use injective::Injectivity;
pub use layout::{Direction, Map};
pub use mismatch::{Differences, Mismatch};
pub use order::Order;
pub use recognise::{Mixed, MixedLeaf, Padded};
pub use stage::Stage;
pub use verdict::{Difference, Verdict};
