//! `bitstride batch`: JSON lines in, JSON lines out, in order.
//!
//! Law: whatever a line does, each other line is answered as it would be alone, but for the names that lines before it bound.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bitstride::{Code, Error, error};
use bitstride_json as json;
use bitstride_lang::{Bindings, evaluate_in};
use clap::ValueEnum;
use serde_json::{Map, Value as Json};

use crate::args::{Batch, Ints};
use crate::session::Session;
use crate::worker::{Outcome, Workers};

pub(crate) fn run(args: &Batch, session: &mut Session) -> io::Result<u8> {
    if args.file == Path::new("-") {
        return answer_all(None, args, session);
    }
    match File::open(&args.file) {
        Ok(file) => answer_all(Some(BufReader::new(file)), args, session),
        Err(error) => session.no_file("read", &args.file, &error),
    }
}

/// Answers each line of the file, or of the input where there is none.
fn answer_all(mut file: Option<BufReader<File>>, args: &Batch, session: &mut Session) -> io::Result<u8> {
    let mut line = Vec::new();
    let mut number = 0_u64;
    let mut workers = Workers::new(args.budget);
    let mut names = Arc::new(session.names.clone());
    loop {
        line.clear();
        let read = match &mut file {
            Some(file) => file.read_until(b'\n', &mut line),
            None => session.input.read_until(b'\n', &mut line),
        };
        match read {
            Ok(0) => return Ok(0),
            Ok(_) => {}
            Err(error) => return session.no_file("read", &args.file, &error),
        }
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = match request(&line, number) {
            Ok(request) => {
                let (ints, known, asked) = (session.ints, Arc::clone(&names), request.clone());
                let outcome = workers.run(move || evaluated(&asked, ints, &known));
                let (answer, bound) = finished(outcome, args.budget);
                names = bound.unwrap_or(names);
                let id = request.get("id").map(|id| ("id".to_owned(), id.clone()));
                id.into_iter().chain(answer).collect()
            }
            Err(refusal) => json::refusal(&refusal),
        };
        session.object(answer)?;
        // A program may wait for this answer before it asks again.
        session.out.flush()?;
    }
}

/// What one line asks.
fn request(line: &[u8], number: u64) -> Result<Map<String, Json>, Error> {
    match serde_json::from_slice(line) {
        Ok(Json::Object(request)) => Ok(request),
        Ok(_) => Err(bad(format!("line {number} is not a JSON object")).with_help(FORM)),
        Err(error) => Err(bad(format!("line {number} is not JSON: {}", reason(&error)))),
    }
}

/// An answer, and the names for the lines that follow where they change.
type Evaluated = (Map<String, Json>, Option<Arc<Bindings>>);

/// The answer of a job, or why there is none.
fn finished(outcome: Outcome<Result<Evaluated, Error>>, budget: Duration) -> Evaluated {
    let error = match outcome {
        Outcome::Done(Ok(answer)) => return answer,
        Outcome::Done(Err(error)) => error,
        Outcome::Late => {
            error!(Code::Undecided, "not answered within {as_secs_f64} s", [as_secs_f64 = budget.as_secs_f64()])
                .with_help("`--budget SECONDS` says how long one line may take")
        }
        Outcome::Panicked => Error::new(Code::Syntax("panic"), "this line met a defect of bitstride; please report it"),
    };
    (json::refusal(&error), None)
}

fn evaluated(request: &Map<String, Json>, ints: Ints, names: &Arc<Bindings>) -> Result<Evaluated, Error> {
    let Some(expr) = request.get("expr") else {
        return Err(bad("the request has no `expr`").with_help(FORM));
    };
    let text = expr.as_str().ok_or_else(|| bad(format!("`expr` must be a string, not {expr}")))?;
    let ints = match request.get("ints") {
        None | Some(Json::Null) => ints,
        Some(Json::String(name)) => Ints::from_str(name, false).map_err(|_| bad(format!("{INTS}, not `{name}`")))?,
        Some(other) => return Err(bad(format!("{INTS}, not {other}"))),
    };
    let name = match request.get("let") {
        None | Some(Json::Null) => None,
        Some(Json::String(name)) => Some(name),
        Some(other) => return Err(bad(format!("`let` must be a name, not {other}"))),
    };
    let answer = evaluate_in(text, ints.reading(), names)?;
    let mut bound = None;
    if let Some(name) = name {
        let mut names = Bindings::clone(names);
        names.bind(name, &answer.value)?;
        bound = Some(Arc::new(names));
    }
    Ok((json::answer(&answer, ints.spelling()), bound))
}

const INTS: &str = "`ints` must be plain, cpp or ir";

const FORM: &str = "a request is an object whose `expr` is an expression, perhaps with an `id`, `ints` and `let`";

fn bad(message: impl Into<String>) -> Error {
    Error::new(Code::Syntax("bad-request"), message)
}

/// Why a line is not JSON. Its only line is line 1, so the line number says nothing.
fn reason(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}
