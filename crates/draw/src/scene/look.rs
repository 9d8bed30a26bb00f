//! Which elements are coloured, greyed or marked.

use bitstride::{Error, Int, Tuple};
use bitstride_lang::Value;

use super::group::{By, Groups};
use super::select::Selection;
use super::subject::Subject;
use crate::cell::Fill;

/// What a reader wants to see at once, for any subject.
#[derive(Clone, Debug, Default)]
pub struct Look {
    by: Vec<By>,
    mark: Option<Value>,
    at: Vec<Value>,
}

impl Look {
    /// Colours elements by this too.
    #[must_use]
    pub fn colouring(mut self, by: By) -> Self {
        self.by.push(by);
        self
    }

    /// Greys the elements that this layout of indices, tiler or shape does not select.
    #[must_use]
    pub fn marking(mut self, marker: Value) -> Self {
        self.mark = Some(marker);
        self
    }

    /// Marks the elements at this coordinate too; `_` stands for any.
    #[must_use]
    pub fn pointing(mut self, coordinate: Value) -> Self {
        self.at.push(coordinate);
        self
    }

    /// What is coloured, greyed and marked, in words for a title; empty where nothing is.
    pub(super) fn words(&self) -> String {
        let mut parts = Vec::new();
        if !self.by.is_empty() {
            let by: Vec<String> = self.by.iter().map(ToString::to_string).collect();
            parts.push(format!("coloured by {}", by.join(" and ")));
        }
        parts.extend(self.mark.as_ref().map(|marker| format!("what {marker} does not select is grey")));
        if !self.at.is_empty() {
            let at: Vec<String> = self.at.iter().map(ToString::to_string).collect();
            parts.push(format!("marked: {}", at.join(", ")));
        }
        parts.join("; ")
    }
}

/// A look at one subject: the fill of each of its elements.
#[derive(Clone, Debug)]
pub struct Paint<'s> {
    subject: &'s Subject,
    groups: Option<Groups>,
    mark: Option<(Value, Selection)>,
    at: Vec<(Value, Selection)>,
}

impl<'s> Paint<'s> {
    /// The look at this subject.
    ///
    /// # Errors
    /// [`Code::NoMode`], [`Code::Profile`] and [`Code::Range`] when a mode, tiler or coordinate does not fit the
    /// subject, [`Code::TooLarge`] when a tiler selects more than 65,536 indices.
    ///
    /// [`Code::NoMode`]: bitstride::Code::NoMode
    /// [`Code::Profile`]: bitstride::Code::Profile
    /// [`Code::Range`]: bitstride::Code::Range
    /// [`Code::TooLarge`]: bitstride::Code::TooLarge
    pub fn new(look: &Look, subject: &'s Subject) -> Result<Self, Error> {
        Self::or_by(look, subject, &[])
    }

    /// The look at this subject, coloured by `usual` if nothing else is chosen.
    pub(super) fn or_by(look: &Look, subject: &'s Subject, usual: &[By]) -> Result<Self, Error> {
        let by = if look.by.is_empty() { usual } else { &look.by };
        let groups = if by.is_empty() { None } else { Some(Groups::new(subject, by)?) };
        let mark = match &look.mark {
            Some(marker) => Some((marker.clone(), Selection::of_indices(subject, marker)?)),
            None => None,
        };
        let point = |at: &Value| Ok((at.clone(), Selection::at(subject, &at.as_coordinate()?)?));
        Ok(Paint { subject, groups, mark, at: look.at.iter().map(point).collect::<Result<_, Error>>()? })
    }

    /// The fill of an element.
    ///
    /// # Errors
    /// [`Code::Overflow`](bitstride::Code::Overflow).
    pub fn fill(&self, coordinates: &[i64]) -> Result<Fill, Error> {
        for (_, selection) in &self.at {
            if selection.holds(self.subject, coordinates)? {
                return Ok(Fill::Marked);
            }
        }
        if self.selected(coordinates)? == Some(false) {
            return Ok(Fill::Muted);
        }
        match &self.groups {
            Some(groups) => groups.fill(self.subject, coordinates),
            // What stands out of the grey is coloured.
            None if self.mark.is_some() => Ok(Fill::Group(0)),
            None => Ok(Fill::Plain),
        }
    }

    /// Whether an element is selected, if any are.
    ///
    /// # Errors
    /// [`Code::Overflow`](bitstride::Code::Overflow).
    pub fn selected(&self, coordinates: &[i64]) -> Result<Option<bool>, Error> {
        match &self.mark {
            Some((_, selection)) => selection.holds(self.subject, coordinates).map(Some),
            None => Ok(None),
        }
    }

    /// The number of an element's group, if it has one.
    ///
    /// # Errors
    /// [`Code::Overflow`](bitstride::Code::Overflow).
    pub fn group(&self, coordinates: &[i64]) -> Result<Option<i64>, Error> {
        self.groups.as_ref().map(|groups| groups.number(self.subject, coordinates)).transpose()
    }

    /// What the colours mean.
    pub(super) fn legend(&self) -> Vec<(Fill, String)> {
        self.groups.as_ref().map(Groups::legend).unwrap_or_default()
    }

    /// Columns of text that each cell needs beside its own: the letter of a group that the legend names.
    pub(super) fn letters(&self) -> usize {
        usize::from(!self.legend().is_empty())
    }

    /// What is greyed and marked, in words.
    pub(super) fn caption(&self) -> Result<String, Error> {
        let mut lines = Vec::new();
        if let Some((marker, selection)) = &self.mark {
            let (selected, size) = selection.census(self.subject)?;
            lines.push(format!("{marker} selects {selected} of {size} elements"));
        }
        for (coordinate, selection) in &self.at {
            lines.push(match self.single(coordinate)? {
                Some(said) => said,
                None => {
                    let (selected, size) = selection.census(self.subject)?;
                    format!("{coordinate} marks {selected} of {size} elements")
                }
            });
        }
        Ok(lines.join("\n"))
    }

    /// A coordinate without `_` in all its forms, with the place of its element.
    fn single(&self, coordinate: &Value) -> Result<Option<String>, Error> {
        let Ok(written) = coordinate.as_shape().and_then(|at| at.try_map(Int::as_number)) else {
            return Ok(None);
        };
        let index = bitstride::cute::crd2index(&written, self.subject.shape())?;
        let flat = bitstride::cute::idx2crd(&index, &Tuple::flat(self.subject.modes()))?;
        let mut forms = vec![written.to_string()];
        for form in [flat.to_string(), index.to_string()] {
            if self.subject.modes().len() > 1 && !forms.contains(&form) {
                forms.push(form);
            }
        }
        let place = self.subject.at(flat.leaves())?;
        let noun = if place.is_leaf() { "offset" } else { "coordinate" };
        Ok(Some(format!("{} is at {noun} {place}", forms.join(" = "))))
    }
}
