//! One cell of a grid: its text, and how it is filled.

use crate::words;

/// What a cell's background says about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fill {
    /// Nothing: a white cell.
    #[default]
    Plain,
    /// Member of a group: a tile, a thread, a repetition, a memory bank. Groups of one number look alike; eight
    /// hues in three tones follow one another, so the 24 groups numbered 0 to 23 are all different.
    Group(u32),
    /// Not selected: shown, but greyed.
    Muted,
    /// The one cell to look at, such as the coordinate that the text speaks about.
    Marked,
    /// No element lives here: padding, or a hole in the codomain. Drawn hatched, with any text small and grey.
    Empty,
}

/// A cell: up to a few short lines of text over a [`Fill`], and the element and the place that it stands for, by which
/// [`Model`](crate::Model) links pictures.
///
/// ```
/// use bitstride_draw::{Cell, Fill};
/// let offset = Cell::new(12);
/// let thread_value = Cell::new("T0\nV1").fill(Fill::Group(0));
/// assert_ne!(offset, thread_value);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    pub(crate) lines: Vec<String>,
    pub(crate) fill: Fill,
    pub(crate) element: Option<i64>,
    pub(crate) place: Option<i64>,
}

impl Cell {
    /// A plain cell that shows `text`, one line of it per line of the cell.
    pub fn new(text: impl ToString) -> Self {
        let text = words::clean(&text.to_string());
        let lines = text.lines().map(str::to_owned).collect();
        Self { lines, ..Self::default() }
    }

    /// The cell of a place where no element lives.
    pub fn empty() -> Self {
        Self { fill: Fill::Empty, ..Self::default() }
    }

    /// The same text over another fill.
    #[must_use]
    pub fn fill(mut self, fill: Fill) -> Self {
        self.fill = fill;
        self
    }

    /// The same cell for an element of the tensor, by the column-major number of its coordinate.
    #[must_use]
    pub fn element(mut self, number: impl Into<Option<i64>>) -> Self {
        self.element = number.into();
        self
    }

    /// The same cell for a place: an offset, or the number of a place of the machine.
    #[must_use]
    pub fn place(mut self, number: impl Into<Option<i64>>) -> Self {
        self.place = number.into();
        self
    }
}
