//! [`SharedLinear`]: shared memory given by its bases.

use super::Sizes;
use super::linear::bases;
use super::sizes::same_rank;
use crate::error::{Code, Error};
use crate::linear::{Dim, LinearLayout, Name};

/// `#ttg.shared_linear<{offset, block}, alignment>`. Without its zero bases it has to be invertible: a zero of an offset is
/// a hole that repeats an element, one of a block is a multicast.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SharedLinear {
    /// Where each bit of the offset is.
    pub offset: Vec<Sizes>,
    /// Where each bit of the block number is.
    pub block: Vec<Sizes>,
    /// The alignment of the memory in bytes.
    pub alignment: i64,
    /// The rank of the tensor.
    pub rank: usize,
}

impl SharedLinear {
    /// The encoding whose layout for its own shape this is, in memory of an alignment in bytes.
    ///
    /// # Errors
    /// [`Code::DimNamesMismatch`] unless the in dims are among `offset` and `block`, and the out dims are `dim0`, `dim1`, …; as
    /// [`SharedLinear::to_linear`].
    ///
    /// ```
    /// use bitstride::triton::{Encoding, SharedLinear};
    /// use bitstride_lang::evaluate;
    /// let layout = evaluate("linear<{offset=[[0,1],[1,1]], block=[[2,0]]}, out=[dim0:4, dim1:2]>")?.value.as_linear()?;
    /// let encoding = SharedLinear::of_layout(&layout, 16)?;
    /// assert_eq!(encoding.to_linear(&[4, 2])?, layout);
    /// let text = "#ttg.shared_linear<{offset = [[0, 1], [1, 1]], block = [[2, 0]]}, alignment = 16>";
    /// assert_eq!(Encoding::SharedLinear(encoding).to_string(), text);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_layout(layout: &LinearLayout, alignment: i64) -> Result<Self, Error> {
        let (layout, [offset, block]) = bases(layout, [Name::OFFSET, Name::BLOCK])?;
        let shape: Vec<i64> = layout.outs().iter().map(Dim::size).collect();
        let encoding = SharedLinear { offset, block, alignment, rank: shape.len() };
        encoding.to_linear(&shape).map(|_| encoding)
    }

    /// The linear layout for a shape, from offset and block: the bases as they are.
    ///
    /// # Errors
    /// [`Code::NotInvertible`]; [`Code::RankMismatch`]; [`Code::Parameter`] for an alignment that is no power of two and
    /// for a shape that the bases do not span; and as [`LinearLayout::from_bases`].
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        same_rank(self.rank, shape)?;
        if !u64::try_from(self.alignment).is_ok_and(u64::is_power_of_two) {
            return Err(error!(
                Code::Parameter,
                "alignment is {alignment}; it is a power of two, in bytes",
                [alignment = self.alignment]
            ));
        }
        let bases = |bases: &[Sizes]| bases.iter().map(|basis| basis.to_vec()).collect();
        let outs: Vec<(Name, i64)> = shape.iter().enumerate().map(|(dim, size)| (Name::dim(dim), *size)).collect();
        let layout =
            LinearLayout::from_bases(&[(Name::OFFSET, bases(&self.offset)), (Name::BLOCK, bases(&self.block))], &outs)?;
        let (rank, outs) = (layout.rank(), layout.out_bits());
        let bases = layout.columns().iter().filter(|column| **column != 0).count();
        if u32::try_from(bases) != Ok(outs) || rank != outs {
            return Err(error!(
                Code::NotInvertible,
                "{bases} bases of rank {rank} for the {outs} bits of the shape {shape:?}",
                [bases, rank, outs, shape]
            )
            .with_help("but for zero bases, every element of the shape has exactly one place"));
        }
        Ok(layout)
    }
}
