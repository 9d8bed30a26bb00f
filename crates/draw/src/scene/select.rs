//! Elements that are pointed out: by a layout of indices, a tiler or a coordinate.

use std::collections::BTreeSet;

use bitstride::cute::{Coordinate, Tiler, crd2index};
use bitstride::{Code, Error, Int, Tuple, error};
use bitstride_lang::Value;

use super::part::Part;
use super::subject::Subject;

/// The elements each of whose parts lies in a set.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection(Vec<(Part, Numbers)>);

/// A set of numbers of a part.
#[derive(Clone, Debug)]
enum Numbers {
    Below(i64),
    Of(BTreeSet<i64>),
}

impl Selection {
    /// The elements of `subject` whose indices `marker` gives; a tiler gives those of each mode.
    pub(super) fn of_indices(subject: &Subject, marker: &Value) -> Result<Self, Error> {
        let mut selection = Selection::default();
        match marker {
            Value::Function(_) | Value::Offset(_) => {
                let indices = image(&Subject::new("", marker)?, subject)?;
                selection.0.push((Part::of(subject, &[])?, Numbers::Of(indices)));
            }
            _ => selection.tile(subject, &mut Vec::new(), &marker.as_tiler()?)?,
        }
        Ok(selection)
    }

    /// The elements at a coordinate, where `_` is any.
    pub(super) fn at(subject: &Subject, coordinate: &Coordinate<Int>) -> Result<Self, Error> {
        let mut selection = Selection::default();
        selection.point(subject, &mut Vec::new(), coordinate)?;
        Ok(selection)
    }

    fn tile(&mut self, subject: &Subject, path: &mut Vec<usize>, tiler: &Tiler) -> Result<(), Error> {
        match tiler {
            Tiler::Keep => {}
            Tiler::Extent(n) => self.0.push((Part::of(subject, path)?, Numbers::Below(n.as_number()?))),
            Tiler::Layout(layout) => {
                let part = Part::of(subject, path)?;
                let marker = Subject::new("", &Value::Layout(layout.clone()))?;
                self.0.push((part, Numbers::Of(image(&marker, subject)?)));
            }
            Tiler::Modes(entries) => {
                for (mode, entry) in entries.iter().enumerate() {
                    path.push(mode);
                    self.tile(subject, path, entry)?;
                    path.pop();
                }
            }
        }
        Ok(())
    }

    fn point(&mut self, subject: &Subject, path: &mut Vec<usize>, at: &Coordinate<Int>) -> Result<(), Error> {
        match at.as_leaf() {
            Some(None) => {}
            Some(Some(n)) => {
                let (part, n) = (Part::of(subject, path)?, n.as_number()?);
                if !(0..part.size).contains(&n) {
                    return Err(error!(
                        Code::Range,
                        "the coordinate {n} lies outside the extent {size} of {text}",
                        [n, size = part.size, text = subject.text()]
                    )
                    .with_help("coordinates count from 0"));
                }
                self.0.push((part, Numbers::Of(BTreeSet::from([n]))));
            }
            None => {
                let rank = path.iter().try_fold(subject.shape().root(), |node, index| node.child(*index));
                if rank.is_none_or(|node| node.is_leaf() || node.rank() != at.rank()) {
                    return Err(error!(
                        Code::Profile,
                        "a coordinate with {rank} entries does not fit {shape}",
                        [rank = at.rank(), shape = subject.shape()]
                    )
                    .with_help("give an integer for the whole, or one entry for each mode"));
                }
                for (mode, entry) in at.entries().iter().enumerate() {
                    path.push(mode);
                    self.point(subject, path, entry)?;
                    path.pop();
                }
            }
        }
        Ok(())
    }

    /// Whether an element is selected.
    pub(super) fn holds(&self, subject: &Subject, coordinates: &[i64]) -> Result<bool, Error> {
        for (part, numbers) in &self.0 {
            let n = part.number(subject, coordinates)?;
            let held = match numbers {
                Numbers::Below(end) => n < *end,
                Numbers::Of(set) => set.contains(&n),
            };
            if !held {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How many elements are selected, and of how many.
    pub(super) fn census(&self, subject: &Subject) -> Result<(i64, i64), Error> {
        let size = subject.size()?;
        let mut selected = size;
        for (part, numbers) in &self.0 {
            let held = match numbers {
                Numbers::Below(end) => (*end).clamp(0, part.size),
                Numbers::Of(set) => i64::try_from(set.range(0..part.size.max(0)).count()).unwrap_or(i64::MAX),
            };
            // The parts are disjoint, so this divides exactly.
            selected = selected.checked_div(part.size).and_then(|rest| rest.checked_mul(held)).unwrap_or(0);
        }
        Ok((selected, size))
    }
}

/// The indices into `subject` that a layout of indices or coordinates gives.
fn image(marker: &Subject, subject: &Subject) -> Result<BTreeSet<i64>, Error> {
    let index = |at: Vec<i64>| {
        let point: Tuple<i64> = marker.at(&at)?;
        crd2index(&point, subject.shape())
    };
    marker.elements()?.map(index).collect()
}
