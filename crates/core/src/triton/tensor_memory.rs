//! [`TensorMemory`] and [`TensorMemoryScales`]: the two-dimensional memory of the fifth generation of tensor cores.

use super::Cga;

/// `#ttng.tensor_memory_encoding<blockM, blockN, colStride, …>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMemory {
    /// The rows of one block of the accumulator: 64 or 128.
    pub block_m: i64,
    /// The columns of one block of the accumulator.
    pub block_n: i64,
    /// Every how many 32-bit columns an element stands.
    pub col_stride: i64,
    /// The blocks of a cluster.
    pub cga: Cga,
    /// Whether two blocks work on one instruction.
    pub two_ctas: bool,
    /// Whether fp4 elements are padded to bytes.
    pub fp4_padded: bool,
}

/// `#ttng.tensor_memory_scales_encoding<…>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMemoryScales {
    /// The blocks of a cluster.
    pub cga: Cga,
}
