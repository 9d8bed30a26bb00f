//! Tiled matrix and copy instructions: the expression that a row abbreviates, and everything that CuTe said of it.
//!
//! An answer is one JSON object of what the row states, and is compared to the letter.

use bitstride::notation::Ints;
use bitstride::{Code, Error};
use bitstride_lang::{Value, evaluate_with};
use serde_json::{Map, Value as Json};

use super::row::Row;

/// What of a row is no answer.
const ASKED: [&str; 3] = ["id", "op", "args"];

/// Whether a row is about a tiled instruction or a tile of shared memory.
pub(super) fn owns(file: &str, op: &str) -> bool {
    file == "cute/tiled" && matches!(op, "mma" | "part" | "partS" | "smem" | "copy" | "copy_A" | "copy_B" | "copy_C")
}

/// What a row states, where it is no single text.
pub(super) fn stated(fields: &Map<String, Json>) -> String {
    let stated = fields.iter().filter(|(name, _)| !ASKED.contains(&name.as_str()));
    let stated: Map<String, Json> = stated.map(|(name, value)| (name.clone(), value.clone())).collect();
    if let (1, Some(Json::String(text))) = (stated.len(), stated.get("r")) {
        return text.replace(' ', "");
    }
    Json::Object(stated).to_string()
}

/// Our answer; none where a row cannot be read.
pub(super) fn answer(row: &Row) -> Option<Result<String, Error>> {
    let operands: Vec<&str> = row.operands.iter().map(String::as_str).collect();
    if let ("smem", [asked]) = (row.op.as_str(), operands.as_slice()) {
        return shared(asked);
    }
    let (subject, tensor) = match (row.op.as_str(), operands.as_slice()) {
        ("mma", [name, rest @ ..]) => (mma(name, rest), None),
        ("part", [mma, tensor]) => (words_mma(mma), Some(*tensor)),
        ("partS", [copy, tensor]) => (words_copy(copy)?, Some(*tensor)),
        ("copy", [atom, threads, values]) => (tiled_copy(row, atom, threads, values)?, None),
        ("copy_A" | "copy_B" | "copy_C", [atom, mma]) => {
            let (name, bits) = copy_atom(atom)?;
            let mma = words_mma(mma.strip_prefix("mma ").unwrap_or(mma));
            (format!("make_tiled_{}({name}, {bits}, {mma})", row.op), None)
        }
        _ => return None,
    };
    let mut answers = Map::new();
    for name in row.fields.keys().filter(|name| !ASKED.contains(&name.as_str())) {
        let text = match name.as_str() {
            "size" if row.op == "mma" => format!("size({subject}.thr_layout_vmnk)"),
            "size" => format!("size[0]({subject}.TV)"),
            "thr_layout_vmnk" => format!("{subject}.thr_layout_vmnk"),
            "tile_mnk" | "tiler_mn" => format!("{subject}.tile"),
            "TiledLayout_TV" => format!("{subject}.TV"),
            name => match (name.strip_suffix("_TV"), name.strip_prefix('p'), tensor) {
                (Some(part), ..) => format!("{subject}.{part}"),
                (None, Some(part), Some(tensor)) => partition(&subject, part, tensor)?,
                _ => return None,
            },
        };
        match evaluate_with(&text, Ints::Plain) {
            Ok(answer) => answers.insert(name.clone(), Json::String(value(name, &answer.value))),
            Err(error) => return Some(Err(error)),
        };
    }
    Some(Ok(Json::Object(answers).to_string()))
}

/// `C` is the part of thread 0, `C_t5_first` where that of thread 5 starts.
fn partition(subject: &str, part: &str, tensor: &str) -> Option<String> {
    let (operand, thread) = match part.split_once("_t") {
        None => (part, "0"),
        Some((operand, rest)) => (operand, rest.strip_suffix("_first")?),
    };
    Some(format!("partition_{operand}({subject}, {tensor}, {thread})"))
}

/// A value as rows write it: of a part the layout, or where it starts.
fn value(name: &str, value: &Value) -> String {
    match value {
        Value::Offset(slice) if name.ends_with("_first") => slice.offset.to_string(),
        Value::Offset(slice) => slice.layout.to_string(),
        Value::Layout(_) if name.ends_with("_first") => "0".to_owned(),
        other => other.to_string().replace(' ', ""),
    }
}

/// A tiled matrix instruction from its name, its atoms and its tile.
fn mma(name: &str, rest: &[&str]) -> String {
    // Only the generation and the shape are named where the types do not matter.
    let types = "F32F16F16F32";
    let name = match (name, name.split('_').count()) {
        ("SM70", _) => format!("SM70_8x8x4_{types}_NT"),
        ("SM75", _) => format!("SM75_16x8x8_{types}_TN"),
        ("SM80", _) => format!("SM80_16x8x16_{types}_TN"),
        (name, 2) if !name.starts_with("SM61") => format!("{name}_{types}_TN"),
        (name, _) => name.to_owned(),
    };
    let rest = rest.iter().map(|operand| match operand.contains('x') {
        true => format!(", <{}>", operand.replace('x', ",")),
        false => format!(", {operand}"),
    });
    format!("tiled_mma({name}{})", rest.collect::<String>())
}

/// `SM80 (2,2) 32x32x16`
fn words_mma(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.split_first() {
        Some((name, rest)) => mma(name, rest),
        None => String::new(),
    }
}

/// `CP_ASYNC u128 half (16,8):(8,1) (1,8)`
fn words_copy(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [name, moved, element, threads, values @ ..] = words.as_slice() else { return None };
    let (name, bits) = copy_atom(&format!("{name}<{moved}>,{element}"))?;
    let values: String = values.iter().map(|values| format!(", {values}")).collect();
    Some(format!("tiled_copy({name}, {bits}, {threads}{values})"))
}

fn tiled_copy(row: &Row, atom: &str, threads: &str, values: &str) -> Option<String> {
    let (name, bits) = copy_atom(atom)?;
    let (threads, values) = (threads.strip_prefix("thr")?, values.strip_prefix("val")?);
    if !threads.starts_with('(') || name.contains("LDSM") || name.contains("STSM") {
        // The labels of matrix copies name other layouts than those that were recorded beside them: a bare number of threads, or
        // strides in the other order. The layout recorded is the question, its source and target are the answers.
        let text = |name: &str| row.fields.get(name).and_then(Json::as_str);
        return Some(format!("tiled_copy_tv({name}, {bits}, {}, {})", text("TiledLayout_TV")?, text("tiler_mn")?));
    }
    let values = if values == "()" { String::new() } else { format!(", {values}") };
    Some(format!("tiled_copy({name}, {bits}, {threads}{values})"))
}

/// `LDSM_x4_N,half`: an instruction and the bits of an element.
fn copy_atom(text: &str) -> Option<(String, i64)> {
    let (name, element) = text.rsplit_once(',')?;
    let bits = bits(element)?;
    let (base, argument) = name.split_once('<').unwrap_or((name, ""));
    let moved = self::bits(argument.trim_end_matches('>'));
    let parts: Vec<&str> = base.split('_').collect();
    let matrices = parts.iter().copied().find(|part| matches!(*part, "LDSM" | "STSM"));
    let full = match (matrices, base) {
        _ if base.starts_with("SM") => name.to_owned(),
        (Some(kind), _) => {
            let count = parts.iter().find_map(|part| part.strip_prefix('x'))?;
            let (element, order) = if parts.contains(&"T") { ("U16", "T") } else { ("U32", "N") };
            let generation = if kind == "LDSM" { "SM75" } else { "SM90" };
            format!("{generation}_{element}x{count}_{kind}_{order}")
        }
        (None, "Universal" | "UniversalCopy") => format!("UniversalCopy<uint{}_t>", moved?),
        (None, "CP_ASYNC") => format!("SM80_CP_ASYNC_CACHEALWAYS<uint{}_t>", moved?),
        (None, base) if base.starts_with("CP_ASYNC_") => format!("SM80_{base}<uint{}_t>", moved?),
        _ => return None,
    };
    Some((full, bits))
}

/// The bits of a type.
fn bits(name: &str) -> Option<i64> {
    match name {
        "half" | "bf16" | "bfloat16" => Some(16),
        "float" | "tf32" => Some(32),
        "double" => Some(64),
        other => other.trim_end_matches("_t").trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().ok(),
    }
}

/// `GMMA Layout_K_SW128_Atom<half>`, or an expression.
fn shared(asked: &str) -> Option<Result<String, Error>> {
    let Some(atom) = asked.split_whitespace().find_map(|word| word.strip_prefix("Layout_")) else {
        return Some(evaluate_with(asked, Ints::Plain).map(|answer| answer.value.to_string().replace(' ', "")));
    };
    let (atom, element) = atom.split_once("_Atom<")?;
    let (major, swizzle) = atom.split_once('_')?;
    let span = if swizzle == "INTER" { 0 } else { swizzle.strip_prefix("SW")?.parse().ok()? };
    let bits = bits(element.trim_end_matches('>'))?;
    let made = evaluate_with(&format!("smem_atom({major}, {span}, {bits})"), Ints::Plain);
    Some(made.and_then(|answer| {
        // CuTe prints the pointer, and a swizzle that moves nothing, where the answer is the tile itself.
        let text = answer.value.to_string().replace(' ', "");
        let (swizzle, layout) = match text.split_once(&format!("bytes[{bits}]o")) {
            Some(parts) => parts,
            None if span == 0 => ("Sw<0,4,3>o", text.as_str()),
            None => return Err(Error::new(Code::Kind, format!("{text} is no layout of shared memory"))),
        };
        Ok(format!("{swizzle}smem_ptr[{bits}b](unset)o{layout}"))
    }))
}
