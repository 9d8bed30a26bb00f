//! One run of the program: its streams, and the form in which it answers.
//!
//! Verbs print what they found through [`Session::answer`] and [`Session::refuse`] (text or JSON as asked,
//! answers on `out`, errors and notes on `err`), each of which gives the exit code. What a verb returns
//! as an error is that a stream could not be written; the program then ends.

use std::ffi::OsStr;
use std::io::{self, BufRead, Write};
use std::path::Path;

use bitstride::{Class, Code, Error, error};
use bitstride_json as json;
use bitstride_lang::{Answer, Bindings, evaluate_in};
use serde_json::{Map, Value as Json};

use crate::args::Ints;
use crate::render;

/// The exit code for a file that could not be read or written.
pub(crate) const NO_FILE: u8 = 4;

/// The streams and the form of the answers.
pub(crate) struct Session<'s> {
    pub(crate) input: &'s mut dyn BufRead,
    pub(crate) out: &'s mut dyn Write,
    pub(crate) err: &'s mut dyn Write,
    /// Whether a person types the input and reads the output.
    pub(crate) interactive: bool,
    /// Whether each result is a JSON object.
    pub(crate) json: bool,
    /// How integers are spelled.
    pub(crate) ints: Ints,
    /// What names stand for.
    pub(crate) names: Bindings,
    /// Whether errors and notes are coloured.
    pub(crate) color: bool,
    /// Whether pictures are coloured.
    pub(crate) color_out: bool,
    /// Whether a person sees on standard error how far long work is.
    pub(crate) progress: bool,
    /// Whether the streams are those of the process, which a signal may end.
    pub(crate) process: bool,
    /// The columns of the terminal that pictures go to, if they do.
    pub(crate) columns: Option<usize>,
}

impl Session<'_> {
    /// Evaluates one expression and prints the answer.
    pub(crate) fn evaluate(&mut self, text: &str) -> io::Result<u8> {
        match evaluate_in(text, self.ints.reading(), &self.names) {
            Ok(answer) => self.answer(&answer),
            Err(error) => self.refuse(text, &error),
        }
    }

    /// An argument with the values of its names in their places. What is no expression, such as the name of a file, stays.
    pub(crate) fn with_names(&self, argument: &str) -> Result<String, Error> {
        self.names.written_out(argument, self.ints.reading())
    }

    /// Prints an answer; the exit code is 1 for `false`.
    pub(crate) fn answer(&mut self, answer: &Answer) -> io::Result<u8> {
        if self.json {
            self.object(json::answer(answer, self.ints.spelling()))?;
        } else {
            self.line(&self.ints.spelling().text(&answer.value))?;
            for note in &answer.notes {
                self.note(note)?;
            }
        }
        Ok(u8::from(answer.value.is_false()))
    }

    /// Writes a note on `err`.
    pub(crate) fn note(&mut self, note: &str) -> io::Result<()> {
        self.out.flush()?;
        writeln!(self.err, "{}", render::note(note, self.color))
    }

    /// Prints why there is no answer; `text` is what the error's span points into.
    pub(crate) fn refuse(&mut self, text: &str, error: &Error) -> io::Result<u8> {
        let error = &named(text, error.clone());
        if self.json {
            self.object(json::refusal(error))?;
        } else {
            self.out.flush()?;
            writeln!(self.err, "{}", render::error(text, error, self.color))?;
        }
        Ok(exit_code(error))
    }

    /// Reports that a file could not be used; `what` is what was tried, such as `read`.
    pub(crate) fn no_file(&mut self, what: &str, path: &Path, error: &io::Error) -> io::Result<u8> {
        self.refuse(
            "",
            &error!(Code::Syntax("file"), "cannot {what} {path}: {error}", [what, path = path.display(), error]),
        )?;
        Ok(NO_FILE)
    }

    /// Writes a text on `out`, with one line end behind it.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{}", text.strip_suffix('\n').unwrap_or(text))
    }

    /// Writes a JSON object on `out`, as a line.
    pub(crate) fn object(&mut self, object: Map<String, Json>) -> io::Result<()> {
        writeln!(self.out, "{}", Json::Object(object))
    }
}

/// An error about `relayout`, which is a verb and no operation, with the verbs that know it.
fn named(text: &str, error: Error) -> Error {
    let at = error.span().filter(|_| error.code() == Code::UnknownName);
    if at.and_then(|span| text.get(span.start..span.end)) != Some("relayout") {
        return error;
    }
    error.with_help(
        "`bitstride explain 'relayout(FROM, TO, 32)'` says how a tensor would be moved; `bitstride relayout` moves one",
    )
}

/// The exit code of an error.
pub(crate) fn exit_code(error: &Error) -> u8 {
    match error.code().class() {
        Class::Refused => 1,
        Class::Unreadable => 2,
        Class::Undecided => 3,
    }
}

/// An argument as text.
pub(crate) fn text_of(argument: &OsStr) -> Result<&str, Error> {
    argument.to_str().ok_or_else(|| {
        error!(
            Code::Syntax("not-utf8"),
            "the argument `{argument}` is not text in UTF-8",
            [argument = argument.display()]
        )
    })
}
