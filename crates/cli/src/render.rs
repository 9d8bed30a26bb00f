//! Answers, errors and notes as text for people.

use bitstride::Error;
use bitstride::calc::Value;
use bitstride::notation;

use crate::args::Ints;

/// A value in a spelling of integers.
pub(crate) fn value(value: &Value, ints: Ints) -> String {
    match ints {
        Ints::Plain | Ints::Ir => value.display(notation::Ints::Plain),
        Ints::Cpp => value.display(notation::Ints::Cpp),
    }
}

/// A note, as a line.
pub(crate) fn note(note: &str, _color: bool) -> String {
    format!("note: {note}")
}

/// An error in the text that was typed.
pub(crate) fn error(_text: &str, error: &Error, _color: bool) -> String {
    format!("error[{}]: {}", error.code().as_str(), error.message())
}
