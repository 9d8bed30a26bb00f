//! One case: a question that somebody had, and what is right.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::command::{self, Step};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// A text for the calculator.
    Expression(String),
    /// A command line, as its steps.
    Commands(Vec<Step>),
    /// A sentence that no command line answers as it stands.
    Sentence,
}

/// One line of a file of cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    /// Its name.
    pub(crate) id: String,
    /// The question as it is written.
    pub(crate) text: String,
    /// The question as it is run.
    pub(crate) question: Question,
    /// What is right, in words.
    pub(crate) expect: String,
    /// The kind of ability that it needs.
    pub(crate) kind: String,
}

impl Case {
    /// Reads a case from its line.
    pub(crate) fn read(line: &str) -> Result<Case, String> {
        let fields: Map<String, Value> = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let field = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
        let id = field("id").ok_or("a case without an id")?;
        let (text, question) = match (field("expr"), field("command")) {
            (Some(text), None) => (text.clone(), Question::Expression(text)),
            (None, Some(text)) => {
                let question = command::steps(&text).map_or(Question::Sentence, Question::Commands);
                (text, question)
            }
            _ => return Err(format!("{id}: a case has either expr or command")),
        };
        let expect = field("expect").ok_or_else(|| format!("{id}: a case needs expect"))?;
        Ok(Case { id, text, question, expect, kind: field("kind").unwrap_or_default() })
    }
}

/// The cases of all `*.jsonl` files of a folder, in the order of their names.
pub(crate) fn cases_of(folder: &Path) -> Result<Vec<Case>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(failed)?;
    let mut paths: Vec<PathBuf> =
        entries.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect();
    paths.sort();
    if paths.is_empty() {
        return Err(format!("{} has no *.jsonl file", folder.display()));
    }
    let mut cases = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let case = Case::read(line).map_err(|error| format!("{}:{}: {error}", path.display(), number + 1))?;
            cases.push(case);
        }
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_expression_a_command_line_or_a_sentence() {
        let read = |field: &str, text: &str| {
            let line = serde_json::json!({"id": "a", field: text, "expect": "true", "kind": "k"});
            Case::read(&line.to_string()).map(|case| case.question)
        };
        assert_eq!(read("expr", "size(4:1)"), Ok(Question::Expression("size(4:1)".into())));
        assert!(matches!(read("command", "bitstride same 4:1 4:2"), Ok(Question::Commands(_))));
        assert_eq!(read("command", "bank conflicts of a column"), Ok(Question::Sentence));
        assert_eq!(read("other", "x"), Err("a: a case has either expr or command".into()));
    }
}
