//! [`DotOperand`]: an operand of a matrix multiplication whose result has the parent encoding.

use super::Encoding;

/// `#ttg.dot_op<{opIdx, parent, kWidth}>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DotOperand {
    /// 0 for A, 1 for B.
    pub operand: i64,
    /// The encoding of the result.
    pub parent: Box<Encoding>,
    /// How many elements along K lie next to each other in a register group; 0 where the parent is blocked.
    pub k_width: i64,
}
