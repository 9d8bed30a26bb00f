//! A grid of cells: rows are mode 0 of a layout, columns mode 1.
//!
//! A grid is described by functions of the row and column number, so its parts cannot disagree about its size. It
//! keeps at most [`Grid::MOST_CELLS`] cells: of a larger one it asks for the first and the last rows and columns only,
//! and remembers the true size, so that a picture of a 2^20 x 2^20 layout costs what a 128 x 128 one does.
//!
//! Every line between cells has a *level*: 0 is the thin line between two cells, 1 the border of a tile, 2 the border
//! of a tile of tiles. An axis of n cells has n + 1 lines, numbered 0 to n; lines 0 and n are the outer frame.

use std::ops::Range;

use crate::cell::Cell;
use crate::words;

/// Cells in rows and columns, with optional headings and a level for every line.
///
/// The layout `(4,6):(1,4)` cut into tiles of 2 x 3, each in its own colour:
///
/// ```
/// use bitstride_draw::{Cell, Fill, Grid};
/// let grid = Grid::from_fn(4, 6, |i, j| {
///     let tile = u32::try_from(i / 2 + 2 * (j / 3)).unwrap_or(0);
///     Cell::new(i + 4 * j).fill(Fill::Group(tile))
/// })
/// .row_heads(|i| i)
/// .col_heads(|j| j)
/// .row_levels(|line| u8::from(line.is_multiple_of(2)))
/// .col_levels(|line| u8::from(line.is_multiple_of(3)));
/// assert_eq!((grid.rows(), grid.cols()), (4, 6));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    pub(crate) row: Axis,
    pub(crate) col: Axis,
    pub(crate) cells: Vec<Cell>,
    pub(crate) frame: Frame,
}

impl Grid {
    /// The most cells that a grid keeps; of a larger one the middle is left out.
    pub const MOST_CELLS: usize = 16_384;

    /// A grid of `rows` x `cols` cells; `cell(i, j)` is asked once for each cell that is kept.
    pub fn from_fn(rows: u64, cols: u64, cell: impl FnMut(u64, u64) -> Cell) -> Self {
        Self::within(Self::MOST_CELLS, rows, cols, cell)
    }

    /// The same, of which at most a given number of cells are kept.
    pub(crate) fn within(most: usize, rows: u64, cols: u64, mut cell: impl FnMut(u64, u64) -> Cell) -> Self {
        let (keep_rows, keep_cols) = fit(rows, cols, most.min(Self::MOST_CELLS));
        Self::over(Axis::new(rows, keep_rows), Axis::new(cols, keep_cols), &mut cell)
    }

    /// The rows and columns of a grid of `rows` x `cols` cells that a window shows, at most [`Window::MAX_CELLS`] cells.
    pub(crate) fn seen(window: &Window, rows: u64, cols: u64, mut cell: impl FnMut(u64, u64) -> Cell) -> Self {
        let [rows, cols] = window.of(rows, cols);
        Self::over(rows, cols, &mut cell)
    }

    fn over(row: Axis, col: Axis, cell: &mut dyn FnMut(u64, u64) -> Cell) -> Self {
        let mut cells = Vec::new();
        for i in row.kept() {
            cells.extend(col.kept().map(|j| cell(i, j)));
        }
        Self { row, col, cells, frame: Frame::Lines }
    }

    /// A strip: one row of `len` cells with `caption` on its left.
    ///
    /// Strips stacked in one [`Panel`](crate::Panel) are aligned with one another.
    pub fn strip(caption: &str, len: u64, mut cell: impl FnMut(u64) -> Cell) -> Self {
        let grid = Self::from_fn(1, len, |_, j| cell(j));
        if caption.is_empty() { grid } else { grid.row_heads(|_| caption) }
    }

    /// The two-line notation of a map: each argument above its image, between large parentheses.
    ///
    /// ```
    /// use bitstride_draw::{Cell, Grid};
    /// let inverse = Grid::two_line([0, 2, 1, 3].into_iter().enumerate().map(|(i, v)| (Cell::new(i), Cell::new(v))));
    /// assert_eq!((inverse.rows(), inverse.cols()), (2, 4));
    /// ```
    pub fn two_line(pairs: impl IntoIterator<Item = (Cell, Cell)>) -> Self {
        let (above, below): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let len = u64::try_from(above.len()).unwrap_or(u64::MAX);
        let at = |cells: &[Cell], j: u64| usize::try_from(j).ok().and_then(|j| cells.get(j).cloned());
        let mut grid = Self::from_fn(2, len, |i, j| at(if i == 0 { &above } else { &below }, j).unwrap_or_default());
        grid.frame = Frame::Parentheses;
        grid
    }

    /// The same grid with `head(i)` on the left of row `i`.
    #[must_use]
    pub fn row_heads<T: ToString>(mut self, head: impl FnMut(u64) -> T) -> Self {
        self.row.set_heads(head);
        self
    }

    /// The same grid with `head(j)` above column `j`.
    #[must_use]
    pub fn col_heads<T: ToString>(mut self, head: impl FnMut(u64) -> T) -> Self {
        self.col.set_heads(head);
        self
    }

    /// The same grid whose horizontal line `n`, above row `n`, has level `level(n)`; all are 0 at first.
    #[must_use]
    pub fn row_levels(mut self, level: impl FnMut(u64) -> u8) -> Self {
        self.row.set_levels(level);
        self
    }

    /// The same grid whose vertical line `n`, left of column `n`, has level `level(n)`; all are 0 at first.
    #[must_use]
    pub fn col_levels(mut self, level: impl FnMut(u64) -> u8) -> Self {
        self.col.set_levels(level);
        self
    }

    /// The rows of a tall grid that is kept whole, in pieces of at most [`PIECE`] rows, cut at the border of a tile where
    /// one is in the second half of a piece. `None` for a grid that is not tall.
    pub(crate) fn pieces(&self) -> Option<Vec<Grid>> {
        let rows = usize::try_from(self.row.head).ok().filter(|_| self.row.tail == 0)?;
        if rows <= TALL || self.frame != Frame::Lines {
            return None;
        }
        let side = self.col.kept().count();
        let level = |line: usize| self.row.levels.get(line).copied().unwrap_or(0);
        let (mut pieces, mut start) = (Vec::new(), 0);
        while start < rows {
            let full = start + PIECE;
            let end = if full >= rows {
                rows
            } else {
                (start + PIECE / 2 + 1..=full).max_by_key(|line| (level(*line), *line)).unwrap_or(full)
            };
            let cells = self.cells.get(start * side..end * side).unwrap_or_default().to_vec();
            pieces.push(Grid { row: self.row.part(start, end), col: self.col.clone(), cells, frame: self.frame });
            start = end;
        }
        Some(pieces)
    }

    /// Number of rows, kept or not.
    pub fn rows(&self) -> u64 {
        self.row.total
    }

    /// Number of columns, kept or not.
    pub fn cols(&self) -> u64 {
        self.col.total
    }
}

/// The rows and columns of every grid that are looked at, numbered from 0; the ends are not part of it.
///
/// ```
/// use bitstride_draw::Window;
/// let window = Window { rows: 1 << 20..(1 << 20) + 40, cols: 0..60 };
/// assert_eq!(window.rows.end - window.rows.start, 40);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The rows.
    pub rows: Range<u64>,
    /// The columns.
    pub cols: Range<u64>,
}

impl Window {
    /// The most cells of a grid that are looked at; of a larger window the first rows.
    pub const MAX_CELLS: u64 = 1 << 16;

    /// What it shows of a grid.
    fn of(&self, rows: u64, cols: u64) -> [Axis; 2] {
        let start = self.cols.start.min(cols);
        let col = Axis::window(cols, start..self.cols.end.min(start.saturating_add(Self::MAX_CELLS)));
        let start = self.rows.start.min(rows);
        let most = Self::MAX_CELLS.checked_div(col.len).unwrap_or(0);
        [Axis::window(rows, start..self.rows.end.min(start.saturating_add(most))), col]
    }
}

/// The most rows of a grid that is not tall.
const TALL: usize = 64;
/// The most rows of a piece of a tall one.
const PIECE: usize = 32;

/// What surrounds the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// Lines around and between them.
    Lines,
    /// One pair of large parentheses.
    Parentheses,
}

/// How many rows and columns of a grid to keep so that at most `most` cells remain, as square a part as possible.
pub(crate) fn fit(rows: u64, cols: u64, most: usize) -> (u64, u64) {
    let most = u64::try_from(most).unwrap_or(u64::MAX);
    let side = most.isqrt();
    if rows == 0 || cols == 0 {
        (0, 0)
    } else if rows.checked_mul(cols).is_some_and(|cells| cells <= most) {
        (rows, cols)
    } else if rows <= side {
        (rows, most / rows)
    } else if cols <= side {
        (most / cols, cols)
    } else {
        (side, side)
    }
}

/// One direction of a grid: how long it is, which of its indices are kept, and their headings and lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// True number of indices.
    pub(crate) total: u64,
    /// Those of them that are looked at: all, or those of a window.
    pub(crate) first: u64,
    pub(crate) len: u64,
    /// The first `head` and the last `tail` of these are kept.
    head: u64,
    tail: u64,
    /// One heading per kept index, or none at all.
    heads: Vec<String>,
    /// One level per line: one before each slot, one after the last.
    levels: Vec<u8>,
}

/// A place along an axis as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The n-th kept index.
    Kept(usize),
    /// Everything that was left out.
    Gap,
}

impl Axis {
    fn new(len: u64, keep: u64) -> Self {
        let (head, tail) = if keep >= len { (len, 0) } else { (keep.div_ceil(2), keep / 2) };
        let mut axis = Self { total: len, first: 0, len, head, tail, heads: Vec::new(), levels: Vec::new() };
        axis.set_levels(|_| 0);
        axis
    }

    /// The indices of a range of this length.
    fn window(total: u64, range: Range<u64>) -> Self {
        let (first, end) = (range.start.min(total), range.end.min(total));
        let mut axis = Self::new(end.saturating_sub(first), u64::MAX);
        (axis.total, axis.first) = (total, first);
        axis
    }

    /// Some of the kept indices as an axis of their own, with the headings and lines that they have here.
    fn part(&self, start: usize, end: usize) -> Self {
        let len = u64::try_from(end.saturating_sub(start)).unwrap_or(0);
        let heads = self.heads.get(start..end).unwrap_or_default().to_vec();
        let first = self.first.saturating_add(u64::try_from(start).unwrap_or(0));
        let levels = self.levels.get(start..=end).unwrap_or_default().to_vec();
        Self { total: self.total, first, len, head: len, tail: 0, heads, levels }
    }

    /// The kept indices, ascending.
    pub(crate) fn kept(&self) -> impl Iterator<Item = u64> + use<> {
        let first = self.first;
        (0..self.head).chain(self.len.saturating_sub(self.tail)..self.len).map(move |index| first + index)
    }

    fn set_heads<T: ToString>(&mut self, mut head: impl FnMut(u64) -> T) {
        self.heads = self.kept().map(|i| words::clean(&head(i).to_string()).replace('\n', " ")).collect();
    }

    fn set_levels(&mut self, level: impl FnMut(u64) -> u8) {
        let gap = (self.head + self.tail < self.len).then_some(self.head);
        let after = self.len.saturating_sub(self.tail)..self.len;
        let lines = (0..self.head).chain(gap).chain(after).chain([self.len]);
        self.levels = lines.map(|line| self.first + line).map(level).collect();
    }

    /// The headings of the kept indices, if there are any.
    pub(crate) fn heads(&self) -> &[String] {
        &self.heads
    }

    /// The levels of the lines before each kept index and after the last.
    pub(crate) fn levels(&self) -> &[u8] {
        &self.levels
    }

    /// The heading of the n-th kept index.
    pub(crate) fn head(&self, n: usize) -> Option<&str> {
        self.heads.get(n).map(String::as_str)
    }

    /// Whether headings were given.
    pub(crate) fn has_heads(&self) -> bool {
        !self.heads.is_empty()
    }

    /// What to draw when at most `keep` indices may be shown: the slots, and the level of each line around them.
    pub(crate) fn view(&self, keep: u64) -> (Vec<Slot>, Vec<u8>) {
        let shorter = Self::new(self.len, keep.min(self.head + self.tail));
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let (head, kept) = (size(shorter.head), self.kept().count());
        let mut slots: Vec<Slot> = (0..head).map(Slot::Kept).collect();
        let mut lines: Vec<usize> = (0..head).collect();
        if shorter.head + shorter.tail < self.len {
            slots.push(Slot::Gap);
            lines.push(head);
        }
        // Lines are counted by slots, and from the end so that an earlier gap of ours does not matter.
        for back in (1..=size(shorter.tail)).rev() {
            slots.push(Slot::Kept(kept.saturating_sub(back)));
            lines.push(self.levels.len().saturating_sub(back + 1));
        }
        lines.push(self.levels.len().saturating_sub(1));
        let levels = lines.iter().map(|&line| self.levels.get(line).copied().unwrap_or(0)).collect();
        (slots, levels)
    }

    /// In words, the indices that [`view`](Self::view) leaves out, such as `rows 32 to 2015 of 2048`.
    pub(crate) fn left_out(&self, keep: u64, noun: &str) -> Option<String> {
        if self.len < self.total {
            let last = self.first + self.len.saturating_sub(1);
            return Some(format!("{noun} before {} and after {last} of {}", self.first, self.total));
        }
        let shorter = Self::new(self.len, keep.min(self.head + self.tail));
        let last = self.len.checked_sub(shorter.tail + 1).filter(|&last| last >= shorter.head)?;
        Some(format!("{noun} {} to {last} of {}", shorter.head, self.len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_grids_are_kept_whole() {
        assert_eq!(fit(12, 32, 4096), (12, 32));
        assert_eq!(fit(0, u64::MAX, 4096), (0, 0));
    }

    #[test]
    fn large_grids_keep_at_most_the_limit() {
        for (rows, cols) in [(2048, 2048), (1, 1 << 40), (1 << 40, 3), (64, 65), (u64::MAX, u64::MAX)] {
            let (r, c) = fit(rows, cols, 4096);
            assert!(r <= rows && c <= cols && r * c <= 4096, "{rows} x {cols} keeps {r} x {c}");
        }
        assert_eq!(fit(3, 10_000, 4096), (3, 1365));
        assert_eq!(fit(10, 10, 0), (0, 0));
    }

    #[test]
    fn asks_only_for_the_cells_it_keeps() {
        let mut asked = 0;
        let grid = Grid::from_fn(1 << 40, 1 << 40, |_, _| {
            asked += 1;
            Cell::default()
        });
        assert_eq!(asked, Grid::MOST_CELLS);
        assert_eq!(grid.rows(), 1 << 40);
    }

    #[test]
    fn a_view_keeps_the_levels_of_its_lines() {
        let grid = Grid::from_fn(1, 12, |_, _| Cell::default()).col_levels(|line| u8::from(line.is_multiple_of(4)));
        let (slots, levels) = grid.col.view(4);
        assert_eq!(slots, [Slot::Kept(0), Slot::Kept(1), Slot::Gap, Slot::Kept(10), Slot::Kept(11)]);
        // Lines 0, 1, 2, 10, 11 and 12.
        assert_eq!(levels, [1, 0, 0, 0, 0, 1]);
        assert_eq!(grid.col.left_out(4, "columns").as_deref(), Some("columns 2 to 9 of 12"));
        assert_eq!(grid.col.left_out(12, "columns"), None);
    }

    #[test]
    fn a_view_of_a_shortened_axis_counts_from_both_ends() {
        let grid = Grid::strip("", 1 << 20, |_| Cell::default())
            .col_heads(|j| j)
            .col_levels(|line| u8::try_from(line % 251).unwrap_or(0));
        let (slots, levels) = grid.col.view(3);
        let heads: Vec<_> = slots
            .iter()
            .map(|slot| match slot {
                Slot::Kept(n) => grid.col.head(*n).unwrap_or(""),
                Slot::Gap => "gap",
            })
            .collect();
        assert_eq!(heads, ["0", "1", "gap", "1048575"]);
        let expected = [0, 1, 2, 1_048_575, 1_048_576].map(|line: u64| u8::try_from(line % 251).unwrap_or(0));
        assert_eq!(levels, expected);
    }
}
