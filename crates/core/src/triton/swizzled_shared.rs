//! [`SwizzledShared`]: rows in shared memory whose vectors are permuted by an xor with the phase of the row.
//!
//! Law: with `phase` following from the row as [`Phase`] says, the element in row `i` and column `j` stands at
//! `k(i, j) = i * columns + ((j / vec) xor phase(i)) * vec + j mod vec`, and as an xor is its own inverse, offset `k`
//! holds row `i = k / columns` and column `((k mod columns) / vec xor phase(i)) * vec + k mod vec`.

use super::fit::share;
use super::sizes::{log, order, same_rank};
use super::tile::Bit;
use super::trace::EncodingStep;
use super::{Cga, Sizes};
use crate::error::{Code, Error};
use crate::linear::{Columns, LinearLayout, Name, low, ones};
use crate::trace::Trace;

/// How the phase follows from the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// `(row / perPhase) mod maxPhase`: `#ttg.swizzled_shared`.
    Row,
    /// That, xor `(row / perPhase / maxPhase) mod maxPhase`: `#ttg.amd_rotating_shared`.
    Rotating,
}

/// `#ttg.swizzled_shared<{vec, perPhase, maxPhase, order, CGALayout}>`, and its rotating form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SwizzledShared {
    /// How many elements move together.
    pub vec: i64,
    /// How many rows have the same phase.
    pub per_phase: i64,
    /// The number of phases.
    pub max_phase: i64,
    /// The dims, the fastest first.
    pub order: Sizes,
    /// The blocks of a cluster.
    pub cga: Cga,
    /// How the phase follows from the row.
    pub phase: Phase,
}

impl SwizzledShared {
    /// The linear layout for a shape, from offset and block: the fastest dim first, then the rows with the phase in
    /// their columns, then the other dims. A phase beyond the columns does nothing.
    ///
    /// As Triton 3.9 has it, a block of a cluster has offsets for its share only, but in the rotating form, from rank 2 on,
    /// for the whole shape: those beyond the share repeat its elements.
    ///
    /// # Errors
    /// [`Code::RankMismatch`], [`Code::OrderNotPermutation`], [`Code::SizeNotPowerOfTwo`]; [`Code::Parameter`] for a
    /// parameter below 1.
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        self.lower(shape, &mut ())
    }

    pub(super) fn lower(&self, shape: &[i64], trace: &mut impl Trace<EncodingStep>) -> Result<LinearLayout, Error> {
        let order = order(&self.order, self.order.len())?;
        same_rank(order.len(), shape)?;
        self.positive()?;
        let share = share(shape, &self.cga)?;
        let own = |dim: usize| share.bits.get(dim).copied().unwrap_or(0);
        let room = |dim: usize| match self.phase {
            Phase::Row => own(dim),
            Phase::Rotating if order.len() > 1 => share.whole(dim),
            Phase::Rotating => own(dim),
        };
        trace.record(|| {
            let size = |dim: usize| 1i64.checked_shl(room(dim)).unwrap_or(i64::MAX);
            EncodingStep::Offsets { extents: (0..order.len()).map(size).collect() }
        });
        let mut offset = Columns::new();
        for (at, dim) in order.iter().enumerate() {
            let start = offset.len();
            (0..room(*dim)).for_each(|bit| offset.push(share.column(Some(Bit { dim: *dim, bit }))));
            let Some(inner) = order.first().filter(|_| at == 1) else { continue };
            let columns = room(*inner);
            for (row, column) in offset.iter_mut().skip(start).enumerate() {
                let row = 1i64.checked_shl(u32::try_from(row).unwrap_or(63)).unwrap_or(0);
                let phase = self.phase_of(row);
                let turned = u64::try_from(i128::from(phase) * i128::from(self.vec)).unwrap_or(0) & low(columns);
                // A column beyond the share goes altogether.
                let turned = if turned <= low(own(*inner)) { turned } else { 0 };
                trace.record(|| EncodingStep::Swizzles { row, phase, columns: turned });
                ones(turned).for_each(|bit| {
                    let bit = u32::try_from(bit).unwrap_or(0);
                    *column |= share.column(Some(Bit { dim: *inner, bit }));
                });
            }
        }
        share.layout(&[(Name::OFFSET, &offset)], 1)
    }

    /// The offset of row `i` and column `j` in rows of `columns` elements:
    /// `row * columns + ((column / vec) xor phase(row)) * vec + column mod vec`.
    ///
    /// # Errors
    /// [`Code::Range`] for a negative row, or a column outside of its row; [`Code::SizeNotPowerOfTwo`],
    /// [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::triton::{Cga, Phase, Sizes, SwizzledShared};
    /// let order = Sizes::from_slice(&[1, 0]);
    /// let shared = SwizzledShared { vec: 2, per_phase: 1, max_phase: 4, order, cga: Cga::default(), phase: Phase::Row };
    /// assert_eq!(shared.offset(1, 0, 8)?, 10);
    /// assert_eq!(shared.element(10, 8)?, (1, 0));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn offset(&self, row: i64, column: i64, columns: i64) -> Result<i64, Error> {
        if row < 0 || !(0..columns).contains(&column) {
            return Err(error!(
                Code::Range,
                "row {row}, column {column} is not in rows of {columns} elements",
                [row, column, columns]
            ));
        }
        let start = row.checked_mul(columns).ok_or_else(|| Error::overflow(&format!("{row} * {columns}")))?;
        let swizzled = self.swizzled(row, column, columns)?;
        start.checked_add(swizzled).ok_or_else(|| Error::overflow(&format!("{start} + {swizzled}")))
    }

    /// The row and column at an offset in rows of `columns` elements: the inverse of [`SwizzledShared::offset`].
    ///
    /// # Errors
    /// As [`SwizzledShared::offset`].
    pub fn element(&self, offset: i64, columns: i64) -> Result<(i64, i64), Error> {
        let (Some(row), Some(place)) = (offset.checked_div(columns), offset.checked_rem(columns)) else {
            return Err(error!(Code::Range, "rows of {columns} elements have no offset {offset}", [columns, offset]));
        };
        if offset < 0 || columns < 1 {
            return Err(error!(Code::Range, "rows of {columns} elements have no offset {offset}", [columns, offset]));
        }
        Ok((row, self.swizzled(row, place, columns)?))
    }

    /// The phase of a row.
    pub fn phase_of(&self, row: i64) -> i64 {
        let turn = row / self.per_phase.max(1);
        let phases = self.max_phase.max(1);
        match self.phase {
            Phase::Row => turn % phases,
            Phase::Rotating => (turn % phases) ^ (turn / phases % phases),
        }
    }

    fn positive(&self) -> Result<(), Error> {
        for (what, value) in [("vec", self.vec), ("perPhase", self.per_phase), ("maxPhase", self.max_phase)] {
            if value < 1 {
                return Err(error!(
                    Code::Parameter,
                    "{what} is {value}; it is at least {least}",
                    [what, value, least = 1]
                ));
            }
        }
        Ok(())
    }

    /// The column with its vector moved by the phase of the row; the phase counts modulo the vectors of a row.
    fn swizzled(&self, row: i64, column: i64, columns: i64) -> Result<i64, Error> {
        for (what, size) in [
            ("vec", self.vec),
            ("perPhase", self.per_phase),
            ("maxPhase", self.max_phase),
            ("the number of columns", columns),
        ] {
            log(what, size)?;
        }
        let vectors = (columns / self.vec).max(1);
        Ok(((column / self.vec) ^ (self.phase_of(row) % vectors)) * self.vec + column % self.vec)
    }
}
