//! A part of a coordinate: that of the whole domain, of a mode, or of a mode within a mode.

use bitstride::{Code, Error, error};

use super::subject::Subject;

/// What a part's number is taken from: its flat coordinate in `0..size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The mode it lies in; none for the whole domain.
    mode: Option<usize>,
    /// The number of elements of the mode's leaves before it.
    before: i64,
    pub(super) size: i64,
}

impl Part {
    /// The part at a path of mode numbers, outermost first.
    pub(super) fn of(subject: &Subject, path: &[usize]) -> Result<Self, Error> {
        let shape = subject.shape();
        let Some((mode, deeper)) = path.split_first() else {
            return Ok(Part { mode: None, before: 1, size: subject.size()? });
        };
        let missing = |index: usize, rank: usize| {
            error!(
                Code::NoMode,
                "there is no mode {index} in {text}: the rank there is {rank}",
                [index, text = subject.text(), rank]
            )
            .with_help("modes are numbered from 0, and (0,1) is mode 1 of mode 0; a tile of n elements is n:1")
        };
        let root = shape.root();
        let outer = root.child(*mode).ok_or_else(|| missing(*mode, root.rank()))?;
        let mut node = outer;
        for index in deeper {
            node = node.child(*index).ok_or_else(|| missing(*index, node.rank()))?;
        }
        let extent = |range| bitstride::Tuple::flat(shape.leaves().get(range).unwrap_or_default()).size();
        Ok(Part {
            mode: Some(*mode),
            before: extent(outer.leaves().start..node.leaves().start)?,
            size: extent(node.leaves())?,
        })
    }

    /// Its number at an element.
    pub(super) fn number(&self, subject: &Subject, coordinates: &[i64]) -> Result<i64, Error> {
        let Some(mode) = self.mode else {
            return subject.index(coordinates);
        };
        let whole = coordinates.get(mode).copied().unwrap_or(0);
        // Only an extent of 0 cannot divide, and then there is no element to ask about.
        Ok(whole.checked_div(self.before).and_then(|n| n.checked_rem(self.size)).unwrap_or(0))
    }
}
