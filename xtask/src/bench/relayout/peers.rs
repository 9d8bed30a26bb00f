//! [`Peer`]: NumPy, PyTorch and oneDNN, each a program that waits for its turn (`peers/relayout.py`).
//!
//! It is asked in lines of JSON on its standard input, and answers each with one: for a case the sum of what it leaves, for a
//! turn its seconds. So all take turns in the same minutes: a virtual machine shares its memory with neighbours who come and go.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::super::peer::python;
use super::Failure;
use super::cases::Case;
use super::contest::RUNS;
use super::dims::Dim;

const NAMES: [&str; 3] = ["numpy", "torch", "onednn"];

/// A program that moves the same bytes.
pub(super) struct Peer {
    pub(super) name: &'static str,
    program: Child,
    asks: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Peer {
    /// Those that are installed, with a given number of threads and buffers of a given number of bytes; what is skipped says why.
    pub(super) fn all(threads: usize, sides: [usize; 2]) -> Vec<Peer> {
        let started = |name| match Peer::start(name, threads, sides) {
            Ok(peer) => Some(peer),
            Err(why) => {
                eprintln!("skipped {name}: {why}");
                None
            }
        };
        NAMES.into_iter().filter_map(started).collect()
    }

    fn start(name: &'static str, threads: usize, sides: [usize; 2]) -> Result<Peer, Failure> {
        let mut command = python("relayout.py", &[name]);
        command.env("OMP_NUM_THREADS", threads.to_string());
        // Each of their threads keeps to a processor of its own, as ours do.
        command.env("OMP_PROC_BIND", "true").env("OMP_PLACES", "threads");
        let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = program.stdin.take().zip(program.stdout.take());
        let (asks, answers) = pipes.ok_or("it has no pipes")?;
        let mut peer = Peer { name, program, asks, answers: BufReader::new(answers).lines() };
        peer.ask(&json!({"threads": threads, "sides": sides, "runs": RUNS}))?;
        Ok(peer)
    }

    fn ask(&mut self, what: &Value) -> Result<Value, Failure> {
        writeln!(self.asks, "{what}")?;
        let answer = self.answers.next().ok_or("it has ended")??;
        Ok(serde_json::from_str(&answer)?)
    }

    /// Whether the turns that follow move this case, by these loops between buffers of so many bytes, and leave what ours leaves.
    /// One that does not is named with the reason.
    pub(super) fn takes(&mut self, case: &Case, dims: &[Dim], sides: [usize; 2], sum: u64) -> bool {
        let [from, to] = [0, 1].map(|side| dims.iter().map(|dim| dim.strides[side]).collect::<Vec<_>>());
        let answer = self.ask(&json!({
            "bytes": case.bits / 8,
            "shape": dims.iter().map(|dim| dim.count).collect::<Vec<_>>(),
            "from": from,
            "to": to,
            "sides": sides,
        }));
        let text = |answer: &Value, key| answer.get(key).and_then(Value::as_str).map(str::to_owned);
        let why = match answer {
            Ok(answer) if text(&answer, "sum") == Some(sum.to_string()) => return true,
            Ok(answer) => text(&answer, "refused").unwrap_or_else(|| "it leaves something else than ours".to_owned()),
            Err(why) => why.to_string(),
        };
        eprintln!("skipped {} in {}: {why}", self.name, case.name);
        false
    }

    /// The seconds of the last of some runs.
    pub(super) fn turn(&mut self) -> Result<f64, Failure> {
        let answer = self.ask(&json!({}))?;
        Ok(answer.get("seconds").and_then(Value::as_f64).ok_or("it answers no seconds")?)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended.
        self.program.kill().ok();
        self.program.wait().ok();
    }
}
