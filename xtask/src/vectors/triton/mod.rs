//! The rows of Triton: linear layouts and encodings, asked of the library itself and compared to the letter.
//!
//! A row's answers are one JSON value, as text: its `out`, or an object of everything that it states. Ours is built in
//! the same form. A rejection is `!` and its category, which is our code with `_` for `-`.

mod algebra;
mod derived;
mod documents;
mod encodings;
mod inferred;
mod json;
mod law;
mod planning;
mod types;

use bitstride::Error;
use bitstride::linear::LinearLayout;
use bitstride::triton::{Encoding, hardware_view, tensor_view};
use serde_json::{Map, Value, json};

pub(super) use law::{law, refusal};

use super::operation::Ours;
use super::row::Row;

/// What the answer is, beside `out`, in the files of recorded answers.
const STATED: [&str; 4] = ["out", "padded_elems", "padded_offsets", "text"];

/// What the answer is in the files of whole types: there the text is the question.
const OF_TYPES: [&str; 2] = ["out", "trivial"];

/// What a row says of itself.
const NO_OPERANDS: [&str; 9] = ["id", "op", "what", "error", "topic", "document", "oracle_note", "matches", "uses"];

/// The answer to a row; nothing when there is no code for it or it cannot be read.
type Answer = Option<Result<Value, Error>>;

/// Whether a file holds such rows.
pub(super) fn owns(file: &str) -> bool {
    file.starts_with("triton/") || file == "documents/triton"
}

/// A row from its fields.
pub(super) fn row(file: &str, fields: Map<String, Value>) -> Row {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let kind = fields.get("enc").and_then(|enc| enc.get("kind")).and_then(Value::as_str);
    let (system, op, answers): (_, _, &[&str]) = match file {
        "documents/triton" => ("value", "document", &documents::STATED),
        "triton/convert_ptx" => ("triton", "convert", &["class", "ptx", "minimal_cvt_dims", "mixed_transpositions"]),
        "triton/real_types" | "triton/foreign_shapes" | "triton/drawn_types" => {
            ("triton", types::operation(&fields).unwrap_or_default(), &OF_TYPES)
        }
        "triton/real_conversions" => ("triton", "convert_layout", &OF_TYPES),
        _ => ("triton", text("op").or(text("what")).or(kind).unwrap_or_default(), &STATED),
    };
    let is_answer = |name: &str| answers.contains(&name) || NO_OPERANDS.contains(&name);
    let question = fields.iter().filter(|(name, _)| !is_answer(name));
    let operands = question.map(|(name, value)| operand(&fields, name, value)).collect();
    let stated: Map<String, Value> = fields
        .iter()
        .filter(|(name, _)| answers.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let stated = match file {
        "triton/convert_ptx" => planning::stated(&fields).unwrap_or_default(),
        _ => stated,
    };
    let only = stated.get("out").or(stated.get("text")).or(stated.get("trivial")).filter(|_| system == "triton");
    let answer = match (text("error"), only, stated.len()) {
        (Some(category), _, _) => Some(format!("!{category}")),
        (None, _, 0) => None,
        (None, Some(only), 1) => Some(only.to_string()),
        _ => Some(Value::Object(stated).to_string()),
    };
    Row {
        file: file.to_owned(),
        id: text("id").unwrap_or_default().to_owned(),
        op: op.to_owned(),
        operands,
        answers: answer.map(|answer| (system, answer)).into_iter().collect(),
        fields,
    }
}

/// An operand to be read by people: layouts and encodings in their own notation.
fn operand(fields: &Map<String, Value>, name: &str, value: &Value) -> String {
    match (name, json::layout(value)) {
        ("enc", _) => encodings::asked(fields).map_or_else(|| value.to_string(), |(encoding, _)| encoding.to_string()),
        ("shape", _) => value.to_string(),
        ("text" | "src" | "dst", _) => value.as_str().unwrap_or_default().to_owned(),
        (_, Some(Ok(layout))) => layout.to_string(),
        _ => format!("{name}={value}"),
    }
}

/// The linear layouts that a row holds, written out or as encodings with their shape.
pub(super) fn layouts(row: &Row) -> Vec<LinearLayout> {
    let mut found = Vec::new();
    within(&Value::Object(row.fields.clone()), &mut found);
    found.extend(types::held(row));
    found
}

fn within(value: &Value, found: &mut Vec<LinearLayout>) {
    if let Some(read) = json::layout(value) {
        found.extend(read);
        return;
    }
    match value {
        Value::Array(entries) => entries.iter().for_each(|entry| within(entry, found)),
        Value::Object(fields) => {
            if let Some(shape) = fields.get("shape").and_then(json::numbers) {
                let encodings = fields.values().filter_map(|value| match value {
                    Value::String(text) => text.parse().ok(),
                    value => encodings::encoding(value, shape.len()),
                });
                found.extend(encodings.filter_map(|encoding: Encoding| encoding.to_linear(&shape).ok()));
            }
            fields.values().for_each(|value| within(value, found));
        }
        _ => {}
    }
}

/// A refusal as rows write it.
pub(super) fn category(error: &Error) -> String {
    format!("!{}", error.code().as_str().replace('-', "_"))
}

/// Our answer to a row.
pub(super) fn answer(row: &Row) -> Ours {
    match computed(row) {
        Some(Ok(value)) => Ours::Answer(value.to_string()),
        Some(Err(error)) => Ours::Refused(error),
        None => Ours::NoCode,
    }
}

fn computed(row: &Row) -> Answer {
    match row.file.as_str() {
        "triton/ll_algebra" | "triton/ll_algebra_ext" => algebra::answer(row),
        "triton/conversion_planning" => planning::answer(row),
        "triton/convert_ptx" => planning::compiled(row),
        "triton/derived_layouts" => derived::answer(row),
        "triton/inferred" => inferred::answer(row),
        "triton/encodings" => encodings::answer(row),
        "triton/encodings_shared_extra" => encodings::extra(row),
        "triton/real_types" | "triton/foreign_shapes" => types::layout(row),
        "triton/drawn_types" => types::drawn(row),
        "triton/real_conversions" => types::conversion(row),
        "triton/views" => {
            let (encoding, shape) = encodings::asked(&row.fields)?;
            let hardware = row.fields.get("hw_view")?.as_bool()?;
            let said = |encoding: &Encoding| encoding.to_linear(&shape).and_then(|layout| view(&layout, hardware));
            Some(encodings::alike(said, &encoding))
        }
        "documents/triton" => documents::answer(row),
        _ => None,
    }
}

/// A text view of a layout.
fn view(layout: &LinearLayout, hardware: bool) -> Result<Value, Error> {
    let text = if hardware { hardware_view(layout) } else { tensor_view(layout) };
    text.map(|text| json!(text))
}
