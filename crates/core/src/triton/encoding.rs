//! [`Encoding`]: any of the encodings, with the verbs they share.

use super::{
    AmdMfma, AmdWmma, Blocked, DotOperand, Linear, NvidiaMma, NvmmaShared, PaddedShared, PartitionedShared,
    SharedLinear, Slice, SwizzledShared, TensorMemory, TensorMemoryScales,
};
use crate::small::Small;

/// A number for each dim of the tensor, `dim0` first.
pub type Sizes = Small<i64, 4>;

/// An encoding: how a tensor of any shape is spread over registers, lanes, warps and blocks, or over memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// `#ttg.blocked`
    Blocked(Blocked),
    /// `#ttg.slice`
    Slice(Slice),
    /// `#ttg.dot_op`
    DotOperand(DotOperand),
    /// `#ttg.nvidia_mma`
    NvidiaMma(NvidiaMma),
    /// `#ttg.amd_mfma`
    AmdMfma(AmdMfma),
    /// `#ttg.amd_wmma`
    AmdWmma(AmdWmma),
    /// `#ttg.linear` and `#ttg.generic_linear`
    Linear(Linear),
    /// `#ttg.swizzled_shared` and `#ttg.amd_rotating_shared`
    SwizzledShared(SwizzledShared),
    /// `#ttg.nvmma_shared`
    NvmmaShared(NvmmaShared),
    /// `#ttg.padded_shared`
    PaddedShared(PaddedShared),
    /// `#ttg.shared_linear`
    SharedLinear(SharedLinear),
    /// `#ttg.partitioned_shared`
    PartitionedShared(PartitionedShared),
    /// `#ttng.tensor_memory_encoding`
    TensorMemory(TensorMemory),
    /// `#ttng.tensor_memory_scales_encoding`
    TensorMemoryScales(TensorMemoryScales),
    /// `#gluon.auto_encoding`, which stands for a layout still to be inferred
    Auto,
}
