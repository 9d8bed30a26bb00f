//! [`Contest`]: ours and what else moves the same bytes, in turns.
//!
//! Neighbours of a virtual machine come and go within seconds, so that what is compared has to be measured in the same ones. A
//! turn is [`RUNS`] runs, of which the last is timed: each contender finds in the caches what it left there itself.

use std::thread::sleep;
use std::time::Duration;

use bitstride_relayout::Plan;

use super::Failure;
use super::rounds::{Ceiling, Spread, last, split_copy};

/// How often each takes its turn.
const TURNS: usize = 20;
/// How many runs a turn is.
pub(super) const RUNS: usize = 4;
/// How long threads of OpenMP wait for more work by spinning, at most: they would take a processor from who comes next.
const SPIN: Duration = Duration::from_millis(20);

/// What moves the bytes of one buffer to the other, and takes so many seconds for it.
type Turn<'a> = dyn FnMut(&[u8], &mut [u8]) -> Result<f64, Failure> + Send + 'a;

/// What moves the bytes of one buffer to where they belong in the other.
pub(super) struct Contender<'a> {
    pub(super) name: &'static str,
    /// The seconds of the last of its runs.
    turn: Box<Turn<'a>>,
    /// Whether its threads spin for a while when it is done.
    spins: bool,
}

impl<'a> Contender<'a> {
    /// A plan of ours.
    pub(super) fn plan(name: &'static str, plan: &'a Plan) -> Self {
        let turn = |from: &[u8], to: &mut [u8]| Ok(last(RUNS, || plan.run(from, to))?);
        Contender { name, turn: Box::new(turn), spins: false }
    }

    /// The better copy of a given number of bytes, on a given number of threads; `stream` is ours.
    pub(super) fn copy(which: Ceiling, stream: &'a Plan, bytes: usize, threads: usize) -> Self {
        let memcpy =
            move |from: &[u8], to: &mut [u8]| Ok(last(RUNS, || split_copy(&from[..bytes], &mut to[..bytes], threads))?);
        match which {
            Ceiling::Memcpy => Contender { name: which.name(), turn: Box::new(memcpy), spins: false },
            Ceiling::Stream => Contender::plan(which.name(), stream),
        }
    }

    /// A peer, which tells its seconds itself.
    pub(super) fn peer(
        name: &'static str,
        turn: impl FnMut(&[u8], &mut [u8]) -> Result<f64, Failure> + Send + 'a,
    ) -> Self {
        Contender { name, turn: Box::new(turn), spins: true }
    }

    /// Takes a turn, after which no thread of it runs.
    pub(super) fn turn(&mut self, from: &[u8], to: &mut [u8]) -> Result<f64, Failure> {
        let seconds = (self.turn)(from, to)?;
        if self.spins {
            sleep(SPIN);
        }
        Ok(seconds)
    }
}

/// The seconds of all turns.
pub(super) struct Contest {
    pub(super) ceiling: Vec<f64>,
    pub(super) contenders: Vec<(&'static str, Vec<f64>)>,
}

impl Contest {
    /// Lets the better copy and the contenders take turns; one that fails in the midst of it is left out, and named with the
    /// reason.
    pub(super) fn of(
        mut copy: Contender,
        contenders: Vec<Contender>,
        from: &[u8],
        to: &mut [u8],
    ) -> Result<Self, Failure> {
        let mut ceiling = Vec::new();
        let mut all: Vec<(Contender, Vec<f64>)> = contenders.into_iter().map(|own| (own, Vec::new())).collect();
        for _ in 0..TURNS {
            ceiling.push(copy.turn(from, to)?);
            all.retain_mut(|(contender, times)| match contender.turn(from, to) {
                Ok(seconds) => {
                    times.push(seconds);
                    true
                }
                Err(why) => {
                    eprintln!("skipped {}: {why}", contender.name);
                    false
                }
            });
        }
        Ok(Contest { ceiling, contenders: all.into_iter().map(|(own, times)| (own.name, times)).collect() })
    }

    /// The share of the ceiling that each contender reaches, round by round.
    pub(super) fn shares(&self) -> Vec<(&'static str, f64)> {
        let share = |times| Spread::of_shares(&self.ceiling, times).median;
        self.contenders.iter().map(|(name, times)| (*name, share(times))).collect()
    }
}
