//! [`Linear`]: a distributed encoding given by its bases.

use super::Sizes;
use super::fit;
use super::sizes::{extent, last_first, same_rank};
use crate::error::{Code, Error};
use crate::linear::{Columns, Dim, Dims, LinearLayout, Name, pack};
use crate::small::Small;

/// `#ttg.linear<{register, lane, warp, block}>`, where the nonzero bases are distinct bits; the generic form takes any.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Linear {
    /// Where each bit of the register number is.
    pub register: Vec<Sizes>,
    /// Where each bit of the lane number is.
    pub lane: Vec<Sizes>,
    /// Where each bit of the warp number is.
    pub warp: Vec<Sizes>,
    /// Where each bit of the block number is.
    pub block: Vec<Sizes>,
    /// Whether bases may be sums of bits and repeat.
    pub generic: bool,
    /// The rank of the tensor.
    pub rank: usize,
}

impl Linear {
    /// The encoding whose layout for its own shape this is; generic where bases are more than single bits, each at most once.
    ///
    /// # Errors
    /// [`Code::DimNamesMismatch`] unless the in dims are among `register`, `lane`, `warp` and `block`, and the out dims are
    /// `dim0`, `dim1`, …; [`Code::NotSurjective`].
    ///
    /// ```
    /// use bitstride::triton::{Encoding, Linear};
    /// use bitstride_lang::evaluate;
    /// let layout = evaluate("linear<{register=[[1]], lane=[[2],[4]]}, out=[dim0:8]>")?.value.as_linear()?;
    /// let encoding = Encoding::Linear(Linear::of_layout(&layout)?);
    /// assert_eq!(encoding.to_string(), "#ttg.linear<{register = [[1]], lane = [[2], [4]], warp = [], block = []}>");
    /// assert_eq!(encoding.to_linear(&[8])?, evaluate("linear<{register=[[1]], lane=[[2],[4]], warp=[], block=[]}, out=[dim0:8]>")?.value.as_linear()?);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_layout(layout: &LinearLayout) -> Result<Self, Error> {
        let (layout, [register, lane, warp, block]) =
            bases(layout, [Name::REGISTER, Name::LANE, Name::WARP, Name::BLOCK])?;
        let layout = layout.surjective()?;
        let rank = layout.outs().len();
        Ok(Linear { register, lane, warp, block, generic: permutation(&layout).is_err(), rank })
    }

    /// The linear layout for a shape: the bases as they are, on the shape they span, then fitted to the given shape.
    /// Where it is larger, registers repeat the layout, first along the dims that they move along already, then along the
    /// others from the last. Where it is smaller, values beyond it become 0, and a register that is left without any is
    /// dropped; a zero that is written stays.
    ///
    /// # Errors
    /// [`Code::LinearNotPermutation`] when the bases are more than single bits, each at most once, and the encoding is
    /// not generic; [`Code::RankMismatch`], [`Code::BasisRankMismatch`], [`Code::NegativeBasis`],
    /// [`Code::NotSurjective`], [`Code::SizeNotPowerOfTwo`], [`Code::TooLarge`].
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        same_rank(self.rank, shape)?;
        let wanted = fit::shape_dims(shape)?;
        let places = [
            (Name::REGISTER, &self.register),
            (Name::LANE, &self.lane),
            (Name::WARP, &self.warp),
            (Name::BLOCK, &self.block),
        ];
        let extent = |at| places.iter().map(|(_, bases)| extent(bases, at)).max().unwrap_or(0);
        let spanned: Dims = (0..self.rank).map(|at| Dim { name: Name::dim(at), bits: extent(at) }).collect();
        let (mut ins, mut columns) = (Dims::new(), Columns::new());
        for (name, bases) in places {
            ins.push(Dim { name, bits: u32::try_from(bases.len()).unwrap_or(u32::MAX) });
            for basis in bases {
                columns.push(pack(&spanned, basis)?);
            }
        }
        let whole = LinearLayout::from_columns(ins, spanned, columns)?.surjective()?;
        if !self.generic {
            permutation(&whole)?;
        }
        if whole.outs() == &wanted[..] { Ok(whole) } else { fitted(&whole, wanted)?.surjective() }
    }
}

/// A layout with its out dims in the order of a tensor's, and the bases of each of the places that it may lead from.
pub(super) fn bases<const N: usize>(
    layout: &LinearLayout,
    places: [Name; N],
) -> Result<(LinearLayout, [Vec<Sizes>; N]), Error> {
    if let Some(dim) = layout.ins().iter().find(|dim| !places.contains(&dim.name)) {
        let names = places.map(|name| name.to_string()).join(", ");
        return Err(error!(
            Code::DimNamesMismatch,
            "this encoding leads from {names}, not from {name}",
            [names, name = dim.name]
        ));
    }
    let dims: Vec<Name> = (0..layout.outs().len()).map(Name::dim).collect();
    let layout = layout.transpose_outs(&dims)?;
    let own = |name: Name| {
        let columns = layout.in_dim(name).map_or(&[][..], |(_, columns)| columns);
        columns.iter().map(|column| Sizes::from_slice(&layout.unpack(*column))).collect()
    };
    let bases = places.map(own);
    Ok((layout, bases))
}

/// The layout with the dims wanted: registers go on where they are larger, values beyond them become 0.
fn fitted(whole: &LinearLayout, wanted: Dims) -> Result<LinearLayout, Error> {
    let (mut ins, mut columns) = (Dims::new(), Columns::new());
    for (dim, own) in whole.by_in_dim() {
        let before = columns.len();
        let is_register = dim.name == Name::REGISTER;
        for column in own {
            let kept = cut(*column, whole.outs(), &wanted);
            if kept != 0 || *column == 0 || !is_register {
                columns.push(kept);
            }
        }
        if is_register {
            for at in growth(whole, own).iter().copied() {
                let (from, to) = (bits(whole.outs(), at), bits(&wanted, at));
                let start: u32 = wanted.iter().take(at).map(|dim| dim.bits).sum();
                (from..to).for_each(|bit| columns.push(1u64.checked_shl(start + bit).unwrap_or(0)));
            }
        }
        ins.push(Dim { name: dim.name, bits: u32::try_from(columns.len() - before).unwrap_or(u32::MAX) });
    }
    LinearLayout::from_columns(ins, wanted, columns)
}

/// The dims in the order in which registers repeat along them: as the registers first move along them, then from the
/// last.
fn growth(whole: &LinearLayout, registers: &[u64]) -> Small<usize, 4> {
    let mut order = Small::<usize, 4>::new();
    let moved = registers.iter().flat_map(|column| {
        whole.unpack(*column).iter().enumerate().filter(|(_, value)| **value != 0).map(|(at, _)| at).collect::<Vec<_>>()
    });
    for at in moved.chain(last_first(whole.outs().len()).iter().copied()) {
        if !order.contains(&at) {
            order.push(at);
        }
    }
    order
}

fn bits(dims: &[Dim], at: usize) -> u32 {
    dims.get(at).map_or(0, |dim| dim.bits)
}

/// A packed image under other dims; a value beyond its dim goes altogether, for what is left of it would be another
/// element's.
fn cut(column: u64, from: &[Dim], to: &[Dim]) -> u64 {
    let (mut rest, mut image, mut start) = (column, 0, 0);
    for (from, to) in from.iter().zip(to) {
        let value = rest & from.mask();
        if value & !to.mask() == 0 {
            image |= value.checked_shl(start).unwrap_or(0);
        }
        rest = rest.checked_shr(from.bits).unwrap_or(0);
        start += to.bits;
    }
    image
}

/// Checks that the bases are single bits, each at most once.
fn permutation(layout: &LinearLayout) -> Result<(), Error> {
    let mut seen = 0;
    for column in layout.columns() {
        if column & column.wrapping_sub(1) != 0 || column & seen != 0 {
            let why = if column & seen != 0 { "is there twice" } else { "is a sum of bits" };
            return Err(error!(
                Code::LinearNotPermutation,
                "the basis {basis:?} {why}; a linear encoding only permutes bits",
                [basis = &layout.unpack(*column)[..], why]
            )
            .with_help("#ttg.generic_linear takes any bases"));
        }
        seen |= column;
    }
    Ok(())
}
