//! The addresses of a [`Schedule`] as expressions over the thread, the turn of its loop, and the block.
//!
//! An access of a side is a number, whose digits are the coordinates of its first unit in the tile. Where rows of the destination
//! begin anywhere, tiles are *shifted*: in each row, the tile begins where a sector of memory does. How far that is before the
//! tile as it is counted, the phase, depends on the row and the block; what any row may need is loaded.

use bitstride::Error;

use super::schedule::{SECTOR_BYTES, Schedule, THREADS};
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
        let shifted = self.shifted.filter(|_| side == 1);
        let mut rest = pool.sum(part, &[(number, per)])?;
        for digit in &self.order[side] {
            let value = pool.modulo(rest, digit.radix)?;
            rest = pool.div(rest, digit.radix)?;
            inner[digit.level] = pool.sum(0, &[(inner[digit.level], 1), (value, digit.weight)])?;
        }
        if let Some(row) = shifted {
            let phase = self.phase(pool, &inner)?;
            inner[row] = pool.sum(0, &[(inner[row], 1), (phase, -1)])?;
        } else {
            for (at, level) in self.levels.iter().enumerate().filter(|(_, level)| level.margin != 0) {
                inner[at] = pool.sum(-level.margin, &[(inner[at], 1)])?;
            }
        }
        Ok(inner)
    }

    /// How many units a row of the destination begins behind a sector, at the tile as it is counted.
    fn phase(&self, pool: &mut Pool, inner: &[Id]) -> Result<Id, Error> {
        let outer = self.outer(pool)?;
        let mut terms = Vec::new();
        for (at, level) in self.levels.iter().enumerate().filter(|(at, _)| self.shifted != Some(*at)) {
            let stride = level.stride[1] / self.unit;
            terms.extend([(outer[at], stride.saturating_mul(level.tile)), (inner[at], stride)]);
        }
        let behind = pool.sum(self.offset[1] / self.unit, &terms)?;
        pool.modulo(behind, SECTOR_BYTES / self.unit)
    }

    /// The place of the tile of a block on a side, but for what is xored.
    pub(super) fn base(&self, pool: &mut Pool, side: usize) -> Result<Id, Error> {
        let outer = self.outer(pool)?;
        let terms: Vec<(Id, i64)> = outer
            .iter()
            .zip(&self.levels)
            .map(|(id, level)| (*id, level.stride[side].saturating_mul(level.tile)))
            .collect();
        let base = pool.sum(self.offset[side], &terms)?;
        pool.div(base, self.packing)
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
        let place = pool.sum(0, &terms)?;
        pool.div(place, self.packing)
    }

    /// The place in shared memory of a unit of an access.
    pub(super) fn shared_place(&self, pool: &mut Pool, side: usize, part: i64) -> Result<Id, Error> {
        let inner = self.inner(pool, side, part)?;
        let mut terms = Vec::new();
        for (at, level) in self.levels.iter().enumerate() {
            let own: Vec<_> = self.order[side].iter().filter(|digit| digit.level == at).collect();
            let within = pool.sum(level.margin, &[(inner[at], 1)])?;
            if self.shifted == Some(at) {
                // The phase takes it from one digit to another: one distance for all steps.
                terms.extend(own.first().map(|digit| (within, digit.place)));
                continue;
            }
            for digit in own {
                let mut value = pool.div(within, digit.weight)?;
                if digit.weight * digit.radix < level.steps(side) {
                    value = pool.modulo(value, digit.radix)?;
                }
                terms.push((value, digit.place));
            }
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
        for (at, level) in ragged.filter(|(at, _)| side == 0 || self.shifted != Some(*at)) {
            let whole = pool.sum(0, &[(outer[at], level.tile), (inner[at], 1)])?;
            conditions.extend(pool.assume_below(whole, level.count));
        }
        Ok(conditions)
    }

    /// The conditions under which some units of a shifted store, from one on, are inside the box.
    pub(super) fn parts(&self, pool: &mut Pool, side: usize, first: i64, count: i64) -> Result<Vec<Condition>, Error> {
        let Some(row) = self.shifted.filter(|_| side == 1) else { return Ok(Vec::new()) };
        let (outer, inner) = (self.outer(pool)?, self.inner(pool, side, first)?);
        let level = &self.levels[row];
        let whole = pool.sum(0, &[(outer[row], level.tile), (inner[row], 1)])?;
        Ok(pool.assume_below(whole, level.count - (count - 1)).into_iter().collect())
    }
}
