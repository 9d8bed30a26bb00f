//! [`Rounds`]: ours and the copies, in turns.

use std::hint::black_box;
use std::time::Instant;

use bitstride_relayout::Plan;
use rayon::prelude::*;

use super::Failure;
use super::load::Load;

/// How often each takes its turn.
const ROUNDS: usize = 25;
/// How many runs a turn is: what others have left in the caches slows the first by up to half, lines most of all that were
/// written into the caches and are now written past them.
const RUNS: usize = 2;
/// How many plans are made to tell how long one takes.
const PLANS: usize = 101;
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
}

/// Which copy is the better one.
#[derive(Clone, Copy)]
pub(super) enum Ceiling {
    Memcpy,
    Stream,
}

impl Ceiling {
    pub(super) fn name(self) -> &'static str {
        match self {
            Ceiling::Memcpy => "memcpy",
            Ceiling::Stream => "stream",
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

    /// Of the shares that some times reach of a ceiling, round by round.
    pub(super) fn of_shares(ceiling: &[f64], times: &[f64]) -> Spread {
        Spread::of(ceiling.iter().zip(times).map(|(ceiling, time)| ceiling / time))
    }
}

impl Rounds {
    /// Takes turns on the threads of the pool that this runs in, three times over: those count in which the copies were neither
    /// the fastest nor the slowest. A virtual machine shares its memory with neighbours, who are quiet or busy for seconds.
    pub(super) fn usual(plan: &Plan, copy: &Plan, source: &[u8], destination: &mut [u8]) -> Result<Rounds, Failure> {
        let mut all = (0..3).map(|_| Rounds::of(plan, copy, source, destination)).collect::<Result<Vec<_>, _>>()?;
        all.sort_by(|one, other| {
            let [one, other] = [one, other].map(|rounds| rounds.speed(rounds.ceiling().1));
            one.total_cmp(&other)
        });
        Ok(all.swap_remove(1))
    }

    fn of(plan: &Plan, copy: &Plan, source: &[u8], destination: &mut [u8]) -> Result<Rounds, Failure> {
        let bytes = plan.moved_bytes();
        let threads = rayon::current_num_threads();
        let [ours, memcpy, stream] = [const { Vec::new() }; 3];
        let mut rounds = Rounds { threads, bytes, ours, memcpy, stream, others: None };
        let before = Load::now();
        for _ in 0..ROUNDS {
            rounds.ours.push(last(RUNS, || plan.run(source, destination))?);
            rounds.memcpy.push(last(RUNS, || split_copy(&source[..bytes], &mut destination[..bytes], threads))?);
            rounds.stream.push(last(RUNS, || copy.run(source, destination))?);
        }
        rounds.others = before.and_then(|before| before.others());
        Ok(rounds)
    }

    /// The better copy, and its seconds.
    pub(super) fn ceiling(&self) -> (Ceiling, &[f64]) {
        let [memcpy, stream] = [&self.memcpy, &self.stream].map(|times| Spread::of(times.iter().copied()).median);
        if memcpy <= stream { (Ceiling::Memcpy, &self.memcpy) } else { (Ceiling::Stream, &self.stream) }
    }

    /// The share of the ceiling that ours reaches, round by round.
    pub(super) fn share(&self) -> Spread {
        Spread::of_shares(self.ceiling().1, &self.ours)
    }

    /// Bytes read and written in a nanosecond.
    pub(super) fn speed(&self, times: &[f64]) -> f64 {
        // The sizes are far below 2^52.
        let bytes: f64 = u32::try_from(self.bytes).map_or(f64::NAN, f64::from);
        2.0 * bytes / 1e9 / Spread::of(times.iter().copied()).median
    }
}

/// Copies so that each thread has one part.
pub(super) fn split_copy(
    source: &[u8],
    destination: &mut [u8],
    threads: usize,
) -> Result<(), std::convert::Infallible> {
    let part = source.len().div_ceil(threads).max(1);
    let parts = source.par_chunks(part).zip(destination.par_chunks_mut(part));
    parts.for_each(|(source, destination)| destination.copy_from_slice(source));
    Ok(())
}

/// The seconds of the last of so many runs.
pub(super) fn last<E>(runs: usize, mut run: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    for _ in 1..runs {
        run()?;
    }
    let start = Instant::now();
    run()?;
    Ok(start.elapsed().as_secs_f64())
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
