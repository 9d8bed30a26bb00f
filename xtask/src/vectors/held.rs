//! The layouts that a row holds: in its question, in every answer, and in whatever else it says.

use bitstride::cute::Tiler;
use bitstride::notation::Ints;
use bitstride::xla::Shape;
use bitstride_lang::{Value, evaluate_with};
use serde_json::Value as Json;

use super::operation::{spaced, swizzled};
use super::row::{Row, SYSTEMS};
use super::{formats, nv, sharding, triton, xla};

/// The layouts that a row holds, each with its text.
pub(super) fn held(row: &Row) -> Vec<(String, Value)> {
    let mut values = Vec::new();
    // A table of a stored layout holds answers of this program beside it, and what spreads a tensor over devices is no layout of memory.
    if formats::owns(&row.file) || sharding::owns(&row.file) {
        return Vec::new();
    }
    if triton::owns(&row.file) {
        values.extend(triton::layouts(row).into_iter().map(Value::Linear));
    } else {
        for (text, ints) in texts(row) {
            if let Ok(answer) = evaluate_with(&text, ints) {
                layouts(answer.value, &mut values);
            }
        }
    }
    // The C++ spelling tells static integers from others.
    values.into_iter().map(|value| (value.display(Ints::Cpp), value)).collect()
}

/// The layouts in a value.
fn layouts(value: Value, found: &mut Vec<Value>) {
    match value {
        Value::Layout(_) | Value::Offset(_) | Value::Linear(_) | Value::Map(_) => found.push(value),
        // A swizzle alone has no domain.
        Value::Function(ref function) if function.domain().is_ok() => found.push(value),
        Value::Xla(shape) => arrays(shape, found),
        Value::Tiler(Tiler::Layout(layout)) => found.push(layout.into()),
        Value::Tiler(Tiler::Modes(modes)) => {
            modes.into_iter().for_each(|mode| layouts(Value::Tiler(mode), found));
        }
        Value::List(values) => values.into_iter().for_each(|value| layouts(value, found)),
        _ => {}
    }
}

fn arrays(shape: Shape, found: &mut Vec<Value>) {
    match shape {
        Shape::Array(array) | Shape::Buffer(array) => found.push(array.into()),
        Shape::Tuple(shapes) => shapes.into_iter().for_each(|shape| arrays(shape, found)),
        Shape::Token | Shape::Opaque => {}
    }
}

/// The texts of a row that may be layouts.
fn texts(row: &Row) -> Vec<(String, Ints)> {
    let ints = if row.is_cpp() { Ints::Cpp } else { Ints::Plain };
    let mut all = Vec::new();
    let is_asked = |name: &str| matches!(name, "id" | "in" | "args" | "op") || SYSTEMS.contains(&name);
    let own = xla::owns(&row.file);
    row.fields.iter().filter(|(name, _)| own || !is_asked(name)).for_each(|(_, value)| strings(value, &mut all));
    if own {
        return all.into_iter().map(|text| (text, ints)).collect();
    }
    let translated = if row.file == "cute/nv_extra" { nv::translated(row) } else { None };
    let f2 = row.op == "f2";
    let row = translated.as_ref().unwrap_or(row);
    all.extend(row.operands.iter().cloned());
    if let [bits, base, shift, rest @ ..] = row.operands.as_slice() {
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        all.extend(swizzled(&row.op, &format!("Sw<{bits},{base},{shift}>"), &rest));
    }
    if row.op == "print_layout" {
        let tables = row.answers.iter().filter_map(|(_, table)| table.lines().next());
        return tables.map(|first| (first.to_owned(), Ints::Cpp)).collect();
    }
    for (_, answer) in &row.answers {
        // Offsets follow some layouts, and some rows have several answers.
        let answer = answer.split('|').next().unwrap_or_default();
        all.extend(answer.split(';').map(|answer| if f2 { answer.replace('F', "^") } else { answer.to_owned() }));
    }
    all.iter().map(|text| (spelled(text), ints)).collect()
}

/// A recorded text in our spelling: where an iterator is 0, or counts from somewhere.
fn spelled(text: &str) -> String {
    let counted = text.strip_prefix("counting_iter(").and_then(|rest| rest.split_once(')'));
    if let Some((start, layout)) = counted {
        return format!("{} + {start}", layout.trim_start_matches([' ', 'o']));
    }
    let memory = text.split_once("smem_ptr").and_then(|(before, rest)| Some((before, rest.split_once("(unset)")?.1)));
    memory.map_or_else(|| spaced(text), |(before, after)| format!("{before}0{after}"))
}

fn strings(value: &Json, found: &mut Vec<String>) {
    match value {
        Json::String(text) => found.push(text.clone()),
        Json::Array(entries) => entries.iter().for_each(|entry| strings(entry, found)),
        Json::Object(fields) => fields.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_texts_are_spelled_as_ours() {
        assert_eq!(spelled("counting_iter(17) o (4,4):(128,4)"), "(4,4):(128,4) + 17");
        assert_eq!(spelled("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"), "Sw<3,4,3> o 0 o (8,64):(64,1)");
        assert_eq!(spelled("Sw<2,0,3>o0o4:1"), "Sw<2,0,3> o 0 o 4:1");
    }
}
