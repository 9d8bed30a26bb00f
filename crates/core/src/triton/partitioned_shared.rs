//! [`PartitionedShared`]: a tensor cut along a dim into pieces that lie in different partitions of shared memory.
//!
//! Law: along the dim, piece `p` of `partitions * groups` lies in partition `p mod partitions`, after the pieces of the
//! groups before it.

use super::sizes::log;
use super::{Encoding, Sizes};
use crate::error::{Code, Error};
use crate::linear::{LinearLayout, Name};

/// `#ttg.partitioned_shared<{numPartitions, numGroups, partitionDim, partitionLayout}>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PartitionedShared {
    /// The number of partitions.
    pub partitions: i64,
    /// How often the partitions are gone through.
    pub groups: i64,
    /// The dim that is cut.
    pub dim: i64,
    /// The encoding of a piece.
    pub piece: Box<Encoding>,
}

impl PartitionedShared {
    /// The linear layout for a shape, from offset, block and partition.
    ///
    /// # Errors
    /// [`Code::Parameter`] when there is one partition, the tensor has no such dim, or fewer elements along it than pieces;
    /// [`Code::SizeNotPowerOfTwo`]; and what the pieces' encoding says.
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        self.of_pieces(shape, Encoding::to_linear)
    }

    /// The same of the offsets before padding.
    ///
    /// # Errors
    /// As [`PartitionedShared::to_linear`], but for padding.
    pub fn linear_part(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        self.of_pieces(shape, Encoding::linear_part)
    }

    fn of_pieces(
        &self,
        shape: &[i64],
        layout: impl Fn(&Encoding, &[i64]) -> Result<LinearLayout, Error>,
    ) -> Result<LinearLayout, Error> {
        if log("numPartitions", self.partitions)? == 0 {
            return Err(error!(
                Code::Parameter,
                "numPartitions is {partitions}; it is at least {least}",
                [partitions = self.partitions, least = 2]
            ));
        }
        log("numGroups", self.groups)?;
        let at = usize::try_from(self.dim).ok().filter(|at| *at < shape.len()).ok_or_else(|| {
            error!(
                Code::Parameter,
                "partitionDim is {dim}, but the rank is {rank}",
                [dim = self.dim, rank = shape.len()]
            )
        })?;
        let pieces = self.partitions.checked_mul(self.groups).ok_or_else(|| Error::overflow("the number of pieces"))?;
        let mut cut = Sizes::from_slice(shape);
        if let Some(size) = cut.get_mut(at) {
            if *size < pieces {
                return Err(error!(
                    Code::Parameter,
                    "dim {at} has {size} elements for {pieces} pieces",
                    [at, size, pieces]
                ));
            }
            *size /= pieces;
        }
        let dim = Name::dim(at);
        let partitions = LinearLayout::identity(self.partitions, Name::PARTITION, dim)?;
        let groups = LinearLayout::identity(self.groups, Name::OFFSET, dim)?;
        let piece = layout(&self.piece, &cut)?;
        let whole = piece.product(&partitions)?.product(&groups)?;
        let outs: Vec<Name> = (0..shape.len()).map(Name::dim).collect();
        whole.transpose_outs(&outs)
    }
}
