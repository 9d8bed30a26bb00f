//! Texts of shapes: which are read, and as what.

use bitstride::xla::{Array, Dim, IndexType, Shape, TileDim};
use bitstride::{Class, Error};
use serde_json::{Value, json};

use super::{Fields, Judged, same_text, tiles};
use crate::vectors::judge::Kind::Rejects;

/// The function that reads.
pub(super) const READ: &str = "ParseShape";

/// The function that writes a protocol buffer, which is read again.
const WRITE: &str = "Shape::ToProto";

/// XLA's functions, and the columns that tell what they answer. What is read is part of the definition.
pub(super) const FUNCTIONS: [(&str, &[&str]); 2] = [(READ, &["result"]), (WRITE, &["proto_roundtrip"])];

/// How XLA numbers the types of indices.
const UNSIGNED: [(i64, &str); 7] = [(6, "u8"), (7, "u16"), (8, "u32"), (9, "u64"), (22, "u4"), (27, "u2"), (31, "u1")];

/// What a row states: XLA's answer, of the newer binary where that is another.
pub(super) fn stated(fields: &Fields) -> Value {
    let kept = |name: &str| fields.get(name).cloned();
    let mut stated = Fields::new();
    let mut state = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            stated.insert(name.to_owned(), value);
        }
    };
    let text = kept("text");
    match (kept("newer_result"), fields.get("result").and_then(Value::as_str)) {
        (Some(result), _) => {
            state("result", Some(result));
            state("canonical", kept("newer_canonical").or(text));
        }
        (None, Some("accept")) => {
            state("result", kept("result"));
            state("canonical", kept("canonical").or(text));
            state("without_layout", kept("without_layout"));
            state("validate", kept("validate"));
            state("fields", kept("fields").map(named));
        }
        // Where XLA's process ends there is nothing to read either.
        _ => {
            state("result", Some(json!("reject")));
            state("error_code", Some(kept("error_code").unwrap_or(json!("INVALID_ARGUMENT"))));
        }
    }
    Value::Object(stated)
}

/// Fields with the types of indices by name.
fn named(mut fields: Value) -> Value {
    if let Some(layout) = fields.get_mut("layout") {
        for name in ["index_type", "pointer_type"] {
            if let Some(number) = layout.get_mut(name) {
                let known = UNSIGNED.iter().find(|(known, _)| number.as_i64() == Some(*known));
                let unset = number.as_i64() == Some(0);
                *number = known.map_or(if unset { Value::Null } else { json!("invalid") }, |(_, name)| json!(name));
            }
        }
    }
    if let Some(elements) = fields.get_mut("elements").and_then(Value::as_array_mut) {
        for element in elements {
            *element = named(element.take());
        }
    }
    fields
}

/// Our answer.
pub(super) fn answer(fields: &Fields) -> Option<Value> {
    let read = fields.get("text")?.as_str()?.parse::<Shape>();
    Some(match read {
        Err(error) => json!({"result": "reject", "error_code": category(&error)}),
        Ok(shape) if !same_text(&shape) => {
            json!(format!("{shape} is read as another shape"))
        }
        Ok(shape) => {
            let (result, canonical) = (json!("accept"), json!(shape.to_string()));
            if fields.contains_key("newer_result") {
                return Some(json!({"result": result, "canonical": canonical}));
            }
            let valid = shape.validate().map_or_else(|error| category(&error), |()| "OK".to_owned());
            json!({
                "result": result,
                "canonical": canonical,
                "without_layout": shape.without_layout(),
                "validate": valid,
                "fields": described(&shape),
            })
        }
    })
}

/// An error as XLA sorts it: all that is wrong with a text or a layout is an invalid argument.
fn category(error: &Error) -> String {
    match error.code().class() {
        Class::Unreadable | Class::Refused => "INVALID_ARGUMENT".to_owned(),
        Class::Undecided => error.code().as_str().to_owned(),
    }
}

/// A shape as rows write it.
fn described(shape: &Shape) -> Value {
    match shape {
        // What a buffer holds was recorded; that it is one is said by the text.
        Shape::Array(array) | Shape::Buffer(array) => of_array(array),
        Shape::Tuple(elements) => {
            json!({"kind": "tuple", "elements": elements.iter().map(described).collect::<Vec<_>>()})
        }
        Shape::Token => json!({"kind": "token"}),
        Shape::Opaque => json!({"kind": "opaque"}),
    }
}

fn of_array(array: &Array) -> Value {
    let layout = &array.layout;
    let index = |index: &Option<IndexType>| match index {
        None => Value::Null,
        Some(IndexType::Unsigned(element)) => json!(element.name()),
        Some(IndexType::Invalid) => json!("invalid"),
    };
    let splits = layout.splits.iter().map(|split| json!({"dim": split.dim, "at": split.indices}));
    json!({
        "kind": "array",
        "type": array.element.name(),
        "dims": array.dims.iter().map(|dim| dim.bound().unwrap_or(i64::MIN)).collect::<Vec<_>>(),
        "dynamic": array.dims.iter().map(|dim| i64::from(!matches!(dim, Dim::Static(_)))).collect::<Vec<_>>(),
        "layout": {
            "minor_to_major": layout.minor_to_major,
            "tiles": tiles(array),
            "tail_padding": layout.tail_padding,
            "element_bits": layout.element_bits,
            "memory_space": layout.memory_space,
            "index_type": index(&layout.index_type),
            "pointer_type": index(&layout.pointer_type),
            "metadata_prefix_bytes": layout.metadata_prefix,
            "split_configs": splits.collect::<Vec<_>>(),
        },
    })
}

/// What XLA reads, or reads back, against ours.
pub(super) fn judged(fields: &Fields, function: &str, theirs: &Value) -> Option<Judged> {
    let text = fields.get("text")?.as_str()?;
    let read = text.parse::<Shape>();
    if function == READ {
        let newer = fields.get("newer_result").is_some_and(|result| result == "accept");
        let ours = match &read {
            Ok(shape) => json!(shape.to_string()),
            Err(_) if theirs == "reject" || theirs == "abort" => theirs.clone(),
            Err(error) => json!(category(error)),
        };
        let lawful = read.as_ref().map_or(true, same_text);
        return Some(Judged::new(text.to_owned(), theirs, &ours, lawful, Rejects, newer));
    }
    let shape = read.ok()?;
    let ours = same_text(&shape);
    let internal = fields.get("proto_error").is_some_and(|error| error == "INTERNAL");
    let reason = *theirs == json!(false) && internal && merges(&shape);
    let asked = format!("whether {shape} is read back as it was");
    Some(Judged::new(asked, theirs, &json!(ours), ours, Rejects, reason))
}

/// Whether a tile of the shape has a `*`.
fn merges(shape: &Shape) -> bool {
    match shape {
        Shape::Array(array) | Shape::Buffer(array) => {
            array.layout.tiles.iter().any(|tile| tile.0.contains(&TileDim::Combine))
        }
        Shape::Tuple(elements) => elements.iter().any(merges),
        Shape::Token | Shape::Opaque => false,
    }
}
