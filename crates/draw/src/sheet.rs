//! A grid made ready to draw: at most a given number of cells, with ellipses in place of what is left out.

use crate::cell::Cell;
use crate::grid::{Frame, Grid, Slot, fit};
use crate::words::width;

/// The signs that stand for what is left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ellipses {
    pub(crate) columns: &'static str,
    pub(crate) rows: &'static str,
    pub(crate) both: &'static str,
}

impl Ellipses {
    /// Signs from Unicode.
    pub(crate) const UNICODE: Self = Self { columns: "…", rows: "⋮", both: "⋱" };
    /// Signs from ASCII.
    pub(crate) const ASCII: Self = Self { columns: "...", rows: ":", both: ":" };
}

/// Rows of cells as they are drawn, with headings, levels and a note of what is left out.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    /// All rows are equally long.
    pub(crate) rows: Vec<Vec<Cell>>,
    /// One heading per row, or none.
    pub(crate) row_heads: Vec<String>,
    /// One heading per column, or none.
    pub(crate) col_heads: Vec<String>,
    /// The number of every column.
    pub(crate) col_numbers: Vec<String>,
    /// One level per horizontal line: above each row and below the last.
    pub(crate) row_levels: Vec<u8>,
    /// One level per vertical line.
    pub(crate) col_levels: Vec<u8>,
    pub(crate) frame: Frame,
    pub(crate) note: Option<String>,
}

impl Sheet {
    /// `grid` with at most `most` cells.
    pub(crate) fn new(grid: &Grid, most: usize, signs: Ellipses) -> Self {
        let (keep_rows, keep_cols) = fit(grid.row.len, grid.col.len, most);
        let (row_slots, row_levels) = grid.row.view(keep_rows);
        let (col_slots, col_levels) = grid.col.view(keep_cols);
        let stride = grid.col.kept().count();
        let cell = |row: &Slot, col: &Slot| match (row, col) {
            (Slot::Kept(i), Slot::Kept(j)) => grid.cells.get(i * stride + j).cloned().unwrap_or_default(),
            (Slot::Kept(_), Slot::Gap) => Cell::new(signs.columns),
            (Slot::Gap, Slot::Kept(_)) => Cell::new(signs.rows),
            (Slot::Gap, Slot::Gap) => Cell::new(signs.both),
        };
        let rows = row_slots.iter().map(|i| col_slots.iter().map(|j| cell(i, j)).collect()).collect();

        let numbers: Vec<u64> = grid.col.kept().collect();
        let number = |n: usize| numbers.get(n).map(u64::to_string);
        let left_out = [grid.row.left_out(keep_rows, "rows"), grid.col.left_out(keep_cols, "columns")];
        let left_out: Vec<String> = left_out.into_iter().flatten().collect();
        let empty = grid.row.len == 0 || grid.col.len == 0;
        let note = match (empty, left_out.is_empty()) {
            (true, _) => Some("no cells".to_owned()),
            (false, true) => None,
            (false, false) => Some(format!("left out: {}", left_out.join(", "))),
        };
        Self {
            rows: if empty { Vec::new() } else { rows },
            row_heads: if grid.row.has_heads() {
                named(&row_slots, signs.rows, |n| grid.row.head(n).map(str::to_owned))
            } else {
                Vec::new()
            },
            col_heads: if grid.col.has_heads() {
                named(&col_slots, signs.columns, |n| grid.col.head(n).map(str::to_owned))
            } else {
                Vec::new()
            },
            col_numbers: named(&col_slots, signs.columns, number),
            row_levels,
            col_levels,
            frame: grid.frame,
            note,
        }
    }

    /// Number of columns drawn.
    pub(crate) fn cols(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// Every cell drawn, row after row.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.rows.iter().flatten()
    }

    /// Columns of text in the widest row heading.
    pub(crate) fn row_head_width(&self) -> usize {
        self.row_heads.iter().map(|head| width(head)).max().unwrap_or(0)
    }
}

fn named(slots: &[Slot], gap: &str, name: impl Fn(usize) -> Option<String>) -> Vec<String> {
    slots
        .iter()
        .map(|slot| match slot {
            Slot::Kept(n) => name(*n).unwrap_or_default(),
            Slot::Gap => gap.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_gives_way_to_ellipses() {
        let grid = Grid::from_fn(100, 100, |i, j| Cell::new(100 * i + j)).row_heads(|i| i);
        let sheet = Sheet::new(&grid, 9, Ellipses::UNICODE);
        let text: Vec<String> = sheet.cells().map(|cell| cell.lines.concat()).collect();
        assert_eq!(
            text,
            ["0", "1", "…", "99", "100", "101", "…", "199", "⋮", "⋮", "⋱", "⋮", "9900", "9901", "…", "9999"]
        );
        assert_eq!(sheet.row_heads, ["0", "1", "⋮", "99"]);
        assert_eq!(sheet.note.as_deref(), Some("left out: rows 2 to 98 of 100, columns 2 to 98 of 100"));
    }

    #[test]
    fn whole_grids_have_no_note() {
        let sheet = Sheet::new(&Grid::from_fn(2, 3, |_, _| Cell::default()), 6, Ellipses::UNICODE);
        assert_eq!((sheet.rows.len(), sheet.cols(), sheet.note), (2, 3, None));
    }

    #[test]
    fn a_grid_without_cells_says_so() {
        let sheet = Sheet::new(&Grid::from_fn(0, 3, |_, _| Cell::default()), 6, Ellipses::UNICODE);
        assert_eq!((sheet.rows.len(), sheet.note.as_deref()), (0, Some("no cells")));
    }
}
