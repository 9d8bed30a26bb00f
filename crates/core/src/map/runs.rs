//! [`Runs`]: a set of integers as runs of neighbours, such as all sums of multiples of some steps.
//!
//! Each step is added by doubling, the shortest step first. The middle of the sums soon has no gaps. So the number of
//! runs is about the number of gaps that the steps leave at both ends, whatever the counts.
//!
//! Law: the set holds a number exactly when some choice of steps has this sum.

use super::solutions::Work;

/// The most runs of a set.
const MAX_RUNS: usize = 1 << 20;

/// Integers as runs, the first and the last of each, in order, with a gap between neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Runs(Vec<(i128, i128)>);

impl Runs {
    /// The sums of a number and of 0 times up to `count - 1` times each step; none where they are too many runs. Steps are
    /// positive.
    pub(super) fn of_steps(start: i128, steps: &[(i128, i64)], work: &mut Work) -> Option<Runs> {
        let mut runs = Runs(vec![(start, start)]);
        let mut taken: Vec<(i128, i64, i64)> = steps.iter().map(|(by, count)| (*by, *count, 1)).collect();
        loop {
            let open = taken.iter_mut().filter(|(_, count, done)| done < count);
            let Some((by, count, done)) = open.min_by_key(|(by, _, done)| *by * i128::from(*done)) else { break };
            let more = (*done).min(*count - *done);
            let shift = *by * i128::from(more);
            *done += more;
            runs = runs.union(&runs.shifted(shift), work)?;
        }
        Some(runs)
    }

    fn shifted(&self, by: i128) -> Runs {
        Runs(self.0.iter().map(|(first, last)| (first + by, last + by)).collect())
    }

    /// The numbers of either set.
    pub(super) fn union(&self, other: &Runs, work: &mut Work) -> Option<Runs> {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut union: Vec<(i128, i128)> = Vec::new();
        while let Some((first, last)) = match (left.peek(), right.peek()) {
            (Some(one), Some(two)) if one.0 <= two.0 => left.next(),
            (Some(_), None) => left.next(),
            _ => right.next(),
        } {
            match union.last_mut() {
                Some((_, end)) if *first <= *end + 1 => *end = (*end).max(*last),
                _ => union.push((*first, *last)),
            }
        }
        work.spend(crate::cast::length(self.0.len() + other.0.len()))?;
        (union.len() <= MAX_RUNS).then_some(Runs(union))
    }

    /// How many numbers there are.
    pub(super) fn size(&self) -> i128 {
        self.0.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// How many numbers are between two, both included.
    pub(super) fn within(&self, least: i128, most: i128) -> i128 {
        self.0.iter().map(|(first, last)| ((*last).min(most) - (*first).max(least) + 1).max(0)).sum()
    }

    /// The run that holds a number.
    pub(super) fn holding(&self, number: i128) -> Option<(i128, i128)> {
        let after = self.0.partition_point(|(first, _)| *first <= number);
        let run = after.checked_sub(1).and_then(|at| self.0.get(at)).copied();
        run.filter(|(_, last)| *last >= number)
    }

    /// The least and the greatest number.
    pub(super) fn ends(&self) -> Option<(i128, i128)> {
        Some((self.0.first()?.0, self.0.last()?.1))
    }

    /// The numbers from the least on.
    pub(super) fn rising(&self) -> impl Iterator<Item = i128> {
        self.0.iter().flat_map(|(first, last)| *first..=*last)
    }

    /// The numbers from the greatest on.
    pub(super) fn falling(&self) -> impl Iterator<Item = i128> {
        self.0.iter().rev().flat_map(|(first, last)| (*first..=*last).rev())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn sums_are_those_of_all_choices() {
        let numbers = [1i64, 2, 3, 5, 6, 9];
        for (a, b, c) in numbers.iter().flat_map(|a| numbers.iter().map(move |b| (*a, *b, a + b - 1))) {
            for counts in [[1, 1, 1], [2, 3, 1], [4, 7, 2], [9, 5, 3], [13, 1, 6]] {
                let steps: Vec<(i128, i64)> = [a, b, c].iter().map(|by| i128::from(*by)).zip(counts).collect();
                let mut sums = BTreeSet::from([-7i128]);
                for (by, count) in &steps {
                    sums = sums.iter().flat_map(|sum| (0..*count).map(move |x| sum + by * i128::from(x))).collect();
                }
                let runs = Runs::of_steps(-7, &steps, &mut Work::new(1 << 20)).expect("they are few");
                assert_eq!(runs.rising().collect::<BTreeSet<_>>(), sums, "{steps:?}");
                assert_eq!(runs.falling().collect::<Vec<_>>(), sums.iter().rev().copied().collect::<Vec<_>>());
                assert_eq!(runs.within(0, 20), sums.range(0..=20).map(|_| 1).sum::<i128>());
                for number in -9..60 {
                    assert_eq!(runs.holding(number).is_some(), sums.contains(&number));
                }
            }
        }
    }

    #[test]
    fn counts_of_steps_do_not_matter() {
        let runs = Runs::of_steps(0, &[(7, 1_000_003), (11, 999_983)], &mut Work::new(1 << 16)).expect("few runs");
        // The numbers that are no sum of 7s and 11s: (7 - 1)(11 - 1) / 2 at each end.
        assert_eq!(runs.size(), 7 * 1_000_002 + 11 * 999_982 + 1 - 60);
    }
}
