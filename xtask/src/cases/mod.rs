//! `cargo xtask cases DIR`: questions that people had, with what is right, against our answers.
//!
//! Each line of the `*.jsonl` files of a folder asks an expression or a command line ([`case`]). Its `expect` says what
//! is right; rules find the checkable part, or `testdata/cases_expect.txt` lists it ([`expect`]). A case *works* when
//! every check holds, else it *differs*, and the run fails. What later work answers stands in
//! `testdata/cases_pending.txt` with a reason, and must leave it the day it passes.

mod case;
mod command;
mod expect;
mod judge;
mod pending;
mod run;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use case::Case;
use expect::AnyOf;
use judge::State;
use pending::Pending;

use crate::vectors::root;

/// The options, for the usage line.
pub(crate) const OPTIONS: &str = "[--show works|differs|later|unchecked]... [--only ID]...";

/// The states by name, in the order in which they are counted, and what each means.
const STATES: [(&str, &str); 4] = [
    ("works", "work"),
    ("differs", "differ"),
    ("later", "need another issue"),
    ("unchecked", "have no checkable expectation"),
];

/// The command line.
struct Options {
    folder: PathBuf,
    show: Vec<String>,
    only: Vec<String>,
}

/// A case with its state.
struct Judged {
    case: Case,
    /// What came out, whether or not the case is pending.
    state: State,
    /// The number of its line in the list of pending cases.
    pending: Option<usize>,
}

/// Runs the chore.
pub(crate) fn main(arguments: &[&str]) -> ExitCode {
    match options(arguments).and_then(|options| report(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn options(arguments: &[&str]) -> Result<Options, String> {
    let (mut folder, mut show, mut only) = (None, Vec::new(), Vec::new());
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().map(|value| (*value).to_owned()).ok_or(format!("{argument} needs a value"));
        match *argument {
            "--show" => show.push(value()?),
            "--only" => only.push(value()?),
            option if option.starts_with('-') => return Err(format!("unknown option {option}; options: {OPTIONS}")),
            path => folder = Some(PathBuf::from(path)),
        }
    }
    if let Some(unknown) = show.iter().find(|name| STATES.iter().all(|(state, _)| state != name)) {
        return Err(format!("--show takes works, differs, later or unchecked, not {unknown}"));
    }
    let folder = folder.ok_or_else(|| format!("usage: cargo xtask cases DIR {OPTIONS}"))?;
    Ok(Options { folder, show, only })
}

/// Prints what came out; whether nothing differs and no pending case passes.
fn report(options: &Options) -> Result<bool, String> {
    let mut cases = case::cases_of(&options.folder)?;
    if let Some(unknown) = options.only.iter().find(|id| cases.iter().all(|case| case.id != **id)) {
        return Err(format!("no case is called {unknown}"));
    }
    cases.retain(|case| options.only.is_empty() || options.only.contains(&case.id));
    let (listed, pending) = (expect::listed(&root())?, pending::listed(&root())?);
    // A panic is reported as what came out; its message would only disturb the list.
    std::panic::set_hook(Box::new(|_| ()));
    let files = options.folder.join("files");
    let judged: Vec<Judged> = cases.into_iter().map(|case| judged(case, &listed, &pending, &files)).collect();
    let mut counts = [0; STATES.len()];
    for case in &judged {
        let state = case.counted(&pending);
        for (count, (name, _)) in counts.iter_mut().zip(STATES) {
            *count += usize::from(name == state.name());
        }
        if options.show.is_empty() || options.show.iter().any(|name| name == state.name()) {
            print!("{}", line(&case.case, &state));
        }
    }
    let totals: Vec<String> = counts.iter().zip(STATES).map(|(count, (_, means))| format!("{count} {means}")).collect();
    println!("{} cases: {}", judged.len(), totals.join(", "));
    // A kind is built when all its cases pass, so that some cases alone do not tell.
    let built = if options.only.is_empty() { built(&judged, &pending) } else { Vec::new() };
    for line in &built {
        println!("built now: remove {line} from {}", pending::PATH);
    }
    let [_, differing, ..] = counts;
    Ok(differing == 0 && built.is_empty())
}

fn judged(case: Case, listed: &BTreeMap<String, Vec<AnyOf>>, pending: &[Pending], files: &Path) -> Judged {
    let (work, listed, files) = (case.clone(), listed.get(&case.id).cloned(), files.to_owned());
    let judge = move || {
        let checks = listed.unwrap_or_else(|| expect::of_prose(&work.expect));
        judge::judged(&work, &checks, &files)
    };
    let state = run::within_deadline(judge).unwrap_or_else(|got| State::Differs { expected: case.expect.clone(), got });
    let pending = pending.iter().position(|line| line.holds(&case));
    Judged { case, state, pending }
}

impl Judged {
    /// The state that is counted: a pending case waits, whatever came out.
    fn counted(&self, pending: &[Pending]) -> State {
        match self.pending.and_then(|number| pending.get(number)) {
            Some(line) => State::Later { reason: line.reason.clone() },
            None => self.state.clone(),
        }
    }
}

impl State {
    fn name(&self) -> &'static str {
        match self {
            State::Works => "works",
            State::Differs { .. } => "differs",
            State::Later { .. } => "later",
            State::Unchecked => "unchecked",
        }
    }
}

/// A case and its state, as it is printed.
fn line(case: &Case, state: &State) -> String {
    let first = format!("{:9} {}", state.name(), case.id);
    match state {
        State::Works => format!("{first}\n"),
        State::Differs { expected, got } => {
            format!("{first}: {}\n          expected  {expected}\n          got       {got}\n", case.text)
        }
        State::Later { reason } => format!("{first}: {reason}\n"),
        State::Unchecked => format!("{first}: {}\n          expected  {}\n", case.text, case.expect),
    }
}

/// The pending lines of which every case passes.
fn built<'a>(judged: &[Judged], pending: &'a [Pending]) -> Vec<&'a Pending> {
    let passes = |number: usize| {
        let mut cases = judged.iter().filter(|case| case.pending == Some(number)).peekable();
        cases.peek().is_some() && cases.all(|case| case.state == State::Works)
    };
    pending.iter().enumerate().filter(|(number, _)| passes(*number)).map(|(_, line)| line).collect()
}
