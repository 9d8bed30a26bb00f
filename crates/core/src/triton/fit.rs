//! Fitting the layout of one block to a shape, over the blocks of a cluster.
//!
//! First the cluster: block bases that reach beyond the shape become 0, the largest first; what remains says how large
//! a block's share of the shape is. Then the share: where the tile is smaller it is repeated in registers, dim after
//! dim; bases beyond the share become 0, that is, duplicates. Law: the result covers the shape, and where tile and share
//! are equal it is the tile beside the cluster.

use super::Cga;
use super::sizes::extent;
use super::tile::{Bases, Bit, Bits, Tile};
use super::trace::EncodingStep;
use crate::error::{Code, Error};
use crate::linear::{Columns, Dim, Dims, LinearLayout, Name};
use crate::small::Small;
use crate::trace::Trace;

/// What becomes of registers that hold nothing of the shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// They are dropped.
    Drop,
    /// They stay as duplicates.
    Keep,
}

/// A block's share of a shape.
pub(super) struct Share {
    /// For each dim, the bits of the shape before it.
    starts: Small<u32, 4>,
    /// For each dim, the bits of the share.
    pub(super) bits: Small<u32, 4>,
    outs: Dims,
    /// The block columns, in the packing of the shape.
    blocks: Columns,
}

impl<T: Trace<EncodingStep>> Tile<'_, T> {
    /// The tile repeated in registers, or cut, to fill the share of one block in a shape; the dims grow in `order`.
    pub(super) fn fit(self, shape: &[i64], order: &[usize], cga: &Cga, registers: Fit) -> Result<LinearLayout, Error> {
        for (dim, used) in self.bases.used.iter().enumerate() {
            if used & used.wrapping_add(1) != 0 {
                return Err(error!(
                    Code::Parameter,
                    "the bases leave out values of dim {dim} below its largest, so no box is covered",
                    [dim]
                ));
            }
        }
        let (tile, share) = (self.bases, share(shape, cga)?);
        self.trace.record(|| EncodingStep::Tile { tile: tile.layout(order).map(Box::new), cga: cga.clone() });
        for (dim, bits) in share.bits.iter().enumerate() {
            self.trace.record(|| EncodingStep::Fits { dim, tile: tile.reach(dim), share: *bits });
        }
        if registers == Fit::Drop {
            let is_zero = |bit: &&Option<Bit>| share.column(**bit) == 0;
            self.trace.record(|| EncodingStep::Drops { bases: tile.register.iter().filter(is_zero).count() });
        }
        fitted(&tile, share, order, registers)
    }
}

/// A tile fitted to a block's share.
fn fitted(tile: &Bases, share: Share, order: &[usize], registers: Fit) -> Result<LinearLayout, Error> {
    let mut columns = Columns::new();
    let mut ins = Dims::new();
    let mut place = |name: Name, bits: &Bits, more: &mut dyn FnMut(&mut Columns), fit: Fit| {
        let before = columns.len();
        for bit in bits {
            let column = share.column(*bit);
            if column != 0 || fit == Fit::Keep {
                columns.push(column);
            }
        }
        more(&mut columns);
        ins.push(Dim { name, bits: u32::try_from(columns.len() - before).unwrap_or(u32::MAX) });
    };
    let mut grow = |columns: &mut Columns| {
        order.iter().for_each(|dim| share.grow(columns, *dim, tile.reach(*dim)));
    };
    place(Name::REGISTER, &tile.register, &mut grow, registers);
    place(Name::LANE, &tile.lane, &mut |_| (), Fit::Keep);
    place(Name::WARP, &tile.warp, &mut |_| (), Fit::Keep);
    place(Name::BLOCK, &Bits::new(), &mut |columns| columns.extend_from_slice(&share.blocks), Fit::Keep);
    LinearLayout::from_columns(ins, share.outs, columns)
}

impl Share {
    /// The packed image of a bit, 0 beyond the share.
    pub(super) fn column(&self, bit: Option<Bit>) -> u64 {
        bit.filter(|bit| self.bits.get(bit.dim).is_some_and(|end| bit.bit < *end))
            .and_then(|bit| 1u64.checked_shl(self.starts.get(bit.dim)? + bit.bit))
            .unwrap_or(0)
    }

    /// The bits of a dim of the whole shape.
    pub(super) fn whole(&self, dim: usize) -> u32 {
        self.outs.get(dim).map_or(0, |dim| dim.bits)
    }

    /// Appends the bits of a dim from `start` on.
    pub(super) fn grow(&self, columns: &mut Columns, dim: usize, start: u32) {
        let end = self.bits.get(dim).copied().unwrap_or(0);
        (start..end).for_each(|bit| columns.push(self.column(Some(Bit { dim, bit }))));
    }

    /// The layout with these in dims; `block` stands after the first `before` of them.
    pub(super) fn layout(&self, places: &[(Name, &Columns)], before: usize) -> Result<LinearLayout, Error> {
        let (mut ins, mut columns) = (Dims::new(), Columns::new());
        let (first, rest) = places.split_at_checked(before).unwrap_or((places, &[]));
        for (name, own) in first.iter().chain(&[(Name::BLOCK, &self.blocks)]).chain(rest) {
            ins.push(Dim { name: *name, bits: u32::try_from(own.len()).unwrap_or(u32::MAX) });
            columns.extend_from_slice(own);
        }
        LinearLayout::from_columns(ins, self.outs.clone(), columns)
    }
}

/// The share of one block, and the block columns.
pub(super) fn share(shape: &[i64], cga: &Cga) -> Result<Share, Error> {
    let outs = shape_dims(shape)?;
    let bases = cga.fitted(&outs)?;
    let (mut starts, mut bits) = (Small::new(), Small::new());
    let mut start = 0;
    for (at, dim) in outs.iter().enumerate() {
        starts.push(start);
        bits.push(dim.bits - extent(&bases, at));
        start += dim.bits;
    }
    let mut blocks = Columns::new();
    for basis in &bases {
        let mut column = 0;
        for (value, (start, own)) in basis.iter().zip(starts.iter().zip(&bits)) {
            column |= u64::try_from(*value).unwrap_or(0).checked_shl(start + own).unwrap_or(0);
        }
        blocks.push(column);
    }
    Ok(Share { starts, bits, outs, blocks })
}

/// The dims of a tensor of a shape.
///
/// # Errors
/// [`Code::SizeNotPowerOfTwo`], [`Code::TooLarge`] beyond 64 bits.
pub(super) fn shape_dims(shape: &[i64]) -> Result<Dims, Error> {
    let mut dims = Dims::new();
    for (at, size) in shape.iter().enumerate() {
        dims.push(Dim::new(Name::dim(at), *size)?);
    }
    let bits: u32 = dims.iter().map(|dim| dim.bits).sum();
    if bits > u64::BITS {
        return Err(error!(
            Code::TooLarge,
            "the shape {shape:?} has {bits} bits; a linear layout has at most {limit}",
            [shape, bits, limit = u64::BITS]
        ));
    }
    Ok(dims)
}

/// The layout of one block over the blocks of a cluster, fitted to a shape.
///
/// `cta` maps register, lane, warp to the tensor; `cga` maps block to tiles of one block. Registers are repeated where
/// the shape is larger, in the order of the out dims of `cta`; where it is smaller, bases become 0. The out dims of the
/// answer are `dim0`, `dim1`, ….
///
/// # Errors
/// [`Code::RankMismatch`], [`Code::DimNamesMismatch`], [`Code::SizeNotPowerOfTwo`], [`Code::TooLarge`]; [`Code::MissingDim`] where
/// `cta` has no in dim to repeat it.
pub fn combine_cta_cga_with_shape(
    cta: &LinearLayout,
    cga: &LinearLayout,
    shape: &[i64],
) -> Result<LinearLayout, Error> {
    combine_cta_cga_with_shape_traced(cta, cga, shape, &mut ())
}

/// [`combine_cta_cga_with_shape`], with how the block's layout meets its share reported for each of its dims.
///
/// # Errors
/// As [`combine_cta_cga_with_shape`].
///
/// ```
/// use bitstride::linear::{LinearLayout, Name};
/// use bitstride::triton::{EncodingStep, combine_cta_cga_with_shape_traced};
/// let tile = LinearLayout::identity(4, Name::REGISTER, Name::dim(0))?;
/// let cluster = LinearLayout::identity(2, Name::BLOCK, Name::dim(0))?;
/// let mut steps = Vec::new();
/// combine_cta_cga_with_shape_traced(&tile, &cluster, &[32], &mut steps)?;
/// assert_eq!(steps, [EncodingStep::Fits { dim: 0, tile: 2, share: 4 }]);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn combine_cta_cga_with_shape_traced(
    cta: &LinearLayout,
    cga: &LinearLayout,
    shape: &[i64],
    trace: &mut impl Trace<EncodingStep>,
) -> Result<LinearLayout, Error> {
    let outs = shape_dims(shape)?;
    let rank = outs.len();
    if cta.outs().len() != rank || cga.outs().len() != rank {
        return Err(error!(
            Code::RankMismatch,
            "the block's layout has rank {tile_dims}, the cluster's {cluster_dims}, the shape {shape:?} rank {rank}",
            [tile_dims = cta.outs().len(), cluster_dims = cga.outs().len(), shape, rank]
        ));
    }
    let standard: Small<Name, 5> = outs.iter().map(|dim| dim.name).collect();
    let minor: Small<Name, 5> = cta.outs().iter().map(|dim| dim.name).collect();
    let cluster = shrink(cga, &outs)?.transpose_outs(&minor)?;
    let own: Dims = cta
        .outs()
        .iter()
        .map(|dim| {
            let whole = outs.iter().find(|out| out.name == dim.name).map_or(0, |out| out.bits);
            let blocks = cluster.out_dim(dim.name).map_or(0, |(dim, _)| dim.bits);
            Dim { name: dim.name, bits: whole.saturating_sub(blocks) }
        })
        .collect();
    for (dim, name) in standard.iter().enumerate() {
        let bits = |dims: &[Dim]| dims.iter().find(|dim| dim.name == *name).map_or(0, |dim| dim.bits);
        trace.record(|| EncodingStep::Fits { dim, tile: bits(cta.outs()), share: bits(&own) });
    }
    let fitted = shrink(&grow(cta, &own)?, &own)?;
    fitted.product(&cluster)?.transpose_outs(&standard)
}

/// The layout with identity bases appended to its first in dim until each out dim has at least the bits of `outs`.
fn grow(layout: &LinearLayout, outs: &Dims) -> Result<LinearLayout, Error> {
    let mut grown = layout.clone();
    for dim in layout.outs() {
        let wanted = outs.iter().find(|out| out.name == dim.name).map_or(0, |out| out.bits);
        if let Some(missing) = wanted.checked_sub(dim.bits).filter(|missing| *missing > 0) {
            let Some(first) = layout.ins().first() else {
                return Err(error!(
                    Code::MissingDim,
                    "the block's layout has no in dim that could repeat its {size} values of {name}",
                    [size = dim.size(), name = dim.name]
                ));
            };
            let size = Dim { name: dim.name, bits: missing }.size();
            grown = grown.product(&LinearLayout::identity(size, first.name, dim.name)?)?;
        }
    }
    Ok(grown)
}

/// The layout with the bases that hold the largest values of an out dim set to 0 in it, until it has at most the bits of
/// `outs`.
fn shrink(layout: &LinearLayout, outs: &Dims) -> Result<LinearLayout, Error> {
    let mut kept = Dims::new();
    let mut masks = Small::<u64, 5>::new();
    let mut columns: Columns = layout.columns().iter().copied().collect();
    let mut shift = 0;
    for dim in layout.outs() {
        let Some(wanted) = outs.iter().find(|out| out.name == dim.name) else {
            return Err(error!(Code::DimNamesMismatch, "dim {name} is not of the shape's dims", [name = dim.name]));
        };
        let bits = wanted.bits.min(dim.bits);
        let whole = Dim { bits: dim.bits, ..*dim }.mask() << shift.min(63);
        for column in columns.iter_mut() {
            // A value beyond the size goes altogether: what is left of it would be another element's.
            if (*column & whole).checked_shr(shift + bits).unwrap_or(0) != 0 {
                *column &= !whole;
            }
        }
        kept.push(Dim { name: dim.name, bits });
        masks.push(Dim { bits, ..*dim }.mask().checked_shl(shift).unwrap_or(0));
        shift += dim.bits;
    }
    // The masks are those of the old packing; the new one closes the gaps.
    let mut packed = Columns::new();
    for column in &columns {
        let (mut word, mut place) = (0, 0);
        for (mask, dim) in masks.iter().zip(&kept) {
            let value = (column & mask).checked_shr(mask.trailing_zeros()).unwrap_or(0);
            word |= value.checked_shl(place).unwrap_or(0);
            place += dim.bits;
        }
        packed.push(word);
    }
    LinearLayout::from_columns(layout.ins().iter().copied().collect(), kept, packed)
}
