//! Strips: cells in a row, folded into several rows where one would be too long, and the borders of nested modes.

use super::{Cells, Room, coordinate, count};
use crate::cell::Cell;
use crate::grid::Grid;
use bitstride::Error;

/// The borders within a mode: after each full turn of its first leaf, of its first two, and so on.
#[derive(Clone, Debug, Default)]
pub(super) struct Borders(Vec<i64>);

impl Borders {
    pub(super) fn of(extents: &[i64]) -> Self {
        let mut borders = Vec::new();
        let mut turn = 1_i64;
        let last = extents.iter().rposition(|n| *n != 1).unwrap_or(0);
        for extent in extents.iter().take(last) {
            turn = turn.saturating_mul(*extent);
            if turn > 1 && borders.last() != Some(&turn) {
                borders.push(turn);
            }
        }
        Borders(borders)
    }

    /// How many of the borders this line is.
    pub(super) fn level(&self, line: i64) -> u8 {
        let met = self.0.iter().filter(|turn| line.checked_rem(**turn) == Some(0)).count();
        u8::try_from(met).unwrap_or(u8::MAX)
    }

    /// The level of the heaviest.
    pub(super) fn heaviest(&self) -> u8 {
        u8::try_from(self.0.len()).unwrap_or(u8::MAX)
    }
}

/// How a strip is laid out.
#[derive(Clone, Debug)]
pub(super) struct Strip {
    /// The number of the first cell.
    pub(super) first: i64,
    pub(super) len: i64,
    /// What stands on its left if it is one row.
    pub(super) caption: &'static str,
    /// Whether its cells are numbered.
    pub(super) numbered: bool,
    pub(super) borders: Borders,
}

impl Strip {
    /// How many cells go side by side when the widest text has `text` characters: a whole turn of a leaf if that fills the
    /// room by half, else a power of two.
    pub(super) fn side(&self, text: usize, room: Room) -> i64 {
        let heads = self.caption.len().max(self.first.saturating_add(self.len).to_string().len());
        let most = i64::try_from(room.cells(text, heads)).unwrap_or(1);
        if self.len <= most {
            return self.len;
        }
        let turn = self.borders.0.iter().rev().find(|turn| **turn <= most && most < turn.saturating_mul(2));
        turn.copied().unwrap_or_else(|| 1 << most.ilog2())
    }

    /// The strip in rows of `side` cells.
    pub(super) fn fold(
        &self,
        side: i64,
        room: Room,
        mut cell: impl FnMut(i64) -> Result<Cell, Error>,
    ) -> Result<Grid, Error> {
        let side = side.max(1);
        let rows = self.len / side + i64::from(self.len % side != 0);
        let mut cells = Cells::default();
        let number = |i: u64, j: u64| coordinate(i).saturating_mul(side).saturating_add(coordinate(j));
        let grid = Grid::from_fn(count(rows), count(side.min(self.len)), |i, j| {
            let n = number(i, j);
            if n < self.len { cells.keep(cell(self.first.saturating_add(n))) } else { Cell::default() }
        });
        let frame = self.borders.heaviest().max(room.frame());
        // A turn that the fold cuts comes at another column in each row, so that no line shows it.
        let whole = Borders(self.borders.0.iter().copied().filter(|turn| side % turn == 0).collect());
        let across = |line: u64| {
            let line = coordinate(line);
            if line == 0 || line == side.min(self.len) { frame } else { whole.level(line) }
        };
        let down = |line: u64| {
            if line == 0 || coordinate(line) == rows { frame } else { self.borders.level(number(line, 0)) }
        };
        let grid = grid.col_levels(across).row_levels(down);
        let grid = match (rows, self.numbered) {
            (..=1, false) => grid,
            (..=1, true) => grid.col_heads(|j| self.first.saturating_add(coordinate(j))),
            _ => grid.col_heads(|j| j).row_heads(|i| self.first.saturating_add(number(i, 0))),
        };
        cells.checked(if rows <= 1 && !self.caption.is_empty() { grid.row_heads(|_| self.caption) } else { grid })
    }
}
