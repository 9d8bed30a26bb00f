//! The image of a layout: which elements lie at which offset.

use std::collections::BTreeMap;

use bitstride::Error;

use super::look::Paint;
use super::subject::Subject;
use crate::cell::{Cell, Fill};

/// The elements at each offset.
#[derive(Clone, Debug)]
pub struct Image {
    owners: BTreeMap<i64, Vec<Vec<i64>>>,
}

impl Image {
    /// The image of every element.
    ///
    /// # Errors
    /// [`Code::TooLarge`] beyond 65,536 elements, [`Code::Kind`] for a layout into coordinates, [`Code::Overflow`]
    /// also when its ends are 2^63 or more apart.
    ///
    /// [`Code::TooLarge`]: bitstride::Code::TooLarge
    /// [`Code::Kind`]: bitstride::Code::Kind
    /// [`Code::Overflow`]: bitstride::Code::Overflow
    pub fn new(subject: &Subject) -> Result<Self, Error> {
        let mut owners: BTreeMap<i64, Vec<Vec<i64>>> = BTreeMap::new();
        for at in subject.elements()? {
            owners.entry(subject.offset(&at)?).or_default().push(at);
        }
        let image = Image { owners };
        if image.high().checked_sub(image.low()).and_then(|n| n.checked_add(1)).is_none() {
            return Err(Error::overflow("the distance between the least and the greatest offset"));
        }
        Ok(image)
    }

    /// The least offset.
    pub fn low(&self) -> i64 {
        self.owners.keys().next().copied().unwrap_or(0)
    }

    fn high(&self) -> i64 {
        self.owners.keys().next_back().copied().unwrap_or(0)
    }

    /// The number of offsets from the least to the greatest.
    pub fn span(&self) -> i64 {
        if self.owners.is_empty() { 0 } else { self.high() - self.low() + 1 }
    }

    /// The coordinates of the elements at an offset, in colexicographic order.
    pub fn owners(&self, offset: i64) -> &[Vec<i64>] {
        self.owners.get(&offset).map(Vec::as_slice).unwrap_or_default()
    }

    /// The cell of an offset, with the number of the first element there.
    pub(super) fn cell(&self, subject: &Subject, text: impl ToString, offset: i64) -> Cell {
        let element = self.owners(offset).first().and_then(|at| subject.index(at).ok());
        Cell::new(text).element(element).place(offset)
    }

    /// Each offset that has elements, ascending, with their coordinates.
    pub fn offsets(&self) -> impl Iterator<Item = (i64, &[Vec<i64>])> {
        self.owners.iter().map(|(offset, owners)| (*offset, owners.as_slice()))
    }

    /// Whether some offset between has no element.
    pub(super) fn has_holes(&self) -> bool {
        i64::try_from(self.owners.len()).is_ok_and(|taken| taken < self.span())
    }

    /// The fill that all elements at an offset share: marked when they differ, empty when there are none.
    pub(super) fn fill(&self, paint: &Paint<'_>, offset: i64) -> Result<Fill, Error> {
        let mut shared = None;
        for at in self.owners(offset) {
            let fill = paint.fill(at)?;
            if *shared.get_or_insert(fill) != fill {
                return Ok(Fill::Marked);
            }
        }
        Ok(shared.unwrap_or(Fill::Empty))
    }

    /// Whether elements of different fills lie at one offset.
    pub(super) fn has_clashes(&self, paint: &Paint<'_>) -> Result<bool, Error> {
        for (offset, owners) in &self.owners {
            if owners.len() > 1 && self.fill(paint, *offset)? == Fill::Marked {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What marked and empty cells mean, where there are any.
    pub(super) fn legend(&self, paint: &Paint<'_>) -> Result<Vec<(Fill, String)>, Error> {
        let mut legend = Vec::new();
        if self.has_clashes(paint)? {
            legend.push((Fill::Marked, "elements of several colours".to_owned()));
        }
        if self.has_holes() {
            legend.push((Fill::Empty, "no element".to_owned()));
        }
        Ok(legend)
    }
}
