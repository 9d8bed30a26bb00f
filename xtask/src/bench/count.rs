//! Instructions of one operation, counted by valgrind's callgrind: exact, whatever else the machine does.
//!
//! The program runs a case a few times and many times; the difference over the extra calls is one operation.

use std::process::Command;

const FEW_REPEATS: u64 = 100;
const MANY_REPEATS: u64 = 1100;

/// Instructions of one call; `None` where valgrind is not installed.
pub(super) fn instructions(suite: &str, case: &str) -> Option<u64> {
    let (few, many) = (total(suite, case, FEW_REPEATS)?, total(suite, case, MANY_REPEATS)?);
    many.checked_sub(few)?.checked_div(MANY_REPEATS - FEW_REPEATS)
}

fn total(suite: &str, case: &str, times: u64) -> Option<u64> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["bench", suite, "--repeat", case, &times.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().find(|line| line.contains("Collected"))?;
    line.rsplit(' ').next()?.trim().parse().ok()
}
