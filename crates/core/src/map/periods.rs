//! The periods of a map: the distance along each axis after which every coordinate of the codomain has moved by a
//! constant.
//!
//! Each intermediate integer has, for each axis, a period and the amount that it moves by per period. A coordinate
//! moves by 1 each step. A digit below `r` of an integer that moves by `c` repeats after `r / gcd(c, r)` periods and
//! then moves by 0. A linearise stage repeats when all its parts do, and an XOR when its bits do. A guard that some point
//! may fail has no period, because padding is no number; one that none fails, by the least and the most that its integer
//! may be, changes nothing.

use super::{Map, Stage};
use crate::gcd;

/// Along one axis: the period, and what one period adds.
#[derive(Clone, Copy)]
struct PeriodStep {
    period: i64,
    moves: i64,
}

/// The periods along each axis; `None` where there are none, or none that 64 bits hold.
pub(super) fn periods(map: &Map) -> Option<Vec<i64>> {
    let axes = map.domain().len();
    let coordinate =
        |own: usize| (0..axes).map(|axis| PeriodStep { period: 1, moves: i64::from(axis == own) }).collect();
    let mut row: Vec<Vec<PeriodStep>> = (0..axes).map(coordinate).collect();
    let mut ranges: Vec<Range> = map.domain().iter().map(|axis| (0, i128::from(axis.extent.max(1)) - 1)).collect();
    for stage in map.stages() {
        if let Stage::Guard { at, extent } = stage {
            let (least, most) = ranges.get(*at)?;
            if *least < 0 || *most >= i128::from(*extent) {
                return None;
            }
            continue;
        }
        reach(stage, &mut ranges)?;
        match stage {
            Stage::Delinearise { at, radices } => {
                for (place, radix) in (*at..).zip(radices) {
                    let steps = row.get(place)?.iter().map(|step| repeated(*step, *radix));
                    let high: Vec<PeriodStep> = steps.collect::<Option<_>>()?;
                    let low = high.iter().map(|step| PeriodStep { moves: 0, ..*step }).collect();
                    let high = high.iter().map(|step| PeriodStep { moves: step.moves / radix, ..*step }).collect();
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
                let mut all = vec![PeriodStep { period: 1, moves: 0 }; axes];
                for (steps, bits) in row.iter().skip(*at).zip(ins) {
                    for (common, step) in all.iter_mut().zip(steps) {
                        let own = repeated(*step, 1i64.checked_shl(*bits).filter(|radix| *radix > 0)?)?;
                        common.period = lcm(common.period, own.period)?;
                    }
                }
                row.splice(*at..at + ins.len(), vec![all; outs.len()]);
            }
            Stage::Permute(order) => row = order.iter().filter_map(|place| row.get(*place).cloned()).collect(),
            Stage::Guard { .. } => {}
        }
    }
    (0..axes).map(|axis| row.iter().try_fold(1, |period, steps| lcm(period, steps.get(axis)?.period))).collect()
}

/// The least and the most that an integer may be.
type Range = (i128, i128);

/// The ranges of the integers after a stage; `None` where they are beyond 128 bits.
fn reach(stage: &Stage, ranges: &mut Vec<Range>) -> Option<()> {
    match stage {
        Stage::Delinearise { at, radices } => {
            for (place, radix) in (*at..).zip(radices) {
                let (least, most) = *ranges.get(place)?;
                let radix = i128::from(*radix);
                let high = (least.div_euclid(radix), most.div_euclid(radix));
                // Within one multiple of the radix the low part does not wrap.
                let low =
                    if high.0 == high.1 { (least.rem_euclid(radix), most.rem_euclid(radix)) } else { (0, radix - 1) };
                ranges.splice(place..=place, [low, high]);
            }
        }
        Stage::Linearise { at, count, sums } => {
            let parts = ranges.get(*at..at + count)?;
            let sum = |(offset, strides): &(i64, Vec<i64>)| {
                let start = (i128::from(*offset), i128::from(*offset));
                strides.iter().zip(parts).try_fold(start, |(least, most), (stride, (low, high))| {
                    let stride = i128::from(*stride);
                    let (one, two) = (stride.checked_mul(*low)?, stride.checked_mul(*high)?);
                    Some((least.checked_add(one.min(two))?, most.checked_add(one.max(two))?))
                })
            };
            let sums: Vec<Range> = sums.iter().map(sum).collect::<Option<_>>()?;
            ranges.splice(*at..at + count, sums);
        }
        Stage::Xor { at, ins, outs, .. } => {
            let most = |bits: &u32| 1_i128.checked_shl(*bits).map(|end| (0, end - 1));
            let results: Vec<Range> = outs.iter().map(most).collect::<Option<_>>()?;
            ranges.splice(*at..at + ins.len(), results);
        }
        Stage::Permute(order) => {
            *ranges = order.iter().filter_map(|place| ranges.get(*place).copied()).collect();
        }
        Stage::Guard { .. } => {}
    }
    Some(())
}

/// The number of periods after which the movement is a multiple of the radix.
fn repeated(step: PeriodStep, radix: i64) -> Option<PeriodStep> {
    let times = radix / gcd(step.moves, radix).max(1);
    Some(PeriodStep { period: step.period.checked_mul(times)?, moves: step.moves.checked_mul(times)? })
}

fn joined(axis: usize, read: &[(&i64, &Vec<PeriodStep>)]) -> Option<PeriodStep> {
    let period = read.iter().try_fold(1, |period, (_, steps)| lcm(period, steps.get(axis)?.period))?;
    let moves = read.iter().try_fold(0i64, |moves, (stride, steps)| {
        let step = steps.get(axis)?;
        moves.checked_add(step.moves.checked_mul(period / step.period.max(1))?.checked_mul(**stride)?)
    })?;
    Some(PeriodStep { period, moves })
}

/// The least common multiple; none beyond 64 bits.
pub(super) fn lcm(a: i64, b: i64) -> Option<i64> {
    (a / gcd(a, b).max(1)).checked_mul(b)
}
