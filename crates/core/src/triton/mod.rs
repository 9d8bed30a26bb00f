//! Triton's encodings: the parametrised layouts that a tensor type carries.
//!
//! An [`Encoding`] is a kind with its parameters; with a shape it is a linear layout. One encoding a file: its
//! parameters, what they mean, and how it lowers.

mod amd_mfma;
mod amd_wmma;
mod blocked;
mod cga;
mod distributed;
mod dot_operand;
mod encoding;
mod fit;
mod infer;
mod linear;
mod memdesc;
mod nvidia_mma;
mod nvmma_shared;
mod padded_choice;
mod padded_shared;
mod partitioned_shared;
mod scales;
mod shared_linear;
mod sizes;
mod slice;
mod swizzled_shared;
mod tensor_memory;
mod tensor_memory_load;
mod text;
mod tile;
mod trace;
mod view;

pub use amd_mfma::AmdMfma;
pub use amd_wmma::AmdWmma;
pub use blocked::Blocked;
pub use cga::{Cga, Split};
pub use distributed::Distributed;
pub use dot_operand::DotOperand;
pub use encoding::Encoding;
pub use fit::{combine_cta_cga_with_shape, combine_cta_cga_with_shape_traced};
pub use infer::is_expensive_view;
pub use linear::Linear;
pub use memdesc::MemDesc;
pub use nvidia_mma::NvidiaMma;
pub use nvmma_shared::NvmmaShared;
pub use padded_choice::CopiedOperand;
pub use padded_shared::PaddedShared;
pub use partitioned_shared::PartitionedShared;
pub use scales::{mfma_scale, wmma_scale};
pub use shared_linear::SharedLinear;
pub use sizes::Sizes;
pub use slice::Slice;
pub use swizzled_shared::{Phase, SwizzledShared};
pub use tensor_memory::{Repetition, TensorMemory, TensorMemoryScales};
pub use tensor_memory_load::TensorMemoryLoad;
pub use trace::EncodingStep;
pub use view::{hardware_view, tensor_view};
