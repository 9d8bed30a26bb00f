//! [`Rounds`]: ours and the copies, in turns, and then ours and what else moves the same bytes.

use std::hint::black_box;
use std::thread::sleep;
use std::time::{Duration, Instant};

use bitstride::Layout;
use bitstride::map::Map;
use bitstride_relayout::{Element, Plan};
use rayon::prelude::*;

use super::Failure;
use super::load::Load;

/// How often each takes its turn.
const ROUNDS: usize = 25;
/// The same where ours and its peers contend.
const CONTEST: usize = 20;
/// How many runs a turn is there. `peers/relayout.py` has the same number.
const SETTLED: usize = 4;
/// How many plans are made to tell how long one takes.
const PLANS: usize = 101;
/// How long threads of OpenMP wait for more work by spinning, at most: they would take a processor from who comes next.
const SPIN: Duration = Duration::from_millis(20);

/// Seconds of every turn, on one number of threads.
pub(super) struct Rounds {
    pub(super) threads: usize,
    /// Bytes that are moved.
    pub(super) bytes: usize,
    pub(super) ours: Vec<f64>,
    pub(super) memcpy: Vec<f64>,
    /// Our own copy, past the caches.
    pub(super) stream: Vec<f64>,
    /// How many processors others used meanwhile.
    pub(super) others: Option<f64>,
    /// Those of the contenders, the better copy and ours among them, in turns of their own.
    pub(super) contest: Vec<(&'static str, Vec<f64>)>,
}

/// A turn of a contender: it moves the bytes of one buffer to the other.
type Turn<'a> = dyn FnMut(&[u8], &mut [u8]) -> Result<f64, Failure> + Send + 'a;

/// What moves the bytes of one buffer to where they belong in the other.
pub(super) struct Contender<'a> {
    pub(super) name: &'static str,
    /// The seconds of the last of some runs.
    pub(super) turn: Box<Turn<'a>>,
    /// Whether its threads spin for a while when it is done.
    pub(super) spins: bool,
}

impl<'a> Contender<'a> {
    /// A plan of ours.
    pub(super) fn plan(name: &'static str, plan: &'a Plan) -> Contender<'a> {
        Contender {
            name,
            turn: Box::new(|source, destination| Ok(settled(|| plan.run(source, destination))?)),
            spins: false,
        }
    }
}

/// The middle of many numbers, and how far they spread.
#[derive(Clone, Copy)]
pub(super) struct Spread {
    pub(super) median: f64,
    /// A quarter is below it.
    pub(super) low: f64,
    /// A quarter is above it.
    pub(super) high: f64,
}

impl Spread {
    /// Of numbers in any order.
    pub(super) fn of(numbers: impl Iterator<Item = f64>) -> Spread {
        let mut sorted: Vec<f64> = numbers.collect();
        sorted.sort_by(f64::total_cmp);
        let at = |quarters: usize| sorted.get(sorted.len() * quarters / 4).copied().unwrap_or(f64::NAN);
        Spread { median: at(2), low: at(1), high: at(3) }
    }
}

impl Rounds {
    /// Takes turns on the threads of the pool that this runs in, three times over: those count in which the copies were neither
    /// the fastest nor the slowest. A virtual machine shares its memory with neighbours, who are quiet or busy for seconds.
    /// Then contenders take theirs.
    pub(super) fn usual(
        plan: &Plan,
        contenders: Vec<Contender>,
        source: &[u8],
        destination: &mut [u8],
    ) -> Result<Rounds, Failure> {
        let map = Map::of_layout(&format!("{}:1", plan.moved_bytes()).parse::<Layout>()?)?;
        let copy = Plan::new(&map, &map, Element::of_bits(8)?)?;
        let mut all = (0..3).map(|_| Rounds::of(plan, &copy, source, destination)).collect::<Result<Vec<_>, _>>()?;
        all.sort_by(|one, other| {
            let [one, other] = [one, other].map(|rounds| rounds.speed(rounds.ceiling().1));
            one.total_cmp(&other)
        });
        let mut usual = all.swap_remove(1);
        usual.contest(&copy, contenders, source, destination)?;
        Ok(usual)
    }

    fn of(plan: &Plan, copy: &Plan, source: &[u8], destination: &mut [u8]) -> Result<Rounds, Failure> {
        let bytes = plan.moved_bytes();
        let threads = rayon::current_num_threads();
        let [ours, memcpy, stream] = [const { Vec::new() }; 3];
        let mut rounds = Rounds { threads, bytes, ours, memcpy, stream, others: None, contest: Vec::new() };
        let before = Load::now();
        for _ in 0..ROUNDS {
            rounds.ours.push(again(|| plan.run(source, destination))?);
            rounds.memcpy.push(again(|| split_copy(&source[..bytes], &mut destination[..bytes], threads))?);
            rounds.stream.push(again(|| copy.run(source, destination))?);
        }
        rounds.others = before.and_then(|before| before.others());
        Ok(rounds)
    }

    /// Adds the turns of the better copy and of the contenders.
    fn contest(
        &mut self,
        copy: &Plan,
        contenders: Vec<Contender>,
        source: &[u8],
        destination: &mut [u8],
    ) -> Result<(), Failure> {
        let (bytes, threads) = (self.bytes, self.threads);
        let memcpy: Contender = Contender {
            name: CEILING,
            turn: Box::new(move |source, destination| {
                Ok(settled(|| split_copy(&source[..bytes], &mut destination[..bytes], threads))?)
            }),
            spins: false,
        };
        let ceiling = if self.ceiling().0 == "memcpy" { memcpy } else { Contender::plan(CEILING, copy) };
        let mut all: Vec<(Contender, Vec<f64>)> =
            std::iter::once(ceiling).chain(contenders).map(|contender| (contender, Vec::new())).collect();
        for _ in 0..CONTEST {
            for (contender, times) in &mut all {
                times.push((contender.turn)(source, destination)?);
                if contender.spins {
                    sleep(SPIN);
                }
            }
        }
        self.contest = all.into_iter().map(|(contender, times)| (contender.name, times)).collect();
        Ok(())
    }

    /// The share of the ceiling that each contender reaches, round by round.
    pub(super) fn shares(&self) -> Vec<(&'static str, f64)> {
        let Some(((_, ceiling), contenders)) = self.contest.split_first() else { return Vec::new() };
        contenders.iter().map(|(name, times)| (*name, shares(ceiling, times).median)).collect()
    }

    /// The better copy, and its name.
    pub(super) fn ceiling(&self) -> (&'static str, &[f64]) {
        let [memcpy, stream] = [&self.memcpy, &self.stream].map(|times| Spread::of(times.iter().copied()).median);
        if memcpy <= stream { ("memcpy", &self.memcpy) } else { ("stream", &self.stream) }
    }

    /// The share of the ceiling that ours reaches, round by round.
    pub(super) fn share(&self) -> Spread {
        shares(self.ceiling().1, &self.ours)
    }

    /// Bytes read and written in a nanosecond.
    pub(super) fn speed(&self, times: &[f64]) -> f64 {
        // The sizes are far below 2^52.
        let bytes: f64 = u32::try_from(self.bytes).map_or(f64::NAN, f64::from);
        2.0 * bytes / 1e9 / Spread::of(times.iter().copied()).median
    }
}

/// The better copy among the contenders.
const CEILING: &str = "ceiling";

fn shares(ceiling: &[f64], times: &[f64]) -> Spread {
    Spread::of(ceiling.iter().zip(times).map(|(ceiling, time)| ceiling / time))
}

fn split_copy(source: &[u8], destination: &mut [u8], threads: usize) -> Result<(), std::convert::Infallible> {
    let part = source.len().div_ceil(threads).max(1);
    let parts = source.par_chunks(part).zip(destination.par_chunks_mut(part));
    parts.for_each(|(source, destination)| destination.copy_from_slice(source));
    Ok(())
}

/// The seconds that a turn takes.
fn seconds<E>(turn: impl FnOnce() -> Result<(), E>) -> Result<f64, E> {
    let start = Instant::now();
    turn()?;
    Ok(start.elapsed().as_secs_f64())
}

/// The seconds of the second of two runs: what others have left in the caches slows the first by up to half, lines most of
/// all that were written into the caches and are now written past them.
fn again<E>(mut run: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    run()?;
    seconds(run)
}

/// The seconds of the last of [`SETTLED`] runs, which finds in the caches what it left there itself.
pub(super) fn settled<E>(mut run: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    for _ in 1..SETTLED {
        run()?;
    }
    seconds(run)
}

/// The median of the microseconds that one call takes.
pub(super) fn median_micros<T>(call: impl Fn() -> T) -> f64 {
    let time = |_| {
        let start = Instant::now();
        let made = black_box(call());
        let spent = start.elapsed().as_secs_f64() * 1e6;
        drop(made);
        spent
    };
    Spread::of((0..PLANS).map(time)).median
}
