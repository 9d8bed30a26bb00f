//! What is not built yet: `testdata/pending.txt`.

use std::fmt;
use std::fs;
use std::path::Path;

use super::row::Row;

/// The file below the checkout.
const PATH: &str = "testdata/pending.txt";

/// Rows by file, and perhaps by operation: `cute/tiled:mma`, `tiled`, `triton/*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    file: String,
    op: Option<String>,
}

impl Pattern {
    /// A pattern from its text.
    pub(crate) fn read(text: &str) -> Pattern {
        match text.split_once(':') {
            Some((file, op)) => Pattern { file: file.to_owned(), op: Some(op.to_owned()) },
            None => Pattern { file: text.to_owned(), op: None },
        }
    }

    /// Whether a row is one of them.
    pub(crate) fn holds(&self, row: &Row) -> bool {
        let file = match self.file.strip_suffix('*') {
            Some(folder) => row.file.starts_with(folder),
            None => row.file == self.file || row.file.rsplit('/').next() == Some(self.file.as_str()),
        };
        file && self.op.as_ref().is_none_or(|op| *op == row.op)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.op {
            Some(op) => write!(f, "{}:{op}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

/// The patterns listed in a checkout, one a line; `#` begins a comment.
pub(crate) fn listed(root: &Path) -> Result<Vec<Pattern>, String> {
    let path = root.join(PATH);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    Ok(lines.filter(|line| !line.is_empty()).map(Pattern::read).collect())
}
