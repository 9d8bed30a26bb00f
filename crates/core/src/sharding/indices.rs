//! [`Indices`]: the indices of one dim that a device holds, as ascending runs.
//!
//! Law: the runs are disjoint and ascending, so that the `k`-th index in the set is the `k`-th index of the local tensor.
//! Selecting and counting cost as many steps as there are runs, not as there are indices.

use crate::cast::narrow;
use crate::error::{Code, Error};

/// How many runs a set may have, and how many steps a comparison of two sets may take.
pub(super) const MAX_RUNS: i64 = 1 << 16;

/// Blocks of neighbouring indices at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// The first index.
    pub start: i64,
    /// How many neighbours a block has; at least 1.
    pub length: i64,
    /// From the start of one block to the start of the next; at least the length.
    pub stride: i64,
    /// How many blocks there are; at least 1.
    pub count: i64,
}

impl Run {
    fn block(start: i64, length: i64) -> Self {
        Run { start, length, stride: length, count: 1 }
    }

    fn size(self) -> i64 {
        self.length * self.count
    }

    /// One past the last index.
    fn end(self) -> i64 {
        self.start + (self.count - 1) * self.stride + self.length
    }

    /// How many indices lie below a bound.
    fn below(self, bound: i64) -> i64 {
        let beyond = bound - self.start;
        if beyond <= 0 {
            return 0;
        }
        let block = (beyond / self.stride).min(self.count);
        let inside = if block == self.count { 0 } else { (beyond - block * self.stride).min(self.length) };
        block * self.length + inside
    }

    /// The index at a position.
    fn at(self, position: i64) -> i64 {
        self.start + position / self.length * self.stride + position % self.length
    }

    /// How many indices two runs share.
    fn common(self, other: Run, budget: &mut i64) -> Result<i64, Error> {
        if self.end() <= other.start || other.end() <= self.start {
            return Ok(0);
        }
        if self.count > 1 && self.stride == other.stride {
            return self.common_in_step(other);
        }
        let (few, many) = if self.count <= other.count { (self, other) } else { (other, self) };
        // Blocks before the other run begins and after it ends share nothing.
        let first = ((many.start - few.start - few.length) / few.stride).clamp(0, few.count);
        let last = ((many.end() - few.start) / few.stride + 1).clamp(first, few.count);
        spend(budget, last - first)?;
        let mut sum = 0;
        for block in first..last {
            let start = few.start + block * few.stride;
            sum += many.below(start + few.length) - many.below(start);
        }
        Ok(sum)
    }

    /// The same for runs of one stride: block `i` of one meets only the blocks `i + k` of the other for at most three `k`.
    fn common_in_step(self, other: Run) -> Result<i64, Error> {
        let [start, length, stride, count] = [self.start, self.length, self.stride, self.count].map(i128::from);
        let [other_start, other_length, other_count] = [other.start, other.length, other.count].map(i128::from);
        let gap = other_start - start;
        let nearest = -gap.div_euclid(stride);
        let shared = |k: i128| {
            let from = gap + k * stride;
            let width = length.min(from + other_length) - from.max(0);
            let blocks = count.min(other_count - k) - (-k).max(0);
            if width > 0 && blocks > 0 { width * blocks } else { 0 }
        };
        narrow((nearest - 1..=nearest + 1).map(shared).sum())
    }
}

/// Takes steps from a budget.
fn spend(budget: &mut i64, steps: i64) -> Result<(), Error> {
    *budget -= steps;
    if *budget >= 0 {
        return Ok(());
    }
    Err(error!(Code::TooLarge, "the indices of a dim fall into more than {max_runs} runs", [max_runs = MAX_RUNS]))
}

/// Equal blocks of indices that two sets share, by the positions that they have in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// The position of the first index in the first set.
    pub source: i64,
    /// Its position in the second set.
    pub target: i64,
    /// How many neighbours a block has in both; at least 1.
    pub length: i64,
    /// How many blocks there are; at least 1.
    pub count: i64,
    /// From the start of one block to the start of the next in the first set.
    pub source_stride: i64,
    /// The same in the second set.
    pub target_stride: i64,
}

impl Segment {
    /// How many indices it has.
    pub fn size(self) -> i64 {
        self.length * self.count
    }
}

/// Appends neighbours that two sets share: they lengthen the last block, are one more like it, or begin anew.
fn push_segment(all: &mut Vec<Segment>, source: i64, target: i64, length: i64) {
    if let Some(last) = all.last_mut() {
        let (before, across) = (last.count - 1, [last.source_stride, last.target_stride]);
        let steps = [source - last.source - before * across[0], target - last.target - before * across[1]];
        if last.count == 1 && steps == [last.length; 2] {
            last.length += length;
            return;
        }
        if last.length == length && (last.count == 1 || steps == across) {
            [last.source_stride, last.target_stride] = steps;
            last.count += 1;
            return;
        }
    }
    all.push(Segment { source, target, length, count: 1, source_stride: length, target_stride: length });
}

/// A set of indices of one dim.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Indices {
    runs: Vec<Run>,
}

impl Indices {
    /// No index.
    pub(super) const NONE: Indices = Indices { runs: Vec::new() };

    /// The indices from a start to below an end.
    ///
    /// ```
    /// use bitstride::sharding::Indices;
    /// assert_eq!(Indices::range(2, 5).blocks(9)?, [(2, 5)]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn range(start: i64, end: i64) -> Self {
        let mut all = Indices::default();
        all.push(start, end);
        all
    }

    /// Appends neighbours that lie behind all others.
    fn push(&mut self, start: i64, end: i64) {
        if end > start {
            self.push_run(Run::block(start, end - start));
        }
    }

    fn push_run(&mut self, mut run: Run) {
        if run.count == 1 || run.stride == run.length {
            run = Run::block(run.start, run.size());
        }
        match self.runs.last_mut() {
            Some(last) if run.count == 1 && last.count == 1 && last.end() == run.start => {
                *last = Run::block(last.start, last.length + run.length);
            }
            Some(last) if last.length == run.length && continues(*last, run) => {
                last.stride = if last.count == 1 { run.start - last.start } else { last.stride };
                last.count += run.count;
            }
            _ => self.runs.push(run),
        }
    }

    /// How many indices there are.
    ///
    /// ```
    /// assert_eq!(bitstride::sharding::Indices::range(2, 5).size(), 3);
    /// ```
    pub fn size(&self) -> i64 {
        self.runs.iter().map(|run| run.size()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The runs, ascending.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The least index.
    pub fn first(&self) -> Option<i64> {
        self.runs.first().map(|run| run.start)
    }

    /// Whether an index is in the set.
    ///
    /// ```
    /// let indices = bitstride::sharding::Indices::range(2, 5);
    /// assert_eq!([1, 2, 4, 5].map(|index| indices.holds(index)), [false, true, true, false]);
    /// ```
    pub fn holds(&self, index: i64) -> bool {
        let at = self.runs.partition_point(|run| run.end() <= index);
        self.runs.get(at).is_some_and(|run| index >= run.start && (index - run.start) % run.stride < run.length)
    }

    /// The index at a position of the local tensor; `None` beyond its end.
    ///
    /// ```
    /// assert_eq!(bitstride::sharding::Indices::range(2, 5).at(2), Some(4));
    /// ```
    pub fn at(&self, position: i64) -> Option<i64> {
        let mut rest = position;
        for run in &self.runs {
            if rest < run.size() {
                return (rest >= 0).then(|| run.at(rest));
            }
            rest -= run.size();
        }
        None
    }

    /// The neighbours in the set as `(start, end)`, ascending.
    ///
    /// # Errors
    /// [`Code::TooLarge`] for more than `most`.
    pub fn blocks(&self, most: i64) -> Result<Vec<(i64, i64)>, Error> {
        let mut budget = most;
        let mut all = Vec::new();
        for run in &self.runs {
            spend(&mut budget, run.count)?;
            all.extend((0..run.count).map(|block| {
                let start = run.start + block * run.stride;
                (start, start + run.length)
            }));
        }
        Ok(all)
    }

    /// The indices at some positions, which a run of positions says.
    pub(super) fn select(&self, positions: Run, selected: &mut Indices, budget: &mut i64) -> Result<(), Error> {
        if let [run] = self.runs.as_slice() {
            let (first, start) = (run.at(positions.start), positions.start % run.length);
            let is_whole = positions.count == 1 || positions.stride % run.length == 0;
            if run.count == 1 || start + positions.length <= run.length && is_whole {
                let stride = if run.count == 1 { positions.stride } else { positions.stride / run.length * run.stride };
                spend(budget, 1)?;
                selected.push_run(Run { start: first, stride, ..positions });
                return Ok(());
            }
        }
        for block in 0..positions.count {
            let start = positions.start + block * positions.stride;
            self.slice(start, start + positions.length, selected, budget)?;
        }
        Ok(())
    }

    /// The indices at neighbouring positions.
    fn slice(&self, from: i64, to: i64, selected: &mut Indices, budget: &mut i64) -> Result<(), Error> {
        let mut before = 0;
        for run in &self.runs {
            let (from, to) = ((from - before).max(0), (to - before).min(run.size()));
            before += run.size();
            spend(budget, 1)?;
            if from >= to {
                continue;
            }
            // The rest of a block, whole blocks, and the start of a block.
            let head = from / run.length + i64::from(from % run.length > 0);
            let tail = to / run.length;
            if head > tail {
                selected.push(run.at(from), run.at(to - 1) + 1);
                continue;
            }
            if from < head * run.length {
                selected.push(run.at(from), run.at(head * run.length - 1) + 1);
            }
            if head < tail {
                selected.push_run(Run { start: run.start + head * run.stride, count: tail - head, ..*run });
            }
            if tail * run.length < to {
                selected.push(run.at(tail * run.length), run.at(to - 1) + 1);
            }
        }
        Ok(())
    }

    /// How many indices two sets share.
    ///
    /// # Errors
    /// [`Code::TooLarge`] when the runs of the sets meet too often.
    ///
    /// ```
    /// use bitstride::sharding::Indices;
    /// assert_eq!(Indices::range(2, 5).common(&Indices::range(4, 9))?, 1);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn common(&self, other: &Indices) -> Result<i64, Error> {
        let mut budget = 16 * MAX_RUNS;
        let mut sum = 0;
        let mut first = 0;
        for run in &self.runs {
            while other.runs.get(first).is_some_and(|other| other.end() <= run.start) {
                first += 1;
            }
            for other in other.runs.iter().skip(first).take_while(|other| other.start < run.end()) {
                spend(&mut budget, 1)?;
                sum += run.common(*other, &mut budget)?;
            }
        }
        Ok(sum)
    }

    /// The indices that two sets share, by their positions in each, ascending.
    ///
    /// # Errors
    /// [`Code::TooLarge`] when the blocks of the sets are more than the steps that are left.
    pub(super) fn meet(&self, other: &Indices, budget: &mut i64) -> Result<Vec<Segment>, Error> {
        let mut all = Vec::new();
        let ends = |set: &Indices| set.runs.first().zip(set.runs.last()).map(|(first, last)| (first.start, last.end()));
        match (ends(self), ends(other)) {
            (Some(one), Some(two)) if one.0 < two.1 && two.0 < one.1 => {}
            _ => return Ok(all),
        }
        let (mut left, mut right) = (self.placed().peekable(), other.placed().peekable());
        while let (Some((start, end, at)), Some((other_start, other_end, other_at))) = (left.peek(), right.peek()) {
            spend(budget, 1)?;
            let (first, last) = (*start.max(other_start), *end.min(other_end));
            if first < last {
                push_segment(&mut all, at + first - start, other_at + first - other_start, last - first);
            }
            if end <= other_end {
                left.next()
            } else {
                right.next()
            };
        }
        Ok(all)
    }

    /// The blocks as `(start, end, position of the start)`.
    fn placed(&self) -> impl Iterator<Item = (i64, i64, i64)> {
        let blocks = self.runs.iter().flat_map(|run| (0..run.count).map(|block| block_of(*run, block)));
        blocks.scan(0, |before, (start, end)| {
            let position = *before;
            *before += end - start;
            Some((start, end, position))
        })
    }

    /// The least index that this set has and another one has not.
    ///
    /// # Errors
    /// As [`Indices::common`].
    ///
    /// ```
    /// use bitstride::sharding::Indices;
    /// let (short, long) = (Indices::range(2, 5), Indices::range(2, 9));
    /// assert_eq!((long.first_outside(&short)?, short.first_outside(&long)?), (Some(5), None));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn first_outside(&self, other: &Indices) -> Result<Option<i64>, Error> {
        if self.runs == other.runs {
            return Ok(None);
        }
        let mut budget = MAX_RUNS;
        let mut others = other.runs.iter().flat_map(|run| (0..run.count).map(|block| block_of(*run, block))).peekable();
        for (start, end) in self.runs.iter().flat_map(|run| (0..run.count).map(|block| block_of(*run, block))) {
            let mut from = start;
            while from < end {
                spend(&mut budget, 1)?;
                match others.peek() {
                    Some((_, other_end)) if *other_end <= from => drop(others.next()),
                    Some((other_start, other_end)) if *other_start <= from => from = *other_end,
                    _ => return Ok(Some(from)),
                }
            }
        }
        Ok(None)
    }
}

fn block_of(run: Run, block: i64) -> (i64, i64) {
    let start = run.start + block * run.stride;
    (start, start + run.length)
}

/// Whether a run of equal blocks goes on at the distance of the last run.
fn continues(last: Run, next: Run) -> bool {
    let step = next.start - (last.start + (last.count - 1) * last.stride);
    (last.count == 1 || step == last.stride) && (next.count == 1 || step == next.stride)
}
