//! The CuTe layout algebra: one operation a file, each exact or refused.
//!
//! A layout `shape:stride` is a function from coordinates to offsets; everything here builds new ones from it. The
//! operations are generic over their [integers](crate::Integer) and [strides](crate::StrideLeaf), so that static,
//! dynamic and unknown leaves obey the same rules. Names and the order of modes are CuTe's; where its answer breaks
//! the law of the operation, the law wins.
//!
//! | file | operations |
//! |---|---|
//! | `layout`, `measure`, `print`, `parse` | what a layout is, how far it reaches, its texts |
//! | `make`, `filter`, `coalesce` | compact layouts, fewer modes |
//! | `composition` | A after B: the walk, with its account of carries |
//! | `decide`, `exact`, `refusal`, `nearest` | what the walk leaves open, the solver, and what a refusal says |
//! | `complement`, `inverse`, `left_inverse`, `interpolation`, `common` | what is left free, what undoes, what two layouts share |
//! | `divide`, `product`, `meet`, `tile`, `arrange`, `tiler` | tiles, copies that must not meet, and how modes are gathered |
//! | `slice` | coordinates, slices |
//! | `recast`, `rescaled` | other element sizes |
//! | `swizzle`, `byte_swizzle`, `composed`, `after`, `swizzled_inverse` | xor of address bits; layouts with an offset or under swizzles as functions, one after another, and undone |
//! | `add` | sums of layouts |
//! | `atom`, `copy_atom`, `smem_atom`, `catalogue`, `which_atom` | instructions: what each thread holds, reads and writes, which there are, and whose a layout is |
//! | `tiled_mma`, `tiled_copy`, `cotiled_copy`, `tiling_step` | copies of an instruction over threads and a tile, and the parts of a tensor that they hold |

mod add;
mod after;
mod amd_atom;
mod arrange;
mod atom;
mod by_trial;
mod byte_swizzle;
mod catalogue;
mod coalesce;
mod common;
mod common_vector;
mod complement;
mod composed;
mod composition;
mod copy_atom;
mod cotiled_copy;
mod decide;
mod divide;
mod exact;
mod filter;
mod fragment_like;
mod interpolation;
mod inverse;
mod layout;
mod left_inverse;
mod make;
mod measure;
mod meet;
mod nearest;
mod nvidia_atom;
mod parse;
mod print;
mod product;
mod recast;
mod refusal;
mod rescaled;
mod slice;
mod smem_atom;
mod swizzle;
mod swizzled_inverse;
mod tile;
mod tiled_copy;
mod tiled_mma;
mod tiler;
mod tiling_step;
mod walk;
mod which_atom;
pub use add::{greatest_common_domain, layout_add};
pub use arrange::zip;
pub use atom::MmaAtom;
pub use byte_swizzle::ByteSwizzle;
pub use catalogue::{AtomFamily, atom_families};
pub use coalesce::{CoalesceStep, coalesce, coalesce_by, coalesce_traced, same_function};
pub use common::{domain_distribute, max_common_layout, max_common_vector};
pub use complement::{ComplementStep, complement, complement_traced, complement_up_to, complement_within};
pub use composed::{Composed, Function};
pub use composition::{compose_tiler, composition, composition_traced};
pub use copy_atom::CopyAtom;
pub use divide::{flat_divide, logical_divide, logical_divide_by, tiled_divide, zipped_divide};
pub use filter::{filter, filter_by, filter_zeros};
pub use fragment_like::{make_fragment_like, make_fragment_like_traced};
pub use inverse::{ChainLink, nullspace, right_inverse, right_inverse_traced};
pub use layout::{Layout, StaticLayout};
pub use left_inverse::{UndoStep, left_inverse, left_inverse_traced};
pub use make::{
    column_major, make_identity_layout, make_layout_like, make_layout_like_traced, make_ordered_layout,
    make_ordered_layout_traced, row_major,
};
pub use measure::{codomain_coordinate, coprofile, coshape, cosize};
pub use meet::is_injective;
pub use nearest::nearest;
pub use print::print_layout;
pub use product::{blocked_product, flat_product, logical_product, raked_product, tiled_product, zipped_product};
pub use recast::{RecastStep, downcast, recast, rescale, rescale_traced, upcast};
pub use slice::{Coordinate, Offset, coordinate_at, coordinates, crd2crd, crd2idx, crd2index, dice, idx2crd, slice};
pub use smem_atom::smem_atom;
pub(crate) use smem_atom::smem_atom_of_32_bytes;
pub use swizzle::Swizzle;
pub use tile::{local_partition, local_partition_by, local_tile, tile_to_shape};
pub use tiled_copy::{Side, TiledCopy};
pub use tiled_mma::{Operand, TiledMma};
pub use tiler::Tiler;
pub use tiling_step::TilingStep;
pub use walk::WalkStep;
pub use which_atom::{atoms_holding, mma_atoms_with};
