//! [`PartitionedShared`]: a tensor cut along a dim into pieces that lie in different partitions of shared memory.

use super::Encoding;

/// `#ttg.partitioned_shared<{numPartitions, numGroups, partitionDim, partitionLayout}>`.
#[derive(Clone, Debug, PartialEq, Eq)]
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
