//! [`Linear`]: a distributed encoding given by its bases.

use super::fit;
use super::tile::same_rank;
use super::{Cga, Sizes};
use crate::error::{Code, Error};
use crate::linear::{LinearLayout, Name};

/// `#ttg.linear<{register, lane, warp, block}>`, where the nonzero bases are distinct bits; the generic form takes any.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The linear layout for a shape: the bases as they are, on the shape they span, then repeated in registers or cut
    /// to the shape asked for.
    ///
    /// # Errors
    /// [`Code::LinearNotPermutation`] when the bases are more than single bits, each at most once, and the encoding is
    /// not generic; [`Code::RankMismatch`], [`Code::NotSurjective`], [`Code::SizeNotPowerOfTwo`].
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        same_rank(self.rank, shape)?;
        let bases = |bases: &[Sizes]| bases.iter().map(|basis| basis.to_vec()).collect();
        let names: Vec<Name> = (0..self.rank).map(Name::dim).collect();
        let whole = LinearLayout::from_bases_inferred(
            &[
                (Name::REGISTER, bases(&self.register)),
                (Name::LANE, bases(&self.lane)),
                (Name::WARP, bases(&self.warp)),
                (Name::BLOCK, bases(&self.block)),
            ],
            &names,
        )?;
        if !self.generic {
            permutation(&whole)?;
        }
        let cluster = Cga::default().to_linear(self.rank)?;
        fit::combine_cta_cga_with_shape(&whole, &cluster, shape)
    }
}

/// Checks that the bases are single bits, each at most once.
fn permutation(layout: &LinearLayout) -> Result<(), Error> {
    let mut seen = 0;
    for column in layout.columns() {
        if column & column.wrapping_sub(1) != 0 || column & seen != 0 {
            let why = if column & seen != 0 { "is there twice" } else { "is a sum of bits" };
            let message =
                format!("the basis {:?} {why}; a linear encoding only permutes bits", &layout.unpack(*column)[..]);
            return Err(
                Error::new(Code::LinearNotPermutation, message).with_help("#ttg.generic_linear takes any bases")
            );
        }
        seen |= column;
    }
    Ok(())
}
