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

/// A cell: up to a few short lines of text over a [`Fill`].
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
}

impl Cell {
    /// A plain cell that shows `text`, one line of it per line of the cell.
    pub fn new(text: impl ToString) -> Self {
        let text = words::clean(&text.to_string());
        let lines = text.lines().map(str::to_owned).collect();
        Self { lines, fill: Fill::Plain }
    }

    /// The cell of a place where no element lives.
    pub fn empty() -> Self {
        Self { lines: Vec::new(), fill: Fill::Empty }
    }

    /// The same text over another fill.
    #[must_use]
    pub fn fill(mut self, fill: Fill) -> Self {
        self.fill = fill;
        self
    }
}
