//! [`DecodingPlan`]: how the digits of a point are computed from its place (mixed radix plus elimination over GF(2)).
//!
//! A sum is cut at `r` into two *levels* when one part stays below `r` and the rest is a multiple of `r`. Equal sums
//! then have equal levels. After all cuts, a level decodes digits in one of three ways:
//!
//! - it has one unknown digit: division decodes it;
//! - it is an XOR of bits: elimination over GF(2) decodes them;
//! - all its unknown digits but one move by multiples of a number: the residue decodes that one.
//!
//! Where digits interleave, residues become further levels (`residues.rs`). Digits that no step decodes stay *open*.
//!
//! Law: two points with the same image agree in every level, hence in all digits but the open ones.

use super::form::{AffineExpr, Digit, Form};
use super::residues::{LARGEST_MODULUS, active, inverse_of, residues};
use super::symbolic::Symbolic;
use super::{Axis, Stage};
use crate::cast::narrow;
use crate::error::Error;
use crate::gcd;
use crate::linear::{ones, with_kernel};

/// The levels of all coordinates, and the steps that decode digits from them.
pub(super) struct DecodingPlan {
    pub(super) axes: Vec<Axis>,
    pub(super) digits: Vec<Digit>,
    /// From the coordinates of the codomain to the levels.
    pub(super) stages: Vec<Stage>,
    pub(super) levels: Vec<Level>,
    /// How digits are decoded, in order.
    pub(super) steps: Vec<Step>,
    /// The digits that are not decoded.
    pub(super) open: Vec<usize>,
}

/// A place decoded: the value of each level, and the digits, the open ones 0.
pub(super) struct Decoded {
    pub(super) row: Vec<i64>,
    pub(super) values: Vec<i64>,
}

/// One level: a sum, and its patterns where it is an xor of bits.
pub(super) struct Level {
    pub(super) sum: AffineExpr,
    pub(super) xor: Option<Xor>,
}

/// A level as an XOR of masks.
pub(super) struct Xor {
    pub(super) none: u64,
    pub(super) patterns: Vec<u64>,
    /// How many bits it has.
    pub(super) bits: u32,
}

/// How digits are decoded from levels.
pub(super) enum Step {
    /// The level minus its known part, divided by the stride.
    Divide { level: usize, digit: usize },
    /// The level minus its known part is a multiple of the divisor. The digit is the quotient times `inverse`, modulo
    /// the modulus.
    Residue { level: usize, digit: usize, divisor: i64, modulus: i64, inverse: i64 },
    /// Bits: each is the XOR of the given bits of the levels (side by side), after XOR with the known part.
    Eliminate { levels: Vec<usize>, bits: Vec<(usize, u64)> },
}

impl DecodingPlan {
    /// The plan of a form.
    ///
    /// # Errors
    /// `Overflow`.
    pub(super) fn of(form: &Form) -> Result<DecodingPlan, Error> {
        let mut symbolic = Symbolic::from_form(form);
        let mut stages = Vec::new();
        let count = symbolic.row.len();
        let lower = |(at, sum): (usize, &AffineExpr)| {
            let (least, _) = symbolic.range(sum);
            Ok((narrow(-least)?, (0..count).map(|other| i64::from(other == at)).collect()))
        };
        let sums = symbolic.row.iter().enumerate().map(lower).collect::<Result<Vec<_>, Error>>()?;
        let stage = Stage::Linearise { at: 0, count, sums };
        symbolic.stage(&stage)?;
        stages.push(stage);
        cut(&mut symbolic, &mut stages);
        for at in 0..symbolic.row.len() {
            // An xor of bits is one as it is.
            let wide = |digit: usize| symbolic.digits.get(digit).is_some_and(|digit| digit.radix > 2);
            if symbolic.row.get(at).is_none_or(|sum| active(sum).count() < 2 || !active(sum).any(wide)) {
                continue;
            }
            let mut trial = symbolic.clone();
            if trial.cut_to_bits(at).is_ok() && trial.row.get(at).is_some_and(|sum| xor(&trial, sum).is_some()) {
                symbolic = trial;
            }
        }
        cut(&mut symbolic, &mut stages);
        let mut found = DecodingPlan::planned(&symbolic, stages)?;
        // Residues are looked at only where digits stay open, each as long as it decodes some.
        while !found.open.is_empty() {
            let mut better = None;
            for (mut more, added) in residues(&symbolic) {
                let mut stages = [found.stages.as_slice(), &added].concat();
                cut(&mut more, &mut stages);
                let trial = DecodingPlan::planned(&more, stages)?;
                if trial.open.len() < found.open.len() {
                    better = Some((more, trial));
                    break;
                }
            }
            let Some((more, trial)) = better else { break };
            (symbolic, found) = (more, trial);
        }
        Ok(found)
    }

    /// The plan whose levels are the row of a symbolic evaluation.
    fn planned(symbolic: &Symbolic, stages: Vec<Stage>) -> Result<DecodingPlan, Error> {
        let levels = symbolic.row.iter().map(|sum| Level { sum: sum.clone(), xor: xor(symbolic, sum) }).collect();
        let (axes, digits) = (symbolic.axes.clone(), symbolic.digits.clone());
        let mut found = DecodingPlan { axes, digits, stages, levels, steps: Vec::new(), open: Vec::new() };
        found.plan()?;
        Ok(found)
    }

    /// Finds the steps; what they leave is open.
    fn plan(&mut self) -> Result<(), Error> {
        let mut known = vec![false; self.digits.len()];
        let mut used = vec![false; self.levels.len()];
        while known.contains(&false) {
            let mut found = None;
            for (at, level) in self.levels.iter().enumerate().filter(|(at, _)| used.get(*at) == Some(&false)) {
                let mut unknown = active(&level.sum).filter(|digit| known.get(*digit) == Some(&false));
                if let (Some(digit), None) = (unknown.next(), unknown.next())
                    && level.sum.xors.get(digit) == Some(&0)
                {
                    found = Some(Step::Divide { level: at, digit });
                    break;
                }
            }
            let step = match found {
                Some(step) => step,
                None => match self.eliminate(&known)?.or_else(|| self.residue(&known)) {
                    Some(step) => step,
                    None => break,
                },
            };
            let mut decode = |digit: usize| {
                if let Some(known) = known.get_mut(digit) {
                    *known = true;
                }
            };
            match &step {
                Step::Divide { level, digit } => {
                    decode(*digit);
                    if let Some(used) = used.get_mut(*level) {
                        *used = true;
                    }
                }
                Step::Residue { digit, .. } => decode(*digit),
                Step::Eliminate { bits, .. } => bits.iter().for_each(|(digit, _)| decode(*digit)),
            }
            self.steps.push(step);
        }
        self.open = (0..self.digits.len()).filter(|digit| known.get(*digit) == Some(&false)).collect();
        Ok(())
    }

    /// The levels that are xors and have some of these digits, as many as a word holds.
    pub(super) fn xors(&self, has: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut tall = 0;
        let of = |(at, level): (usize, &Level)| Some((at, level.xor.as_ref()?.bits, active(&level.sum).any(&has)));
        let all = self.levels.iter().enumerate().filter_map(of).filter(|(_, _, has)| *has);
        let fit = all.take_while(|(_, bits, _)| {
            tall += bits;
            tall <= 63
        });
        fit.map(|(at, _, _)| at).collect()
    }

    /// The mask of a digit in some levels, side by side.
    pub(super) fn column(&self, levels: &[usize], digit: usize) -> u64 {
        let (mut column, mut shift) = (0, 0);
        for xor in levels.iter().filter_map(|at| self.levels.get(*at)?.xor.as_ref()) {
            column |= xor.patterns.get(digit).copied().unwrap_or(0) << shift;
            shift += xor.bits;
        }
        column
    }

    /// The bits that all levels that are xors decode together.
    fn eliminate(&self, known: &[bool]) -> Result<Option<Step>, Error> {
        let unknown = |digit: usize| known.get(digit) == Some(&false);
        let levels = self.xors(unknown);
        let bits: Vec<usize> = (0..self.digits.len())
            .filter(|digit| unknown(*digit) && self.column(&levels, *digit) != 0)
            .take(64)
            .collect();
        let columns: Vec<u64> = bits.iter().map(|digit| self.column(&levels, *digit)).collect();
        let (echelon, kernel) = with_kernel(&columns);
        let loose = kernel.iter().fold(0, |loose, vector| loose | vector);
        let tall: u32 = levels.iter().filter_map(|at| Some(self.levels.get(*at)?.xor.as_ref()?.bits)).sum();
        let solved: Vec<u64> = (0..tall).map(|bit| echelon.reduce(1 << bit).1).collect();
        let decoded = bits.iter().enumerate().filter(|(at, _)| loose >> at & 1 == 0);
        let reads = |at: usize| solved.iter().enumerate().fold(0, |row, (bit, set)| row | (set >> at & 1) << bit);
        let decoded: Vec<(usize, u64)> = decoded.map(|(at, digit)| (*digit, reads(at))).collect();
        Ok(if decoded.is_empty() { None } else { Some(Step::Eliminate { levels, bits: decoded }) })
    }

    /// A digit that a residue of its level decodes.
    fn residue(&self, known: &[bool]) -> Option<Step> {
        for (at, level) in self.levels.iter().enumerate() {
            let unknown: Vec<usize> = active(&level.sum).filter(|digit| known.get(*digit) == Some(&false)).collect();
            let stride = |digit: &usize| level.sum.strides.get(*digit).copied().unwrap_or(0);
            if unknown.iter().any(|digit| level.sum.xors.get(*digit) != Some(&0)) {
                continue;
            }
            for digit in &unknown {
                let others = unknown.iter().filter(|other| *other != digit);
                let common = others.fold(0, |common, other| gcd(common, stride(other)));
                let divisor = gcd(stride(digit), common);
                let modulus = common / divisor.max(1);
                let radix = self.digits.get(*digit).map_or(i64::MAX, |digit| digit.radix);
                if (2..=LARGEST_MODULUS).contains(&modulus) && radix <= modulus {
                    let inverse = inverse_of((stride(digit) / divisor).rem_euclid(modulus), modulus);
                    return Some(Step::Residue { level: at, digit: *digit, divisor, modulus, inverse });
                }
            }
        }
        None
    }

    /// Whether the contribution of the open digits does not depend on the other digits.
    pub(super) fn open_digits_are_independent(&self) -> bool {
        self.levels.iter().all(|level| {
            let open = |digit: &usize| self.open.contains(digit);
            let mixed = || {
                let patterned = |digit: usize| level.sum.xors.get(digit).is_some_and(|xor| *xor != 0);
                active(&level.sum).any(|digit| !open(&digit) && patterned(digit))
            };
            !active(&level.sum).any(|digit| open(&digit)) || level.xor.is_some() || !mixed()
        })
    }
}

/// Cuts all sums as far as they can be.
fn cut(symbolic: &mut Symbolic, stages: &mut Vec<Stage>) {
    let mut at = 0;
    while at < symbolic.row.len() {
        match halve(symbolic, at) {
            Some(stage) => stages.push(stage),
            None => at += 1,
        }
    }
}

/// Cuts a sum in two where both have digits, as high up as possible.
fn halve(symbolic: &mut Symbolic, at: usize) -> Option<Stage> {
    let sum = symbolic.row.get(at)?;
    let mut strides: Vec<i64> =
        sum.strides.iter().filter_map(|stride| stride.checked_abs()).filter(|s| *s != 0).collect();
    strides.sort_unstable_by(|a, b| b.cmp(a));
    let mut radix = 0;
    let cut = strides.into_iter().any(|stride| {
        let above = radix;
        radix = gcd(above, stride);
        radix > 1 && radix != above && cut_at(symbolic, at, radix).is_some()
    });
    cut.then(|| Stage::Delinearise { at, radices: vec![radix] })
}

/// Cuts a sum in two at a radix where both have digits; else nothing changes.
fn cut_at(symbolic: &mut Symbolic, at: usize, radix: i64) -> Option<()> {
    let reads = |sum: &AffineExpr| active(sum).next().is_some();
    if symbolic.crossing(at, radix).is_none() {
        let sum = symbolic.row.get(at)?;
        let low = symbolic.low_part(sum, radix)?;
        let all = low.strides == sum.strides && low.xors == sum.xors;
        if all || !reads(&low) {
            return None;
        }
        symbolic.split_off_low(at, low, radix);
        return Some(());
    }
    // Digits are cut in two, also where the sum then cannot be.
    let mut trial = symbolic.clone();
    trial.split(at, radix).ok()?;
    let has = |at: usize| trial.row.get(at).is_some_and(reads);
    if !has(at) || !has(at + 1) {
        return None;
    }
    *symbolic = trial;
    Some(())
}

/// A level as an xor, where all that it reads is bits and no two parts carry.
fn xor(symbolic: &Symbolic, sum: &AffineExpr) -> Option<Xor> {
    let mut read = active(sum).filter_map(|digit| symbolic.digits.get(digit));
    if !read.all(|digit| digit.radix <= 2) {
        return None;
    }
    let (none, patterns) = symbolic.patterns(sum).ok()?;
    let word = |pattern: i64| u64::try_from(pattern).ok();
    let (none, patterns) = (word(none)?, patterns.into_iter().map(word).collect::<Option<Vec<u64>>>()?);
    let reach = patterns.iter().fold(none, |reach, pattern| reach | pattern);
    Some(Xor { none, patterns, bits: u64::BITS - reach.leading_zeros() })
}

impl Xor {
    /// The bits of all patterns together are below this.
    pub(super) fn extent(&self) -> Option<i64> {
        1i64.checked_shl(self.bits).filter(|extent| *extent > 0)
    }
}

impl DecodingPlan {
    /// The levels of a place, and all digits that steps decode; none for a place that cannot be reached.
    pub(super) fn decode(&self, place: &[i64]) -> Result<Option<Decoded>, Error> {
        let mut row = place.to_vec();
        for stage in &self.stages {
            if stage.apply(&mut row)?.is_none() {
                return Ok(None);
            }
        }
        let mut values = vec![0i64; self.digits.len()];
        for step in &self.steps {
            match step {
                Step::Divide { level, digit } => {
                    let (Some(own), Some(number)) = (self.levels.get(*level), row.get(*level)) else { return Ok(None) };
                    let rest = i128::from(*number) - own.sum.total(&values);
                    let stride = i128::from(own.sum.strides.get(*digit).copied().unwrap_or(1));
                    let radix = self.digits.get(*digit).map_or(1, |digit| digit.radix);
                    let value = rest / stride;
                    if value * stride != rest || value < 0 || value >= i128::from(radix) {
                        return Ok(None);
                    }
                    if let Some(place) = values.get_mut(*digit) {
                        *place = narrow(value)?;
                    }
                }
                Step::Residue { level, digit, divisor, modulus, inverse } => {
                    let (Some(own), Some(number)) = (self.levels.get(*level), row.get(*level)) else { return Ok(None) };
                    let rest = i128::from(*number) - own.sum.total(&values);
                    let quotient = rest.div_euclid(i128::from(*divisor)).rem_euclid(i128::from(*modulus));
                    let value = narrow(quotient * i128::from(*inverse) % i128::from(*modulus))?;
                    let radix = self.digits.get(*digit).map_or(1, |digit| digit.radix);
                    if rest % i128::from(*divisor) != 0 || value >= radix {
                        return Ok(None);
                    }
                    if let Some(place) = values.get_mut(*digit) {
                        *place = value;
                    }
                }
                Step::Eliminate { levels, bits } => {
                    let (mut word, mut shift) = (0u64, 0);
                    for (at, xor) in levels.iter().filter_map(|at| Some((at, self.levels.get(*at)?.xor.as_ref()?))) {
                        let number = row.get(*at).and_then(|number| u64::try_from(*number).ok());
                        let Some(number) = number.filter(|number| number >> xor.bits == 0) else { return Ok(None) };
                        let known = values.iter().zip(&xor.patterns).filter(|(value, _)| **value == 1);
                        word |= known.fold(number ^ xor.none, |word, (_, pattern)| word ^ pattern) << shift;
                        shift += xor.bits;
                    }
                    for (digit, read) in bits {
                        if let Some(place) = values.get_mut(*digit) {
                            *place = i64::from((word & read).count_ones() & 1);
                        }
                    }
                }
            }
        }
        Ok(Some(Decoded { row, values }))
    }

    /// The coordinates of the given digits.
    pub(super) fn point(&self, values: &[i64]) -> Option<Vec<i64>> {
        let mut point = vec![0i64; self.axes.len()];
        for (digit, value) in self.digits.iter().zip(values) {
            let x = point.get_mut(digit.axis)?;
            *x = x.checked_add(digit.weight.checked_mul(*value)?)?;
        }
        let inside = point.iter().zip(&self.axes).all(|(x, axis)| *x < axis.extent);
        inside.then_some(point)
    }

    /// The bits of a set of numbers below 64, as numbers of digits.
    pub(super) fn chosen(digits: &[usize], set: u64) -> Vec<usize> {
        ones(set).filter_map(|at| digits.get(at).copied()).collect()
    }

    /// How many places the steps distinguish: the product of the radices of all digits but the open ones; none where an
    /// extent cuts the digits of an axis short.
    pub(super) fn decoded_places(&self) -> Option<i64> {
        for (axis, side) in self.axes.iter().enumerate() {
            let own = self.digits.iter().filter(|digit| digit.axis == axis);
            if own.map(|digit| i128::from(digit.radix)).product::<i128>() != i128::from(side.extent) {
                return None;
            }
        }
        let decoded = self.digits.iter().enumerate().filter(|(at, _)| !self.open.contains(at));
        decoded.map(|(_, digit)| digit.radix).try_fold(1i64, i64::checked_mul)
    }

    /// The dimension of what the open bits reach, where all levels that read them are xors.
    pub(super) fn open_rank(&self) -> Option<u32> {
        let (levels, digits) = self.open_xors()?;
        let columns: Vec<u64> = digits.iter().map(|digit| self.column(&levels, *digit)).collect();
        Some(with_kernel(&columns).0.rank())
    }

    /// The levels that read open digits, and those digits, where all these levels are xors.
    pub(super) fn open_xors(&self) -> Option<(Vec<usize>, Vec<usize>)> {
        let is_open = |digit: usize| self.open.contains(&digit);
        let levels = self.xors(is_open);
        let reads = |level: &Level| active(&level.sum).any(is_open);
        let digits: Vec<usize> = self
            .open
            .iter()
            .copied()
            .filter(|digit| self.levels.iter().any(|l| active(&l.sum).any(|d| d == *digit)))
            .collect();
        let all = self.levels.iter().filter(|level| reads(level)).count() == levels.len();
        (all && digits.len() <= 64).then_some((levels, digits))
    }

    /// The digits with these values of the open ones.
    pub(super) fn with_open(&self, values: &[i64], chosen: &[i64]) -> Vec<i64> {
        let mut values = values.to_vec();
        for (digit, value) in self.open.iter().zip(chosen) {
            if let Some(place) = values.get_mut(*digit) {
                *place = *value;
            }
        }
        values
    }

    pub(super) fn weight(&self, digit: usize) -> Option<(usize, i64)> {
        self.digits.get(digit).map(|digit| (digit.axis, digit.weight))
    }
}

impl AffineExpr {
    /// The value of the sum for the given digits.
    pub(super) fn total(&self, values: &[i64]) -> i128 {
        let (mut sum, mut pattern) = (i128::from(self.offset), self.flip);
        for ((value, stride), xor) in values.iter().zip(&self.strides).zip(&self.xors) {
            sum += i128::from(*stride) * i128::from(*value);
            pattern ^= if value & 1 == 1 { *xor } else { 0 };
        }
        sum + i128::from(pattern)
    }
}
