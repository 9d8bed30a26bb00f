//! [`Cga`]: how the blocks (CTAs) of a cluster (CGA) share a tensor.
//!
//! A basis for each bit of the block number, in units of the tile that one block holds; a zero basis means that two
//! blocks hold the same data (multicast). Law of [`Cga::from_split`]: along a dim split in `s`, block coordinate `i`
//! holds part `i mod s`.

use super::Sizes;
use super::sizes::extent;
use super::sizes::{log, logs, order};
use crate::error::{Code, Error};
use crate::linear::{Columns, Dim, Dims, LinearLayout, Name};
use crate::refusal::Fact;

/// The block bases, in tiles of one block.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Cga {
    /// Basis `k` says where block `2^k` is; each has a value for each dim.
    pub bases: Vec<Sizes>,
}

/// The older form: how many blocks along each dim, into how many parts each dim is split, and the order in which the
/// bits of the block number go over the dims.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// CTAsPerCGA.
    pub ctas: Sizes,
    /// CTASplitNum.
    pub parts: Sizes,
    /// CTAOrder, the fastest dim first.
    pub order: Sizes,
}

impl Split {
    /// One block that holds everything, the last dim first: what is meant when nothing is said.
    pub fn single(rank: usize) -> Self {
        let dims = 0..i64::try_from(rank).unwrap_or(0);
        let ones: Sizes = dims.clone().map(|_| 1).collect();
        Split { ctas: ones.clone(), parts: ones, order: dims.rev().collect() }
    }
}

impl Cga {
    /// The bases of the older form: dim after dim in its order, the bits of the parts first, then duplicates.
    ///
    /// # Errors
    /// [`Code::RankMismatch`], [`Code::OrderNotPermutation`], [`Code::SizeNotPowerOfTwo`]; [`Code::Parameter`] when the
    /// number of blocks along a dim is no multiple of its parts.
    ///
    /// ```
    /// use bitstride::triton::{Cga, Sizes, Split};
    /// let sizes = |sizes: &[i64]| Sizes::from_slice(sizes);
    /// let split = Split { ctas: sizes(&[8]), parts: sizes(&[2]), order: sizes(&[0]) };
    /// assert_eq!(Cga::from_split(&split)?.bases, [sizes(&[1]), sizes(&[0]), sizes(&[0])]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn from_split(split: &Split) -> Result<Cga, Error> {
        let rank = split.ctas.len();
        let ctas = logs("CTAsPerCGA", &split.ctas, rank)?;
        let parts = logs("CTASplitNum", &split.parts, rank)?;
        let mut bases = Vec::new();
        for dim in &order(&split.order, rank)? {
            let (all, own) = (ctas.get(*dim).copied().unwrap_or(0), parts.get(*dim).copied().unwrap_or(0));
            let Some(copies) = all.checked_sub(own) else {
                return Err(error!(
                    Code::Parameter,
                    "dim {dim} has {blocks} blocks but {parts} parts",
                    [dim, blocks = 1u64 << all, parts = 1u64 << own]
                )
                .with_help("the number of blocks along a dim is a multiple of its parts"));
            };
            let unit = |bit: Option<u32>| {
                (0..rank).map(|at| bit.filter(|_| at == *dim).map_or(0, |bit| 1i64 << bit)).collect::<Sizes>()
            };
            bases.extend((0..own).map(|bit| unit(Some(bit))));
            bases.extend((0..copies).map(|_| unit(None)));
        }
        Ok(Cga { bases })
    }

    /// The older form of these bases, with what it cannot say; nothing is lost when the note is empty and the bases come
    /// back by [`Cga::from_split`].
    ///
    /// # Errors
    /// [`Code::Parameter`] when a basis is a sum or goes along two dims: the older form has no such blocks.
    pub fn to_split(&self, rank: usize) -> Result<(Split, Option<String>), Error> {
        let mut split = Split::single(rank);
        let mut seen: Vec<usize> = Vec::new();
        let mut last = None;
        for basis in &self.bases {
            let mut along = basis.iter().enumerate().filter(|(_, value)| **value != 0);
            let dim = match (along.next(), along.next()) {
                (None, _) => last,
                (Some((dim, value)), None) if log("a basis", *value).is_ok() => Some(dim),
                _ => {
                    return Err(error!(
                        Code::Parameter,
                        "the block basis {basis:?} is no single bit of one dim",
                        [basis]
                    ));
                }
            };
            // A duplicate before any part has no dim of its own; the fastest one takes it.
            let dim = dim.unwrap_or(rank.saturating_sub(1));
            last = Some(dim);
            if !seen.contains(&dim) {
                seen.push(dim);
            }
            let part = basis.iter().any(|value| *value != 0);
            for (count, grows) in [(&mut split.ctas, true), (&mut split.parts, part)] {
                if let Some(count) = count.get_mut(dim).filter(|_| grows) {
                    *count = count.checked_mul(2).ok_or_else(|| Error::overflow("the number of blocks"))?;
                }
            }
        }
        seen.extend((0..rank).rev().filter(|dim| !seen.contains(dim)).collect::<Vec<_>>());
        split.order = seen.iter().map(|dim| i64::try_from(*dim).unwrap_or(0)).collect();
        let back = Cga::from_split(&split)?;
        let loss = (back != *self)
            .then(|| format!("the order of the block bits is lost: {:?} comes back as {:?}", self.bases, back.bases));
        Ok((split, loss))
    }

    /// The layout from block to tiles of one block.
    ///
    /// # Errors
    /// [`Code::RankMismatch`], [`Code::NegativeBasis`], [`Code::TooLarge`]; [`Code::NotSurjective`] when some tile below
    /// the largest has no block, as for a single basis `[1, 1]`.
    pub fn to_linear(&self, rank: usize) -> Result<LinearLayout, Error> {
        for basis in &self.bases {
            if basis.len() != rank {
                return Err(error!(
                    Code::RankMismatch,
                    "the block basis {basis:?} has {basis_count} values for rank {rank}",
                    [basis, basis_count = basis.len(), rank]
                ));
            }
            if let Some(value) = basis.iter().find(|value| **value < 0) {
                return Err(error!(Code::NegativeBasis, "a block basis has the value {value}", [value]));
            }
        }
        let outs: Dims = (0..rank).map(|dim| Dim { name: Name::dim(dim), bits: extent(&self.bases, dim) }).collect();
        let mut columns = Columns::new();
        for basis in &self.bases {
            columns.push(crate::linear::pack(&outs, basis)?);
        }
        let bits = u32::try_from(self.bases.len()).unwrap_or(u32::MAX);
        let tiles = LinearLayout::from_columns(Dims::from_slice(&[Dim { name: Name::BLOCK, bits }]), outs, columns)?;
        if tiles.is_surjective() {
            return Ok(tiles);
        }
        let bases = Fact::List(self.bases.iter().map(|basis| Fact::list(basis)).collect());
        Err(error!(Code::NotSurjective, "the block bases {bases} leave tiles without a block", [bases]))
    }

    /// The bases with a dim set to 0: blocks along it hold the same data.
    pub(super) fn without(&self, dim: usize) -> Cga {
        let mut bases = self.bases.clone();
        bases.iter_mut().filter_map(|basis| basis.get_mut(dim)).for_each(|value| *value = 0);
        Cga { bases }
    }

    /// The bases cut to a shape: along each dim the largest become 0 until the blocks fit.
    pub(super) fn fitted(&self, shape: &[Dim]) -> Result<Vec<Sizes>, Error> {
        if !self.bases.is_empty() {
            self.to_linear(shape.len())?;
        }
        let mut bases = self.bases.clone();
        for (at, dim) in shape.iter().enumerate() {
            for value in bases.iter_mut().filter_map(|basis| basis.get_mut(at)) {
                if *value >= dim.size() {
                    *value = 0;
                }
            }
        }
        Ok(bases)
    }
}
