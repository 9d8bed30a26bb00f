//! Shuffles: words of the destination from a few words of the source each.
//!
//! Loops that go on where units of the destination end are taken until what lies together is whole lines, whatever their
//! counts; each unit's place in the source is told. Law: words and the loops around visit what the nest visits.

use super::Kernel;
use crate::cast::{length, number};
use crate::kernel::{Isa, LINE, Shuffle};
use crate::nest::{Loop, Nest};

/// Words of the destination from a few words of the source each, and the loops around them.
pub(super) fn shuffled(nest: &Nest, unit: i64, isa: Isa) -> Option<(Kernel, Vec<Loop>)> {
    const MOST: i64 = 512;
    let (line, word) = (number(LINE), Shuffle::word(isa)?);
    let mut loops = nest.loops.clone();
    let (mut reach, mut from): (i64, Vec<i64>) = (unit, (0..unit).collect());
    while reach % line != 0 {
        let next = loops.iter().position(|own| own.is_strided() && own.strides()[1] == reach)?;
        let own = loops.remove(next);
        let steps = own.count.min(line >> reach.trailing_zeros());
        reach = reach.checked_mul(steps).filter(|reach| *reach <= MOST)?;
        let stride = own.strides()[0];
        from = (0..steps).flat_map(|x| from.iter().map(move |at| at + x * stride)).collect();
        loops.push(own.tiled(steps));
        loops.retain(|own| own.count > 1);
    }
    // A word of a line that is read for fewer than three units is no better than these, one by one.
    let units = word / length(unit);
    let most = if word == LINE { units / 3 } else { units.saturating_sub(1) };
    let shuffle = Shuffle::of(isa, &from, most)?;
    Some((Kernel::Shuffle(shuffle), loops))
}
