//! [`Symbolic`]: symbolic evaluation of a map, which gives its normal form.
//!
//! The row of integers is a list of sums over digits of the domain. Each stage rewrites the row:
//!
//! - *Delinearise* must separate the parts of a sum below the radix from its multiples. A digit that spans the radix is
//!   cut in two first. The exact maximum of the low part over the domain must then stay below the radix, so that
//!   nothing carries.
//! - *Linearise* adds sums with factors. Masks may only be shifted into free bits.
//! - *Xor* needs bits. Digits are cut down to radix 2, and their masks must not share bits.
//!
//! A stage that cannot be evaluated in this way returns an error with the numbers that prevent it.

use super::form::{AffineExpr, Digit, Form, meet};
use super::{Axis, Stage};
use crate::cast::{index, narrow};
use crate::error::{Code, Error};
use crate::gcd;

/// The initial capacity of lists of digits and sums, enough for common layouts.
const ROOM: usize = 14;

/// The row of integers between two stages, as sums over digits.
#[derive(Clone)]
pub(super) struct Symbolic {
    pub(super) axes: Vec<Axis>,
    pub(super) digits: Vec<Digit>,
    pub(super) row: Vec<AffineExpr>,
}

impl Symbolic {
    /// The coordinates of a domain.
    pub(super) fn new(axes: &[Axis]) -> Self {
        // Digits of usual layouts, and their strides and patterns, then never move.
        let mut digits = Vec::with_capacity(ROOM);
        for (axis, side) in axes.iter().enumerate() {
            if side.extent > 1 {
                digits.push(Digit { axis, weight: 1, radix: side.extent });
            }
        }
        let coordinate = |axis: usize| AffineExpr {
            strides: roomy(digits.iter().map(|digit| i64::from(digit.axis == axis))),
            xors: roomy(digits.iter().map(|_| 0)),
            ..AffineExpr::default()
        };
        let mut row = Vec::with_capacity(axes.len().max(ROOM));
        row.extend((0..axes.len()).map(coordinate));
        Symbolic { axes: axes.to_vec(), row, digits }
    }

    /// Continues from a form: the row is its codomain.
    pub(super) fn from_form(form: &Form) -> Self {
        Symbolic { axes: form.axes.clone(), digits: form.digits.clone(), row: form.sums.clone() }
    }

    /// The form that was reached.
    pub(super) fn finish(self) -> Form {
        Form { axes: self.axes, digits: self.digits, sums: self.row }
    }

    /// One stage.
    pub(super) fn stage(&mut self, stage: &Stage) -> Result<(), Error> {
        match stage {
            Stage::Delinearise { at, radices } => {
                for (place, radix) in (*at..).zip(radices) {
                    self.split(place, *radix)?;
                }
            }
            Stage::Linearise { at, count, sums } => {
                let parts = self.row.get(*at..at + count).unwrap_or(&[]);
                let joined = sums.iter().map(|(offset, strides)| self.join(*offset, strides, parts));
                let joined = joined.collect::<Result<Vec<_>, _>>()?;
                self.row.splice(*at..at + count, joined);
            }
            Stage::Xor { at, ins, outs, columns, flip } => {
                let results = self.xor(*at, ins, outs, columns, *flip)?;
                self.row.splice(*at..at + ins.len(), results);
            }
            Stage::Permute(order) => {
                let mut row = std::mem::take(&mut self.row);
                self.row = order.iter().filter_map(|place| row.get_mut(*place).map(std::mem::take)).collect();
            }
            Stage::Guard { at, extent } => {
                let Some(sum) = self.row.get(*at) else { return Ok(()) };
                let (least, most) = self.range(sum);
                if least < 0 || most >= i128::from(*extent) {
                    return Err(error!(
                        Code::NotALayout,
                        "some points reach {most}, or {least}, where only 0 to below {extent} stand for anything",
                        [most, least, extent]
                    ));
                }
            }
        }
        Ok(())
    }

    /// Cuts a digit in two, the lower with `radix` values.
    fn refine(&mut self, at: usize, radix: i64) -> Result<(), Error> {
        let Some(digit) = self.digits.get(at).copied() else { return Ok(()) };
        if digit.radix % radix != 0 && !digit.is_top(&self.axes) {
            return Err(error!(
                Code::Split,
                "the {digit_radix} values of axis {axis} in steps of {weight} would have to be cut after {radix}, which does not divide them",
                [
                    digit_radix = digit.radix,
                    axis = self.axes.get(digit.axis).map_or_else(String::new, |axis| axis.name.to_string()),
                    weight = digit.weight,
                    radix
                ]
            ));
        }
        refine(&mut self.digits, &mut self.row, at, radix)
    }

    /// The least and the most that a sum is over the domain; exact without patterns.
    pub(super) fn range(&self, sum: &AffineExpr) -> (i128, i128) {
        let (mut least, mut most) = (i128::from(sum.offset), i128::from(sum.offset));
        let mut rest = self.digits.as_slice();
        let mut strides = sum.strides.as_slice();
        while let Some(first) = rest.first() {
            let count = rest.iter().take_while(|digit| digit.axis == first.axis).count();
            let (own, after) = rest.split_at(count);
            let (steps, behind) = strides.split_at_checked(count).unwrap_or((strides, &[]));
            let extent = self.axes.get(first.axis).map_or(1, |axis| axis.extent);
            if steps.iter().any(|step| *step != 0) {
                let (low, high) = ends(own, steps, extent);
                (least, most) = (least.saturating_add(low), most.saturating_add(high));
            }
            (rest, strides) = (after, behind);
        }
        (least, most.saturating_add(i128::from(sum.mask())))
    }

    /// The axes that a sum reads.
    fn names(&self, sum: &AffineExpr) -> String {
        let reads = |axis: usize| {
            let mut own = sum.strides.iter().zip(&self.digits).filter(|(_, digit)| digit.axis == axis);
            own.any(|(stride, _)| *stride != 0)
        };
        let read = self.axes.iter().enumerate().filter(|(at, _)| reads(*at));
        read.map(|(_, axis)| axis.name.to_string()).collect::<Vec<_>>().join(" and ")
    }

    /// A sum as two, `low + radix * high` with low below the radix.
    pub(super) fn split(&mut self, at: usize, radix: i64) -> Result<(), Error> {
        // A digit that spans the radix contributes at least the radix, however its stride is divided. So it must be cut.
        while let Some((digit, steps)) = self.crossing(at, radix) {
            self.refine(digit, steps)?;
        }
        let Some(sum) = self.row.get(at) else { return Ok(()) };
        let Some(low) = self.low_part(sum, radix) else {
            let low = sum.low_part(radix, Cut::Down);
            let (_, most) = self.range(&low);
            return Err(error!(
                Code::Carry,
                "parts of {low} that are added reach {most} below a cut at {radix}, and carry across it",
                [low = self.names(&low), most, radix]
            ));
        };
        self.split_off_low(at, low, radix);
        Ok(())
    }

    /// The part below a radix of a sum none of whose digits spans it; `None` where parts carry.
    pub(super) fn low_part(&self, sum: &AffineExpr, radix: i64) -> Option<AffineExpr> {
        let mut lows = [Cut::Down, Cut::TowardsZero, Cut::Bits].into_iter().map(|cut| sum.low_part(radix, cut));
        lows.find(|low| self.fits_below(low, radix))
    }

    /// Divides a sum by the radix and inserts its low part before it.
    pub(super) fn split_off_low(&mut self, at: usize, low: AffineExpr, radix: i64) {
        if let Some(sum) = self.row.get_mut(at) {
            sum.shift_down(&low, radix);
        }
        self.row.insert(at, low);
    }

    /// The first digit that spans the radix: a multiple of the radix is reached before the digit ends. Also the number of steps
    /// to it.
    pub(super) fn crossing(&self, at: usize, radix: i64) -> Option<(usize, i64)> {
        let sum = self.row.get(at)?;
        let mut read = sum.strides.iter().zip(&self.digits).enumerate().filter(|(_, (stride, _))| **stride != 0);
        read.find_map(|(place, (stride, digit))| {
            let steps = radix / gcd(*stride, radix).max(1);
            (steps > 1 && steps < digit.radix).then_some((place, steps))
        })
    }

    fn fits_below(&self, low: &AffineExpr, radix: i64) -> bool {
        // Digits that are free of each other reach further than those of an axis do.
        let (mut least, mut most) = (i128::from(low.offset), i128::from(low.offset) + i128::from(low.mask()));
        for (stride, digit) in low.strides.iter().zip(&self.digits).filter(|(stride, _)| **stride != 0) {
            let reach = i128::from(*stride) * i128::from(digit.radix - 1);
            let end = if reach < 0 { &mut least } else { &mut most };
            *end = end.saturating_add(reach);
        }
        if least >= 0 && most < i128::from(radix) {
            return true;
        }
        let (least, most) = self.range(low);
        let bits_stay = || {
            let cut = low.strides.iter().zip(&self.digits).all(|(stride, digit)| *stride == 0 || digit.radix == 2);
            let below = |(none, patterns): (i64, Vec<i64>)| patterns.iter().all(|pattern| pattern | none < radix);
            self.bits(low).is_some_and(|bits| bits < i128::from(radix)) || cut && self.patterns(low).is_ok_and(below)
        };
        least >= 0 && (most < i128::from(radix) || low.mask() != 0 && radix.count_ones() == 1 && bits_stay())
    }

    /// All bits that a sum may have, where no two parts of it have one in common, so that adding is the same as xor. A digit
    /// may also take away bits that are there without it.
    pub(super) fn bits(&self, sum: &AffineExpr) -> Option<i128> {
        let mut taken = i128::from(sum.mask());
        let offset = i128::from(sum.offset);
        let apart = offset & taken == 0
            && offset >= 0
            && sum.strides.iter().zip(&self.digits).filter(|(stride, _)| **stride != 0).all(|(stride, digit)| {
                let pattern = i128::from(*stride).abs();
                let bits = if *stride < 0 { 1 } else { i64::BITS - (digit.radix - 1).leading_zeros() };
                (0..bits).all(|bit| {
                    let own = pattern << bit;
                    let there = if *stride < 0 { digit.radix == 2 && offset & own == own } else { offset & own == 0 };
                    let free = there && taken & own == 0;
                    taken |= own;
                    free
                })
            });
        apart.then_some(taken | offset)
    }

    fn join(&self, offset: i64, strides: &[i64], parts: &[AffineExpr]) -> Result<AffineExpr, Error> {
        let none = vec![0; self.digits.len()];
        let mut joined = AffineExpr { offset, flip: 0, strides: none.clone(), xors: none };
        for (factor, part) in strides.iter().zip(parts).filter(|(factor, _)| **factor != 0) {
            joined.offset = multiply_add(joined.offset, *factor, part.offset)?;
            for (sum, stride) in joined.strides.iter_mut().zip(&part.strides).filter(|(_, stride)| **stride != 0) {
                *sum = multiply_add(*sum, *factor, *stride)?;
            }
            let mask = part.mask();
            if mask == 0 {
                continue;
            }
            let scaled = |pattern: i64| multiply_add(0, pattern, *factor);
            if *factor < 1 || factor.count_ones() != 1 || joined.mask() & scaled(mask)? != 0 {
                return Err(error!(
                    Code::Carry,
                    "patterns {mask:#b} that are xored would have to be multiplied by {factor} and added",
                    [mask, factor]
                ));
            }
            joined.flip |= scaled(part.flip)?;
            for (sum, xor) in joined.xors.iter_mut().zip(&part.xors) {
                *sum |= scaled(*xor)?;
            }
        }
        Ok(joined)
    }

    fn xor(
        &mut self,
        at: usize,
        ins: &[u32],
        outs: &[u32],
        columns: &[u64],
        flip: u64,
    ) -> Result<Vec<AffineExpr>, Error> {
        for place in at..at + ins.len() {
            self.cut_to_bits(place)?;
        }
        let mut images = vec![0u64; self.digits.len()];
        let mut image_of_none = flip;
        let mut columns = columns;
        for (sum, bits) in self.row.iter().skip(at).zip(ins) {
            let (own, after) = columns.split_at_checked(index(i64::from(*bits))?).unwrap_or((columns, &[]));
            columns = after;
            let (none, patterns) = self.patterns(sum)?;
            let reach = patterns.iter().fold(none, |reach, pattern| reach | pattern);
            if reach.checked_shr(*bits).unwrap_or(0) != 0 {
                return Err(error!(Code::Range, "{reach} goes beyond {bits} bits that are xored", [reach, bits]));
            }
            let image = |pattern: i64| {
                let set = own.iter().enumerate().filter(|(bit, _)| pattern >> bit & 1 == 1);
                set.fold(0, |image, (_, column)| image ^ column)
            };
            image_of_none ^= image(none);
            for (sum, pattern) in images.iter_mut().zip(patterns) {
                *sum ^= image(pattern);
            }
        }
        let mut results = Vec::new();
        let mut shift = 0;
        for bits in outs {
            let mask = 1u64.checked_shl(*bits).map_or(u64::MAX, |above| above - 1);
            let field = |image: u64| narrow(i128::from(image.checked_shr(shift).unwrap_or(0) & mask));
            let xors = images.iter().map(|image| field(*image)).collect::<Result<_, _>>()?;
            let mut sum =
                AffineExpr { offset: 0, flip: field(image_of_none)?, strides: vec![0; self.digits.len()], xors };
            sum.normalise_xor(&self.axes, &self.digits)?;
            results.push(sum);
            shift += bits;
        }
        Ok(results)
    }

    /// Cuts all digits that a sum reads down to radix 2.
    pub(super) fn cut_to_bits(&mut self, at: usize) -> Result<(), Error> {
        let wide = |symbolic: &Symbolic| {
            let sum = symbolic.row.get(at)?;
            sum.strides.iter().zip(&symbolic.digits).position(|(stride, digit)| *stride != 0 && digit.radix > 2)
        };
        while let Some(digit) = wide(self) {
            self.refine(digit, 2)?;
        }
        Ok(())
    }

    /// The value without any bit and the mask of each bit, where adding the parts of a sum is the same as XOR.
    pub(super) fn patterns(&self, sum: &AffineExpr) -> Result<(i64, Vec<i64>), Error> {
        if self.bits(sum).is_some() {
            let patterns = sum.xors.iter().zip(&sum.strides).map(|(xor, stride)| xor | stride.abs());
            return Ok((sum.offset | sum.flip, patterns.collect()));
        }
        // Digits may also set bits and clear others. The masks of the digits must then give the same sum.
        let none = multiply_add(sum.offset, 1, sum.flip)?;
        let mut xors = Vec::with_capacity(self.digits.len());
        for (stride, xor) in sum.strides.iter().zip(&sum.xors) {
            let alone = i128::from(sum.offset) + i128::from(*stride) + i128::from(sum.flip ^ xor);
            xors.push(narrow(alone)? ^ none);
        }
        let xored = AffineExpr { offset: 0, flip: none, strides: vec![0; self.digits.len()], xors };
        let (mut one, mut two) = (sum.clone(), xored.clone());
        one.normalise_xor(&self.axes, &self.digits)?;
        two.normalise_xor(&self.axes, &self.digits)?;
        if one != two || none < 0 || xored.mask() < 0 {
            return Err(error!(
                Code::Carry,
                "{terms} are added and carry into each other's bits, so that it is no xor",
                [terms = terms(sum)]
            ));
        }
        Ok((none, xored.xors))
    }
}

/// The text of the terms of a sum.
fn terms(sum: &AffineExpr) -> String {
    let mut terms: Vec<i64> = sum.strides.iter().copied().filter(|stride| *stride != 0).collect();
    if sum.offset != 0 {
        terms.push(sum.offset);
    }
    format!("{terms:?}")
}

impl AffineExpr {
    /// What is below a radix: strides as `low + radix * high`.
    fn low_part(&self, radix: i64, how: Cut) -> AffineExpr {
        let cut = |stride: &i64| {
            // Most digits are in few sums, and division is slow.
            if *stride == 0 {
                return 0;
            }
            let low = stride.rem_euclid(radix);
            let takes_away = || {
                let origin = (i128::from(self.offset) + i128::from(self.flip)).rem_euclid(i128::from(radix));
                let moved = (origin + i128::from(low)).rem_euclid(i128::from(radix));
                radix.count_ones() == 1 && (moved ^ origin) & origin > (moved ^ origin) & moved
            };
            match how {
                Cut::TowardsZero => stride % radix,
                Cut::Bits if takes_away() => low - radix,
                _ => low,
            }
        };
        let under = |pattern: &i64| if radix.count_ones() == 1 { pattern & (radix - 1) } else { *pattern };
        AffineExpr {
            offset: self.offset.rem_euclid(radix),
            flip: under(&self.flip),
            strides: roomy(self.strides.iter().map(cut)),
            xors: roomy(self.xors.iter().map(under)),
        }
    }

    /// Divides by the radix, where `low` is the part below it.
    fn shift_down(&mut self, low: &AffineExpr, radix: i64) {
        let shift = if radix.count_ones() == 1 { radix.trailing_zeros() } else { i64::BITS - 1 };
        self.offset = self.offset.div_euclid(radix);
        self.flip >>= shift;
        for (stride, low) in self.strides.iter_mut().zip(&low.strides).filter(|(stride, _)| **stride != 0) {
            *stride = stride.div_euclid(radix) + i64::from(*low < 0);
        }
        for xor in &mut self.xors {
            *xor >>= shift;
        }
    }

    /// Moves bits that no other mask has from masks to strides, where adding is the same as XOR.
    pub(super) fn normalise_xor(&mut self, axes: &[Axis], digits: &[Digit]) -> Result<(), Error> {
        let shared = |at: usize, own: &Digit, xor: i64| {
            if xor == 0 {
                return 0;
            }
            let others =
                self.xors.iter().zip(digits).enumerate().filter(|(other, (x, _))| *other != at && **x & xor != 0);
            others.fold(0, |shared, (_, (x, digit))| if meet(axes, own, digit) { shared | x & xor } else { shared })
        };
        if self.xors.iter().all(|xor| *xor == 0) {
            self.offset = multiply_add(self.offset, 1, self.flip)?;
            self.flip = 0;
            return Ok(());
        }
        let held: Vec<i64> =
            self.xors.iter().zip(digits).enumerate().map(|(at, (xor, own))| shared(at, own, *xor)).collect();
        for ((xor, stride), held) in self.xors.iter_mut().zip(&mut self.strides).zip(&held) {
            let free = *xor & !held;
            *stride = multiply_add(*stride, 1, (free & !self.flip) - (free & self.flip))?;
            *xor = *held;
        }
        let mask = held.iter().fold(0, |mask, held| mask | held);
        self.offset = multiply_add(self.offset, 1, self.flip & !mask)?;
        self.flip &= mask;
        Ok(())
    }
}

/// A list of numbers for digits, with room for more of them.
fn roomy(numbers: impl ExactSizeIterator<Item = i64>) -> Vec<i64> {
    let mut list = Vec::with_capacity(numbers.len().max(ROOM));
    list.extend(numbers);
    list
}

/// Cuts a digit in two in all sums over it.
pub(super) fn refine(digits: &mut Vec<Digit>, sums: &mut [AffineExpr], at: usize, radix: i64) -> Result<(), Error> {
    let Some(digit) = digits.get_mut(at) else { return Ok(()) };
    let weight = digit.weight.checked_mul(radix).ok_or_else(|| Error::overflow("the weight of a digit"))?;
    let above = Digit { axis: digit.axis, weight, radix: digit.radix / radix + i64::from(digit.radix % radix != 0) };
    digit.radix = radix;
    digits.insert(at + 1, above);
    for sum in sums {
        let stride = multiply_add(0, sum.strides.get(at).copied().unwrap_or(0), radix)?;
        sum.strides.insert(at + 1, stride);
        sum.xors.insert(at + 1, 0);
    }
    Ok(())
}

/// The least and the most that digits of one axis add up to.
fn ends(digits: &[Digit], strides: &[i64], extent: i64) -> (i128, i128) {
    // Below the last point are those that agree with it down to a digit, which is smaller, and are free below. `found`: the
    // best of the digits up to here that are at most those of the last point, downwards and upwards.
    let (mut free, mut found) = ([0i128; 2], [0i128; 2]);
    for (digit, stride) in digits.iter().zip(strides) {
        let last = (extent - 1) / digit.weight.max(1) % digit.radix.max(1);
        // Products of two numbers of 64 bits always fit.
        let by = |count: i64| i128::from(*stride) * i128::from(count);
        let best = [i128::min, i128::max];
        for ((best, free), found) in best.into_iter().zip(&mut free).zip(&mut found) {
            let here = by(last).saturating_add(*found);
            let below = if last > 0 { best(by(last - 1), 0).saturating_add(*free) } else { here };
            *found = best(here, below);
            *free = best(by(digit.radix - 1), 0).saturating_add(*free);
        }
    }
    (found[0], found[1])
}

/// How a stride is divided by a radix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// The low part is never negative.
    Down,
    /// The low part has the sign of the stride.
    TowardsZero,
    /// The low part sets bits that are clear at the origin, and clears bits that are set there.
    Bits,
}

/// `sum + factor * term`.
pub(super) fn multiply_add(sum: i64, factor: i64, term: i64) -> Result<i64, Error> {
    factor
        .checked_mul(term)
        .and_then(|product| sum.checked_add(product))
        .ok_or_else(|| Error::overflow(&format!("{sum} + {factor} * {term}")))
}
