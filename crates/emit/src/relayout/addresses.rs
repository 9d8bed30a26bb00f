//! The addresses of a [`Schedule`] as expressions over the thread, the turn of its loop, and the block.
//!
//! An access of a side is a number, whose digits are the coordinates of its first unit in the tile. On a side whose rows begin
//! anywhere, rows are *realigned*: an access is a whole word of memory that has some units of a row, of which the first and the last word
//! of a row have fewer. The phase of a row, how far its first unit lies behind a word, depends on the row and the block.

use bitstride::Error;

use super::schedule::{Schedule, THREADS};
use crate::expr::{Condition, Id, Masked, Pool};

/// The variables of all expressions.
const THREAD: usize = 0;
const TURN: usize = 1;
const BLOCK: usize = 2;

/// What names the variables have.
pub(super) const NAMES: [&str; 3] = ["thread", "turn", "block"];

impl Schedule {
    pub(super) fn pool(&self, side: usize) -> Pool {
        Pool::new(&[THREADS, self.turns(side), self.blocks().max(1)], true)
    }

    /// The coordinates of the tile of a block, in units of tiles.
    fn outer(&self, pool: &mut Pool) -> Result<Vec<Id>, Error> {
        let mut rest = pool.variable(BLOCK)?;
        let mut outer = vec![pool.constant(0)?; self.levels.len()];
        let mut order: Vec<usize> = (0..self.levels.len()).filter(|at| self.levels[*at].tiles() > 1).collect();
        // Blocks that run together read or write what lies together.
        let apart = |at: &usize| {
            let level = &self.levels[*at];
            [1, 0].map(|side| level.reach(side).saturating_mul(level.tile.unsigned_abs())).into_iter().min()
        };
        order.sort_by_key(apart);
        for at in order {
            let tiles = self.levels[at].tiles();
            outer[at] = pool.modulo(rest, tiles)?;
            rest = pool.div(rest, tiles)?;
        }
        Ok(outer)
    }

    /// The number of an access.
    fn number(pool: &mut Pool) -> Result<Id, Error> {
        let (thread, turn) = (pool.variable(THREAD)?, pool.variable(TURN)?);
        pool.sum(0, &[(thread, 1), (turn, THREADS)])
    }

    /// The coordinates in the tile of a unit of an access.
    pub(super) fn inner(&self, pool: &mut Pool, side: usize, part: i64) -> Result<Vec<Id>, Error> {
        let per = self.width[side] / self.unit;
        let number = Self::number(pool)?;
        let mut inner = vec![pool.constant(0)?; self.levels.len()];
        let mut rest = match self.realigned[side] {
            Some(_) => pool.div(number, self.words(side))?,
            None => pool.sum(part, &[(number, per)])?,
        };
        for digit in self.order[side].iter().filter(|digit| self.realigned[side] != Some(digit.level)) {
            let value = pool.modulo(rest, digit.radix)?;
            rest = pool.div(rest, digit.radix)?;
            inner[digit.level] = pool.sum(0, &[(inner[digit.level], 1), (value, digit.weight)])?;
        }
        if let Some(row) = self.realigned[side] {
            let word = pool.modulo(number, self.words(side))?;
            let phase = self.phase(pool, side, &inner)?;
            inner[row] = pool.sum(part, &[(word, per), (phase, -1)])?;
        }
        Ok(inner)
    }

    /// How many units the first unit of a row lies behind a word of memory.
    fn phase(&self, pool: &mut Pool, side: usize, inner: &[Id]) -> Result<Id, Error> {
        let outer = self.outer(pool)?;
        let mut terms = Vec::new();
        for (at, level) in self.levels.iter().enumerate() {
            let stride = level.stride[side] / self.unit;
            terms.push((outer[at], stride.saturating_mul(level.tile)));
            if self.realigned[side] != Some(at) {
                terms.push((inner[at], stride));
            }
        }
        let behind = pool.sum(self.offset[side] / self.unit, &terms)?;
        pool.modulo(behind, self.width[side] / self.unit)
    }

    /// The place of the tile of a block on a side, but for what is xored.
    pub(super) fn base(&self, pool: &mut Pool, side: usize) -> Result<Id, Error> {
        let outer = self.outer(pool)?;
        let terms: Vec<(Id, i64)> = outer
            .iter()
            .zip(&self.levels)
            .map(|(id, level)| (*id, level.stride[side].saturating_mul(level.tile)))
            .collect();
        pool.sum(self.offset[side], &terms)
    }

    /// The place of an access behind the base.
    pub(super) fn memory(&self, pool: &mut Pool, side: usize) -> Result<Id, Error> {
        let inner = self.inner(pool, side, 0)?;
        let outer = self.outer(pool)?;
        let mut terms: Vec<(Id, i64)> =
            inner.iter().zip(&self.levels).map(|(id, level)| (*id, level.stride[side])).collect();
        let mut masks = Vec::new();
        for (at, level) in self.levels.iter().enumerate() {
            let mask = level.xor[side].cast_unsigned();
            for id in [inner[at], outer[at]] {
                let bits = (0..i32::try_from(u64::BITS).unwrap_or(64)).filter(|bit| mask >> bit & 1 == 1);
                masks.extend(bits.map(|distance| Masked { of: id, distance, mask: 1 }));
            }
        }
        let pattern = pool.xor(self.flip[side].cast_unsigned(), &masks)?;
        terms.push((pattern, 1));
        pool.sum(0, &terms)
    }

    /// The place in shared memory of a unit of an access.
    pub(super) fn shared_place(&self, pool: &mut Pool, side: usize, part: i64) -> Result<Id, Error> {
        let inner = self.inner(pool, side, part)?;
        let mut terms = Vec::new();
        for (at, level) in self.levels.iter().enumerate() {
            let own: Vec<_> = self.order[side].iter().filter(|digit| digit.level == at).collect();
            if side == 0 && self.realigned[0] == Some(at) {
                // Whole words, as memory has them.
                let number = Self::number(pool)?;
                let word = pool.modulo(number, self.words(0))?;
                terms.push((word, self.width[0]));
                continue;
            }
            for digit in own {
                let mut value = pool.div(inner[at], digit.weight)?;
                if digit.weight * digit.radix < level.tile {
                    value = pool.modulo(value, digit.radix)?;
                }
                terms.push((value, digit.place));
            }
        }
        if side == 1 && self.realigned[0].is_some() {
            let phase = self.phase(pool, 0, &inner)?;
            terms.push((phase, self.unit));
        }
        pool.sum(0, &terms)
    }

    /// The conditions under which an access, or its row, is inside the box.
    pub(super) fn bounds(&self, pool: &mut Pool, side: usize) -> Result<Vec<Condition>, Error> {
        let mut conditions = Vec::new();
        if self.turns(side) * THREADS > self.accesses(side) {
            let number = Self::number(pool)?;
            conditions.extend(pool.assume_below(number, self.accesses(side)));
        }
        let (outer, inner) = (self.outer(pool)?, self.inner(pool, side, 0)?);
        let ragged = self.levels.iter().enumerate().filter(|(_, level)| level.is_ragged());
        for (at, level) in ragged.filter(|(at, _)| self.realigned[side] != Some(*at)) {
            let whole = pool.sum(0, &[(outer[at], level.tile), (inner[at], 1)])?;
            conditions.extend(pool.assume_below(whole, level.count));
        }
        Ok(conditions)
    }

    /// The conditions under which some units of a realigned access, from one on, can be moved: a load stays within the bytes
    /// of the side, and a store within the row.
    pub(super) fn parts(&self, pool: &mut Pool, side: usize, first: i64, count: i64) -> Result<Vec<Condition>, Error> {
        let Some(row) = self.realigned[side] else { return Ok(Vec::new()) };
        let mut conditions = Vec::new();
        if side == 0 {
            let (base, place) = (self.base(pool, side)?, self.memory(pool, side)?);
            let at = pool.sum(first * self.unit, &[(base, 1), (place, 1)])?;
            let end = pool.assume_below(at, self.end(side) - (count * self.unit - 1));
            // The word of an element is never before the first byte.
            conditions.extend(end.map(|end| Condition { from_zero: true, ..end }));
            return Ok(conditions);
        }
        let (outer, inner) = (self.outer(pool)?, self.inner(pool, side, first)?);
        let level = &self.levels[row];
        conditions.extend(pool.assume_below(inner[row], level.tile - (count - 1)));
        if level.is_ragged() {
            let whole = pool.sum(0, &[(outer[row], level.tile), (inner[row], 1)])?;
            conditions.extend(pool.assume_below(whole, level.count - (count - 1)));
        }
        Ok(conditions)
    }
}
