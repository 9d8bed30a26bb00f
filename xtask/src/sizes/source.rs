//! Rust sources as this crate measures them: without comments, texts in quotes, and tests.
//!
//! Law: what is left has the line ends of the file, so that lines can be counted.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the workspace.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Rust files below a folder of the workspace, by their path in it, in order, each with its text.
pub(super) fn files(folder: &str) -> Vec<(String, String)> {
    let base = root().join(folder);
    let mut found = Vec::new();
    let mut folders = vec![base.clone()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs")
                && let (Ok(name), Ok(text)) = (path.strip_prefix(&base), fs::read_to_string(&path))
            {
                found.push((name.to_string_lossy().replace('\\', "/"), text));
            }
        }
    }
    found.sort();
    found
}

/// A text without comments and without what stands in quotes; modules for tests are left out.
pub(super) fn code(text: &str) -> String {
    without_tests(&without_words(text))
}

fn without_words(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(hashes) = raw(rest) {
            let end = format!("\"{}", "#".repeat(hashes));
            let open = hashes + 2;
            out.push_str("\"\"");
            rest.get(open..).and_then(|inside| inside.find(&end)).map_or(rest.len(), |at| open + at + end.len())
        } else if c == '"' {
            out.push_str("\"\"");
            quoted(rest)
        } else if let Some(length) = character(rest) {
            out.push_str("' '");
            length
        } else {
            out.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            continue;
        };
        let (passed, left) = rest.split_at_checked(length).unwrap_or((rest, ""));
        out.extend(passed.chars().filter(|c| *c == '\n'));
        rest = left;
    }
    out
}

/// How many `#` a raw text has that starts here.
fn raw(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    after.get(hashes..)?.starts_with('"').then_some(hashes)
}

/// The bytes of a text in quotes, with them.
fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The bytes of a character in quotes; a lifetime is none.
fn character(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('\'')?;
    if after.starts_with('\\') {
        return after.get(2..)?.find('\'').map(|at| at + 4);
    }
    let c = after.chars().next()?;
    after.get(c.len_utf8()..)?.starts_with('\'').then(|| c.len_utf8() + 2)
}

fn without_tests(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(test)]") {
        let (before, tests) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let body = tests.find('{').unwrap_or(tests.len());
        let end = tests.find(';').unwrap_or(tests.len());
        let length = if end < body { end + 1 } else { closed(tests) };
        rest = tests.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The bytes up to the brace that closes the first one.
fn closed(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_texts_and_tests_are_left_out() {
        let text = "fn a<'t>() { b(\"crate::x // \\\"\", 'c', '\\'', r#\"crate::\"y\"#); } // crate::z\n#[cfg(test)]\nmod random;\n#[cfg(test)]\nmod tests { fn f() {} }\nfn g() {}";
        assert_eq!(code(text), "fn a<'t>() { b(\"\", ' ', ' ', \"\"); } \n\n\nfn g() {}");
    }
}
