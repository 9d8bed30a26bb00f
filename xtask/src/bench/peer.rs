//! Peer systems: programs that print `{"case":"…","ns":…}` a line. `BITSTRIDE_PYTHON` names the Python that has their
//! packages.

use std::collections::HashMap;
use std::process::Command;

/// One peer and what it measured.
pub(super) struct Peer {
    pub(super) name: String,
    cases: HashMap<String, f64>,
}

impl Peer {
    /// Nanoseconds of a case, where the peer has it.
    pub(super) fn ns(&self, case: &str) -> Option<f64> {
        self.cases.get(case).copied()
    }
}

/// The Python that has the peers' packages, to run a script of ours.
pub(super) fn python(script: &str, arguments: &[&str]) -> Command {
    let program = std::env::var("BITSTRIDE_PYTHON").unwrap_or_else(|_| "python3".into());
    let mut command = Command::new(program);
    command.arg(format!("{}/peers/{script}", env!("CARGO_MANIFEST_DIR"))).args(arguments);
    command
}

/// What a peer measured; one that cannot run here is named with the reason.
pub(super) fn measured(name: &str, command: &mut Command) -> Option<Peer> {
    let output = match command.output() {
        Ok(output) if output.status.success() => output,
        Ok(output) => {
            eprintln!("skipped {name}: {}", String::from_utf8_lossy(&output.stderr).trim());
            return None;
        }
        Err(error) => {
            eprintln!("skipped {name}: {error}");
            return None;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let cases = text
        .lines()
        .filter_map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).ok()?;
            Some((row.get("case")?.as_str()?.to_owned(), row.get("ns")?.as_f64()?))
        })
        .collect();
    Some(Peer { name: name.into(), cases })
}
