//! Answers and errors as JSON objects, for `--json` and `batch`.

use bitstride::Error;
use bitstride::calc::Answer;
use serde_json::{Value as Json, json};

use crate::args::Ints;
use crate::render;

/// `{"kind", "value", "data"?, "notes"?}`.
pub(crate) fn answer(answer: &Answer, ints: Ints) -> Json {
    let mut object = json!({"kind": answer.value.kind(), "value": render::value(&answer.value, ints)});
    if !answer.notes.is_empty() {
        object["notes"] = json!(answer.notes);
    }
    object
}

/// `{"error": {"code", "message", …}}`.
pub(crate) fn refusal(error: &Error) -> Json {
    json!({"error": {"code": error.code().as_str(), "message": error.message()}})
}
