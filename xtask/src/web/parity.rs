//! The module against the native code: the same requests, the same bytes.

use std::fs;
use std::path::Path;
use std::process::Command;

use bitstride_web::Page;
use serde_json::json;

use super::build::is_command;
use super::{Failure, corpus, root};

/// Asks both; whether no answer differs. The script prints "N of M".
pub(super) fn compare(out: &Path, rows: Option<&Path>, random: usize) -> Result<bool, Failure> {
    if !is_command("node") {
        return Err(Failure::Missing("node is not here: the module cannot be asked".to_owned()));
    }
    let usual = root().join("testdata");
    let requests = requests(rows.unwrap_or(&usual), random)?;
    let mut page = Page::default();
    // A request and its answer after their lengths, so that no byte of either means anything.
    let mut exchanges = Vec::new();
    for request in &requests {
        for part in [request.as_bytes(), &page.call(request)] {
            let length = u32::try_from(part.len()).map_err(|_| "an answer is longer than 2^32 bytes".to_owned())?;
            exchanges.extend(length.to_le_bytes());
            exchanges.extend(part);
        }
    }
    let file = out.join("parity.bin");
    fs::write(&file, exchanges).map_err(|error| format!("{}: {error}", file.display()))?;
    let script = root().join("crates/web/js/parity.mjs");
    let status = Command::new("node").arg(script).arg(out).arg(&file).status();
    let same = status.map_err(|error| format!("node: {error}"))?.success();
    // It is large, and of use only where an answer differs.
    if same {
        fs::remove_file(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(same)
}

fn requests(rows: &Path, random: usize) -> Result<Vec<String>, String> {
    let mut requests = Vec::new();
    let mut ask = |words: &[&str]| requests.push(json!(words).to_string());
    for expression in corpus::thorough() {
        let shown = json!({"expressions": [expression]}).to_string();
        ask(&["answer", &expression]);
        ask(&["explain", &expression]);
        ask(&["show", &shown, "svg"]);
        ask(&["model", &shown, r#"{"rows": [2, 9], "cols": [1, 9]}"#]);
    }
    let texts = corpus::texts(rows, random)?;
    texts.iter().for_each(|text| ask(&["answer", text]));
    for text in texts.iter().step_by(10) {
        ask(&["explain", text]);
        ask(&["show", &json!({"expressions": [text]}).to_string(), "svg"]);
    }
    let sheet: Vec<String> = texts.iter().take(400).enumerate().map(|(n, text)| format!("a{n} = {text}")).collect();
    ask(&["update", &sheet.join("\n")]);
    ask(&["chain", "5", "[]"]);
    Ok(requests)
}
