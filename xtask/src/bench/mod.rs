//! Benches: ours and the peers in one run, as ratios.
//!
//! `cargo xtask bench algebra` times each case in batches of about 5 ms and reports the best of 30, for us and for
//! each peer that is installed; a peer is a program that prints `{"case":"…","ns":…}` a line. Where valgrind is
//! installed the instructions of one operation are counted too, which do not depend on the machine's load.

mod algebra;
mod count;
mod measure;
mod peer;
mod report;

use std::process::ExitCode;

/// Runs one bench family.
pub(crate) fn run(arguments: &[&str]) -> ExitCode {
    match arguments {
        ["algebra"] => report::table(&algebra::compare()),
        ["algebra", "--json"] => report::json(&algebra::compare()),
        // One case, a fixed number of times: what the instruction counter runs.
        ["algebra", "--repeat", case, times] => return algebra::repeat(case, times),
        _ => {
            eprintln!("usage: cargo xtask bench algebra [--json]");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
