//! `cargo xtask vectors`: the answers of other systems, recorded, against ours.
//!
//! Each row of `testdata/` asks one question and holds what several systems answered. It *agrees* when we answer as
//! its first system does and every other answer is the same function; it is *documented* when each difference is
//! covered by a rule ([`rules`]) whose kind is checked by enumeration on that row; else it *fails*. What is not built
//! yet stands in `testdata/pending.txt`, and must leave it the day it passes.

mod docs;
mod f2;
mod formats;
mod hardware;
mod held;
mod judge;
mod laws;
mod nv;
mod operation;
mod pending;
mod round_trip;
mod row;
mod rules;
mod run;
mod sharding;
mod tiled;
mod triton;
mod unknown;
mod xla;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pending::Pattern;

/// The options, for the usage line.
pub(crate) const OPTIONS: &str = "[--only FILE[:OP]]... [--skip FILE[:OP]]... [--failing N] [--verbose] [--write-docs]";

/// How many failing rows of a file are shown.
const SHOWN: usize = 5;

/// What the command line asks for.
struct Asked {
    folder: PathBuf,
    only: Vec<Pattern>,
    skip: Vec<Pattern>,
    shown: usize,
    write_docs: bool,
}

/// Runs the chore.
pub(crate) fn main(arguments: &[&str]) -> ExitCode {
    match asked(arguments).and_then(|asked| report(&asked)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// The checkout, which holds `testdata/` and `docs/`.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn asked(arguments: &[&str]) -> Result<Asked, String> {
    let mut asked =
        Asked { folder: root().join("testdata"), only: Vec::new(), skip: Vec::new(), shown: SHOWN, write_docs: false };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match *argument {
            "--only" => asked.only.push(Pattern::read(value()?)),
            "--skip" => asked.skip.push(Pattern::read(value()?)),
            "--failing" => asked.shown = value()?.parse().map_err(|_| "--failing needs a number".to_owned())?,
            "--verbose" => asked.shown = usize::MAX,
            "--write-docs" => asked.write_docs = true,
            option if option.starts_with('-') => return Err(format!("unknown option {option}; options: {OPTIONS}")),
            folder => asked.folder = PathBuf::from(folder),
        }
    }
    let whole = asked.only.is_empty() && asked.skip.is_empty() && asked.folder == root().join("testdata");
    if asked.write_docs && !whole {
        return Err("--write-docs counts all rows of testdata/, so it takes no other option".to_owned());
    }
    Ok(asked)
}

/// Prints what came out; whether all is well.
fn report(asked: &Asked) -> Result<bool, String> {
    let mut rows = row::below(&asked.folder)?;
    rows.retain(|row| asked.only.is_empty() || asked.only.iter().any(|only| only.holds(row)));
    rows.retain(|row| !asked.skip.iter().any(|skip| skip.holds(row)));
    let pending = pending::listed(&root())?;
    let run = run::run(&rows, &pending);
    print!("{}", run.failing(asked.shown));
    print!("{}", run.table());
    let trips = round_trip::run(&rows);
    print!("{}{}", trips.failing(asked.shown), trips.table());
    let built = run.built(&pending);
    for pattern in &built {
        println!("built now: remove {pattern} from testdata/pending.txt");
    }
    if asked.write_docs {
        let path = root().join(docs::PATH);
        std::fs::write(&path, docs::page(&run)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(run.count().failing == 0 && built.is_empty() && trips.hold())
}

#[cfg(test)]
mod tests;
