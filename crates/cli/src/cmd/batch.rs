//! `bitstride batch`: JSON lines in, JSON lines out, in order.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use bitstride::calc::evaluate_with;
use bitstride::{Code, Error};
use clap::ValueEnum;
use serde_json::{Map, Value as Json};

use crate::args::{Batch, Ints};
use crate::json;
use crate::session::Session;

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
        let answer = answer(&line, number, session.ints);
        session.object(answer)?;
        // A program may wait for this answer before it asks again.
        session.out.flush()?;
    }
}

/// The answer to one line.
fn answer(line: &[u8], number: u64, ints: Ints) -> Map<String, Json> {
    let request = match serde_json::from_slice(line) {
        Ok(Json::Object(request)) => request,
        Ok(_) => return json::refusal(&bad(format!("line {number} is not a JSON object")).with_help(FORM)),
        Err(error) => return json::refusal(&bad(format!("line {number} is not JSON: {}", reason(&error)))),
    };
    let told = match evaluated(&request, ints) {
        Ok(answer) => answer,
        Err(error) => json::refusal(&error),
    };
    let id = request.get("id").map(|id| ("id".to_owned(), id.clone()));
    id.into_iter().chain(told).collect()
}

fn evaluated(request: &Map<String, Json>, ints: Ints) -> Result<Map<String, Json>, Error> {
    let Some(expr) = request.get("expr") else {
        return Err(bad("the request has no `expr`").with_help(FORM));
    };
    let text = expr.as_str().ok_or_else(|| bad(format!("`expr` must be a string, not {expr}")))?;
    let ints = match request.get("ints") {
        None | Some(Json::Null) => ints,
        Some(Json::String(name)) => Ints::from_str(name, false).map_err(|_| bad(format!("{INTS}, not `{name}`")))?,
        Some(other) => return Err(bad(format!("{INTS}, not {other}"))),
    };
    Ok(json::answer(&evaluate_with(text, ints.reading())?, ints))
}

const INTS: &str = "`ints` must be plain, cpp or ir";

const FORM: &str = "a request is an object whose `expr` is an expression, perhaps with an `id` and `ints`";

fn bad(message: impl Into<String>) -> Error {
    Error::new(Code::Syntax("bad-request"), message)
}

/// Why a line is not JSON. Its only line is line 1, so the line number says nothing.
fn reason(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}
