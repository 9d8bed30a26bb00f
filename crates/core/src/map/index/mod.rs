//! Index expressions: what an element's place is, as code says it, in the syntax of C or as an affine map of MLIR.
//!
//! Both are read into one tree, and the tree becomes stages, operator by operator. Law: what is printed is read as the same tree,
//! and the stages give what the expression gives, at every point of the box.

mod affine;
mod expression;
mod parse;
mod print;
mod scanner;
mod stages;
mod tree;

pub use affine::Affine;
pub use expression::Expression;
pub(super) use stages::stages;
pub(super) use tree::{Operator, Tree};
