//! Files that converters wrote, against ours byte by byte.

use std::fs;
use std::path::Path;

use bitstride::{Code, Error};
use bitstride_formats::{Container, Format, Repack};
use serde_json::{Map, Value};

use super::names::Asked;
use super::{Fields, SYSTEM, malformed};
use crate::vectors::row::Row;

/// The rows of a manifest: what is read and expected stands in files beside it.
pub(in crate::vectors) fn rows(path: &Path) -> Result<Vec<Row>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
    let entries: Vec<Map<String, Value>> = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
    let row = |mut fields: Map<String, Value>| {
        let folder = path.parent().unwrap_or(Path::new("."));
        fields.insert("folder".to_owned(), folder.to_string_lossy().into_owned().into());
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let bytes = fields.get("bytes").and_then(Value::as_i64).unwrap_or(-1);
        let answers = vec![(SYSTEM, format!("{bytes} bytes of {}", text("made_by")))];
        let (id, operands) = (text("expected"), vec![text("from_format"), text("to_format")]);
        Row { file: "formats/files".to_owned(), id, op: "repack".to_owned(), operands, answers, fields }
    };
    Ok(entries.into_iter().map(row).collect())
}

/// What is recorded, where every byte of ours is that of the converter; else the first that is not.
pub(super) fn answer(row: &Row) -> Result<String, Error> {
    let fields = &row.fields;
    let text = |name: &str| fields.get(name).and_then(Value::as_str).ok_or_else(|| malformed(name));
    let read = |name: &str| {
        let path = Path::new(text("folder")?).join(name);
        fs::read(&path).map_err(|error| Error::new(Code::Range, format!("{}: {error}", path.display())))
    };
    let (input, expected) = (read(text("input")?)?, read(text("expected")?)?);
    let names = match fields.get("tensor") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        other => other.and_then(Value::as_str).into_iter().collect::<Vec<_>>(),
    };
    let container = Container::read(&input)?;
    let (from, to, chosen) = formats(fields)?;
    let repack = Repack::new(&from, &to, Some(&chosen))?;
    let mut sources: Vec<&[u8]> = vec![&[]; repack.from.len()];
    for (field, name) in chosen.iter().zip(&names) {
        let entry = container.tensor(name)?;
        let at = from.field(field)?.tensor;
        if let Some(source) = sources.get_mut(at) {
            *source = input.get(entry.data.clone()).unwrap_or(&[]);
        }
    }
    let targets = repack.run(&sources)?;
    let ours = targets.concat();
    Ok(match ours.iter().zip(&expected).position(|(ours, theirs)| ours != theirs) {
        None if ours.len() == expected.len() => format!("{} bytes of {}", ours.len(), text("made_by")?),
        None => format!("{} bytes, not {}", ours.len(), expected.len()),
        Some(at) => format!("byte {at} is {:?}, not {:?}", ours.get(at), expected.get(at)),
    })
}

/// The formats of a row, and the fields in the order of its tensors.
fn formats(fields: &Fields) -> Result<(Format, Format, Vec<&'static str>), Error> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).ok_or_else(|| malformed(name));
    let (from, to) = (text("from_format")?, text("to_format")?);
    let (target, chosen) = named(to, to, fields)?;
    // Rows in order are scales or weights as the other side is.
    let (source, _) = named(from, to, fields)?;
    Ok((source.format()?, target.format()?, chosen))
}

/// The format of a text, and the fields that its tensors have.
fn named(text: &str, to: &str, fields: &Fields) -> Result<(Asked, Vec<&'static str>), Error> {
    let parameter = |name: &str| fields.get("params").and_then(|all| all.get(name)).and_then(Value::as_i64);
    let is = |start: &str| text.starts_with(start);
    // Every name that a row may give its numbers, and what the zoo calls them.
    let given = |name: &str| {
        let groups = parameter("groups").map(|groups| groups * 128);
        let mut asked = Asked::new(name).with_some("k", parameter("k").or(groups)).with_some("n", parameter("n"));
        asked = asked.with_some("group", parameter("group").or(groups.map(|_| 128)));
        asked = asked.with_some("bits", parameter("bits")).with_some("m", parameter("rows").or(parameter("mn")));
        asked = asked.with_some("s", parameter("cols").or(parameter("k"))).with_some("b", parameter("bytes"));
        asked.with_some("tile", parameter("epilogue_tile_m")).with_some("block", parameter("block_k"))
    };
    let rows = |name: &str| {
        let asked = Asked::new(name).with_some("n", parameter("rows").or(parameter("n")));
        asked.with_some("k", parameter("k"))
    };
    let field = if text.contains("zeros") {
        "zeros"
    } else if text.contains("scales") && !text.contains("scales apart") || text == "row-major f16" {
        "scales"
    } else {
        "codes"
    };
    let one = vec![field];
    let is_scales = parameter("cols").is_some();
    Ok(if is("gptq_p") {
        (given("gptq_p"), one)
    } else if is("gptq v1") {
        (given("gptq:v1"), one)
    } else if is("gptq") || text == "row-major f16" {
        (given("gptq:v2"), one)
    } else if is("awq gemvfast") {
        (given("awq:gemvfast"), one)
    } else if is("awq gemv") {
        (given("awq:gemv"), one)
    } else if is("awq") {
        (given("awq:gemm"), one)
    } else if is("marlin") {
        (given("marlin"), one)
    } else if is("machete") {
        (given("machete"), one)
    } else if is("row-major f32") {
        (given("dense:f32"), vec!["scales"])
    } else if is("row-major") && (is_scales || to.contains("128x4")) {
        (given("mx:scale"), vec!["scales"])
    } else if is("row-major") {
        (given("trtllm:rows"), one)
    } else if is("128x4") {
        (given("mx:scale128x4"), vec!["scales"])
    } else if is("trtllm gated interleave + shuffle + 128x4") {
        (given("trtllm:w3w1scale"), vec!["scales"])
    } else if is("trtllm shuffle + 128x4") {
        (given("trtllm:scale"), vec!["scales"])
    } else if is("trtllm gated interleave + shuffle") {
        (given("trtllm:w3w1"), one)
    } else if is("trtllm gated interleave") {
        (given("trtllm:gated"), one)
    } else if is("trtllm shuffle") {
        (given("trtllm:shuffle"), one)
    } else if is("DeepGEMM") {
        (given("deepgemm:ue8m0"), vec!["scales"])
    } else if is("MXFP4 blocks") {
        (rows("hf:mxfp4"), vec!["scales", "codes"])
    } else if is("GGUF MXFP4 blocks") {
        (rows("gguf:mxfp4"), vec!["scales", "codes"])
    } else if let Some(kind) = text.strip_prefix("GGUF ") {
        (rows(&format!("gguf:{}", quantized(kind))), one)
    } else if let Some(rest) = text.strip_prefix("ggml ") {
        // `ggml q4_K 8 rows x 8 bytes`.
        let kind = quantized(rest.split(' ').next().unwrap_or_default());
        let numbers: Vec<i64> = rest.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [count, interleave] = numbers.as_slice() else { return Err(malformed("rows and bytes")) };
        let asked = rows(&format!("ggml:{kind}")).with("rows", *count).with("interleave", *interleave);
        let all = match kind.as_str() {
            "q6_K" => vec!["codes", "scales", "d"],
            kind if kind.ends_with('K') => vec!["codes", "scales", "mins", "d", "dmin"],
            _ => vec!["codes", "scales"],
        };
        (asked, all)
    } else if is("bitsandbytes") {
        (rows("bnb:nf4"), one)
    } else if is("two codes a byte") {
        (rows("pairs:low").with("kind", "nf4"), one)
    } else {
        return Err(Error::new(Code::UnknownName, format!("no format of the zoo is called `{text}`")));
    })
}

/// The name of a type of ggml: `Q4_0` is `q4_0`, `Q4_K` is `q4_K`.
fn quantized(text: &str) -> String {
    text.to_lowercase().replace("_k", "_K")
}
