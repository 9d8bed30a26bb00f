//! `cargo xtask hunt [AREA] [--seed N] [--cases N]`: adversarial cases, judged by the oracle.
//!
//! An area draws a case, an expression for the calculator, and judges what the calculator says by the slow oracle
//! (`bitstride_oracle::reference`, `bitstride_oracle::laws`), which shares no code with it. Printed are how many cases were right, refused with
//! reason, falsely refused, undecided and wrong, and of the last three kinds the smallest case. A case depends on the seed and its
//! number alone, so that every run of a seed tries the same. A case that takes ten seconds of a processor hangs: it is
//! printed, and the run fails.

mod area;
mod draw;
mod known;
mod outcome;
mod source;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use outcome::{Outcome, Tally};
use source::{Source, seed_of, shrunk};

/// The options, for the usage line.
pub(crate) const OPTIONS: &str = "[AREA]... [--seed N] [--cases N] [--show N]";

/// How long one case may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// One case: what is asked, and how the answer is judged.
pub(crate) struct Case {
    /// The expression, as a reader would type it.
    text: String,
    judge: Box<dyn FnOnce() -> Outcome>,
}

impl Case {
    /// A case of its text and its judge.
    pub(crate) fn new(text: impl Into<String>, judge: impl FnOnce() -> Outcome + 'static) -> Case {
        Case { text: text.into(), judge: Box::new(judge) }
    }
}

impl Case {
    /// A case where nothing was drawn, which happens when a list of zeros is replayed.
    pub(crate) fn none() -> Case {
        Case::new("nothing", || Outcome::Refused)
    }
}

/// A kind of cases.
pub(crate) struct Area {
    /// Its name on the command line.
    name: &'static str,
    /// How a case is drawn.
    draw: fn(&mut Source) -> Case,
}

impl Area {
    /// An area.
    const fn new(name: &'static str, draw: fn(&mut Source) -> Case) -> Area {
        Area { name, draw }
    }
}

/// What the command line asks for.
struct Asked {
    areas: Vec<&'static Area>,
    seed: u64,
    cases: u64,
    shown: usize,
}

/// Runs the chore.
pub(crate) fn main(arguments: &[&str]) -> ExitCode {
    let asked = match asked(arguments) {
        Ok(asked) => asked,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    // A panic is counted as a wrong answer; its message would only disturb the table.
    std::panic::set_hook(Box::new(|_| ()));
    let kinds: String = Outcome::KINDS.iter().map(|kind| format!("{kind:>16}")).collect();
    println!("{:14}{:>9}{kinds}", "area", "tried");
    let mut good = true;
    for area in &asked.areas {
        let found = hunt(area, &asked);
        println!("{:14}{}", area.name, found.tally);
        good &= found.tally.of(4) == 0;
        for (kind, failures) in &found.failures {
            for (text, sentence) in distinct(area, failures, asked.shown) {
                println!("  {}: {text}\n    {sentence}", Outcome::KINDS.get(*kind).copied().unwrap_or_default());
            }
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn asked(arguments: &[&str]) -> Result<Asked, String> {
    let mut asked = Asked { areas: Vec::new(), seed: 1, cases: 10_000, shown: 1 };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut number = || {
            let value = arguments.next().ok_or_else(|| format!("{argument} needs a number"))?;
            value.replace('_', "").parse::<u64>().map_err(|_| format!("{argument} needs a number, not {value}"))
        };
        match *argument {
            "--seed" => asked.seed = number()?,
            "--cases" => asked.cases = number()?,
            "--show" => asked.shown = usize::try_from(number()?).unwrap_or(usize::MAX),
            option if option.starts_with('-') => return Err(format!("unknown option {option}; options: {OPTIONS}")),
            name => asked.areas.push(area::ALL.iter().find(|area| area.name == name).ok_or_else(|| {
                let names: Vec<&str> = area::ALL.iter().map(|area| area.name).collect();
                format!("no area is called {name}; there are {}", names.join(", "))
            })?),
        }
    }
    if asked.areas.is_empty() {
        asked.areas = area::ALL.iter().collect();
    }
    Ok(asked)
}

/// What a hunt found.
#[derive(Default)]
struct Found {
    tally: Tally,
    /// By kind, the shortest texts of cases, with the numbers that draw them.
    failures: BTreeMap<usize, Vec<Failure>>,
}

/// A case that is worth showing.
struct Failure {
    text: String,
    kind: usize,
    given: Vec<u64>,
}

impl Found {
    fn add(&mut self, text: String, outcome: &Outcome, source: &Source) {
        const KEPT: usize = 200;
        self.tally.add(outcome);
        if (2..=4).contains(&outcome.kind()) {
            let failures = self.failures.entry(outcome.kind()).or_default();
            failures.push(Failure { text, kind: outcome.kind(), given: source.given().to_vec() });
            if failures.len() > 2 * KEPT {
                failures.sort_by_key(|failure| failure.text.len());
                failures.truncate(KEPT);
            }
        }
    }

    fn join(&mut self, other: Found) {
        self.tally.join(&other.tally);
        for (kind, failures) in other.failures {
            let all = self.failures.entry(kind).or_default();
            all.extend(failures);
            all.sort_by(|one, other| (one.text.len(), &one.text).cmp(&(other.text.len(), &other.text)));
        }
    }
}

/// Draws a case and judges it; a panic is wrong.
fn judged(area: &Area, source: &mut Source, before: impl FnOnce(&str)) -> (String, Outcome) {
    let drawn = catch_unwind(AssertUnwindSafe(|| (area.draw)(source)));
    let Ok(Case { text, judge }) = drawn else {
        return ("drawing".into(), Outcome::Wrong("drawing the case panicked".into()));
    };
    before(&text);
    let outcome = catch_unwind(AssertUnwindSafe(judge));
    (text, outcome.unwrap_or_else(|_| Outcome::Wrong("panicked".into())))
}

/// What each worker is at, and how long the process had run before on all processors.
type Doing = Mutex<Option<(Duration, String)>>;

/// How long the process has run on all processors: a busy machine makes no case longer.
fn run_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tries all cases of an area on all processors.
fn hunt(area: &Area, asked: &Asked) -> Found {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicU64::new(0);
    let running = AtomicU64::new(u64::try_from(workers).unwrap_or(1));
    let doing: Vec<Doing> = (0..workers).map(|_| Mutex::new(None)).collect();
    thread::scope(|scope| {
        let handles: Vec<_> = doing
            .iter()
            .map(|doing| {
                scope.spawn(|| {
                    let found = worker(area, asked, &next, doing);
                    running.fetch_sub(1, Ordering::SeqCst);
                    found
                })
            })
            .collect();
        while running.load(Ordering::SeqCst) > 0 {
            thread::sleep(Duration::from_millis(20));
            // Each of the others may have run as long.
            let late =
                |began: Duration| run_time().saturating_sub(began) > DEADLINE * u32::try_from(workers).unwrap_or(1);
            for doing in &doing {
                if let Some((_, text)) = locked(doing).as_ref().filter(|(began, _)| late(*began)) {
                    // A thread cannot be stopped from outside, so that the run ends here.
                    println!("{}: hangs: {text}", area.name);
                    std::process::exit(1);
                }
            }
        }
        let mut all = Found::default();
        for handle in handles {
            all.join(handle.join().unwrap_or_default());
        }
        all
    })
}

fn worker(area: &Area, asked: &Asked, next: &AtomicU64, doing: &Doing) -> Found {
    let mut found = Found::default();
    loop {
        let case = next.fetch_add(1, Ordering::Relaxed);
        if case >= asked.cases {
            return found;
        }
        let mut source = Source::seeded(seed_of(asked.seed, case));
        let begin = |text: &str| *locked(doing) = Some((run_time(), text.to_owned()));
        let (text, outcome) = judged(area, &mut source, begin);
        *locked(doing) = None;
        found.add(text, &outcome, &source);
    }
}

/// So many failures made small, no two with one text.
fn distinct(area: &Area, failures: &[Failure], shown: usize) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for failure in failures {
        if all.len() >= shown {
            break;
        }
        let small = smallest(area, failure);
        if all.iter().all(|(text, _)| *text != small.0) {
            all.push(small);
        }
    }
    all
}

/// A failure made as small as it goes, with what is said of it.
fn smallest(area: &Area, failure: &Failure) -> (String, String) {
    let again = |given: &[u64]| judged(area, &mut Source::replayed(given.to_vec()), |_| ());
    let given = shrunk(failure.given.clone(), &|given| again(given).1.kind() == failure.kind);
    let (text, outcome) = again(&given);
    (text, outcome.sentence().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_list_draws_the_same_case() {
        for area in &area::ALL {
            for case in 0..20 {
                let mut random = Source::seeded(seed_of(7, case));
                let text = (area.draw)(&mut random).text;
                let mut again = Source::replayed(random.given().to_vec());
                assert_eq!((area.draw)(&mut again).text, text, "{}", area.name);
            }
        }
    }

    /// Every area judges some cases right, and none wrong.
    #[test]
    fn nothing_is_wrong() {
        for area in &area::ALL {
            let asked = Asked { areas: Vec::new(), seed: 3, cases: 300, shown: 1 };
            let found = hunt(area, &asked);
            let wrong = found
                .failures
                .get(&Outcome::Wrong(String::new()).kind())
                .and_then(|failures| failures.first())
                .map(|first| smallest(area, first));
            assert_eq!(wrong, None, "{}", area.name);
            assert!(found.tally.of(Outcome::Right.kind()) > 0, "{} judged nothing right", area.name);
        }
    }

    #[test]
    fn shrinking_keeps_what_holds() {
        let sum = |list: &[u64]| list.iter().sum::<u64>() >= 10;
        assert_eq!(shrunk(vec![3, 9, 0, 7, 20], &sum), [10]);
    }
}
