//! A suite of cases, timed beside its peers in one run.

use std::hint::black_box;
use std::process::ExitCode;

use bitstride::Error;

use super::count;
use super::measure::best;
use super::peer::Peer;

/// What one case computes, on operands built outside of the timed loop.
pub(super) struct Case {
    name: &'static str,
    operands: &'static str,
    run: Box<dyn Fn()>,
}

impl Case {
    /// A case that computes `run` again and again.
    pub(super) fn new<T>(name: &'static str, operands: &'static str, run: impl Fn() -> T + 'static) -> Case {
        Case { name, operands, run: Box::new(move || drop(black_box(run()))) }
    }
}

/// The cases of one family and who else computes them.
pub(super) struct Suite {
    pub(super) name: &'static str,
    pub(super) cases: fn() -> Result<Vec<Case>, Error>,
    pub(super) peers: fn() -> Vec<Peer>,
}

/// One line of the table.
pub(super) struct Line {
    pub(super) case: &'static str,
    pub(super) operands: &'static str,
    pub(super) ours: f64,
    pub(super) instructions: Option<u64>,
    pub(super) peers: Vec<(String, Option<f64>)>,
}

impl Suite {
    /// Ours and every peer that answers.
    pub(super) fn compare(&self) -> Result<Vec<Line>, Error> {
        let peers = (self.peers)();
        let line = |case: Case| Line {
            case: case.name,
            operands: case.operands,
            ours: best(|| (case.run)()),
            instructions: count::instructions(self.name, case.name),
            peers: peers.iter().map(|peer| (peer.name.clone(), peer.ns(case.name))).collect(),
        };
        Ok((self.cases)()?.into_iter().map(line).collect())
    }

    /// Runs one case a number of times, for the instruction counter.
    pub(super) fn repeat(&self, name: &str, times: &str) -> ExitCode {
        let cases = (self.cases)().unwrap_or_default();
        match (cases.iter().find(|case| case.name == name), times.parse::<u32>()) {
            (Some(case), Ok(times)) => {
                for _ in 0..times {
                    (case.run)();
                }
                ExitCode::SUCCESS
            }
            _ => ExitCode::from(2),
        }
    }
}
