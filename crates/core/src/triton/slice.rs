//! [`Slice`]: the layout of another encoding with one dim removed.

use super::Encoding;

/// `#ttg.slice<{dim, parent}>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The dim of the parent that is removed.
    pub dim: i64,
    /// The encoding of the tensor before the dim was removed.
    pub parent: Box<Encoding>,
}
