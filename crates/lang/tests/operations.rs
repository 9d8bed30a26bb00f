//! The table of operations: its examples have values, `call` is the same as an expression, and `docs/operations.md` is the
//! table as it is (`BITSTRIDE_UPDATE_OPERATIONS=1 cargo test -p bitstride-lang --test operations` writes it).

#![allow(clippy::panic, reason = "that is how a test fails")]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

use bitstride::Code;
use bitstride::linear::Name;
use bitstride::notation::{ExprKind, Ints, parse};
use bitstride_lang::{Group, Operation, Presence, Value, call, evaluate, operations};

#[test]
fn an_operation_called_with_values_answers_as_its_expression() {
    for operation in operations() {
        let text = operation.example;
        let tree = parse(text, Ints::Plain).unwrap_or_else(|error| panic!("{text}: {error}"));
        let ExprKind::Call { name, modes: None, arguments } = tree.kind else { panic!("{text} is no call") };
        assert_eq!(name.text, operation.name, "{text}");
        // A name that stands alone is no expression.
        let value = |text: String| match evaluate(&text) {
            Err(error) if error.code() == Code::UnknownName => Name::new(&text).map(Value::Name),
            answer => answer.map(|answer| answer.value),
        };
        let values: Result<Vec<_>, _> = arguments.iter().map(|argument| value(argument.to_string())).collect();
        let called = values.and_then(|values| call(operation.name, &values));
        assert_eq!(called, evaluate(text), "{text}");
    }
}

#[test]
fn a_call_is_refused_as_its_expression() {
    let code = |name: &str, values: &[Value]| call(name, values).map_err(|error| error.code());
    assert_eq!(code("size", &[]), Err(Code::Arity));
    assert_eq!(code("sise", &[]), Err(Code::UnknownName));
}

#[test]
fn each_parameter_has_its_own_name() {
    for operation in operations() {
        let names: BTreeSet<&str> = operation.parameters.iter().map(|parameter| parameter.name).collect();
        assert_eq!(names.len(), operation.parameters.len(), "{}", operation.signature());
        let repeated = operation.parameters.iter().position(|parameter| parameter.presence == Presence::Repeated);
        assert!(repeated.is_none_or(|at| at + 1 == operation.parameters.len()), "{}", operation.signature());
    }
}

#[test]
fn the_page_of_operations_is_current() -> std::io::Result<()> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations.md");
    let page = page();
    if std::env::var_os("BITSTRIDE_UPDATE_OPERATIONS").is_some() {
        std::fs::write(&path, &page)?;
    }
    let written = std::fs::read_to_string(&path)?;
    assert!(written == page, "docs/operations.md is not the table: run with BITSTRIDE_UPDATE_OPERATIONS=1");
    Ok(())
}

/// Without Python at hand: what `python/tools/operations.py` writes from the table has every operation, with its sentences.
#[test]
fn the_functions_of_python_are_current() -> std::io::Result<()> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../python/bitstride/_operations.py");
    // Lines are broken anywhere, also after hyphens.
    let dense =
        |text: &str| text.chars().filter(|letter| !letter.is_whitespace() && *letter != '\\').collect::<String>();
    let written = std::fs::read_to_string(&path)?;
    let (imported, _) = written.split_once("__all__").unwrap_or_else(|| panic!("no list of names"));
    let lines: BTreeSet<&str> = imported.lines().map(str::trim).collect();
    let functions = dense(&written);
    for operation in operations() {
        // Compiled functions, and two that take more than the table says, are documented elsewhere.
        let own = ["fit", "owners"].contains(&operation.name);
        if own || lines.contains(format!("{},", operation.name).as_str()) {
            continue;
        }
        assert!(functions.contains(&format!("def{}(", operation.name)), "{}", operation.name);
        let said = std::iter::once(operation.law).chain(operation.parameters.iter().map(|parameter| parameter.meaning));
        for sentence in said.map(dense) {
            let rest: String = sentence.chars().skip(1).collect();
            assert!(
                functions.contains(rest.trim_end_matches('.')),
                "run python/tools/operations.py: {}",
                operation.name
            );
        }
    }
    Ok(())
}

fn page() -> String {
    let mut page = "# Operations\n\nEvery operation of the language: what it computes, its parameters, and an example with its value. \
        `bitstride operations NAME` prints the same. Parameters in `[ ]` may be left out; `…` says that there may be more.\n"
        .to_owned();
    let mut group = None;
    for operation in operations() {
        if group != Some(operation.group) {
            group = Some(operation.group);
            let _ = write!(page, "\n## {}\n", heading(operation.group));
        }
        page += &entry(operation);
    }
    page
}

fn heading(group: Group) -> &'static str {
    match group {
        Group::Tuples => "Tuples, shapes and coordinates",
        Group::Layouts => "Layouts of CuTe",
        Group::Linear => "Linear layouts and encodings of Triton",
        Group::Tiled => "Tiled arrays of XLA",
        Group::Maps => "Layouts of every family",
        Group::Hardware => "What the hardware does",
    }
}

fn entry(operation: &Operation) -> String {
    let mut entry = format!("\n### {}\n\n`{}`: {}.\n\n", operation.name, operation.signature(), operation.law);
    for parameter in operation.parameters {
        let _ = writeln!(entry, "- `{}`: {}", parameter.name, parameter.meaning);
    }
    if let Some(statement) = operation.statement() {
        let _ = write!(entry, "\nLaw: `{}`", statement.split("; ").collect::<Vec<_>>().join("`; `"));
        let words = operation.statement_words();
        if !words.is_empty() {
            let _ = write!(entry, ", where {}", words.join("; "));
        }
        entry += ".\n";
    }
    let answer = evaluate(operation.example).unwrap_or_else(|error| panic!("{}: {error}", operation.example));
    let _ = write!(entry, "\n```text\n{}\n= {}\n", operation.example, answer.value.to_string().trim_end());
    for note in answer.notes {
        let _ = writeln!(entry, "note: {note}");
    }
    entry += "```\n";
    let elsewhere = operation.names_elsewhere();
    if !elsewhere.is_empty() {
        let _ = write!(entry, "\nElsewhere: {}.\n", elsewhere.join("; "));
    }
    entry
}
