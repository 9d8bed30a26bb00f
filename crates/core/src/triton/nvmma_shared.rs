//! [`NvmmaShared`]: shared memory as the matrix instructions and the tensor memory accelerator of NVIDIA read it.

use super::Cga;

/// `#ttg.nvmma_shared<{swizzlingByteWidth, transposed, elementBitWidth, fp4Padded, rank, CGALayout}>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NvmmaShared {
    /// The length of a swizzled row in bytes: 0 (none), 32, 64 or 128.
    pub swizzle_bytes: i64,
    /// Whether `dim0` is contiguous.
    pub transposed: bool,
    /// The bits of an element.
    pub element_bits: i64,
    /// Whether half of every 16 bytes is a hole.
    pub fp4_padded: bool,
    /// The rank of the tensor.
    pub rank: usize,
    /// The blocks of a cluster.
    pub cga: Cga,
}
