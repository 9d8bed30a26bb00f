//! [`Stages`]: evaluates a map at very many points without allocating for each.
//!
//! Law: at every point of the domain it gives what [`Map::at`] gives.

use std::mem::swap;

use bitstride::map::{Map, Stage};
use bitstride::{Code, Error, error};

use crate::cast::narrow;

/// The stages of a map to one coordinate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stages(Vec<Stage>);

/// Two rows of integers, of which each stage reads one and writes the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    row: Vec<i64>,
    next: Vec<i64>,
}

impl Stages {
    pub(crate) fn of(map: &Map) -> Self {
        Stages(map.stages().to_vec())
    }

    /// What a point of the domain leads to; `None` where it is padding.
    ///
    /// # Errors
    /// As [`Map::at`].
    pub(crate) fn at(&self, point: &[i64], rows: &mut Rows) -> Result<Option<i64>, Error> {
        rows.row.clear();
        rows.row.extend_from_slice(point);
        for stage in &self.0 {
            if !rows.apply(stage)? {
                return Ok(None);
            }
        }
        Ok(rows.row.first().copied())
    }
}

impl Rows {
    /// Applies a stage; whether the point is no padding.
    fn apply(&mut self, stage: &Stage) -> Result<bool, Error> {
        let Rows { row, next } = self;
        next.clear();
        match stage {
            Stage::Guard { at, extent } => return Ok(row.get(*at).is_none_or(|x| (0..*extent).contains(x))),
            Stage::Permute(order) => next.extend(order.iter().map(|place| row.get(*place).copied().unwrap_or(0))),
            Stage::Delinearise { at, radices } => {
                next.extend(row.iter().take(*at));
                let mut rest = row.get(*at).copied().unwrap_or(0);
                for radix in radices {
                    // A division takes longer than all else here.
                    if radix & (radix - 1) == 0 {
                        next.push(rest & (radix - 1));
                        rest >>= radix.trailing_zeros();
                    } else {
                        next.push(rest.rem_euclid(*radix));
                        rest = rest.div_euclid(*radix);
                    }
                }
                next.push(rest);
                next.extend(row.iter().skip(at + 1));
            }
            Stage::Linearise { at, count, sums } => {
                next.extend(row.iter().take(*at));
                for (offset, strides) in sums {
                    let parts = strides.iter().zip(row.iter().skip(*at).take(*count));
                    let products = parts.map(|(stride, x)| i128::from(*stride) * i128::from(*x));
                    next.push(narrow(i128::from(*offset) + products.sum::<i128>())?);
                }
                next.extend(row.iter().skip(at + count));
            }
            Stage::Xor { at, ins, outs, columns, flip } => {
                next.extend(row.iter().take(*at));
                let (mut image, mut columns) = (*flip, columns.as_slice());
                for (wire, bits) in row.iter().skip(*at).zip(ins) {
                    let rest = u64::try_from(*wire).ok().filter(|x| x.checked_shr(*bits).unwrap_or(0) == 0);
                    let Some(mut rest) = rest else {
                        return Err(error!(Code::Range, "{wire} does not have {bits} bits", [wire, bits]));
                    };
                    let width = usize::try_from(*bits).unwrap_or(0).min(columns.len());
                    let (own, others) = columns.split_at(width);
                    columns = others;
                    while rest != 0 {
                        let column = usize::try_from(rest.trailing_zeros()).ok().and_then(|bit| own.get(bit));
                        image ^= column.copied().unwrap_or(0);
                        rest &= rest - 1;
                    }
                }
                for bits in outs {
                    let mask = 1u64.checked_shl(*bits).map_or(u64::MAX, |above| above - 1);
                    next.push(narrow(i128::from(image & mask))?);
                    image = image.checked_shr(*bits).unwrap_or(0);
                }
                next.extend(row.iter().skip(at + ins.len()));
            }
        }
        swap(row, next);
        Ok(true)
    }
}
