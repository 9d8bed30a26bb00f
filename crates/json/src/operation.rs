//! An operation of the table as JSON.

use bitstride_lang::{Operation, Parameter, Presence};
use serde_json::{Map, Value as Json, json};

/// The object of an operation: how it is called, what it computes, and an example.
pub fn operation(operation: &Operation) -> Map<String, Json> {
    let (least, most) = operation.arity();
    let mut object = Map::new();
    object.insert("name".into(), operation.name.into());
    object.insert("group".into(), operation.group.heading().to_lowercase().into());
    object.insert("signature".into(), operation.signature().into());
    object.insert("arity".into(), json!([least, bounded(most)]));
    object.insert("parameters".into(), operation.parameters.iter().map(parameter).collect());
    object.insert("law".into(), operation.law.into());
    if let Some(statement) = operation.statement() {
        object.insert("statement".into(), statement.into());
    }
    object.insert("example".into(), operation.example.into());
    object
}

fn parameter(parameter: &Parameter) -> Json {
    let presence = match parameter.presence {
        Presence::Required => "required",
        Presence::Optional => "optional",
        Presence::Repeated => "repeated",
    };
    json!({"name": parameter.name, "kind": parameter.kind.word(), "meaning": parameter.meaning, "presence": presence})
}

/// The greatest number of arguments, where there is one.
fn bounded(most: usize) -> Option<usize> {
    (most != usize::MAX).then_some(most)
}
