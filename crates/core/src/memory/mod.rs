//! What a memory makes of the addresses that lanes give it.
//!
//! An [`Access`] is one instruction of one warp: a [`Transfer`] of some bytes a lane, and the byte address of each lane that
//! takes part. A [`SharedMemory`] serves it in phases, and each phase in as many wavefronts as one bank has different words to
//! give; a global memory serves it by sectors. Law: the numbers are those that the profiler of the machine counts; the rules were
//! found from 1,122 measured accesses of an H100, and agree with every one. [`Accesses`] finds the
//! instructions by which a layout of threads reaches a layout of memory. [`Scratch`] is the swizzled memory
//! through which registers are exchanged, and a [`Conversion`] says whether that is needed; [`WarpShuffles`] are the moves
//! within a warp. A [`SwizzleSearch`] finds the swizzle that suits a set of accesses. A [`Descriptor`] is how tensor cores find
//! a tile, an [`InstructionDescriptor`] the shape and types of operands. A [`TensorMap`] is a copy by TMA: what the driver
//! takes, and where a box comes to lie; a [`TmaCopy`] is the map between two layouts.
//!
//! ```
//! use bitstride::memory::{Access, SharedMemory, Transfer};
//! // A column of a row-major matrix of 32 x 32 floats: every lane asks bank 0 for another word.
//! let column: Vec<Option<i64>> = (0..32).map(|lane| Some(lane * 128)).collect();
//! let access = Access::new(Transfer::Load, 4, &column)?;
//! assert_eq!(SharedMemory::NVIDIA.passes(&access)?.wavefronts(), 32);
//! assert_eq!(access.sectors()?, 32);
//! # Ok::<(), bitstride::Error>(())
//! ```

mod access;
mod accesses;
mod bit_map;
mod bit_map_search;
mod conversion;
mod descriptor;
mod instruction;
mod linear_access;
mod rotating_search;
mod scratch;
mod shared;
mod shuffle;
mod smem_layout;
mod subspace_search;
mod swizzle_search;
mod tensor_map;
mod tma;
mod tma_box;
mod tma_dims;

pub use access::{Access, Transfer};
pub use accesses::Accesses;
pub use bit_map::BitMap;
pub use bit_map_search::Vectors;
pub use conversion::{Alternative, Conversion, LOADS, Matrices, STORES, Way};
pub use descriptor::{Descriptor, DescriptorStep, Generation, Major, SwizzleMode};
pub use instruction::{InstructionDescriptor, MmaKind, Options};
pub use linear_access::{Cost, LinearAccess};
pub use rotating_search::Rotating;
pub use scratch::{LaneTile, Scratch, bank_conflicts};
pub use shared::{Collision, Passes, Phase, SharedMemory};
pub use shuffle::{LaneExchange, MoveCost, WarpShuffles};
pub use smem_layout::{
    contiguous_elements, modes_of_mma_tile, smem_layout, smem_tile_order, tile_smem_atom, tile_to_mma_shape,
    widest_smem_atom,
};
pub use swizzle_search::{Found, Padding, SwizzleSearch};
pub use tensor_map::{Fill, Interleave, TensorMap};
pub use tma::TmaCopy;
pub use tma_dims::CoordinateStep;
