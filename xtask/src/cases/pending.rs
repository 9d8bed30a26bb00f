//! The cases that later work answers: `testdata/cases_pending.txt`, with the reason of each.

use std::fmt;
use std::fs;
use std::path::Path;

use super::case::Case;

/// The list below the checkout.
pub(crate) const PATH: &str = "testdata/cases_pending.txt";

/// Cases by id or by kind, and why they wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    key: String,
    pub(crate) reason: String,
}

impl Pending {
    /// Whether a case is one of them.
    pub(crate) fn holds(&self, case: &Case) -> bool {
        case.id == self.key || case.kind == self.key
    }
}

impl fmt::Display for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)
    }
}

/// The lines listed in a checkout.
pub(crate) fn listed(root: &Path) -> Result<Vec<Pending>, String> {
    let path = root.join(PATH);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    read_list(&text).map_err(|error| format!("{PATH}: {error}"))
}

/// One id or kind a line, with ` # ` and a reason after it.
fn read_list(text: &str) -> Result<Vec<Pending>, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read = |line: &str| {
        let (key, reason) = line.split_once(" # ").ok_or_else(|| format!("{line}: a line needs a reason after #"))?;
        Ok(Pending { key: key.trim().to_owned(), reason: reason.trim().to_owned() })
    };
    lines.map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_needs_a_reason() {
        let list = read_list("# comment\nmissing: x # waits for y\nH1 # a sentence\n").unwrap_or_default();
        let lines: Vec<String> = list.iter().map(|line| format!("{line} | {}", line.reason)).collect();
        assert_eq!(lines, ["missing: x | waits for y", "H1 | a sentence"]);
        assert!(read_list("H1").is_err());
    }
}
