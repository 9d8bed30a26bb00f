//! Index expressions: the place of an element as code computes it, in C syntax or as an MLIR affine map.
//!
//! Both are parsed into one tree, and the tree becomes stages, operator by operator. Offsets of Triton's Python are strides, and such a
//! tree for what no strides hold. Law: the printed text parses to the same tree, and the stages give the value of the expression at
//! every point of the box.

mod affine;
mod expression;
mod faults;
mod offset_expression;
mod offset_reader;
mod offsets;
mod parse;
mod print;
mod tree;

pub use affine::Affine;
pub use expression::Expression;
pub use offset_expression::OffsetExpression;
pub use offsets::Offsets;
pub(crate) use tree::{Operator, Tree};
