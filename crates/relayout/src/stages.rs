//! [`Stages`]: evaluates a map at very many points without allocating for each.
//!
//! Law: at every point of the domain it gives what [`Map::at`] gives; where it says how far steps along an axis lead, the point behind
//! them is padding as the point is, or lies that far from it.

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

    /// How far a number of steps along an axis leads, where that is the same from every point, and no padding depends on it; `None`
    /// where a stage does not show it.
    pub(crate) fn step(&self, axis: usize, rank: usize, steps: i64) -> Option<i64> {
        // By how much each wire changes.
        let mut wires: Vec<i64> = (0..rank).map(|own| if own == axis { steps } else { 0 }).collect();
        for stage in &self.0 {
            let is_still = |at: usize, count: usize| wires.iter().skip(at).take(count).all(|by| *by == 0);
            let (at, count, changed) = match stage {
                Stage::Guard { at, .. } => is_still(*at, 1).then(|| (*at, 0, Vec::new()))?,
                Stage::Permute(order) => {
                    (0, wires.len(), order.iter().map(|at| wires.get(*at).copied()).collect::<Option<_>>()?)
                }
                // Whole turns of a digit change only what is above it.
                Stage::Delinearise { at, radices } => {
                    let mut by = *wires.get(*at)?;
                    let mut digits = Vec::new();
                    for radix in radices {
                        if by.checked_rem(*radix)? != 0 {
                            return None;
                        }
                        by = by.checked_div(*radix)?;
                        digits.push(0);
                    }
                    digits.push(by);
                    (*at, 1, digits)
                }
                Stage::Linearise { at, count, sums } => {
                    let by = |(_, strides): &(i64, Vec<i64>)| {
                        let mut parts = strides.iter().zip(wires.iter().skip(*at).take(*count));
                        parts.try_fold(0i64, |sum, (stride, by)| sum.checked_add(stride.checked_mul(*by)?))
                    };
                    (*at, *count, sums.iter().map(by).collect::<Option<_>>()?)
                }
                Stage::Xor { at, ins, outs, .. } => {
                    is_still(*at, ins.len()).then(|| (*at, ins.len(), vec![0; outs.len()]))?
                }
            };
            let end = at.checked_add(count).filter(|end| *end <= wires.len())?;
            wires.splice(at..end, changed);
        }
        wires.first().copied()
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "that is how a test fails")]

    use super::*;

    /// How far single steps of a layout along its axes lead; these and longer ones are held against all points.
    fn steps(text: &str) -> Vec<Option<i64>> {
        let map = bitstride_lang::evaluate(text).unwrap().value.as_map().unwrap();
        let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
        let (stages, mut rows) = (Stages::of(&map), Rows::default());
        let step = |axis, by| stages.step(axis, extents.len(), by);
        let mut points = vec![Vec::new()];
        for extent in &extents {
            points = (0..*extent).flat_map(|x| points.iter().map(move |p| [p.as_slice(), &[x]].concat())).collect();
        }
        for point in &points {
            for (axis, extent) in extents.iter().enumerate() {
                for by in 1..extent - point[axis] {
                    let Some(step) = step(axis, by) else { continue };
                    let mut next = point.clone();
                    next[axis] += by;
                    let [here, there] = [point, &next].map(|point| stages.at(point, &mut rows).unwrap());
                    assert_eq!(there, here.map(|place| place + step), "{text}: {point:?}, {by} along {axis}");
                }
            }
        }
        (0..extents.len()).map(|axis| step(axis, 1)).collect()
    }

    #[test]
    fn a_constant_step_is_that_of_every_point() {
        assert_eq!(steps("(4,5):(5,1)"), [Some(5), Some(1)]);
        assert_eq!(steps("f32[3,5,7]{2,1,0:T(*,3)}"), [Some(36), None, None]);
        assert_eq!(steps("f32[3,6,4]{2,1,0:T(*,*,6)}"), [Some(24), None, None]);
        assert_eq!(steps("f32[3,4,5]{2,1,0:T(2,2)}"), [Some(24), None, None]);
        assert_eq!(steps("((2,2),3):((24,2),8)"), [None, Some(8)]);
        assert_eq!(steps("Sw<1,1,1> o 0 o (16,3):(3,1)"), [None, None]);
        assert_eq!(steps("Sw<1,0,1> o 0 o (3,4):(4,1)"), [Some(4), None]);
    }
}
