//! A layout with given values at given places: R(Σ c·d) = Σ c·p for every c in a box.
//!
//! It is what a [left inverse](super::left_inverse) asks for, with the strides of a layout for the places d and the strides
//! of its index for the values p. A layout of two modes `(m,…):(a,b)` is `R(x) = a·x − w·⌊x/m⌋` with `w = a·m − b`. Its
//! values add up over the digits c only where nothing carries, `Σ (n−1)·(d mod m) < m`, and there `⌊d/m⌋ = (a·d − p)/w`.
//! So w divides `p·d' − p'·d` for any two digits, a solves `a·d ≡ p (mod w)`, and the quotients bound m from both sides:
//! all layouts of two modes are found among the divisors of one number. Of three and more modes the first one is tried
//! at the places that digits have in common, and the rest is the same question on the quotients; else all modes are tried
//! at the places where the digits add up, and their strides are whole numbers that solve linear equations.
//!
//! Law: what is found has the values, by the [exact solver](super::exact); where two modes suffice for strides of one
//! sign, some layout is found, unless the number has prime factors beyond [`LARGEST_FACTOR`].

use super::exact::{self, Axis, Leaf};
use crate::error::{Code, Error};
use crate::modular::{gcd, inverse_of};

/// A digit: a given number of steps, from place to place and from value to value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) extent: i128,
    pub(super) place: i128,
    pub(super) value: i128,
}

/// The modes `(extent, stride)` of a layout, the fastest first.
type Modes = Vec<(i128, i128)>;

/// Divisors are found by trial up to here.
const LARGEST_FACTOR: i128 = 1 << 16;

/// How many divisors are tried.
const MOST_DIVISORS: usize = 1 << 12;

/// How many numbers are tried where no formula gives one.
const MOST_TRIED: i128 = 64;

/// How many questions on quotients are asked.
const MOST_QUESTIONS: u32 = 256;

/// How many layouts are checked by the exact solver.
const MOST_CHECKS: u32 = 1 << 10;

/// How many places where a mode may end are considered.
const MOST_ENDS: usize = 256;

/// How many sums are tried.
const MOST_SUMS: u32 = 1 << 12;

/// A layout with these values, of at most one mode more than there are digits; `None` where none is found.
///
/// # Errors
/// [`Code::Overflow`] beyond 128 bits, [`Code::Undecided`] where too many layouts are checked.
pub(super) fn interpolate(steps: &[Step]) -> Result<Option<Modes>, Error> {
    let mut moving: Vec<Step> = steps.iter().copied().filter(|step| step.extent > 1).collect();
    // A layout mirrors at 0: places before it have the values of those after it, with the other sign.
    if moving.iter().all(|step| step.place < 0) {
        for step in &mut moving {
            (step.place, step.value) = (-step.place, -step.value);
        }
    }
    let mut budget = Budget { questions: MOST_QUESTIONS, sums: MOST_SUMS, checks: MOST_CHECKS };
    let Some(modes) = search(&moving, moving.len() + 1, &mut budget) else {
        if budget.checks > 0 {
            return Ok(None);
        }
        return Err(error!(
            Code::Undecided,
            "which layout has the values of the inverse is not decided within {most_checks} layouts",
            [most_checks = MOST_CHECKS]
        ));
    };
    Ok(has_values(&modes, &moving)?.then_some(modes))
}

/// What one search may cost: each part of it is short, but they are nested.
struct Budget {
    questions: u32,
    /// Of one question.
    sums: u32,
    checks: u32,
}

impl Budget {
    /// Whether a layout has the values; none has once the checks are used up.
    fn has_values(&mut self, modes: &Modes, steps: &[Step]) -> bool {
        let Some(checks) = self.checks.checked_sub(1) else { return false };
        self.checks = checks;
        has_values(modes, steps) == Ok(true)
    }
}

/// Whether a layout has the values, decided exactly; an undecided one has not.
fn has_values(modes: &Modes, steps: &[Step]) -> Result<bool, Error> {
    let axis = Axis {
        shape: modes.iter().map(|(extent, _)| *extent).collect(),
        stride: modes.iter().map(|(_, stride)| vec![*stride]).collect(),
    };
    let leaves: Vec<Leaf> = steps.iter().map(|step| Leaf { extent: step.extent, step: vec![step.place] }).collect();
    match exact::solve(&[axis], &leaves) {
        Ok(digits) => Ok(digits.iter().zip(steps).all(|(digits, step)| {
            digits.iter().all(|digit| digit.extent == step.extent && digit.stride == [step.value])
        })),
        Err(exact::Refusal::Failed(error)) => Err(error),
        Err(_) => Ok(false),
    }
}

/// The first layout of at most `most` modes that is found.
fn search(steps: &[Step], most: usize, budget: &mut Budget) -> Option<Modes> {
    crate::cancel::checkpoint();
    budget.questions = budget.questions.checked_sub(1)?;
    let [first, others @ ..] = steps else { return Some(vec![(1, 0)]) };
    let mut shared: i128 = 0;
    for other in others {
        shared = gcd(shared, cross(first, other)?);
    }
    // The first digit is in all; two others may differ in what they have in common.
    for (at, one) in others.iter().enumerate() {
        for other in others.iter().skip(at + 1) {
            shared = gcd(shared, cross(one, other)?);
        }
    }
    if shared == 0 {
        return proportional(first, steps, most);
    }
    if most < 2 {
        return None;
    }
    let reach = reach(steps)?;
    for divisor in divisors(shared) {
        for excess in [divisor, -divisor] {
            if let Some(modes) = two_modes(steps, excess, reach, budget) {
                return Some(modes);
            }
        }
    }
    if most > 2 { more_modes(steps, most, reach, budget).or_else(|| by_ends(steps, most, reach, budget)) } else { None }
}

/// Values that are all the same multiple of their places.
fn proportional(first: &Step, steps: &[Step], most: usize) -> Option<Modes> {
    let common = gcd(first.place, first.value).max(1);
    let (by, times) = (first.place / common, first.value / common);
    let (by, times) = if by < 0 { (-by, -times) } else { (by, times) };
    let reach = reach(steps)?;
    match by {
        0 => None,
        1 => Some(vec![(reach.checked_add(1)?, times)]),
        _ if most < 2 => None,
        _ => Some(vec![(by, 0), ((reach / by).checked_add(1)?, times)]),
    }
}

/// A layout `a·x − excess·⌊x/m⌋`.
fn two_modes(steps: &[Step], excess: i128, reach: i128, budget: &mut Budget) -> Option<Modes> {
    let (mut slope, mut period) = (0, 1);
    for step in steps {
        (slope, period) = both(slope, period, step.place, step.value, excess.abs())?;
    }
    // Quotients are between 0 and half of the place, which bounds a; one period or two lie there, as a rule.
    let least = steps.iter().map(|step| step.value.div_euclid(step.place)).min()?;
    let lowest = least.checked_sub(excess.abs())?;
    let mut slope = slope + (lowest - slope).div_euclid(period) * period;
    for _ in 0..MOST_TRIED {
        if let Some(modes) = ended(steps, slope, excess, reach, budget) {
            return Some(modes);
        }
        slope = slope.checked_add(period)?;
        if slope > least.checked_add(excess.abs())?.checked_add(1)? {
            break;
        }
    }
    None
}

/// The layout `slope·x − excess·⌊x/m⌋` with the m for which nothing carries.
fn ended(steps: &[Step], slope: i128, excess: i128, reach: i128, budget: &mut Budget) -> Option<Modes> {
    let mut quotients = Vec::new();
    // m times every quotient is at most the place, and one more of it is not.
    let (mut low, mut high) = (2, reach);
    let mut turns: i128 = 1;
    let one_sign = steps.iter().all(|step| step.place > 0);
    if budget.checks == 0 {
        return None;
    }
    for step in steps {
        let (numerator, size) = (slope.checked_mul(step.place)?.checked_sub(step.value)?, step.place.abs());
        if numerator % excess != 0 {
            return None;
        }
        let quotient = numerator / excess;
        if quotient != 0 && (quotient < 0) != (step.place < 0) {
            return None;
        }
        let count = quotient.abs();
        low = low.max(size / (count.checked_add(1)?) + 1);
        if count > 0 {
            high = high.min(size / count);
        }
        turns = turns.checked_add((step.extent - 1).checked_mul(count)?)?;
        quotients.push(quotient);
    }
    if one_sign {
        low = low.max(reach / turns + 1);
    }
    if low > high || quotients.iter().all(|quotient| *quotient == 0) {
        return None;
    }
    let made = |end: i128| -> Option<Modes> {
        let above = slope.checked_mul(end)?.checked_sub(excess)?;
        Some(vec![(end, slope), ((reach / end).checked_add(1)?, above)])
    };
    if one_sign {
        return made(high);
    }
    // Steps forth and back: each end is tried.
    let ends = (low..=high).rev().take(usize::try_from(MOST_TRIED).unwrap_or(1));
    ends.chain([low]).filter_map(made).find(|modes| budget.has_values(modes, steps))
}

/// A first mode that ends where digits have a place in common, and the same question on the quotients.
fn more_modes(steps: &[Step], most: usize, reach: i128, budget: &mut Budget) -> Option<Modes> {
    if steps.iter().any(|step| step.place < 0) {
        return None;
    }
    let mut ends: Vec<i128> = steps.iter().map(|step| step.place).collect();
    for at in 0..ends.len() {
        for above in 0..steps.len() {
            let common = gcd(*ends.get(at)?, steps.get(above)?.place);
            if !ends.contains(&common) {
                ends.push(common);
            }
        }
    }
    ends.retain(|end| *end > 1 && *end <= reach);
    ends.sort_unstable();
    ends.dedup();
    ends.iter().find_map(|end| {
        let mut below = steps.iter().filter(|step| step.place < *end);
        let first = below.next()?;
        let slope = first.value / first.place;
        let carried = steps
            .iter()
            .try_fold(0_i128, |sum, step| sum.checked_add((step.extent - 1).checked_mul(step.place % end)?))?;
        if carried >= *end || steps.iter().any(|step| step.place < *end && slope * step.place != step.value) {
            return None;
        }
        let mut quotients = Vec::new();
        for step in steps.iter().filter(|step| step.place >= *end) {
            let value = step.value.checked_sub(slope.checked_mul(step.place % end)?)?;
            quotients.push(Step { place: step.place / end, value, ..*step });
        }
        let mut modes = vec![(*end, slope)];
        modes.extend(search(&quotients, most - 1, budget)?);
        Some(modes)
    })
}

/// A layout whose modes end at places beyond which the digits, each cut there, add up: `a·x + Σ δ·⌊x/P⌋`, each P a multiple
/// of the one before. The values are then whole sums of the places and their quotients.
fn by_ends(steps: &[Step], most: usize, reach: i128, budget: &mut Budget) -> Option<Modes> {
    let ends = Ends::of(steps, reach)?;
    let places: Vec<i128> = steps.iter().map(|step| step.place).collect();
    budget.sums = MOST_SUMS;
    ends.extend(steps, &mut vec![1], &mut vec![places], most, budget)
}

/// Places at which a mode may end, from the last to the first, those with one quotient of each digit together.
struct Ends {
    all: Vec<End>,
    reach: i128,
}

struct End {
    low: i128,
    high: i128,
    quotients: Vec<i128>,
}

impl Ends {
    fn of(steps: &[Step], reach: i128) -> Option<Ends> {
        let mut all = Vec::new();
        let mut high = reach;
        for _ in 0..MOST_SUMS {
            if high < 2 || all.len() == MOST_ENDS {
                break;
            }
            // Below this place some quotient is one more.
            let last = |step: &Step| step.place.abs() / (step.place.abs() / high + 1);
            let mut low = steps.iter().map(last).max()? + 1;
            let quotients: Vec<i128> = steps.iter().map(|step| step.place / high).collect();
            let next = low - 1;
            for sign in [1, -1] {
                let one_way = || steps.iter().zip(&quotients).filter(|(step, _)| step.place.signum() == sign);
                let turns: i128 = one_way().map(|(step, quotient)| (step.extent - 1) * quotient.abs()).sum();
                let far: i128 = one_way().map(|(step, _)| (step.extent - 1) * step.place.abs()).sum();
                low = low.max(far / (turns + 1) + 1);
            }
            if low <= high {
                all.push(End { low, high, quotients });
            }
            high = next;
        }
        Some(Ends { all, reach })
    }

    /// The first layout with these first modes, and more ends after them.
    fn extend(
        &self,
        steps: &[Step],
        ends: &mut Vec<i128>,
        columns: &mut Vec<Vec<i128>>,
        most: usize,
        budget: &mut Budget,
    ) -> Option<Modes> {
        let before = ends.last().copied()?;
        for end in &self.all {
            let place = end.high - end.high % before;
            if place < end.low || place <= before {
                continue;
            }
            budget.sums = budget.sums.checked_sub(1)?;
            ends.push(place);
            columns.push(end.quotients.clone());
            let values: Vec<i128> = steps.iter().map(|step| step.value).collect();
            let found = sum_of(columns, &values).and_then(|factors| self.modes(ends, &factors));
            let found = found.filter(|modes| budget.has_values(modes, steps));
            let found = found
                .or_else(|| if ends.len() < most { self.extend(steps, ends, columns, most, budget) } else { None });
            if found.is_some() {
                return found;
            }
            ends.pop();
            columns.pop();
        }
        None
    }

    /// The modes that end there, with the slope and what each end adds to it.
    fn modes(&self, ends: &[i128], factors: &[i128]) -> Option<Modes> {
        let mut modes = Vec::new();
        let mut stride: i128 = 0;
        let mut extent: i128 = 0;
        for (at, (end, factor)) in ends.iter().zip(factors).enumerate() {
            stride = extent.checked_mul(stride)?.checked_add(*factor)?;
            extent = ends.get(at + 1).unwrap_or(&(self.reach + *end)) / end;
            modes.push((extent, stride));
        }
        Some(modes)
    }
}

/// Whole factors with which the columns add up to the target, if there are any.
fn sum_of(columns: &[Vec<i128>], target: &[i128]) -> Option<Vec<i128>> {
    // Each column with the factors that make it of the given ones.
    let unit = |at: usize| (0..columns.len()).map(|column| i128::from(column == at)).collect::<Vec<_>>();
    let mut open: Vec<(Vec<i128>, Vec<i128>)> =
        columns.iter().enumerate().map(|(at, column)| (column.clone(), unit(at))).collect();
    let mut rest = target.to_vec();
    let mut factors = vec![0; columns.len()];
    for row in 0..target.len() {
        // One column is left with a number in this row: the greatest common divisor.
        loop {
            crate::cancel::checkpoint();
            open.sort_by_key(|(column, _)| column.get(row).map_or(0, |n| n.unsigned_abs()));
            let still = open.iter().take_while(|(column, _)| column.get(row) == Some(&0)).count();
            if open.len() < still + 2 {
                break;
            }
            let (least, other) = (still, still + 1);
            let (pivot, made) = open.get(least)?.clone();
            let (column, parts) = open.get_mut(other)?;
            let times = column.get(row)? / pivot.get(row)?;
            subtract(column, &pivot, times)?;
            subtract(parts, &made, times)?;
        }
        let wanted = *rest.get(row)?;
        match open.last() {
            Some((pivot, made)) if pivot.get(row) != Some(&0) => {
                let step = *pivot.get(row)?;
                if wanted % step != 0 {
                    return None;
                }
                subtract(&mut rest, pivot, wanted / step)?;
                subtract(&mut factors, made, -(wanted / step))?;
                open.pop();
            }
            _ if wanted != 0 => return None,
            _ => {}
        }
    }
    Some(factors)
}

/// Subtracts a multiple of the other numbers.
fn subtract(from: &mut [i128], other: &[i128], times: i128) -> Option<()> {
    for (number, other) in from.iter_mut().zip(other) {
        *number = number.checked_sub(other.checked_mul(times)?)?;
    }
    Some(())
}

/// The farthest place, either way.
fn reach(steps: &[Step]) -> Option<i128> {
    let ends = |sign: i128| {
        steps
            .iter()
            .filter(|step| step.place.signum() == sign)
            .try_fold(0_i128, |sum, step| sum.checked_add((step.extent - 1).checked_mul(step.place.abs())?))
    };
    Some(ends(1)?.max(ends(-1)?))
}

/// How far the values of two digits are from being one multiple of their places.
fn cross(one: &Step, other: &Step) -> Option<i128> {
    one.value.checked_mul(other.place)?.checked_sub(other.value.checked_mul(one.place)?)
}

/// The numbers `slope (mod period)` that solve `slope·place ≡ value (mod modulus)` too.
fn both(slope: i128, period: i128, place: i128, value: i128, modulus: i128) -> Option<(i128, i128)> {
    // slope + t·period solves it where t·period·place ≡ value − slope·place.
    let step = period.checked_mul(place)?;
    let rest = value.checked_sub(slope.checked_mul(place)?)?;
    let common = gcd(step, modulus);
    if rest % common != 0 {
        return None;
    }
    let modulus = modulus / common;
    let inverse = inverse_of((step / common).rem_euclid(modulus), modulus);
    let times = (rest / common).rem_euclid(modulus).checked_mul(inverse)?.rem_euclid(modulus);
    let period_of_both = period.checked_mul(modulus)?;
    Some(((slope + times.checked_mul(period)?).rem_euclid(period_of_both), period_of_both))
}

/// The divisors of a number, as far as its prime factors are found, the least first.
fn divisors(number: i128) -> Vec<i128> {
    let mut rest = number.abs();
    let mut all = vec![1_i128];
    let mut take = |prime: i128, power: usize| {
        for at in 0..all.len().saturating_mul(power) {
            if let Some(divisor) = all.get(at).copied() {
                all.push(divisor * prime);
            }
        }
    };
    let mut prime = 2;
    while prime <= LARGEST_FACTOR && prime * prime <= rest {
        let mut power = 0;
        while rest % prime == 0 {
            rest /= prime;
            power += 1;
        }
        if power > 0 {
            take(prime, power);
        }
        prime += 1;
    }
    if rest > 1 {
        take(rest, 1);
    }
    all.truncate(MOST_DIVISORS);
    all.sort_unstable();
    all.dedup();
    all
}
