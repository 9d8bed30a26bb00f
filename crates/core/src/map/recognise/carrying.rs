//! Recognises swizzles over sums that carry into each other's bits: padded rows, and extents that are no powers of two.
//!
//! Swizzles are tried one after the other, those with fewer bits first. The rest under each swizzle is read axis by
//! axis as digits, value by value, which is the only possible reading. The resulting layout is compared with the map.
//! So the choice depends on the function alone: the fewest bits, then the fewest digits, then lexicographic. Where no
//! single swizzle works, the answer keeps the swizzles of the map itself (`factors.rs`).

use std::borrow::Cow;

use super::super::fit::{Table, line};
use super::super::form::{AffineExpr, Digit, Form};
use super::super::low_bits::{LowBits, LowStep};
use super::super::swizzled::Swizzled;
use super::super::symbolic::Symbolic;
use super::super::walk::Walk;
use super::super::{Axis, Comparison, Map};
use super::factors::factors;
use super::plain::swizzled;
use super::swizzles::all_below;
use crate::cast::{index, length, narrow};
use crate::cute::{Function, Swizzle};
use crate::error::Error;

/// Axes up to this extent are read value by value; of longer ones the digits of the sum are followed.
const MAX_READ: i64 = 1 << 12;

/// Up to which bit swizzles reach.
const MAX_BITS: u32 = 62;

/// How many coordinates from the origin on are read along each axis before all of them are.
const FIRST_READ: i64 = 64;

/// How many points anywhere are looked at before all of them are.
const SAMPLES: u64 = 64;

/// Extents of long axes are divided by divisors up to this.
const MAX_DIVISOR: i64 = 1 << 20;

/// The layout of CuTe that a map to one offset is, where one swizzle over a layout is, or where it is made of swizzles.
/// A layout whose swizzle has at most the given number of bits is known already.
pub(super) fn recognised(map: &Map, known: Option<u32>) -> Result<Option<Function>, Error> {
    let sum = Swizzled::of(map);
    let factors = sum.as_ref().map(factors).transpose()?.flatten();
    let most = match &factors {
        Some((factors, _)) if factors.len() <= 1 => factors.first().map(|(swizzle, _)| swizzle.bits()).or(Some(0)),
        _ => None,
    };
    let most = known.into_iter().chain(most).min();
    if let Some(search) = CarryingSearch::of(map, sum)?
        && let Some(found) = search.best(most)?
    {
        return Ok(Some(found));
    }
    factors.filter(|_| known.is_none()).map(|(factors, under)| swizzled(&factors, &under)).transpose()
}

/// The layout of CuTe under one swizzle that a table is.
pub(in crate::map) fn of_table(table: &Table) -> Result<Option<Function>, Error> {
    let at = |point: &[i64]| Ok(table.at(point));
    CarryingSearch::over(&table.axes, Whole::Points(Cow::Borrowed(table)), &at)?
        .map_or(Ok(None), |search| search.best(None))
}

/// What is known of a map before swizzles are tried.
struct CarryingSearch<'m> {
    axes: &'m [Axis],
    /// All points, or the sum below: what a layout is compared with in the end.
    whole: Whole<'m>,
    /// How many bits the offsets have.
    reach: u32,
    /// Whether some are negative.
    signed: bool,
    origin: i64,
    lines: Vec<Line>,
    /// Offsets of points along two axes: of the one, of the other, and of both together.
    crossings: Vec<[i64; 3]>,
    /// Some points with their offsets.
    samples: Vec<(Vec<i64>, i64)>,
}

enum Whole<'m> {
    Points(Cow<'m, Table>),
    Sum(Swizzled),
}

/// What is known along one axis, the others at 0.
struct Line {
    /// The first offsets.
    first: Vec<i64>,
    /// Where the sum below may be cut on a long axis, in order, with the offsets there.
    cuts: Option<Vec<(i64, i64)>>,
    /// The first offsets along each digit of the sum below.
    digits: Vec<Vec<i64>>,
}

impl<'m> CarryingSearch<'m> {
    fn of(map: &'m Map, sum: Option<Swizzled>) -> Result<Option<Self>, Error> {
        let whole = match (Table::of(map), sum) {
            (Some(table), _) => Whole::Points(Cow::Owned(table)),
            (None, Some(sum)) => Whole::Sum(sum),
            (None, None) => return Ok(None),
        };
        let at = |point: &[i64]| -> Result<i64, Error> {
            let place = map.at(point)?;
            Ok(place.and_then(|place| place.first().copied()).unwrap_or(0))
        };
        CarryingSearch::over(map.domain(), whole, &at)
    }

    /// The same of what leads points to offsets.
    fn over(
        axes: &'m [Axis],
        whole: Whole<'m>,
        at: &dyn Fn(&[i64]) -> Result<i64, Error>,
    ) -> Result<Option<Self>, Error> {
        let (least, most) = whole.range();
        let reach = i128::BITS - most.max(-1 - least).max(0).leading_zeros();
        let along = |places: &[(usize, i64)]| {
            let mut point = vec![0; axes.len()];
            for (axis, x) in places {
                point.iter_mut().skip(*axis).take(1).for_each(|own| *own = *x);
            }
            at(&point)
        };
        let mut lines = Vec::new();
        for (number, axis) in axes.iter().enumerate() {
            let read = |weight: i64, count: i64| -> Result<Vec<i64>, Error> {
                (0..count.min((axis.extent - 1) / weight + 1)).map(|x| along(&[(number, x * weight)])).collect()
            };
            let mut line = Line { first: Vec::new(), cuts: None, digits: Vec::new() };
            let all = axis.extent <= MAX_READ || matches!(whole, Whole::Points(_));
            line.first = read(1, if all { axis.extent } else { FIRST_READ })?;
            if let (Whole::Sum(sum), true) = (&whole, axis.extent > MAX_READ) {
                let own = || sum.form.digits.iter().filter(|digit| digit.axis == number);
                line.digits = own().map(|digit| read(digit.weight, FIRST_READ)).collect::<Result<_, _>>()?;
                let cuts = own().map(|digit| Some((digit.weight, divisors(digit.radix)?)));
                let Some(cuts) = cuts.collect::<Option<Vec<_>>>() else { return Ok(None) };
                let mut cuts: Vec<i64> =
                    cuts.iter().flat_map(|(weight, divisors)| divisors.iter().map(move |n| n * weight)).collect();
                cuts.retain(|cut| *cut < axis.extent);
                cuts.sort_unstable();
                cuts.dedup();
                let cuts = cuts.into_iter().map(|cut| Ok((cut, along(&[(number, cut)])?)));
                line.cuts = Some(cuts.collect::<Result<_, Error>>()?);
            }
            lines.push(line);
        }
        let mut crossings = Vec::new();
        for (number, axis) in axes.iter().enumerate() {
            for (above, other) in axes.iter().enumerate().skip(number + 1) {
                for x in some(axis) {
                    for y in some(other) {
                        let (one, two) = (along(&[(number, x)])?, along(&[(above, y)])?);
                        crossings.push([one, two, along(&[(number, x), (above, y)])?]);
                    }
                }
            }
        }
        let samples = (0..SAMPLES).map(|number| {
            let point: Vec<i64> = axes.iter().zip(0..).map(|(axis, at)| scattered(number, at, axis.extent)).collect();
            at(&point).map(|offset| (point, offset))
        });
        let (origin, samples) = (along(&[])?, samples.collect::<Result<_, _>>()?);
        Ok(Some(CarryingSearch { axes, whole, reach, signed: least < 0, origin, lines, crossings, samples }))
    }

    /// The first choice among the swizzles with at most the given number of bits.
    fn best(&self, most: Option<u32>) -> Result<Option<Function>, Error> {
        let none = Swizzle::new(0, 0, 0)?;
        let most = most.unwrap_or(u32::MAX);
        let tried = |swizzle: &Swizzle| swizzle.bits() <= most && self.matters(*swizzle);
        let mut all = [none].into_iter().chain(all_below(MAX_BITS)).filter(tried).peekable();
        while let Some(bits) = all.peek().map(|swizzle| swizzle.bits()) {
            let mut level = Vec::new();
            while let Some(swizzle) = all.next_if(|swizzle| swizzle.bits() == bits) {
                crate::cancel::checkpoint();
                if self.may_undo(swizzle)
                    && let Some(form) = self.read(swizzle)?
                    && self.samples.iter().all(|(point, offset)| form.at(point) == Ok(vec![swizzle.apply(*offset)]))
                {
                    level.push((form.digits.len(), swizzle.base(), swizzle.shift(), swizzle, form));
                }
            }
            level.sort_by_key(|(digits, base, shift, ..)| (*digits, *base, *shift));
            for (.., swizzle, form) in level {
                if self.whole.is(&form, swizzle)? {
                    let factors = [(swizzle, 0)];
                    return swizzled(if swizzle.is_identity() { &[] } else { &factors }, &form).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// Whether a swizzle may do what those with fewer bits do not. Bits above all offsets are 0, or a sign. Targets
    /// above the first that no offset has only add to offsets that are those of a layout without them.
    fn matters(&self, swizzle: Swizzle) -> bool {
        let ends = |mask: i64| [mask.trailing_zeros(), i64::BITS - mask.leading_zeros()];
        let ([first, end], [target, _]) = (ends(swizzle.sources()), ends(swizzle.targets()));
        let read = if self.signed { first <= self.reach } else { end <= self.reach };
        swizzle.is_identity() || read && target <= self.reach + 1
    }

    /// Whether the first offsets along each axis, and some along two, are those of a layout that is swizzled.
    fn may_undo(&self, swizzle: Swizzle) -> bool {
        let apart = |x: i64| i128::from(swizzle.apply(x)) - i128::from(swizzle.apply(self.origin));
        let sums = self.crossings.iter().all(|[one, other, both]| apart(*one) + apart(*other) == apart(*both));
        let first = index(FIRST_READ).unwrap_or(0);
        sums && self.lines.iter().flat_map(|line| [&line.first].into_iter().chain(&line.digits)).all(|line| {
            let line: Vec<i128> = line.iter().take(first).map(|x| apart(*x)).collect();
            line::digits(&line, false).is_ok()
        })
    }

    /// What a swizzle leaves, axis by axis.
    fn read(&self, swizzle: Swizzle) -> Result<Option<Form>, Error> {
        let origin = swizzle.apply(self.origin);
        let apart = |x: i64| i128::from(swizzle.apply(x)) - i128::from(origin);
        let sum = AffineExpr { offset: origin, ..AffineExpr::default() };
        let mut form = Form { axes: self.axes.to_vec(), digits: Vec::new(), sums: vec![sum] };
        for (number, (axis, line)) in self.axes.iter().zip(&self.lines).enumerate() {
            let digits = match &line.cuts {
                Some(cuts) => follow(axis.extent, cuts, apart),
                None => {
                    let line: Vec<i128> = line.first.iter().map(|x| apart(*x)).collect();
                    let read = line::digits(&line, true).ok();
                    read.map(|digits| digits.into_iter().map(|(radix, stride)| (length(radix), stride)).collect())
                }
            };
            let Some(digits) = digits else { return Ok(None) };
            let mut weight = 1i64;
            for (radix, stride) in digits {
                form.digits.push(Digit { axis: number, weight, radix });
                weight = weight.saturating_mul(radix);
                let stride = narrow(stride)?;
                for sum in &mut form.sums {
                    sum.strides.push(stride);
                    sum.xors.push(0);
                }
            }
        }
        Ok(Some(form))
    }
}

impl Whole<'_> {
    /// The least and the greatest offset, or numbers beyond them.
    fn range(&self) -> (i128, i128) {
        match self {
            Whole::Points(table) => {
                let offsets = || table.offsets.iter().copied().map(i128::from);
                (offsets().min().unwrap_or(0), offsets().max().unwrap_or(0))
            }
            Whole::Sum(Swizzled { form, outer }) => {
                let (least, most) = form.sums.first().map_or((0, 0), |sum| Symbolic::from_form(form).range(sum));
                let added = outer.steps.iter().map(|step| match step {
                    LowStep::Add(number) => i128::from(*number),
                    LowStep::Xor { .. } => 0,
                });
                let (down, up) = added.fold((0, 0), |(down, up), number| (down + number.min(0), up + number.max(0)));
                // Low bits are moved within a block, which has one sign.
                let block = 1i128 << outer.bits();
                (if least + down < 0 { least + down - block } else { 0 }, most + up + block)
            }
        }
    }

    /// Whether it is a swizzle after a sum.
    fn is(&self, form: &Form, swizzle: Swizzle) -> Result<bool, Error> {
        match self {
            Whole::Points(table) => {
                let mut walk = Walk::new(&table.extents());
                for offset in &table.offsets {
                    let Some(point) = walk.next() else { return Ok(false) };
                    let below = form.at(point)?.first().copied().unwrap_or(0);
                    if swizzle.apply(below) != *offset {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Whole::Sum(sum) => {
                let found = Swizzled { form: form.clone(), outer: LowBits::of_swizzle(swizzle) };
                Ok(matches!(sum.compare(&found)?, Some(Comparison::Same(_))))
            }
        }
    }
}

/// The digits of a long axis: each ends at the first cut whose offset is not a multiple of its step.
fn follow(extent: i64, cuts: &[(i64, i64)], apart: impl Fn(i64) -> i128) -> Option<Vec<(i64, i128)>> {
    let mut digits = Vec::new();
    let mut rest = cuts;
    while let Some(((weight, first), above)) = rest.split_first() {
        let stride = apart(*first);
        let ends = |(cut, offset): &(i64, i64)| {
            cut % weight == 0 && apart(*offset) != i128::from(cut / weight).saturating_mul(stride)
        };
        let end = above.iter().position(ends);
        let (radix, left) = match end.and_then(|end| above.get(end..)) {
            Some(left) => (left.first()?.0 / weight, left),
            None if extent % weight == 0 => (extent / weight, &[][..]),
            None => return None,
        };
        digits.push((radix, stride));
        rest = left;
    }
    Some(digits)
}

/// Some coordinates of an axis.
fn some(axis: &Axis) -> Vec<i64> {
    let mut some = vec![1, 2, 3, axis.extent / 3, axis.extent / 2, axis.extent - 1];
    some.retain(|x| *x > 0 && *x < axis.extent);
    some.sort_unstable();
    some.dedup();
    some
}

/// A coordinate that looks like any other.
fn scattered(number: u64, axis: u64, extent: i64) -> i64 {
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17)
        ^ (axis + 1).wrapping_mul(0xd1b5_4a32_d192_ed03);
    let mixed = mixed.wrapping_mul(0x94d0_49bb_1331_11eb) >> 2;
    i64::try_from(mixed).unwrap_or(0).rem_euclid(extent.max(1))
}

/// All divisors of a number, where they are soon found.
fn divisors(number: i64) -> Option<Vec<i64>> {
    let mut divisors = Vec::new();
    let mut divisor = 1i64;
    while divisor.checked_mul(divisor)? <= number {
        if divisor > MAX_DIVISOR {
            return None;
        }
        if number % divisor == 0 {
            divisors.extend([divisor, number / divisor]);
        }
        divisor += 1;
    }
    Some(divisors)
}
