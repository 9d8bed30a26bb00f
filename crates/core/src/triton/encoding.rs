//! [`Encoding`]: any of the encodings, with the verbs they share.

use super::{
    AmdMfma, AmdWmma, Blocked, DotOperand, EncodingStep, Linear, NvidiaMma, NvmmaShared, PaddedShared,
    PartitionedShared, SharedLinear, Slice, SwizzledShared, TensorMemory, TensorMemoryScales,
};
use crate::error::{Code, Error};
use crate::linear::LinearLayout;
use crate::trace::Trace;

/// An extent that holds a tile of every instruction.
const TRIAL_EXTENT: i64 = 1024;

/// What is said of parameters, and not of a shape that is a power of two in each dim.
const PARAMETER_CODES: [Code; 5] =
    [Code::OrderNotPermutation, Code::Parameter, Code::RankMismatch, Code::SizeNotPowerOfTwo, Code::SliceDim];

/// An encoding: how a tensor of any shape is spread over registers, lanes, warps and blocks, or over memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
    /// The rank of the tensors that it lays out; nothing where the encoding does not say it.
    ///
    /// ```
    /// use bitstride::triton::Encoding;
    /// let shared: Encoding = "#ttg.swizzled_shared<{vec=1, perPhase=1, maxPhase=1, order=[1,0]}>".parse()?;
    /// assert_eq!((shared.rank(), Encoding::Auto.rank()), (Some(2), None));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn rank(&self) -> Option<usize> {
        Some(match self {
            Encoding::Blocked(encoding) => encoding.order.len(),
            Encoding::Slice(encoding) => encoding.parent.rank()?.checked_sub(1)?,
            Encoding::DotOperand(encoding) => encoding.parent.rank()?,
            Encoding::NvidiaMma(encoding) => encoding.warps_per_cta.len(),
            Encoding::AmdMfma(encoding) => encoding.warps_per_cta.len(),
            Encoding::AmdWmma(encoding) => encoding.rank,
            Encoding::Linear(encoding) => encoding.rank,
            Encoding::SwizzledShared(encoding) => encoding.order.len(),
            Encoding::NvmmaShared(encoding) => encoding.rank,
            Encoding::PaddedShared(encoding) => encoding.rank,
            Encoding::SharedLinear(encoding) => encoding.rank,
            Encoding::PartitionedShared(encoding) => encoding.piece.rank()?,
            Encoding::TensorMemory(_) | Encoding::TensorMemoryScales(_) => 2,
            Encoding::Auto => return None,
        })
    }

    /// The refusal where a layout is needed and this stands alone.
    ///
    /// ```
    /// use bitstride::{Code, triton::Encoding};
    /// assert_eq!(Encoding::Auto.needs_shape().code(), Code::NeedsShape);
    /// ```
    pub fn needs_shape(&self) -> Error {
        error!(Code::NeedsShape, "a layout is needed here; {encoding} has one for each shape", [encoding = self])
            .with_help("say the shape: `tensor<128x64xf16, ATTR>` or `to_linear(ATTR, (128,64))`")
    }

    /// The linear layout of the offsets before padding for a shape; the whole layout where nothing is padded.
    ///
    /// # Errors
    /// As [`Encoding::to_linear`], but for padding.
    pub fn linear_part(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        match self {
            Encoding::PaddedShared(encoding) => encoding.linear_part(shape),
            Encoding::PartitionedShared(encoding) => encoding.linear_part(shape),
            encoding => encoding.to_linear(shape),
        }
    }

    /// The padding that is added to offsets; nothing where they are linear.
    pub fn padding(&self) -> Option<&PaddedShared> {
        match self {
            Encoding::PaddedShared(padded) => Some(padded),
            Encoding::PartitionedShared(partitioned) => partitioned.piece.padding(),
            _ => None,
        }
    }

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
        self.to_linear_traced(shape, &mut ())
    }

    /// Refuses parameters with which no shape has a layout: sizes that are no powers of two, orders that are no permutation, lists
    /// of other lengths, and what the hardware does not have.
    ///
    /// # Errors
    /// What [`Encoding::to_linear`] says of the parameters, whatever the shape.
    ///
    /// ```
    /// use bitstride::{Code, triton::Encoding};
    /// let text = "#ttg.blocked<{sizePerThread=[1,3], threadsPerWarp=[4,8], warpsPerCTA=[1,1], order=[1,0]}>";
    /// let encoding: Encoding = text.parse()?;
    /// assert_eq!(encoding.check().map_err(|error| error.code()), Err(Code::SizeNotPowerOfTwo));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn check(&self) -> Result<(), Error> {
        let Some(rank) = self.rank() else { return Ok(()) };
        // A shape of the right rank whose extents are powers of two, and so is not what these codes are about.
        match self.to_linear(&vec![TRIAL_EXTENT; rank]) {
            Err(error) if PARAMETER_CODES.contains(&error.code()) => Err(error),
            _ => Ok(()),
        }
    }

    /// [`Encoding::to_linear`], with each step reported by encodings that spread a tile over registers, lanes and warps, by slices
    /// and by swizzled memory; others report nothing.
    ///
    /// # Errors
    /// As [`Encoding::to_linear`].
    ///
    /// ```
    /// use bitstride::{linear::Name, triton::{Encoding, EncodingStep}};
    /// let mma = "#ttg.nvidia_mma<{versionMajor=2, warpsPerCTA=[1,1], instrShape=[16,8]}>".parse::<Encoding>()?;
    /// let mut steps = Vec::new();
    /// mma.to_linear_traced(&[16, 8], &mut steps)?;
    /// let first = EncodingStep::Takes { place: Name::REGISTER, dim: 1, start: 0, bits: 1 };
    /// assert_eq!(steps.first(), Some(&first));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_linear_traced(&self, shape: &[i64], trace: &mut impl Trace<EncodingStep>) -> Result<LinearLayout, Error> {
        match self {
            Encoding::Blocked(encoding) => encoding.lower(shape, trace),
            Encoding::Slice(encoding) => encoding.lower(shape, trace),
            Encoding::DotOperand(encoding) => encoding.lower(shape, trace),
            Encoding::NvidiaMma(encoding) => encoding.lower(shape, trace),
            Encoding::AmdMfma(encoding) => encoding.lower(shape, trace),
            Encoding::AmdWmma(encoding) => encoding.lower(shape, trace),
            Encoding::Linear(encoding) => encoding.to_linear(shape),
            Encoding::SwizzledShared(encoding) => encoding.lower(shape, trace),
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
