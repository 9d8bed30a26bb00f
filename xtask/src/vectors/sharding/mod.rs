//! The rows of tensors that are spread over devices: what each device holds, as XLA, JAX, Shardy and PyTorch place it, what has to
//! move from one sharding to another, and which file of a checkpoint has which box.
//!
//! A row states several things, each an answer of its own ([`judged`]). Sets of indices are compared index by index, from what the
//! systems were seen to hold.

mod checkpoints;
mod errors;
mod movement;
mod pairs;
mod placed;
mod shards;

use serde_json::{Map, Value};

use super::judge::Kind;
use super::operation::Ours;
use super::row::Row;

/// What a row says.
type Fields = Map<String, Value>;

/// Equal, a difference of a kind that a rule has to cover, or unexplained.
type Judged = Result<Option<Kind>, String>;

/// What a row may state: the name of the answer, and how it is judged.
type Answer = (&'static str, fn(&Fields) -> Judged);

/// Whether a file holds such rows.
pub(super) fn owns(file: &str) -> bool {
    file.starts_with("sharding/")
}

/// The answers of a file.
fn answers(file: &str) -> &'static [Answer] {
    match file {
        "sharding/hlo" => &placed::HLO,
        "sharding/named" => &placed::NAMED,
        "sharding/sdy" => &placed::SHARDY,
        "sharding/dtensor" => &placed::DTENSOR,
        "sharding/hlo-errors" => &errors::HLO,
        "sharding/named-sdy-errors" => &errors::NAMED,
        "sharding/dtensor-errors" => &errors::DTENSOR,
        "sharding/pairs" => &pairs::PAIRS,
        "sharding/fsdp-flat" => &checkpoints::FLAT,
        "sharding/reshard-jax" => &movement::JAX,
        "sharding/reshard-dtensor" => &movement::DTENSOR,
        "sharding/checkpoints" => &checkpoints::CHECKPOINTS,
        _ => &[],
    }
}

/// A row from its fields.
pub(super) fn row(file: &str, mut fields: Fields) -> Row {
    checkpoints::add_boxes(&mut fields);
    let text =
        |name: &str| fields.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    let names =
        ["text", "shape", "mesh", "source", "target", "jax", "dtensor", "placements", "spec", "params", "locals"];
    let operands = names.iter().filter_map(|name| text(name)).collect();
    // Beside an error nothing is stated.
    let is_refused = fields.contains_key("error");
    let said = |name: &str| text(name).filter(|_| !is_refused).unwrap_or_default();
    let stated = answers(file).iter().map(|(name, _)| (*name, said(name))).collect();
    let op = file.split('/').next_back().unwrap_or_default().to_owned();
    Row { file: file.to_owned(), id: text("id").unwrap_or_default(), op, operands, answers: stated, fields }
}

/// Our answer: whether each stated thing is ours.
pub(super) fn answer(row: &Row) -> Ours {
    let all = answers(&row.file).iter().map(|(name, judge)| match judge(&row.fields) {
        Ok(None) => format!("{name}: equal"),
        Ok(Some(kind)) => format!("{name}: {kind:?}"),
        Err(why) => format!("{name}: {why}"),
    });
    Ours::Answer(all.collect::<Vec<_>>().join("; "))
}

/// How one stated thing compares.
pub(super) fn judged(row: &Row, name: &str) -> Judged {
    let Some((_, judge)) = answers(&row.file).iter().find(|(own, _)| *own == name) else {
        return Err("no code".to_owned());
    };
    // The answer is what the row holds for one, whatever its fields say.
    let stated = row.answers.iter().find(|(own, text)| *own == name && !text.is_empty());
    let (Some((_, text)), Some(field)) = (stated, row.fields.get(name)) else { return judge(&row.fields) };
    let mut fields = row.fields.clone();
    let value = if field.is_string() { Ok(Value::String(text.clone())) } else { serde_json::from_str(text) };
    fields.insert(name.to_owned(), value.map_err(|error| error.to_string())?);
    judge(&fields)
}

/// The system that a row was recorded from, as rules name it.
pub(super) fn system(row: &Row) -> &'static str {
    system_of(&row.fields)
}

fn system_of(fields: &Fields) -> &'static str {
    let named = fields.get("system").and_then(Value::as_str).unwrap_or_default();
    ["xla-v3", "xla", "shardy", "jax", "dtensor"].into_iter().find(|system| named == *system).unwrap_or("sharding")
}

fn text<'f>(fields: &'f Fields, name: &str) -> &'f str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The numbers in a field.
fn numbers(value: Option<&Value>) -> Option<Vec<i64>> {
    value?.as_array()?.iter().map(Value::as_i64).collect()
}

/// `f32[8,6]`
fn array(fields: &Fields) -> String {
    let shape = numbers(fields.get("shape")).unwrap_or_default();
    format!("f32[{}]", shape.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
}

/// A mesh as we write it.
fn mesh(mesh: &Value) -> String {
    if let Some(text) = mesh.get("text").and_then(Value::as_str) {
        return text.to_owned();
    }
    let sizes = numbers(mesh.get("sizes").or(Some(mesh))).unwrap_or_default();
    let names: Vec<&str> =
        mesh.get("names").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut parts: Vec<String> = sizes
        .iter()
        .enumerate()
        .map(|(at, size)| names.get(at).map_or_else(|| size.to_string(), |name| format!("{name}={size}")))
        .collect();
    if let Some(devices) = numbers(mesh.get("device_ids")) {
        parts.push(format!("device_ids=[{}]", devices.iter().map(i64::to_string).collect::<Vec<_>>().join(",")));
    }
    format!("mesh({})", parts.join(","))
}
