//! `cargo xtask web`: the module of WebAssembly, and the page around it where npm is.
//!
//! `--parity [DIR]` asks the module that was built and the native code the same questions and compares the bytes (`parity.rs`).
//! The exit code is 3 where something that it needs is not on this machine, and the sentence says what.

mod build;
mod corpus;
mod parity;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) const OPTIONS: &str = "[--module | --parity [DIR] [--random N]]";

/// What the command line asks for.
struct Asked {
    /// Whether the page is left out.
    module_only: bool,
    /// Whether to compare with the native code.
    parity: bool,
    /// A folder of recorded rows whose texts are asked too.
    rows: Option<PathBuf>,
    /// How many random texts are asked.
    random: usize,
}

pub(crate) fn main(arguments: &[&str]) -> ExitCode {
    match asked(arguments).and_then(|asked| run(&asked)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(Failure::Wrong(message)) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
        Err(Failure::Missing(message)) => {
            eprintln!("{message}");
            ExitCode::from(3)
        }
    }
}

/// Why nothing was built.
pub(crate) enum Failure {
    /// Something failed.
    Wrong(String),
    /// Something is not on this machine.
    Missing(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Wrong(message)
    }
}

fn asked(arguments: &[&str]) -> Result<Asked, Failure> {
    let mut asked = Asked { module_only: false, parity: false, rows: None, random: 1000 };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match *argument {
            "--module" => asked.module_only = true,
            "--parity" => asked.parity = true,
            "--random" => {
                let number = arguments.next().and_then(|number| number.parse().ok());
                asked.random = number.ok_or_else(|| "--random needs a number".to_owned())?;
            }
            folder if asked.parity && !folder.starts_with('-') => asked.rows = Some(PathBuf::from(folder)),
            other => return Err(format!("unknown option {other}; options: {OPTIONS}").into()),
        }
    }
    Ok(asked)
}

fn run(asked: &Asked) -> Result<bool, Failure> {
    let out = root().join("target/web");
    if asked.parity {
        return parity::compare(&out, asked.rows.as_deref(), asked.random);
    }
    let module = build::module(&out)?;
    println!("{}: {} bytes", module.display(), size(&module)?);
    if !asked.module_only {
        build::page(&out)?;
    }
    Ok(true)
}

fn size(file: &Path) -> Result<u64, String> {
    std::fs::metadata(file).map(|data| data.len()).map_err(|error| format!("{}: {error}", file.display()))
}

/// The checkout.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    here.canonicalize().unwrap_or(here)
}
