//! Benches: ours and the peers in one run, as ratios.
//!
//! `cargo xtask bench NAME` times each case in batches of about 5 ms and reports the best of 30, for us and for each
//! peer that is installed; a peer is a program that prints `{"case":"…","ns":…}` a line. Where valgrind is installed
//! the instructions of one operation are counted too, which do not depend on the machine's load. `relayout` moves whole
//! tensors, `files` reads whole dumps; both have tables of their own.

mod algebra;
mod count;
mod files;
mod formats;
mod hardware;
mod linear;
mod measure;
mod peer;
mod relayout;
mod report;
mod same;
mod suite;
mod tiled;

use std::process::ExitCode;

use suite::Suite;

const SUITES: [Suite; 6] = [algebra::SUITE, linear::SUITE, tiled::SUITE, same::SUITE, hardware::SUITE, formats::SUITE];

/// Runs one bench family.
pub(crate) fn run(arguments: &[&str]) -> ExitCode {
    if let ["relayout", rest @ ..] = arguments {
        return relayout::run(rest);
    }
    if let ["files"] = arguments {
        return files::run();
    }
    let chosen =
        arguments.split_first().and_then(|(name, rest)| Some((SUITES.iter().find(|s| s.name == *name)?, rest)));
    let print = match chosen {
        Some((_, [])) => report::table,
        Some((_, ["--json"])) => report::json,
        // One case, a fixed number of times: what the instruction counter runs.
        Some((suite, ["--repeat", case, times])) => return suite.repeat(case, times),
        _ => {
            let names: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
            eprintln!("usage: cargo xtask bench {} [--json]", names.join("|"));
            eprintln!("       {}", relayout::USAGE);
            eprintln!("       cargo xtask bench files");
            return ExitCode::from(2);
        }
    };
    match chosen.map(|(suite, _)| suite.compare()) {
        Some(Ok(lines)) => {
            print(&lines);
            ExitCode::SUCCESS
        }
        Some(Err(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        None => ExitCode::from(2),
    }
}
