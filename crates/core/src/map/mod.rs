//! [`Map`]: what layouts of all families lower into, and what they are recognised from.
//!
//! A map is a box of named axes, a chain of [stages](Stage) from a closed set, and the named axes that it leads to. Every
//! notation lowers into it exactly; composition is concatenation and is never refused. The decisions are made on
//! [`Form`], what a chain comes to where it does: an offset, a stride for each digit of each axis, and an xor of
//! patterns for single bits. Law: whatever is done to a map, evaluating it point by point gives the same function.

mod agreement;
mod axes;
mod axis;
mod bounds;
mod boxes;
mod canonical;
mod compare;
mod contiguity;
mod cycles;
mod differences;
mod fit;
mod form;
mod image;
mod index;
mod injective;
mod inverse;
mod layout;
mod levels;
mod low_bits;
mod low_sums;
mod lower;
mod order;
mod periods;
mod preimages;
mod push;
#[cfg(test)]
mod random;
mod reached;
mod recognise;
mod residues;
mod runs;
mod solutions;
mod stage;
mod swizzled;
mod undo;
mod verdict;
mod walk;
mod wires;

pub use axis::{Axis, Unit};
pub use compare::{Certificate, Comparison};
pub use contiguity::Contiguity;
pub use cycles::Cycles;
pub use differences::{Differences, Elsewhere};
pub use fit::{Break, Family, Fit, Table};
pub use form::{Digit, Form, Sum};
pub use image::Image;
pub use index::{Affine, Expression};
pub use injective::Injectivity;
pub use layout::{Direction, Map};
pub use order::Order;
pub use recognise::{Mixed, MixedLeaf, Padded};
pub use stage::Stage;
pub use verdict::{Difference, Verdict};
