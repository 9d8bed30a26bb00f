//! [`Stage`]: one step of a map, from a closed set.
//!
//! A map works on a row of integers. The row starts as the coordinates of the domain. Each stage replaces some
//! neighbouring integers by others. The final row is the coordinates of the codomain. The law of each stage:
//!
//! | stage | law |
//! |---|---|
//! | delinearise by `r0, r1, …` | `x` becomes digits `x0, x1, …, xn` with `x = x0 + r0*(x1 + r1*(x2 + …))`, all but the last below their radix |
//! | linearise | `k` integers become `m` sums, each an offset plus stride times integer |
//! | xor | bits become bits by a matrix over GF(2) and a constant; all other integers stay |
//! | permute | the integers change places |
//! | guard | an integer at or above the extent is *padding*: it belongs to no element |
//!
//! A digit that no linearise stage reads is a copy. So broadcasts and replicas need no stage of their own.

use crate::cast::{dot, index, length, narrow};
use crate::error::{Code, Error};
use crate::small::Small;

/// One step of a map. `at` is the place in the row where it begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Splits one integer into digits, the fastest first; the last digit has no bound. The field calls this delinearisation.
    Delinearise {
        /// The integer.
        at: usize,
        /// The radices of all digits but the last; positive.
        radices: Vec<i64>,
    },
    /// Replaces integers by sums of strides times them, as the offset of an index is computed.
    Linearise {
        /// The first integer.
        at: usize,
        /// How many there are.
        count: usize,
        /// Each sum: an offset, and a stride for each of the integers.
        sums: Vec<(i64, Vec<i64>)>,
    },
    /// Multiplies bits by a matrix over GF(2) and XORs a constant.
    Xor {
        /// The first integer.
        at: usize,
        /// How many bits each integer has; together at most 64.
        ins: Vec<u32>,
        /// How many bits each result has; together at most 64.
        outs: Vec<u32>,
        /// The image of each bit, low bits of the first integer first; the results lie side by side, the first lowest.
        columns: Vec<u64>,
        /// The image of 0.
        flip: u64,
    },
    /// The integers in another order: the `k`-th after is the `order[k]`-th before.
    Permute(Vec<usize>),
    /// An integer that must be below an extent.
    Guard {
        /// The integer.
        at: usize,
        /// The extent; with 0 all is padding.
        extent: i64,
    },
}

impl Stage {
    /// How many integers there are after the stage, with `count` before.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when the stage speaks of integers that are not there, [`Code::Range`] for a radix or width out
    /// of range.
    ///
    /// ```
    /// use bitstride::map::Stage;
    /// assert_eq!(Stage::Delinearise { at: 0, radices: vec![4, 2] }.width(1)?, 3);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn width(&self, count: usize) -> Result<usize, Error> {
        let fits = |at: usize, taken: usize| match at.checked_add(taken) {
            Some(end) if end <= count => Ok(count - taken),
            _ => Err(error!(
                Code::RankMismatch,
                "a stage takes {taken} integers from place {at}, but there are {count}",
                [taken, at, count]
            )),
        };
        let positive = |numbers: &[i64]| match numbers.iter().find(|number| **number < 1) {
            Some(number) => Err(error!(Code::Range, "{number} is no radix or extent of a stage", [number])),
            None => Ok(()),
        };
        match self {
            Stage::Delinearise { at, radices } => {
                positive(radices)?;
                Ok(fits(*at, 1)? + radices.len() + 1)
            }
            Stage::Linearise { at, count: taken, sums } => {
                if sums.iter().any(|(_, strides)| strides.len() != *taken) {
                    return Err(error!(Code::RankMismatch, "a sum has not one stride for each of {taken}", [taken]));
                }
                Ok(fits(*at, *taken)? + sums.len())
            }
            Stage::Xor { at, ins, outs, columns, flip } => {
                let (wide, tall) = (bits(ins)?, bits(outs)?);
                if columns.len() != index(i64::from(wide))? {
                    return Err(error!(
                        Code::BasisRankMismatch,
                        "{columns} columns for {wide} bits",
                        [columns = columns.len(), wide]
                    ));
                }
                if columns.iter().chain([flip]).any(|column| column.checked_shr(tall).unwrap_or(0) != 0) {
                    return Err(error!(Code::BasisNotBelowOutSize, "a column goes beyond {tall} bits", [tall]));
                }
                Ok(fits(*at, ins.len())? + outs.len())
            }
            Stage::Permute(order) => {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                if !sorted.into_iter().eq(0..count) {
                    return Err(error!(
                        Code::OrderNotPermutation,
                        "{order:?} does not order {count} integers",
                        [order, count]
                    ));
                }
                Ok(count)
            }
            Stage::Guard { at, extent } if *extent < 0 => {
                Err(error!(Code::Range, "a guard of place {at} at {extent}", [at, extent]))
            }
            Stage::Guard { at, .. } => fits(*at, 1).map(|rest| rest + 1),
        }
    }

    /// The row after the stage; `None` is padding.
    ///
    /// # Errors
    /// [`Code::Overflow`]; [`Code::Range`] when an integer has more bits than an xor takes.
    ///
    /// ```
    /// use bitstride::map::Stage;
    /// let mut row = vec![13];
    /// Stage::Delinearise { at: 0, radices: vec![4, 2] }.apply(&mut row)?;
    /// assert_eq!(row, [1, 1, 1]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn apply(&self, row: &mut Vec<i64>) -> Result<Option<()>, Error> {
        match self {
            Stage::Delinearise { at, radices } => {
                let mut rest = row.get(*at).copied().unwrap_or(0);
                let mut digits = Few::new();
                for radix in radices {
                    digits.push(rest.rem_euclid(*radix));
                    rest = rest.div_euclid(*radix);
                }
                digits.push(rest);
                replace(row, *at, 1, &digits);
            }
            Stage::Linearise { at, count, sums } => {
                let end = at + count;
                let parts = row.get(*at..end).unwrap_or(&[]);
                let sum = |(offset, strides): &(i64, Vec<i64>)| {
                    dot(*offset, strides.iter().copied().zip(parts.iter().copied()))
                };
                let joined = sums.iter().map(sum).collect::<Result<Few, _>>()?;
                replace(row, *at, *count, &joined);
            }
            Stage::Xor { at, ins, outs, columns, flip } => {
                let mut image = *flip;
                let mut columns = columns.iter();
                for (wire, bits) in row.iter().skip(*at).zip(ins) {
                    let rest = u64::try_from(*wire).ok().filter(|x| x.checked_shr(*bits).unwrap_or(0) == 0);
                    let Some(mut rest) = rest else {
                        return Err(error!(Code::Range, "{wire} does not have {bits} bits", [wire, bits]));
                    };
                    for column in columns.by_ref().take(index(i64::from(*bits))?) {
                        image ^= if rest & 1 == 1 { *column } else { 0 };
                        rest >>= 1;
                    }
                }
                let mut results = Few::new();
                for bits in outs {
                    let mask = 1u64.checked_shl(*bits).map_or(u64::MAX, |above| above - 1);
                    results.push(narrow(i128::from(image & mask))?);
                    image = image.checked_shr(*bits).unwrap_or(0);
                }
                replace(row, *at, ins.len(), &results);
            }
            Stage::Permute(order) => {
                let permuted: Few = order.iter().map(|place| row.get(*place).copied().unwrap_or(0)).collect();
                let length = row.len();
                replace(row, 0, length, &permuted);
            }
            Stage::Guard { at, extent } => {
                if row.get(*at).is_some_and(|x| x < &0 || x >= extent) {
                    return Ok(None);
                }
            }
        }
        Ok(Some(()))
    }
}

/// What one stage puts into a row: short enough, nearly always, to need no memory of its own.
type Few = Small<i64, 8>;

/// Puts values where `count` values have stood from `at` on.
fn replace(row: &mut Vec<i64>, at: usize, count: usize, values: &[i64]) {
    row.splice(at..at + count, values.iter().copied());
}

/// The bits of all fields together.
fn bits(fields: &[u32]) -> Result<u32, Error> {
    let all: u64 = fields.iter().map(|bits| u64::from(*bits)).sum();
    match u32::try_from(all) {
        Ok(all) if all <= 63 || fields.len() > 1 && all <= 64 => Ok(all),
        _ => Err(error!(
            Code::TooLarge,
            "{all} bits in {count} fields are too many",
            [all, count = length(fields.len())]
        )),
    }
}
