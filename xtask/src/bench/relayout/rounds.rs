//! [`Rounds`]: ours and the copies, in turns.

use std::hint::black_box;
use std::time::Instant;

use bitstride::Layout;
use bitstride::map::Map;
use bitstride_relayout::{Element, Plan};
use rayon::prelude::*;

use super::Failure;
use super::hptt::Hptt;
use super::load::Load;

/// How often each takes its turn.
const ROUNDS: usize = 25;
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
    /// Ours, after the rounds, by itself as the peers are: copies in turn with it leave other lines in the caches than it
    /// does.
    pub(super) alone: Vec<f64>,
    /// The same with AVX2, where the machine has more.
    pub(super) avx2: Vec<f64>,
    /// Of HPTT, where it takes part.
    pub(super) hptt: Vec<f64>,
    /// How many processors others used meanwhile.
    pub(super) others: Option<f64>,
}

/// What else moves the same bytes, after the rounds.
#[derive(Clone, Copy)]
pub(super) struct Others<'a> {
    /// Our plan for AVX2.
    pub(super) avx2: Option<&'a Plan>,
    pub(super) hptt: Option<&'a Hptt>,
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
    pub(super) fn usual(plan: &Plan, others: Others, source: &[u8], destination: &mut [u8]) -> Result<Rounds, Failure> {
        let mut all = (0..3).map(|_| Rounds::of(plan, others, source, destination)).collect::<Result<Vec<_>, _>>()?;
        all.sort_by(|one, other| {
            let [one, other] = [one, other].map(|rounds| rounds.speed(rounds.ceiling().1));
            one.total_cmp(&other)
        });
        Ok(all.swap_remove(1))
    }

    fn of(plan: &Plan, others: Others, source: &[u8], destination: &mut [u8]) -> Result<Rounds, Failure> {
        let bytes = plan.moved_bytes();
        let threads = rayon::current_num_threads();
        let map = Map::of_layout(&format!("{bytes}:1").parse::<Layout>()?)?;
        let copy = Plan::new(&map, &map, Element::of_bits(8)?)?;
        let [ours, memcpy, stream, alone, avx2, hptt] = [const { Vec::new() }; 6];
        let mut rounds = Rounds { threads, bytes, ours, memcpy, stream, alone, avx2, hptt, others: None };
        let before = Load::now();
        for _ in 0..ROUNDS {
            rounds.ours.push(again(|| plan.run(source, destination))?);
            rounds.memcpy.push(again(|| split_copy(&source[..bytes], &mut destination[..bytes], threads))?);
            rounds.stream.push(again(|| copy.run(source, destination))?);
        }
        for (plan, times) in [(Some(plan), &mut rounds.alone), (others.avx2, &mut rounds.avx2)] {
            let Some(plan) = plan else { continue };
            for _ in 0..ROUNDS {
                times.push(again(|| plan.run(source, destination))?);
            }
        }
        // Its threads wait for more work by spinning, and would take a processor from ours.
        if let Some(hptt) = others.hptt {
            for _ in 0..ROUNDS {
                hptt.seconds(source, destination, threads)?;
                rounds.hptt.push(hptt.seconds(source, destination, threads)?);
            }
        }
        rounds.others = before.and_then(|before| before.others());
        Ok(rounds)
    }

    /// The better copy, and its name.
    pub(super) fn ceiling(&self) -> (&'static str, &[f64]) {
        let [memcpy, stream] = [&self.memcpy, &self.stream].map(|times| Spread::of(times.iter().copied()).median);
        if memcpy <= stream { ("memcpy", &self.memcpy) } else { ("stream", &self.stream) }
    }

    /// The share of the ceiling that some times reach, round by round.
    pub(super) fn ratio(&self, times: &[f64]) -> Spread {
        Spread::of(self.ceiling().1.iter().zip(times).map(|(ceiling, time)| ceiling / time))
    }

    /// Bytes read and written in a nanosecond.
    pub(super) fn speed(&self, times: &[f64]) -> f64 {
        // The sizes are far below 2^52.
        let bytes: f64 = u32::try_from(self.bytes).map_or(f64::NAN, f64::from);
        2.0 * bytes / 1e9 / Spread::of(times.iter().copied()).median
    }
}

fn split_copy(source: &[u8], destination: &mut [u8], threads: usize) -> Result<(), std::convert::Infallible> {
    let part = source.len().div_ceil(threads).max(1);
    let parts = source.par_chunks(part).zip(destination.par_chunks_mut(part));
    parts.for_each(|(source, destination)| destination.copy_from_slice(source));
    Ok(())
}

/// The seconds that a turn takes.
pub(super) fn seconds<E>(turn: impl FnOnce() -> Result<(), E>) -> Result<f64, E> {
    let start = Instant::now();
    turn()?;
    Ok(start.elapsed().as_secs_f64())
}

/// The seconds of the second of two turns: what others have left in the caches slows the first by up to half, lines most of
/// all that were written into the caches and are now written past them.
fn again<E>(mut turn: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    turn()?;
    seconds(turn)
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
