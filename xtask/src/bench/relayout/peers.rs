//! The peers that are programs: NumPy, PyTorch and oneDNN, by `peers/relayout.py`.
//!
//! One is asked for all cases at once, as JSON on its standard input, and answers a line a case, with its
//! seconds: a share is the time of our ceiling over them, so that neighbours who come or go between are in it.

use std::io::{Error, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use super::super::peer::python;
use super::Row;
use super::rounds::Spread;

const NAMES: [&str; 3] = ["numpy", "torch", "onednn"];

/// What a peer measured.
pub(super) struct Peer {
    pub(super) name: &'static str,
    pub(super) threads: usize,
    pub(super) case: String,
    pub(super) seconds: Spread,
}

/// Every peer that is installed, on each number of threads; what is skipped is named with the reason.
pub(super) fn all(rows: &[Row], threads: &[usize]) -> Vec<Peer> {
    let mut peers = Vec::new();
    if rows.iter().all(|row| row.dims.is_none()) {
        return peers;
    }
    for name in NAMES {
        for threads in threads {
            match asked(name, *threads, rows) {
                Ok(answers) => peers.extend(answers),
                Err(why) => {
                    eprintln!("skipped {name}: {why}");
                    break;
                }
            }
        }
    }
    peers
}

fn asked(name: &'static str, threads: usize, rows: &[Row]) -> Result<Vec<Peer>, Error> {
    eprintln!("{name} on {threads}");
    let cases = rows.iter().filter_map(|row| {
        let dims = row.dims.as_ref()?;
        let [from, to] = [0, 1].map(|side| dims.iter().map(|dim| dim.strides[side]).collect::<Vec<_>>());
        Some(json!({
            "case": row.case.name,
            "bytes": row.case.bits / 8,
            "shape": dims.iter().map(|dim| dim.count).collect::<Vec<_>>(),
            "from": from,
            "to": to,
            "sides": row.sides,
        }))
    });
    let request = json!({"threads": threads, "cases": cases.collect::<Vec<_>>()});
    let mut command = python("relayout.py", &[name]);
    command.env("OMP_NUM_THREADS", threads.to_string());
    // Each of their threads keeps to a processor of its own, as ours do.
    command.env("OMP_PROC_BIND", "true").env("OMP_PLACES", "threads");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(request.to_string().as_bytes())?;
    }
    let output = child.wait_with_output()?;
    let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if !output.status.success() {
        return Err(Error::other(told));
    }
    if !told.is_empty() {
        eprintln!("{told}");
    }
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(answers.lines().filter_map(|line| answer(name, threads, rows, line)).collect())
}

fn answer(name: &'static str, threads: usize, rows: &[Row], line: &str) -> Option<Peer> {
    let answer: Value = serde_json::from_str(line).ok()?;
    let case = answer.get("case")?.as_str()?.to_owned();
    let row = rows.iter().find(|row| row.case.name == case)?;
    if answer.get("sum")?.as_str()? != row.sum.to_string() {
        eprintln!("{name}: {case}: left something else than ours");
        return None;
    }
    let number = |key: &str| answer.get(key).and_then(Value::as_f64);
    let seconds = Spread { median: number("median")?, low: number("low")?, high: number("high")? };
    Some(Peer { name, threads, case, seconds })
}
