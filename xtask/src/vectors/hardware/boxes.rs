//! What CuTe makes of a copy by TMA: the arguments of the driver's encoder, the box over the modes of the tensor, and the coordinates.

use bitstride::Error;
use bitstride::memory::{SwizzleMode, TmaCopy};
use bitstride::notation::Ints;
use bitstride_lang::evaluate_with;
use serde_json::{Value, json};

use super::Fields;
use super::descriptors::function;
use crate::vectors::judge::Kind;
use crate::vectors::operation::Ours;
use crate::vectors::row::Row;

/// What a row states that follows from the layouts.
const STATED: [&str; 10] = [
    "basis",
    "rank",
    "global_dim",
    "global_strides",
    "box_dim",
    "element_strides",
    "swizzle",
    "interleave",
    "coordinates",
    "instructions",
];

/// A row from its fields.
pub(super) fn row(file: &str, fields: Fields) -> Row {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let operands = ["gmem_cpp", "smem", "cta_tile", "bits", "tma_bits"].iter().filter_map(|name| fields.get(*name));
    let operands = operands.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect();
    let answer = match fields.get("check") {
        Some(check) => format!("!{}", check.as_str().unwrap_or_default()),
        None => {
            let stated = STATED.iter().filter_map(|name| Some(((*name).to_owned(), fields.get(*name)?.clone())));
            Value::Object(stated.collect()).to_string()
        }
    };
    Row { file: file.to_owned(), id: text("id"), op: text("op"), operands, answers: vec![("cute", answer)], fields }
}

/// Our answer: the map, or what no map says.
pub(super) fn answer(fields: &Fields) -> Result<Value, Error> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| fields.get(name).and_then(Value::as_i64).unwrap_or(0);
    let cpp = |name: &str| evaluate_with(text(name), Ints::Cpp).map(|answer| answer.value);
    let (global, tile) = (cpp("gmem_cpp")?.as_layout()?, cpp("cta_tile")?.as_shape()?);
    let (bits, unit_bits) = (number("bits"), number("tma_bits"));
    let copy = TmaCopy::new(&global, &function(text("smem"))?, bits, unit_bits, Some(&tile), number("base"))?;
    let map = copy.map()?;
    let swizzle = match copy.swizzle {
        SwizzleMode::None => "NONE".to_owned(),
        mode => format!("{}B", mode.bytes()),
    };
    Ok(json!({
        "basis": copy.basis(),
        "rank": copy.dims.len(),
        "global_dim": copy.dims,
        "global_strides": copy.strides,
        "box_dim": copy.window,
        "element_strides": map.element_strides,
        "swizzle": swizzle,
        "interleave": "NONE",
        "coordinates": copy.coordinates.to_string(),
        "instructions": copy.instructions,
    }))
}

/// How our answer differs: CuTe passes on what the driver refuses, or what copies other bytes than the layouts say.
pub(super) fn differs(fields: &Fields, theirs: &str, ours: &Ours) -> Result<Option<Kind>, String> {
    let is_wrong =
        ["encoder_rule_broken", "image_differs", "pitch_differs"].iter().any(|name| fields.contains_key(*name));
    match ours {
        Ours::Answer(ours) if ours == theirs && !is_wrong => Ok(None),
        Ours::Refused(_) if theirs.starts_with('!') => Ok(None),
        Ours::Refused(_) if is_wrong => Ok(Some(Kind::AcceptsUnlawful)),
        ours => Err(format!("not as recorded: {}", ours.text())),
    }
}
