//! [`Target`]: counts the ways in which terms add up to a target, with one value of each term.
//!
//! A term adds a multiple of its [`Amount`], from 0 times up to a count, or one amount of a list. An amount is a number
//! with a residue, which is added modulo the number of residues. The set of targets depends on the residue reached.
//!
//! Law: the count is the number of choices, one value of each term, whose sum is a target.
//!
//! Extents are never enumerated:
//!
//! - terms that continue each other, as digits of one axis do, are one term;
//! - the two terms with the most values are counted by the extended Euclidean algorithm;
//! - the others are added one by one to a table of partial sums. It keeps only sums that can still reach a target:
//!   within the range of the remaining terms, and in their residue class modulo the common divisor of their steps.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::modular::{ceiling, gcd, inverse_of, multiply};

/// The most entries of the table of a target: targets times residues.
const MAX_ENTRIES: usize = 1 << 22;

/// What a term adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct Amount {
    /// The number.
    pub(super) number: i128,
    /// The residue; any integer of its class.
    pub(super) residue: i64,
}

/// One part of a sum.
#[derive(Clone, Debug)]
pub(super) enum Term {
    /// 0 times up to `count - 1` times an amount.
    Steps {
        /// The amount of one step.
        by: Amount,
        /// How many values there are.
        count: i64,
    },
    /// One of these amounts, each with its number of ways.
    List(Vec<(Amount, i128)>),
}

/// How many steps a count may still take.
#[derive(Clone, Debug)]
pub(super) struct Work {
    left: i64,
}

impl Work {
    pub(super) fn new(steps: i64) -> Self {
        Work { left: steps }
    }

    /// Takes steps off; none when they are used up.
    pub(super) fn spend(&mut self, steps: i64) -> Option<()> {
        crate::cancel::checkpoint();
        self.left = self.left.saturating_sub(steps.max(0));
        (self.left > 0).then_some(())
    }
}

/// Which sums are targets: for each number, in how many ways each residue makes it one.
#[derive(Clone, Debug)]
pub(super) struct Target {
    residues: i64,
    ways: BTreeMap<i128, Vec<i128>>,
}

/// What all terms from one on can still add, and with it what a partial sum must be.
#[derive(Clone, Copy)]
struct Reach {
    /// The least and the greatest partial sum that reaches a target.
    least: i128,
    most: i128,
    /// Partial sums are this modulo `step`; all are equal where `step` is 0.
    class: i128,
    step: i128,
}

/// Steps of one term.
#[derive(Clone, Copy)]
struct Steps {
    by: Amount,
    count: i64,
}

impl Target {
    /// The number 0, whatever the residue.
    pub(super) fn zero() -> Self {
        Target { residues: 1, ways: BTreeMap::from([(0, vec![1])]) }
    }

    /// For each residue the number that is the target; none where the table would be too large.
    pub(super) fn of_residues(numbers: &[i128]) -> Option<Self> {
        let mut ways: BTreeMap<i128, Vec<i128>> = BTreeMap::new();
        for (residue, number) in numbers.iter().enumerate() {
            let entries = ways.len().checked_add(1)?.checked_mul(numbers.len())?;
            if entries > MAX_ENTRIES {
                return None;
            }
            let row = ways.entry(*number).or_insert_with(|| vec![0; numbers.len()]);
            *row.get_mut(residue)? = 1;
        }
        Some(Target { residues: crate::cast::length(numbers.len()), ways })
    }

    /// In how many ways the terms add up to a target; none when that takes more work than is left.
    pub(super) fn count(&self, start: Amount, terms: Vec<Term>, work: &mut Work) -> Option<i128> {
        let mut target = Cow::Borrowed(self);
        let (mut start, mut factor) = (start, 1i128);
        let (mut steps, mut lists) = (Vec::new(), Vec::new());
        for term in terms {
            work.spend(1)?;
            match term {
                Term::Steps { count, .. } if count < 1 => return Some(0),
                Term::Steps { count: 1, .. } => {}
                Term::Steps { by, count } if by.number == 0 && by.residue.rem_euclid(self.residues) == 0 => {
                    factor *= i128::from(count);
                }
                Term::Steps { by, count } if by.number == 0 => target = Cow::Owned(target.after(by, count, work)?),
                Term::Steps { mut by, count } => {
                    if by.number < 0 {
                        start = self.sum(start, by, count - 1);
                        by = self.times(by, -1);
                    }
                    steps.push(Steps { by, count });
                }
                Term::List(list) => match list.as_slice() {
                    [] => return Some(0),
                    [(amount, ways)] => {
                        start = self.sum(start, *amount, 1);
                        factor *= ways;
                    }
                    _ => lists.push(list),
                },
            }
        }
        let mut steps = self.merged(steps)?;
        steps.sort_by_key(|term| std::cmp::Reverse(term.count));
        let rest = steps.split_off(steps.len().min(2));
        let mut rest: Vec<Term> = rest.into_iter().map(|Steps { by, count }| Term::Steps { by, count }).collect();
        rest.extend(lists.into_iter().map(Term::List));
        rest.sort_by_key(|term| std::cmp::Reverse(term.largest()));
        let reaches = target.reaches(&rest, &steps);
        let mut partial = HashMap::from([(start, 1i128)]);
        for (term, reach) in rest.iter().zip(&reaches) {
            let mut next: HashMap<Amount, i128> = HashMap::new();
            for (sum, ways) in &partial {
                work.spend(1)?;
                match term {
                    Term::Steps { by, count } => {
                        let Some((first, last, stride)) = reach.values(sum.number, by.number, *count) else { continue };
                        let mut times = first;
                        while times <= last {
                            work.spend(1)?;
                            *next.entry(self.sum(*sum, *by, times)).or_default() += ways;
                            times = times.saturating_add(stride);
                        }
                    }
                    Term::List(list) => {
                        for (amount, more) in list {
                            work.spend(1)?;
                            let sum = self.sum(*sum, *amount, 1);
                            if reach.contains(sum.number) {
                                *next.entry(sum).or_default() += ways * more;
                            }
                        }
                    }
                }
            }
            partial = next;
        }
        let mut found = 0;
        for (sum, ways) in partial {
            found += ways * target.closed(sum, &steps, work)?;
        }
        Some(factor * found)
    }

    /// A sum plus a multiple of an amount.
    fn sum(&self, sum: Amount, more: Amount, times: i64) -> Amount {
        let more = self.times(more, times);
        Amount { number: sum.number + more.number, residue: self.residue(sum.residue, more.residue, 1) }
    }

    fn times(&self, amount: Amount, times: i64) -> Amount {
        Amount { number: amount.number * i128::from(times), residue: self.residue(0, amount.residue, times) }
    }

    /// `start + step * times` modulo the number of residues, from 0 on.
    fn residue(&self, start: i64, step: i64, times: i64) -> i64 {
        let sum = i128::from(start) + i128::from(step) * i128::from(times);
        i64::try_from(sum.rem_euclid(i128::from(self.residues))).unwrap_or(0)
    }

    /// Terms that continue each other as one.
    fn merged(&self, mut terms: Vec<Steps>) -> Option<Vec<Steps>> {
        terms.sort_by_key(|term| term.by.number);
        let mut merged: Vec<Steps> = Vec::new();
        for term in terms {
            let next = |below: &&mut Steps| {
                let after = self.times(below.by, below.count);
                after.number == term.by.number && self.residue(after.residue, term.by.residue, -1) == 0
            };
            match merged.iter_mut().find(next) {
                Some(below) => below.count = below.count.checked_mul(term.count)?,
                None => merged.push(term),
            }
        }
        Some(merged)
    }

    /// The target of a sum to which a term is still added that changes the residue only.
    fn after(&self, by: Amount, count: i64, work: &mut Work) -> Option<Target> {
        let mut ways = self.ways.clone();
        for row in ways.values_mut() {
            work.spend(self.residues)?;
            let before = row.clone();
            let at = |residue: i64| usize::try_from(residue).ok().and_then(|at| before.get(at)).copied().unwrap_or(0);
            let cycle = self.residues / crate::gcd(by.residue, self.residues).max(1);
            // Each residue sums `count` values along its cycle: whole turns, and a window that moves along.
            for start in 0..self.residues / cycle.max(1) {
                let whole: i128 = (0..cycle).map(|turn| at(self.residue(start, by.residue, turn))).sum();
                let (turns, rest) = (i128::from(count / cycle), count % cycle);
                let mut window: i128 = (0..rest).map(|turn| at(self.residue(start, by.residue, turn))).sum();
                for turn in 0..cycle {
                    let place = self.residue(start, by.residue, turn);
                    if let Some(sum) = usize::try_from(place).ok().and_then(|place| row.get_mut(place)) {
                        *sum = turns * whole + window;
                    }
                    window += at(self.residue(place, by.residue, rest)) - at(place);
                }
            }
        }
        Some(Target { residues: self.residues, ways })
    }

    /// What a partial sum must be after each term of the rest, with the steps of the last terms still to come.
    fn reaches(&self, rest: &[Term], last: &[Steps]) -> Vec<Reach> {
        let first = self.ways.keys().next().copied().unwrap_or(0);
        let end = self.ways.keys().next_back().copied().unwrap_or(0);
        let step = self.ways.keys().fold(0, |step, number| gcd(step, number - first));
        let mut reach = Reach { least: first, most: end, class: first, step };
        for term in last {
            reach.add(&Term::Steps { by: term.by, count: term.count });
        }
        let mut reaches = Vec::new();
        for term in rest.iter().rev() {
            reaches.push(reach);
            reach.add(term);
        }
        reaches.reverse();
        reaches
    }

    /// In how many ways a partial sum reaches a target with the steps of at most two terms.
    fn closed(&self, sum: Amount, steps: &[Steps], work: &mut Work) -> Option<i128> {
        let ways = |row: &[i128], residue: i64| {
            usize::try_from(residue.rem_euclid(self.residues)).ok().and_then(|at| row.get(at)).copied().unwrap_or(0)
        };
        let mut found = 0;
        match steps {
            [] => found = self.ways.get(&sum.number).map_or(0, |row| ways(row, sum.residue)),
            [Steps { by, count }] => {
                for (number, row) in &self.ways {
                    work.spend(1)?;
                    let gap = number - sum.number;
                    if gap % by.number == 0
                        && let Ok(times) = i64::try_from(gap / by.number)
                        && (0..*count).contains(&times)
                    {
                        found += ways(row, self.residue(sum.residue, by.residue, times));
                    }
                }
            }
            [one, other, ..] => {
                let line = Line::of(one, other)?;
                for (number, row) in &self.ways {
                    work.spend(1)?;
                    let Some((x, y, count)) = line.solutions(number - sum.number) else { continue };
                    if self.residues == 1 {
                        found += i128::from(count) * ways(row, 0);
                        continue;
                    }
                    let start = self.residue(self.residue(sum.residue, one.by.residue, x), other.by.residue, y);
                    let step = self.line_step(&line, one, other);
                    let cycle = self.residues / crate::gcd(step, self.residues).max(1);
                    let (turns, rest) = (i128::from(count / cycle), count % cycle);
                    let walked = if turns > 0 { cycle } else { rest };
                    work.spend(walked)?;
                    let along = |turns: i64| -> i128 {
                        (0..turns).map(|turn| ways(row, self.residue(start, step, turn))).sum()
                    };
                    let whole = if turns > 0 { turns * along(cycle) } else { 0 };
                    found += whole + along(rest);
                }
            }
        }
        Some(found)
    }

    /// What one step along the solutions of two terms adds to the residue.
    fn line_step(&self, line: &Line, one: &Steps, other: &Steps) -> i64 {
        let reduced = |times: i128| i64::try_from(times.rem_euclid(i128::from(self.residues))).unwrap_or(0);
        let up = self.residue(0, one.by.residue, reduced(line.up));
        self.residue(up, other.by.residue, reduced(-line.down))
    }
}

impl Term {
    /// The largest number that it adds at once, without its sign.
    fn largest(&self) -> u128 {
        match self {
            Term::Steps { by, .. } => by.number.unsigned_abs(),
            Term::List(list) => list.iter().map(|(amount, _)| amount.number.unsigned_abs()).max().unwrap_or(0),
        }
    }
}

impl Reach {
    /// What a partial sum must be before a term is added.
    fn add(&mut self, term: &Term) {
        match term {
            Term::Steps { by, count } => {
                let end = by.number * i128::from(count - 1);
                (self.least, self.most) = (self.least - end.max(0), self.most - end.min(0));
                self.step = gcd(self.step, by.number);
            }
            Term::List(list) => {
                let numbers = || list.iter().map(|(amount, _)| amount.number);
                let (least, most) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
                (self.least, self.most) = (self.least - most, self.most - least);
                self.class -= least;
                self.step = numbers().fold(self.step, |step, number| gcd(step, number - least));
            }
        }
    }

    fn contains(&self, sum: i128) -> bool {
        let class = self.step == 0 || (sum - self.class) % self.step == 0;
        (self.least..=self.most).contains(&sum) && class
    }

    /// How often a positive number may be added to a sum, below a count: the first and last number of times, and the distance
    /// between neighbours.
    fn values(&self, sum: i128, by: i128, count: i64) -> Option<(i64, i64, i64)> {
        let first = ceiling(self.least - sum, by).max(0);
        let last = (self.most - sum).div_euclid(by).min(i128::from(count) - 1);
        let (mut start, mut stride) = (first, 1);
        if self.step > 0 {
            let common = gcd(by, self.step);
            let gap = self.class - sum;
            if gap % common != 0 {
                return None;
            }
            stride = self.step / common;
            let class = multiply(gap / common, inverse_of(by / common, stride), stride);
            start += (class - first).rem_euclid(stride);
        }
        if start > last {
            return None;
        }
        let stride = i64::try_from(stride).unwrap_or(i64::MAX);
        Some((i64::try_from(start).ok()?, i64::try_from(last).ok()?, stride))
    }
}

/// The solutions of `a x + b y = number` with both unknowns in a box lie on a line.
struct Line {
    /// `a` and `b`, both positive, and how many values each unknown has.
    steps: [i128; 2],
    counts: [i64; 2],
    common: i128,
    /// From one solution to the next, `x` grows by `up` and `y` falls by `down`.
    up: i128,
    down: i128,
    /// The inverse of `a / common` modulo `up`.
    inverse: i128,
}

impl Line {
    fn of(one: &Steps, other: &Steps) -> Option<Line> {
        let (a, b) = (one.by.number, other.by.number);
        let common = gcd(a, b);
        if common == 0 {
            return None;
        }
        let (up, down) = (b / common, a / common);
        let inverse = inverse_of(down, up);
        Some(Line { steps: [a, b], counts: [one.count, other.count], common, up, down, inverse })
    }

    /// The first solution and how many there are.
    fn solutions(&self, number: i128) -> Option<(i64, i64, i64)> {
        let ([a, b], [xs, ys]) = (self.steps, self.counts);
        if number % self.common != 0 {
            return None;
        }
        let least = ceiling(number - b * (i128::from(ys) - 1), a).max(0);
        let most = number.div_euclid(a).min(i128::from(xs) - 1);
        let class = multiply(number / self.common, self.inverse, self.up);
        let x = least + (class - least).rem_euclid(self.up);
        if x > most {
            return None;
        }
        let y = (number - a * x) / b;
        let count = (most - x) / self.up + 1;
        Some((i64::try_from(x).ok()?, i64::try_from(y).ok()?, i64::try_from(count).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::random::numbers;

    /// The sums of all choices, each with its number of ways.
    fn sums(start: Amount, terms: &[Term]) -> Vec<(Amount, i128)> {
        let mut sums = vec![(start, 1)];
        for term in terms {
            let values: Vec<(Amount, i128)> = match term {
                Term::Steps { by, count } => (0..*count)
                    .map(|times| {
                        let number = by.number * i128::from(times);
                        (Amount { number, residue: by.residue * times }, 1)
                    })
                    .collect(),
                Term::List(list) => list.clone(),
            };
            let with = |(sum, ways): &(Amount, i128), (more, times): &(Amount, i128)| {
                let residue = sum.residue + more.residue;
                (Amount { number: sum.number + more.number, residue }, ways * times)
            };
            sums = sums.iter().flat_map(|sum| values.iter().map(move |value| with(sum, value))).collect();
        }
        sums
    }

    #[test]
    fn counts_are_those_of_all_choices() {
        let mut below = numbers(7);
        for case in 0..6000 {
            let residues = [1, 1, 2, 4, 6, 8][usize::try_from(below(6)).unwrap_or(0)];
            let targets: Vec<i128> = (0..residues).map(|_| i128::from(below(5)) * 3 - 6).collect();
            let target = match residues {
                1 => Target::zero(),
                _ => Target::of_residues(&targets).expect("the table is small"),
            };
            let targets = if residues == 1 { vec![0] } else { targets };
            let mut amount = || Amount { number: i128::from(below(25)) - 12, residue: below(9) };
            let start = amount();
            let drawn: Vec<(Amount, Amount)> = (0..4).map(|_| (amount(), amount())).collect();
            let terms: Vec<Term> = drawn
                .into_iter()
                .take(usize::try_from(case % 5).unwrap_or(0))
                .map(|(by, other)| match below(6) {
                    0 => Term::List(vec![(by, 1), (other, 2)]),
                    1 => Term::Steps { by: Amount { number: 0, ..by }, count: 1 + below(12) },
                    _ => Term::Steps { by, count: 1 + below(6) },
                })
                .collect();
            let wanted: i128 = sums(start, &terms)
                .iter()
                .filter(|(sum, _)| {
                    let residue = usize::try_from(sum.residue.rem_euclid(residues)).unwrap_or(0);
                    targets.get(residue) == Some(&sum.number)
                })
                .map(|(_, ways)| ways)
                .sum();
            let counted = target.count(start, terms.clone(), &mut Work::new(1 << 20));
            assert_eq!(counted, Some(wanted), "{start:?} {terms:?} to {targets:?}");
        }
    }

    #[test]
    fn two_terms_of_any_extent_take_a_few_steps() {
        let steps = |number, count| Term::Steps { by: Amount { number, residue: 0 }, count };
        let count = |terms| Target::zero().count(Amount::default(), terms, &mut Work::new(64));
        // i (n - 1) = j (n - 1) on the diagonal only.
        let side = 3_000_000_000;
        assert_eq!(
            count(vec![steps(i128::from(side) - 1, side), steps(1 - i128::from(side), side)]),
            Some(3_000_000_000)
        );
        assert_eq!(count(vec![steps(1 << 61, 5), steps(-(1 << 60), 5)]), Some(3));
    }
}
