//! [`SharedLinear`]: shared memory given by its bases.

use super::Sizes;
use super::tile::same_rank;
use crate::error::{Code, Error};
use crate::linear::{LinearLayout, Name};

/// `#ttg.shared_linear<{offset, block}, alignment>`; it has to be invertible.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The linear layout for a shape, from offset and block: the bases as they are.
    ///
    /// # Errors
    /// [`Code::NotInvertible`]; [`Code::RankMismatch`]; [`Code::Parameter`] for an alignment that is no power of two and
    /// for a shape that the bases do not span; and as [`LinearLayout::from_bases`].
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        same_rank(self.rank, shape)?;
        if !u64::try_from(self.alignment).is_ok_and(u64::is_power_of_two) {
            let message = format!("alignment is {}; it is a power of two, in bytes", self.alignment);
            return Err(Error::new(Code::Parameter, message));
        }
        let bases = |bases: &[Sizes]| bases.iter().map(|basis| basis.to_vec()).collect();
        let outs: Vec<(Name, i64)> = shape.iter().enumerate().map(|(dim, size)| (Name::dim(dim), *size)).collect();
        let layout =
            LinearLayout::from_bases(&[(Name::OFFSET, bases(&self.offset)), (Name::BLOCK, bases(&self.block))], &outs)?;
        let (rank, ins, outs) = (layout.rank(), layout.in_bits(), layout.out_bits());
        if rank != ins || ins != outs {
            let message = format!("{ins} bases of rank {rank} for the {outs} bits of the shape {shape:?}");
            return Err(
                Error::new(Code::NotInvertible, message).with_help("every element of the shape has exactly one place")
            );
        }
        Ok(layout)
    }
}
