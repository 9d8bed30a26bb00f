//! Peer systems: programs that print `{"case":"…","ns":…}` a line.
//!
//! The two Python ones come with the workspace and need their package (`pip install --no-deps nvidia-cutlass
//! tensor-layouts`); cutegen, the C++ algebra inside the public CUTLASS repository, is built outside this tree, and
//! `BITSTRIDE_CUTEGEN` names the program.

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

/// The peers that can run here; the others are named with the reason.
pub(super) fn installed() -> Vec<Peer> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/algebra.py");
    let python = std::env::var("BITSTRIDE_PYTHON").unwrap_or_else(|_| "python3".into());
    let mut peers = Vec::new();
    for name in ["pycute", "tensor_layouts"] {
        peers.extend(measured(name, Command::new(&python).args([script, name])));
    }
    match std::env::var("BITSTRIDE_CUTEGEN") {
        Ok(program) => peers.extend(measured("cutegen", &mut Command::new(program))),
        Err(_) => eprintln!("skipped cutegen: BITSTRIDE_CUTEGEN names no program"),
    }
    peers
}

fn measured(name: &str, command: &mut Command) -> Option<Peer> {
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
