//! All rows judged, and counted by file.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::thread;

use super::judge::{self, State, Verdict};
use super::operation::Ours;
use super::pending::Pattern;
use super::row::Row;

/// How many rows of a file came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) rows: usize,
    pub(crate) agree: usize,
    pub(crate) documented: usize,
    pub(crate) failing: usize,
    pub(crate) pending: usize,
}

/// Rows with their verdicts.
pub(crate) struct Run<'a> {
    pub(crate) verdicts: Vec<(&'a Row, Verdict)>,
    pending: Vec<bool>,
}

/// Judges the rows, on all processors.
pub(crate) fn run<'a>(rows: &'a [Row], pending: &[Pattern]) -> Run<'a> {
    let verdicts = on_all_processors(rows, judge::verdict);
    let pending = rows.iter().map(|row| pending.iter().any(|pattern| pattern.holds(row))).collect();
    Run { verdicts: rows.iter().zip(verdicts).collect(), pending }
}

/// What work on each item gives, in order.
pub(crate) fn on_all_processors<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let work = &work;
    // Neighbouring items cost alike, so each worker takes every n-th.
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let own = move |worker: usize| {
            let own = items.iter().enumerate().skip(worker).step_by(workers);
            own.map(|(at, item)| (at, work(item))).collect::<Vec<_>>()
        };
        let handles: Vec<_> = (0..workers).map(|worker| scope.spawn(move || own(worker))).collect();
        handles.into_iter().flat_map(|handle| handle.join().unwrap_or_default()).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    assert_eq!(done.len(), items.len(), "a worker panicked");
    done.into_iter().map(|(_, result)| result).collect()
}

impl Run<'_> {
    fn counts(&self) -> BTreeMap<&str, Count> {
        let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
        for ((row, verdict), pending) in self.verdicts.iter().zip(&self.pending) {
            let count = counts.entry(row.file.as_str()).or_default();
            count.rows += 1;
            *match &verdict.state {
                _ if *pending => &mut count.pending,
                State::Agree => &mut count.agree,
                State::Documented(_) => &mut count.documented,
                State::Failing(_) => &mut count.failing,
            } += 1;
        }
        counts
    }

    /// The rows of all files.
    pub(crate) fn count(&self) -> Count {
        self.counts().values().fold(Count::default(), |sum, count| Count {
            rows: sum.rows + count.rows,
            agree: sum.agree + count.agree,
            documented: sum.documented + count.documented,
            failing: sum.failing + count.failing,
            pending: sum.pending + count.pending,
        })
    }

    /// One line a file, and the totals.
    pub(crate) fn table(&self) -> String {
        let mut out =
            format!("{:32}{:>8}{:>8}{:>12}{:>9}{:>9}\n", "file", "rows", "agree", "documented", "failing", "pending");
        let counts = self.counts();
        for (file, count) in counts.iter().map(|(file, count)| (*file, *count)).chain([("all", self.count())]) {
            let Count { rows, agree, documented, failing, pending } = count;
            out += &format!("{file:32}{rows:>8}{agree:>8}{documented:>12}{failing:>9}{pending:>9}\n");
        }
        let unknown: Vec<_> = self.verdicts.iter().filter(|(row, _)| row.file == "cute/dsl_dynamic").collect();
        if !unknown.is_empty() {
            let agree: Vec<_> = unknown.iter().filter(|(_, verdict)| matches!(verdict.state, State::Agree)).collect();
            let answered = agree.iter().filter(|(_, verdict)| matches!(verdict.ours, Ours::Answer(_))).count();
            let refused = agree.len() - answered;
            out += &format!(
                "cute/dsl_dynamic agrees by an answer on {answered} rows, by naming the missing fact on {refused}\n"
            );
        }
        out
    }

    /// The first failing rows of each file.
    pub(crate) fn failing(&self, most: usize) -> String {
        let mut out = String::new();
        let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
        for ((row, verdict), pending) in self.verdicts.iter().zip(&self.pending) {
            let State::Failing(why) = &verdict.state else { continue };
            let shown = shown.entry(row.file.as_str()).or_default();
            *shown += 1;
            if *pending || *shown > most {
                continue;
            }
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "{} {} {}({})\n  ours   {}",
                row.file,
                row.id,
                row.op,
                row.operands.join(", "),
                verdict.ours.text()
            );
            for (system, theirs) in &row.answers {
                let _ = writeln!(out, "  {system:6} {theirs}");
            }
            let _ = writeln!(out, "  {why}");
        }
        out
    }

    /// The pending patterns of which every row passes.
    pub(crate) fn built<'p>(&self, pending: &'p [Pattern]) -> Vec<&'p Pattern> {
        let passes = |pattern: &&Pattern| {
            let mut rows = self.verdicts.iter().filter(|(row, _)| pattern.holds(row)).peekable();
            rows.peek().is_some() && rows.all(|(_, verdict)| !matches!(verdict.state, State::Failing(_)))
        };
        pending.iter().filter(passes).collect()
    }
}
