//! The rows of XLA: tiled arrays, asked of the library itself.
//!
//! What the definition of tiled layouts settles, and what XLA, Mosaic and JAX print, must be equal to the letter: it is
//! one JSON value, the answer of `definition`. The other answers are XLA's own, one a function, which is known to leave
//! out tiles or dims of extent 1 in places. Each is judged with the plain arrays of [`reference`](bitstride_oracle::reference):
//! ours must hold the law, and a difference is documented only where XLA's answer is the one that the reason given for it
//! makes it.

mod bitcast;
mod documents;
mod index;
mod jaxlayout;
mod mosaic;
mod parse;
mod relations;
mod strides;

use bitstride::xla::{Array, Shape, TileDim};
use bitstride_lang::evaluate;
use bitstride_oracle::reference::Tiled;
use serde_json::{Map, Value, json};

use super::judge::Kind;
use super::operation::Ours;
use super::row::Row;

/// The answers that must be equal.
pub(super) const DEFINITION: &str = "definition";

/// What a row says.
type Fields = Map<String, Value>;

/// An answer of XLA against ours.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    /// The question, as the calculator asks it where it does.
    pub(super) asked: String,
    /// Their answer.
    pub(super) theirs: String,
    /// Our answer.
    pub(super) ours: String,
    /// Whether and how they differ, or why that is not explained.
    pub(super) differ: Result<Option<Kind>, String>,
}

/// Whether a file holds such rows.
pub(super) fn owns(file: &str) -> bool {
    file.starts_with("xla/") || file == "documents/xla"
}

/// A row from its fields.
pub(super) fn row(file: &str, fields: Fields) -> Row {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (op, named): (&str, &[&str]) = match file {
        "xla/index" => ("offsets", &["shape"]),
        "xla/parse" => ("read", &["text"]),
        "xla/bitcast" => (if text("op") == "reshape" { "reshape" } else { "transpose" }, &["input", "output"]),
        "xla/strides" => ("strides", &["shape"]),
        "xla/mosaic" => ("affine_map", &["memref"]),
        "xla/jaxlayout" => ("jax_layout", &["xla_layout"]),
        "xla/relations" => ("relations", &["shape"]),
        "documents/xla" => ("document", &["shape", "shape_a", "shape_b"]),
        _ => ("", &["shape"]),
    };
    let operands = named.iter().map(|name| text(name)).filter(|operand| !operand.is_empty()).collect();
    let mut answers = Vec::new();
    if let Some(stated) = stated(file, &fields) {
        answers.push((DEFINITION, stated.to_string()));
    }
    answers.extend(functions(file, &fields).into_iter().map(|(name, theirs)| (name, theirs.to_string())));
    Row { file: file.to_owned(), id: text("id"), op: op.to_owned(), operands, answers, fields }
}

/// The fields of a row that are to be equal, and those in `xla` that are the definition's.
fn stated(file: &str, fields: &Fields) -> Option<Value> {
    let kept = |names: &[&str]| {
        let own = |name: &&str| fields.get(*name).or_else(|| fields.get("xla")?.get(*name));
        let kept: Fields = names.iter().filter_map(|name| Some(((*name).to_owned(), own(name)?.clone()))).collect();
        Some(Value::Object(kept))
    };
    match file {
        "xla/index" => kept(&index::STATED),
        "xla/parse" => Some(parse::stated(fields)),
        "xla/bitcast" => kept(&bitcast::STATED),
        "xla/strides" => kept(&strides::STATED),
        "xla/mosaic" => kept(&mosaic::STATED),
        "xla/jaxlayout" => kept(&jaxlayout::STATED),
        "xla/relations" => kept(&relations::STATED),
        "documents/xla" => kept(&documents::STATED),
        _ => None,
    }
}

/// XLA's own answers, by function.
fn functions(file: &str, fields: &Fields) -> Vec<(&'static str, Value)> {
    let known: &[(&'static str, &[&str])] = match file {
        "xla/index" => &index::FUNCTIONS,
        "xla/bitcast" => &bitcast::FUNCTIONS,
        "xla/parse" => &parse::FUNCTIONS,
        "documents/xla" => &documents::FUNCTIONS,
        _ => &[],
    };
    let said = |name: &str| fields.get("xla").and_then(|xla| xla.get(name)).or_else(|| fields.get(name)).cloned();
    let answer = |columns: &[&str]| match columns {
        [only] => said(only),
        columns => columns.iter().map(|name| said(name)).collect::<Option<Value>>(),
    };
    let answers = known.iter().filter_map(|(function, columns)| Some((*function, answer(columns)?)));
    if file == "xla/parse" && fields.get("result").is_some_and(|result| result == "accept") {
        return answers.filter(|(function, _)| *function != parse::READ).collect();
    }
    answers.collect()
}

/// Our answer to a row: that of the definition.
pub(super) fn answer(row: &Row) -> Ours {
    let stated = row.fields.clone();
    let computed = match row.file.as_str() {
        "xla/index" => index::answer(&stated),
        "xla/parse" => parse::answer(&stated),
        "xla/bitcast" => bitcast::answer(&stated),
        "xla/strides" => strides::answer(&stated),
        "xla/mosaic" => mosaic::answer(&stated),
        "xla/jaxlayout" => jaxlayout::answer(&stated),
        "xla/relations" => relations::answer(&stated),
        "documents/xla" => documents::answer(&stated),
        _ => None,
    };
    computed.map_or(Ours::NoCode, |value| Ours::Answer(value.to_string()))
}

/// One of XLA's own answers against ours; nothing when the row cannot be read.
pub(super) fn judged(row: &Row, function: &str) -> Option<Judged> {
    let theirs = row.answers.iter().find(|(name, _)| *name == function)?;
    let theirs: Value = serde_json::from_str(&theirs.1).ok()?;
    match row.file.as_str() {
        "xla/index" => index::judged(&row.fields, function, &theirs),
        "xla/bitcast" => bitcast::judged(&row.fields, function, &theirs),
        "xla/parse" => parse::judged(&row.fields, function, &theirs),
        "documents/xla" => documents::judged(&row.fields, function, &theirs),
        _ => None,
    }
}

/// Whether two objects have the same fields, in any order.
pub(super) fn same_fields(theirs: &str, ours: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    read(theirs).is_some() && read(theirs) == read(ours)
}

impl Judged {
    /// An answer that is ours, or differs from it in this way if our answer is lawful and theirs what the reason makes it.
    fn new(asked: String, theirs: &Value, ours: &Value, lawful: bool, kind: Kind, reason: bool) -> Judged {
        let differ = match (lawful, theirs == ours) {
            (false, _) => Err("our answer breaks the law".to_owned()),
            (true, true) => Ok(None),
            (true, false) if reason => Ok(Some(kind)),
            (true, false) => Err(format!("{theirs} is not what the reason makes it, ours is {ours}")),
        };
        Judged { asked, theirs: written(theirs), ours: written(ours), differ }
    }
}

/// The array that a text says.
fn array(fields: &Fields, name: &str) -> Option<Array> {
    fields.get(name)?.as_str()?.parse().ok()
}

/// The plain array that a text says.
fn twin(fields: &Fields, name: &str) -> Option<Tiled> {
    fields.get(name)?.as_str()?.parse().ok()
}

/// The array with its first tiles only.
fn with_tiles(of: &Tiled, most: usize) -> Option<Tiled> {
    let tiles = of.tiles().iter().take(most).cloned().collect();
    Tiled::new(of.dims().to_vec(), of.minor_to_major().to_vec(), tiles, of.tail()).ok()
}

/// The bytes of a given number of places.
fn bytes(places: i64, bits: i64) -> i64 {
    i64::try_from((i128::from(places) * i128::from(bits) + 7) / 8).unwrap_or(i64::MAX)
}

/// The list of numbers in a value.
fn numbers(value: &Value) -> Option<Vec<i64>> {
    value.as_array()?.iter().map(Value::as_i64).collect()
}

/// The tiles of an array as rows write them.
fn tiles(array: &Array) -> Value {
    let extent = |dim: &TileDim| match dim {
        TileDim::Size(size) => json!(size),
        TileDim::Combine => json!("*"),
    };
    array.layout.tiles.iter().map(|tile| tile.0.iter().map(extent).collect::<Value>()).collect()
}

/// A value in the notation of the calculator.
fn written(value: &Value) -> String {
    match value {
        Value::Array(entries) => format!("({})", entries.iter().map(written).collect::<Vec<_>>().join(",")),
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        value => value.to_string(),
    }
}

/// What the calculator answers, or its refusal.
fn calculated(asked: &str) -> String {
    match evaluate(asked) {
        Ok(answer) => answer.value.to_string(),
        Err(error) => format!("!{}", error.code().as_str()),
    }
}

/// A value, if the calculator says the same.
fn both(asked: &str, value: Value) -> Value {
    let said = calculated(asked);
    if said == written(&value) { value } else { json!({"from": value, "calculator": said}) }
}

/// Whether the text of a shape is read as what has the same text. XLA prints `(invalid)` for a type that is no index and
/// does not read it: such a shape, which is not valid, has no text to read.
fn same_text(shape: &Shape) -> bool {
    let text = shape.to_string();
    shape.has_invalid_type() && shape.validate().is_err()
        || text.parse::<Shape>().is_ok_and(|read| read.to_string() == text)
}
