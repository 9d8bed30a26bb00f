//! Strips: cells in a row, folded into several rows where one would be too long, and the borders of nested modes.

use super::{Cells, Room, coordinate, count};
use crate::cell::Cell;
use crate::grid::Grid;
use bitstride::Error;

/// The borders within a mode: after each full turn of its first leaf, of its first two, and so on.
#[derive(Clone, Debug, Default)]
pub(super) struct Borders {
    turns: Vec<i64>,
    /// How many of them lie inside the first entry of the mode: in the tile, where it is nested as a divide nests it.
    inside: usize,
    /// What the level of every border is raised by.
    lift: usize,
}

impl Borders {
    /// The borders of a mode whose leaves and whose first entry have these extents.
    pub(super) fn of(leaves: &[i64], first: i64) -> Self {
        let mut turns = Vec::new();
        let mut turn = 1_i64;
        let last = leaves.iter().rposition(|n| *n != 1).unwrap_or(0);
        for extent in leaves.iter().take(last) {
            turn = turn.saturating_mul(*extent);
            if turn > 1 && turns.last() != Some(&turn) {
                turns.push(turn);
            }
        }
        let inside = turns.iter().filter(|turn| **turn < first).count();
        Borders { turns, inside, lift: 0 }
    }

    /// The borders after a given number of cells each, of which each is a multiple of the one before.
    pub(super) fn turning(turns: &[i64]) -> Self {
        let mut turns: Vec<i64> = turns.iter().copied().filter(|turn| *turn > 1).collect();
        turns.dedup();
        Borders { turns, inside: 0, lift: 0 }
    }

    /// Two modes' borders with those of their first entries, the edges of one tile, equally heavy.
    pub(super) fn aligned([mut down, mut across]: [Self; 2]) -> [Self; 2] {
        let inside = down.inside.max(across.inside);
        down.lift = inside - down.inside;
        across.lift = inside - across.inside;
        [down, across]
    }

    /// How heavy this line is.
    pub(super) fn level(&self, line: i64) -> u8 {
        self.weight(self.turns.iter().filter(|turn| line.checked_rem(**turn) == Some(0)).count())
    }

    /// The level of the heaviest.
    pub(super) fn heaviest(&self) -> u8 {
        self.weight(self.turns.len())
    }

    fn weight(&self, met: usize) -> u8 {
        if met == 0 { 0 } else { u8::try_from(met + self.lift).unwrap_or(u8::MAX) }
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
    /// How many cells go side by side when the widest text has `text` characters: whole turns of a leaf, else equal
    /// rows, if that fills half the room, else a power of two.
    pub(super) fn side(&self, text: usize, room: &Room) -> i64 {
        let heads = self.caption.len().max(self.first.saturating_add(self.len).to_string().len());
        let most = i64::try_from(room.cells(text, heads)).unwrap_or(1);
        if self.len <= most {
            return self.len;
        }
        let turn =
            self.borders.turns.iter().rev().find(|turn| **turn <= most && most <= turn.saturating_mul(2)).copied();
        let even = || (most / 2 + 1..=most).rev().find(|side| self.len % side == 0);
        turn.or_else(even).unwrap_or_else(|| 1 << most.ilog2())
    }

    /// The strip in rows of `side` cells.
    pub(super) fn fold(
        &self,
        side: i64,
        room: &Room,
        mut cell: impl FnMut(i64) -> Result<Cell, Error>,
    ) -> Result<Grid, Error> {
        let side = side.max(1);
        let rows = self.len / side + i64::from(self.len % side != 0);
        let mut cells = Cells::default();
        let number = |i: u64, j: u64| coordinate(i).saturating_mul(side).saturating_add(coordinate(j));
        let grid = room.grid(count(rows), count(side.min(self.len)), |i, j| {
            let n = number(i, j);
            if n < self.len { cells.keep(cell(self.first.saturating_add(n))) } else { Cell::default() }
        });
        let frame = self.borders.heaviest().max(room.frame());
        // A turn that the fold cuts comes at another column in each row, so that no line shows it.
        let mut whole = self.borders.clone();
        whole.turns.retain(|turn| side % turn == 0);
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
