//! Tiles in shared memory as CUTLASS lays them out for matrix instructions and bulk copies: the atom of the widest swizzle that the
//! tile has room for, repeated.
//!
//! Law: the layout is that of `make_smem_layout_a`, `_b` and `_epi` of CuTe DSL (`sm90_utils`, `sm100_utils`), and every mode is at
//! least as long as that of the tile.

use super::descriptor::{Generation, Major};
use crate::cute::{Function, Tiler, coalesce_by, smem_atom, smem_atom_of_32_bytes, tile_to_shape, tiled_divide};
use crate::error::{Code, Error};
use crate::int::Int;
use crate::tuple::Tuple;

/// The bits that each swizzle spans, the widest first, and the bytes that [`smem_atom`] calls it by.
const SPANS: [(i64, i64); 4] = [(1024, 128), (512, 64), (256, 32), (128, 0)];

/// The layout of a tile (mn,k,…) of elements of some bits. A tile whose first mode is (mn,k) of one instruction, followed by how
/// often that fits along both, has these modes in the answer.
///
/// # Errors
/// As [`widest_smem_atom`] and [`tile_smem_atom`].
///
/// ```
/// use bitstride::memory::{Generation, Major, smem_layout};
/// use bitstride::{Int, Tuple};
/// let tile = Tuple::flat(&[128, 64, 4].map(Int::from));
/// let layout = smem_layout(Major::K, &tile, 16, Generation::Wgmma)?;
/// assert_eq!(layout.to_string(), "Sw<3,4,3> o bytes[16] o ((8,16),(64,1),(1,4)):((64,512),(1,0),(0,8192))");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn smem_layout(major: Major, tile: &Tuple<Int>, bits: i64, cores: Generation) -> Result<Function, Error> {
    tile_smem_atom(&widest_smem_atom(major, contiguous_elements(major, tile)?, bits, cores)?, major, tile)
}

/// How many elements of a tile lie side by side.
///
/// # Errors
/// [`Code::RankMismatch`] for a tile without rows and columns; [`Code::Kind`] for a number that is not known.
pub fn contiguous_elements(major: Major, tile: &Tuple<Int>) -> Result<i64, Error> {
    let modes = modes_of_mma_tile(tile).unwrap_or_else(|| tile.entries());
    let [mn, k, ..] = modes.as_slice() else {
        return Err(error!(Code::RankMismatch, "a tile in shared memory has rows and columns, {tile} has not", [tile]));
    };
    (if major == Major::K { k } else { mn }).size()?.as_number()
}

/// The atom of the widest swizzle of which a number of contiguous elements is a multiple. On Blackwell elements of 32 bits that do
/// not lie along K move in pieces of 32 bytes.
///
/// # Errors
/// [`Code::Range`] unless the elements are whole pieces of 16 bytes, and eight or more; what [`smem_atom`] refuses.
pub fn widest_smem_atom(major: Major, contiguous: i64, bits: i64, cores: Generation) -> Result<Function, Error> {
    let row = contiguous.checked_mul(bits).filter(|_| contiguous > 0 && contiguous % 8 == 0 && bits > 0);
    let span = row.and_then(|row| SPANS.iter().find(|(span, _)| row % span == 0));
    let Some((_, bytes)) = span else {
        return Err(error!(
            Code::Range,
            "{contiguous} elements of {bits} bits side by side are not whole pieces of {piece} bytes, {least} elements or more",
            [contiguous, bits, piece = 16, least = 8]
        ));
    };
    match (major, bytes, bits, cores) {
        (Major::Mn, 128, 32, Generation::Tcgen05) => smem_atom_of_32_bytes(bits),
        _ => smem_atom(major == Major::K, *bytes, bits),
    }
}

/// An atom repeated over a tile, first along the mode whose elements are not side by side.
///
/// # Errors
/// As [`tile_to_shape`] and [`tile_to_mma_shape`].
pub fn tile_smem_atom(atom: &Function, major: Major, tile: &Tuple<Int>) -> Result<Function, Error> {
    let order = smem_tile_order(major, tile);
    match modes_of_mma_tile(tile) {
        Some(_) => tile_to_mma_shape(atom, tile, Some(&order)),
        None => atom.map_domain(&|block| tile_to_shape(block, tile, Some(&order))),
    }
}

/// The order in which [`tile_smem_atom`] repeats an atom over the modes of a tile, as [`tile_to_shape`] takes it.
pub fn smem_tile_order(major: Major, tile: &Tuple<Int>) -> Tuple<Int> {
    let count = modes_of_mma_tile(tile).map_or(tile.rank(), |modes| modes.len());
    let order = (0..count).map(|mode| match (major, mode) {
        (Major::Mn, 0) => Int::from(1),
        (Major::Mn, 1) => Int::from(0),
        _ => Int::from(crate::cast::length(mode)),
    });
    Tuple::flat(&order.collect::<Vec<_>>())
}

/// A block repeated over the tile ((mn,k), copies along mn, copies along k, …) of a matrix instruction, with these modes in the
/// answer, each coalesced; `order` ranks mn, k and the modes behind them, as in [`tile_to_shape`]. The function of this name of CuTe
/// DSL; CuTe C++ leaves `(1,3)` of a mode behind K where this has `3`.
///
/// # Errors
/// [`Code::Profile`] for a tile of other modes; what [`tile_to_shape`] and [`tiled_divide`] refuse.
///
/// ```
/// use bitstride::cute::{Function, Layout};
/// use bitstride::memory::tile_to_mma_shape;
/// let block = Function::Layout("(8,64):(64,1)".parse()?);
/// let tile: Layout = "((128,16),1,4,3):((0,0),0,0,0)".parse()?;
/// let tiled = tile_to_mma_shape(&block, &tile.shape(), None)?;
/// assert_eq!(tiled.to_string(), "((128,16),1,4,3):((64,1),0,16,8192)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn tile_to_mma_shape(block: &Function, tile: &Tuple<Int>, order: Option<&Tuple<Int>>) -> Result<Function, Error> {
    let wrong = || {
        error!(
            Code::Profile,
            "the tile of a matrix instruction is ((mn,k), copies along mn, copies along k), perhaps with more modes; {tile} is none",
            [tile]
        )
    };
    let modes = modes_of_mma_tile(tile).ok_or_else(wrong)?;
    let instruction =
        tile.entry(0)?.entries().iter().map(|mode| mode.size().map(Tiler::Extent)).collect::<Result<_, _>>()?;
    let instruction = Tiler::Modes(instruction);
    let extents = tile.entry(0)?.map(|_| 1_i64);
    let profile: Vec<Tuple<i64>> =
        std::iter::once(extents).chain(tile.entries().iter().skip(1).map(|_| Tuple::leaf(1))).collect();
    block.map_domain(&|block| {
        let divided = tiled_divide(&tile_to_shape(block, &Tuple::of(&modes), order)?, &instruction)?;
        coalesce_by(&divided, &Tuple::of(&profile))
    })
}

/// (mn, copies along mn), (k, copies along k) and the other modes of the tile of a matrix instruction; none of another tile.
pub fn modes_of_mma_tile(tile: &Tuple<Int>) -> Option<Vec<Tuple<Int>>> {
    let modes = tile.entries();
    let [instruction, copies_mn, copies_k, rest @ ..] = modes.as_slice() else { return None };
    let extents = instruction.entries();
    let [mn, k] = extents.as_slice() else { return None };
    if instruction.is_leaf() {
        return None;
    }
    let pairs = [Tuple::of(&[mn.clone(), copies_mn.clone()]), Tuple::of(&[k.clone(), copies_k.clone()])];
    Some(pairs.into_iter().chain(rest.iter().cloned()).collect())
}
