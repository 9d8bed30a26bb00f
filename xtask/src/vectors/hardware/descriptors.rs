//! Descriptors of shared memory as CuTe makes them: the fields, the word, and the word of an instruction further on.

use bitstride::cute::Function;
use bitstride::memory::{Descriptor, Generation, Major, SwizzleMode};
use bitstride::{Error, Int, Tuple};
use bitstride_lang::{Value as Answered, evaluate};
use serde_json::{Value, json};

use super::Fields;
use crate::vectors::judge::Kind;
use crate::vectors::operation::Ours;
use crate::vectors::row::Row;

/// The system that was run.
const SYSTEM: &str = "cute";

/// A row from its fields.
pub(super) fn row(file: &str, fields: Fields) -> Row {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let operands = ["layout", "bits", "major", "base", "kind", "a", "b", "c", "M", "N"]
        .iter()
        .filter_map(|name| fields.get(*name));
    let operands = operands.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect();
    let answer = match fields.get("check") {
        Some(check) => format!("!{}", check.as_str().unwrap_or_default()),
        None => {
            let stated = ["fields", "word", "word_at_coord"].iter();
            let stated: Fields =
                stated.filter_map(|name| Some(((*name).to_owned(), fields.get(*name)?.clone()))).collect();
            Value::Object(stated).to_string()
        }
    };
    Row { file: file.to_owned(), id: text("id"), op: text("op"), operands, answers: vec![(SYSTEM, answer)], fields }
}

/// Our answer: the descriptor of the layout. A row that CuTe refuses as a whole tile has no layout of one instruction.
pub(super) fn answer(fields: &Fields) -> Option<Result<Value, Error>> {
    let generation = if fields.get("op")?.as_str()? == "gmma_desc" { Generation::Wgmma } else { Generation::Tcgen05 };
    let Some(text) = fields.get("layout").and_then(Value::as_str) else {
        return Some(untiled(fields));
    };
    let made = function(text).and_then(|layout| {
        let descriptor =
            Descriptor::of(&layout, number(fields, "bits"), major(fields), number(fields, "base"), generation)?;
        shown(fields, &descriptor)
    });
    Some(made)
}

fn shown(fields: &Fields, descriptor: &Descriptor) -> Result<Value, Error> {
    let code = match descriptor.generation {
        Generation::Wgmma => descriptor.word() >> 62,
        Generation::Tcgen05 => descriptor.word() >> 61,
    };
    let mut stated = json!({
        "start_address": descriptor.start,
        "leading_byte_offset": descriptor.leading,
        "stride_byte_offset": descriptor.stride,
        "base_offset": 0,
        "layout_type": code,
    });
    if let (Generation::Tcgen05, Some(stated)) = (descriptor.generation, stated.as_object_mut()) {
        stated.insert("version".to_owned(), json!(1));
        stated.insert("lbo_mode".to_owned(), json!(0));
    }
    let mut answer = Fields::new();
    answer.insert("fields".to_owned(), stated);
    answer.insert("word".to_owned(), json!(descriptor.to_string()));
    if fields.contains_key("word_at_coord") {
        let later = descriptor.advanced(steps(fields)?, number(fields, "bits"))?;
        answer.insert("word_at_coord".to_owned(), json!(later.to_string()));
    }
    Ok(Value::Object(answer))
}

/// The elements from the start of the tile to the instruction at `coord`, before the swizzle.
fn steps(fields: &Fields) -> Result<i64, Error> {
    let tile = function(fields.get("tile").and_then(Value::as_str).unwrap_or_default())?;
    let Function::Layout(layout) = unswizzled(&tile) else { return Ok(0) };
    let numbers = |name: &str| -> Vec<i64> {
        let list = fields.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_i64).collect()
    };
    let at = numbers("coord").into_iter().zip(numbers("instruction")).map(|(n, size)| Int::from(n * size));
    let at = Tuple::flat(&at.collect::<Vec<_>>());
    Function::Layout(layout).offset_at(&at)?.to_coordinate().size()?.as_number()
}

fn unswizzled(function: &Function) -> Function {
    match function {
        Function::Composed(composed) => composed.inner.clone(),
        other => other.clone(),
    }
}

/// A whole tile that CuTe refuses to cut: by its extents, as a plain tile would be.
fn untiled(fields: &Fields) -> Result<Value, Error> {
    let extents: Vec<String> =
        fields.get("instruction").and_then(Value::as_array).into_iter().flatten().map(ToString::to_string).collect();
    let layout = function(&format!("({}):(0,0)", extents.join(",")))?;
    let descriptor =
        Descriptor::of(&layout, number(fields, "bits"), major(fields), number(fields, "base"), Generation::Wgmma)?;
    shown(fields, &descriptor)
}

pub(super) fn function(text: &str) -> Result<Function, Error> {
    match evaluate(text)?.value {
        Answered::Layout(layout) => Ok(Function::Layout(layout)),
        value => value.as_function(),
    }
}

fn number(fields: &Fields, name: &str) -> i64 {
    fields.get(name).and_then(Value::as_i64).unwrap_or(0)
}

fn major(fields: &Fields) -> Major {
    if fields.get("major").and_then(Value::as_str) == Some("K") { Major::K } else { Major::Mn }
}

/// How our answer differs from CuTe's: it refuses what a descriptor says, or accepts what none says.
pub(super) fn differs(fields: &Fields, theirs: &str, ours: &Ours) -> Result<Option<Kind>, String> {
    match ours {
        Ours::Answer(ours) if ours == theirs => Ok(None),
        Ours::Refused(_) if theirs.starts_with('!') => Ok(None),
        // The layout is one function however it is written, and its numbers are known.
        Ours::Answer(_) if matches!(theirs, "!dynamic" | "!swizzle_not_in_pointer") => Ok(Some(Kind::Rejects)),
        Ours::Refused(_) if is_wrong(fields) => Ok(Some(Kind::AcceptsUnlawful)),
        ours => Err(format!("not as recorded: {}", ours.text())),
    }
}

/// Whether the recorded word finds an element elsewhere, or its address is none that the swizzle starts at.
fn is_wrong(fields: &Fields) -> bool {
    let width = match fields.get("swizzle_bytes").and_then(Value::as_str) {
        Some("Sw<1,4,3>") => SwizzleMode::Bytes32,
        Some("Sw<2,4,3>") => SwizzleMode::Bytes64,
        Some("Sw<3,4,3>") => SwizzleMode::Bytes128,
        Some("Sw<2,5,2>") => SwizzleMode::Bytes128Atom32,
        _ => SwizzleMode::None,
    };
    let pattern = match width {
        SwizzleMode::None => 16,
        SwizzleMode::Bytes32 => 256,
        SwizzleMode::Bytes64 => 512,
        SwizzleMode::Bytes128 | SwizzleMode::Bytes128Atom32 => 1024,
    };
    let base = number(fields, "base");
    fields.get("exact") == Some(&json!(false)) || base % pattern != 0 || base >= 1 << 18
}
