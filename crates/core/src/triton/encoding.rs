//! [`Encoding`]: any of the encodings, with the verbs they share.

use super::{
    AmdMfma, AmdWmma, Blocked, DotOperand, Linear, NvidiaMma, NvmmaShared, PaddedShared, PartitionedShared,
    SharedLinear, Slice, SwizzledShared, TensorMemory, TensorMemoryScales,
};
use crate::error::{Code, Error};
use crate::linear::LinearLayout;
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

impl Encoding {
    /// The linear layout of the encoding for a shape.
    ///
    /// # Errors
    /// What the parameters or the shape do not allow; see the encoding. [`Code::NoLayout`] for the automatic encoding.
    ///
    /// ```
    /// use bitstride::triton::Encoding;
    /// assert!(Encoding::Auto.to_linear(&[16]).is_err());
    /// ```
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        match self {
            Encoding::Blocked(encoding) => encoding.to_linear(shape),
            Encoding::Slice(encoding) => encoding.to_linear(shape),
            Encoding::DotOperand(encoding) => encoding.to_linear(shape),
            Encoding::NvidiaMma(encoding) => encoding.to_linear(shape),
            Encoding::AmdMfma(encoding) => encoding.to_linear(shape),
            Encoding::AmdWmma(encoding) => encoding.to_linear(shape),
            Encoding::Linear(encoding) => encoding.to_linear(shape),
            Encoding::SwizzledShared(encoding) => encoding.to_linear(shape),
            Encoding::NvmmaShared(encoding) => encoding.to_linear(shape),
            Encoding::PaddedShared(encoding) => encoding.to_linear(shape),
            Encoding::SharedLinear(encoding) => encoding.to_linear(shape),
            Encoding::PartitionedShared(encoding) => encoding.to_linear(shape),
            Encoding::TensorMemory(encoding) => encoding.to_linear(shape),
            Encoding::TensorMemoryScales(encoding) => encoding.to_linear(shape),
            Encoding::Auto => {
                Err(Error::new(Code::NoLayout, "#gluon.auto_encoding stands for a layout that is still to be inferred")
                    .with_help("give the encoding that the compiler chose"))
            }
        }
    }
}
