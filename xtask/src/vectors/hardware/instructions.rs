//! Descriptors of instructions of `tcgen05` as CuTe makes them: the fields and the word.

use bitstride::Error;
use bitstride::memory::{InstructionDescriptor, Major, MmaKind, Options};
use serde_json::{Value, json};

use super::Fields;
use crate::vectors::judge::Kind;
use crate::vectors::operation::Ours;

/// The words of PTX for types of CUTLASS.
const TYPES: [(&str, &str); 15] = [
    ("half_t", "f16"),
    ("bfloat16_t", "bf16"),
    ("tfloat32_t", "tf32"),
    ("float", "f32"),
    ("int8_t", "s8"),
    ("uint8_t", "u8"),
    ("int32_t", "s32"),
    ("float_e4m3_t", "e4m3"),
    ("float_e5m2_t", "e5m2"),
    ("float_e2m3_t", "e2m3"),
    ("float_e3m2_t", "e3m2"),
    ("float_e2m1_t", "e2m1"),
    ("float_ue8m0_t", "ue8m0"),
    ("float_ue4m3_t", "ue4m3"),
    ("float_ue4m3fn_t", "ue4m3"),
];

fn text<'f>(fields: &'f Fields, name: &str) -> &'f str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn ptx<'f>(fields: &'f Fields, name: &str) -> &'f str {
    let own = text(fields, name);
    TYPES.iter().find(|(known, _)| *known == own).map_or(own, |(_, word)| word)
}

fn number(fields: &Fields, name: &str) -> i64 {
    fields.get(name).and_then(Value::as_i64).unwrap_or(0)
}

/// The kind of instruction that takes such types.
fn kind(fields: &Fields) -> MmaKind {
    match (text(fields, "kind"), ptx(fields, "a"), ptx(fields, "sf")) {
        ("dense", "f16" | "bf16", _) => MmaKind::F16,
        ("dense", "tf32", _) => MmaKind::Tf32,
        ("dense", "s8" | "u8", _) => MmaKind::I8,
        ("dense", ..) => MmaKind::F8f6f4,
        (_, "e2m1", "ue4m3") => MmaKind::Mxf4nvf4,
        (_, "e2m1", _) => MmaKind::Mxf4,
        _ => MmaKind::Mxf8f6f4,
    }
}

/// Our answer: the word of such an instruction.
pub(super) fn answer(fields: &Fields) -> Result<Value, Error> {
    let kind = kind(fields);
    let major = |name: &str| if text(fields, name) == "MN" { Major::Mn } else { Major::K };
    let set = |name: &str| number(fields, name) != 0;
    let options = Options {
        negate: [set("a_negate"), set("b_negate")],
        saturate: set("saturate"),
        sparse: set("sparse"),
        shift: [0, 8, 16, 32].get(usize::try_from(number(fields, "max_shift")).unwrap_or(9)).copied().unwrap_or(-1),
        ..Options::default()
    };
    let types = ["a", "b", "c"].map(|name| ptx(fields, name));
    let scale = fields.contains_key("sf").then(|| ptx(fields, "sf"));
    let extents = [number(fields, "M"), number(fields, "N")];
    let majors = [major("a_major"), major("b_major")];
    let descriptor = InstructionDescriptor::new(kind, types, scale, extents, majors, options)?;
    let ours: Vec<(&str, u32)> = descriptor.fields().iter().map(|(what, code, _)| (name(what), *code)).collect();
    // In the order of the row; block-scaled rows leave out some fields.
    let stated = fields.get("fields").and_then(Value::as_object).into_iter().flatten();
    let code = |field: &str| ours.iter().find(|(known, _)| *known == field).map(|(_, code)| json!(code));
    let named = stated.filter_map(|(field, _)| Some((field.clone(), code(field)?)));
    Ok(json!({"fields": named.collect::<Fields>(), "word": descriptor.to_string()}))
}

/// CUTLASS's name of a field.
fn name(what: &str) -> &str {
    match what {
        "sparse" => "sparse_flag",
        "type of A" => "a_format",
        "type of B" => "b_format",
        "type of D" => "c_format",
        "type of the scales" => "scale_format",
        "negate A" => "a_negate",
        "negate B" => "b_negate",
        "A is MN-major" => "a_major",
        "B is MN-major" => "b_major",
        "N / 8" => "n_dim",
        "M / 16" => "m_dim",
        "size of K" => "k_size",
        other => other,
    }
}

/// How our answer differs: CuTe's word is of extents or of types that the instruction reads otherwise.
pub(super) fn differs(fields: &Fields, theirs: &str, ours: &Ours) -> Result<Option<Kind>, String> {
    let word = u32::from_str_radix(text(fields, "word").trim_start_matches("0x"), 16).unwrap_or(0);
    let read = InstructionDescriptor::from_word(kind(fields), word);
    let types = format!(", {}, {}, {}, ", ptx(fields, "a"), ptx(fields, "b"), ptx(fields, "c"));
    match ours {
        Ours::Answer(ours) if ours == theirs => Ok(None),
        // What the word says is not what was asked for.
        Ours::Answer(_) if read.as_ref().is_ok_and(|read| !read.described().contains(&types)) => {
            Ok(Some(Kind::BreaksLaw))
        }
        Ours::Refused(_) if read.is_err() || !extents(&read).contains(&asked(fields)) => {
            Ok(Some(Kind::AcceptsUnlawful))
        }
        ours => Err(format!("not as recorded: {}", ours.text())),
    }
}

fn asked(fields: &Fields) -> String {
    format!("({},{})", number(fields, "M"), number(fields, "N"))
}

fn extents(read: &Result<InstructionDescriptor, Error>) -> String {
    read.as_ref().map(InstructionDescriptor::described).unwrap_or_default()
}
