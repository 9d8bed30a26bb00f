//! One recorded row: the question, and what each system answered.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::{Map, Value};

use super::{formats, hardware, sharding, tiled, triton, xla};

/// The systems, in the order in which a row is read: the first that a row has is its reference. `value` is what a
/// document states, `r` what CuTe C++ answered about a tensor.
pub(crate) const SYSTEMS: [&str; 8] = ["cpp", "dsl", "nv", "nv_recast", "pycute", "tl", "value", "r"];

/// One recorded row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Folder and name of its file, such as `cute/composition`.
    pub(crate) file: String,
    /// Its name.
    pub(crate) id: String,
    /// What was asked.
    pub(crate) op: String,
    /// The operands.
    pub(crate) operands: Vec<String>,
    /// The answers by system, without blanks; the first one is the reference.
    pub(crate) answers: Vec<(&'static str, String)>,
    /// Everything the row says.
    pub(crate) fields: Map<String, Value>,
}

impl Row {
    /// Whether its integers are in the C++ spelling.
    pub(crate) fn is_cpp(&self) -> bool {
        matches!(self.file.as_str(), "cute/dynamic" | "cute/unit_tests")
    }

    /// The row with all integers plain: what enumeration judges.
    pub(crate) fn plain(&self) -> Row {
        let mut row = self.clone();
        for operand in &mut row.operands {
            *operand = plain(operand);
        }
        row
    }

    /// A row from its line.
    pub(crate) fn read(file: &str, line: &str) -> Result<Row, String> {
        let fields: Map<String, Value> = serde_json::from_str(line).map_err(|error| format!("{file}: {error}"))?;
        if triton::owns(file) {
            return Ok(triton::row(file, fields));
        }
        if xla::owns(file) {
            return Ok(xla::row(file, fields));
        }
        if hardware::owns(file) {
            return Ok(hardware::row(file, fields));
        }
        if formats::owns(file) {
            return Ok(formats::row(file, fields));
        }
        if sharding::owns(file) {
            return Ok(sharding::row(file, fields));
        }
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let operands = fields.get("in").or_else(|| fields.get("args")).and_then(Value::as_array);
        let operands: Vec<String> =
            operands.into_iter().flatten().map(|operand| operand.as_str().unwrap_or_default().to_owned()).collect();
        let answers = match tiled::owns(file, &text("op")) {
            true => vec![("r", tiled::stated(&fields))],
            false => answers(&fields),
        };
        let op = match text("op").as_str() {
            "" => "expr".to_owned(),
            "nv_expr" if operands.iter().any(|operand| operand.contains("F2(")) => "f2".to_owned(),
            op => op.to_owned(),
        };
        Ok(Row { file: file.to_owned(), id: text("id"), op, operands, answers, fields })
    }
}

/// The answers by system. `same` lists systems whose answer is the first one; `|=` stands for its offsets.
fn answers(fields: &Map<String, Value>) -> Vec<(&'static str, String)> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let first = SYSTEMS.iter().find_map(|system| text(system)).unwrap_or_default();
    let same: Vec<&str> = text("same").unwrap_or_default().split(' ').collect();
    let answers = SYSTEMS.iter().filter_map(|system| {
        let answer = text(system).or_else(|| same.contains(system).then_some(first))?;
        let offsets = first.split_once('|').filter(|_| answer == "|=").map(|(_, offsets)| format!("|{offsets}"));
        Some((*system, offsets.unwrap_or_else(|| repaired(answer))))
    });
    answers.collect()
}

/// An answer without blanks; the DSL lost the `>` of a swizzle with a negative shift.
fn repaired(answer: &str) -> String {
    if answer.contains('\n') {
        return answer.to_owned();
    }
    let answer: String = answer.chars().filter(|c| *c != ' ').collect();
    let Some(rest) = answer.strip_prefix("S<") else {
        return answer;
    };
    match rest.split_once('o') {
        Some((numbers, rest)) if !numbers.ends_with('>') => format!("Sw<{numbers}>o{rest}"),
        _ => format!("Sw<{rest}"),
    }
}

/// A text in the C++ spelling, `_5` static and `5` dynamic, with all its integers plain.
pub(crate) fn plain(text: &str) -> String {
    let mut characters = text.chars().peekable();
    let mut out = String::new();
    while let Some(c) = characters.next() {
        let number = c == '_' && characters.peek().is_some_and(|next| next.is_ascii_digit() || *next == '-');
        if !number {
            out.push(c);
        }
    }
    out
}

/// What lists the files that converters wrote.
const MANIFEST: &str = "formats/files/manifest.json";

/// All rows of the `*.jsonl` and `*.jsonl.gz` files below a folder, file by file in order.
pub(crate) fn below(folder: &Path) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for path in files(folder)? {
        if path.ends_with(MANIFEST) {
            rows.extend(formats::rows(&path)?);
            continue;
        }
        let name = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let own = name(path.file_name());
        let own = own.split('.').next().unwrap_or_default();
        let file = format!("{}/{own}", name(path.parent().and_then(Path::file_name)));
        let text = text(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            rows.push(Row::read(&file, line)?);
        }
    }
    Ok(rows)
}

fn text(path: &Path) -> std::io::Result<String> {
    if path.extension().is_none_or(|extension| extension != "gz") {
        return fs::read_to_string(path);
    }
    let mut text = String::new();
    GzDecoder::new(fs::File::open(path)?).read_to_string(&mut text)?;
    Ok(text)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    let folder = folder.canonicalize().map_err(wrong)?;
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path
            .to_str()
            .is_some_and(|path| path.ends_with(".jsonl") || path.ends_with(".jsonl.gz") || path.ends_with(MANIFEST))
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
