//! [`Slice`]: the layout of another encoding with one dim removed.

use super::trace::EncodingStep;
use super::{Encoding, Sizes};
use crate::error::{Code, Error};
use crate::linear::{Columns, Dim, Dims, LinearLayout, Name};
use crate::trace::Trace;

/// `#ttg.slice<{dim, parent}>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slice {
    /// The dim of the parent that is removed.
    pub dim: i64,
    /// The encoding of the tensor before the dim was removed.
    pub parent: Box<Encoding>,
}

impl Slice {
    /// The linear layout for a shape: the parent's on the shape with one more dim of size 1, that dim removed.
    /// Registers that hold nothing new are dropped; lanes, warps and blocks stay as duplicates.
    ///
    /// # Errors
    /// [`Code::SliceDim`] when the parent has no such dim, and what the parent says.
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        self.lower(shape, &mut ())
    }

    pub(super) fn lower(&self, shape: &[i64], trace: &mut impl Trace<EncodingStep>) -> Result<LinearLayout, Error> {
        let at = usize::try_from(self.dim).ok().filter(|at| *at <= shape.len()).ok_or_else(|| {
            error!(
                Code::SliceDim,
                "the slice removes dim {dim} of a parent of rank {rank}",
                [dim = self.dim, rank = shape.len() + 1]
            )
            .with_help(format!("dims go from 0 to {}", shape.len()))
        })?;
        let mut whole = Sizes::from_slice(shape);
        whole.insert(at, 1);
        trace.record(|| EncodingStep::Parent { dim: at, shape: whole.clone() });
        let parent = self.parent.to_linear(&whole)?;
        let mut ins = Dims::new();
        let mut columns = Columns::new();
        for (dim, own) in parent.by_in_dim() {
            let before = columns.len();
            own.iter().filter(|column| **column != 0 || dim.name != Name::REGISTER).for_each(|c| columns.push(*c));
            ins.push(Dim { name: dim.name, bits: u32::try_from(columns.len() - before).unwrap_or(dim.bits) });
        }
        trace.record(|| EncodingStep::Drops { bases: parent.columns().len() - columns.len() });
        // The removed dim has one value and so no bits in a column.
        let kept = parent.outs().iter().enumerate().filter(|(dim, _)| *dim != at);
        let outs = kept.enumerate().map(|(dim, (_, out))| Dim { name: Name::dim(dim), bits: out.bits }).collect();
        LinearLayout::from_columns(ins, outs, columns)
    }
}
