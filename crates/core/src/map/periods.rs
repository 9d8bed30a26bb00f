//! The periods of a map: the distance along each axis after which every coordinate of the codomain has moved by a
//! constant.
//!
//! Each intermediate integer has, for each axis, a period and the amount that it moves by per period. A coordinate
//! moves by 1 each step. A digit below `r` of an integer that moves by `c` repeats after `r / gcd(c, r)` periods and
//! then moves by 0. A linearise stage repeats when all its parts do, and an XOR when its bits do. Guards have no
//! period, because padding is no number.

use super::{Map, Stage};
use crate::gcd;

/// Along one axis: the period, and what one period adds.
#[derive(Clone, Copy)]
struct Step {
    period: i64,
    moves: i64,
}

/// The periods along each axis; `None` where there are none, or none that 64 bits hold.
pub(super) fn periods(map: &Map) -> Option<Vec<i64>> {
    let axes = map.domain().len();
    let coordinate = |own: usize| (0..axes).map(|axis| Step { period: 1, moves: i64::from(axis == own) }).collect();
    let mut row: Vec<Vec<Step>> = (0..axes).map(coordinate).collect();
    for stage in map.stages() {
        match stage {
            Stage::Delinearise { at, radices } => {
                for (place, radix) in (*at..).zip(radices) {
                    let steps = row.get(place)?.iter().map(|step| repeated(*step, *radix));
                    let high: Vec<Step> = steps.collect::<Option<_>>()?;
                    let low = high.iter().map(|step| Step { moves: 0, ..*step }).collect();
                    let high = high.iter().map(|step| Step { moves: step.moves / radix, ..*step }).collect();
                    row.splice(place..=place, [low, high]);
                }
            }
            Stage::Linearise { at, count, sums } => {
                let parts = row.get(*at..at + count)?;
                let sum = |strides: &[i64]| {
                    let read: Vec<_> = strides.iter().zip(parts).filter(|(stride, _)| **stride != 0).collect();
                    (0..axes).map(|axis| joined(axis, &read)).collect::<Option<Vec<_>>>()
                };
                let joined: Vec<_> = sums.iter().map(|(_, strides)| sum(strides)).collect::<Option<_>>()?;
                row.splice(*at..at + count, joined);
            }
            Stage::Xor { at, ins, outs, .. } => {
                let mut all = vec![Step { period: 1, moves: 0 }; axes];
                for (steps, bits) in row.iter().skip(*at).zip(ins) {
                    for (common, step) in all.iter_mut().zip(steps) {
                        let own = repeated(*step, 1i64.checked_shl(*bits).filter(|radix| *radix > 0)?)?;
                        common.period = lcm(common.period, own.period)?;
                    }
                }
                row.splice(*at..at + ins.len(), vec![all; outs.len()]);
            }
            Stage::Permute(order) => row = order.iter().filter_map(|place| row.get(*place).cloned()).collect(),
            Stage::Guard { .. } => return None,
        }
    }
    (0..axes).map(|axis| row.iter().try_fold(1, |period, steps| lcm(period, steps.get(axis)?.period))).collect()
}

/// The number of periods after which the movement is a multiple of the radix.
fn repeated(step: Step, radix: i64) -> Option<Step> {
    let times = radix / gcd(step.moves, radix).max(1);
    Some(Step { period: step.period.checked_mul(times)?, moves: step.moves.checked_mul(times)? })
}

fn joined(axis: usize, read: &[(&i64, &Vec<Step>)]) -> Option<Step> {
    let period = read.iter().try_fold(1, |period, (_, steps)| lcm(period, steps.get(axis)?.period))?;
    let moves = read.iter().try_fold(0i64, |moves, (stride, steps)| {
        let step = steps.get(axis)?;
        moves.checked_add(step.moves.checked_mul(period / step.period.max(1))?.checked_mul(**stride)?)
    })?;
    Some(Step { period, moves })
}

/// The least common multiple; none beyond 64 bits.
pub(super) fn lcm(a: i64, b: i64) -> Option<i64> {
    (a / gcd(a, b).max(1)).checked_mul(b)
}
