//! `bitstride operations`: what the expression language can do.

use std::io;

use bitstride::notation::{self, parse};
use bitstride::{Code, error};
use bitstride_json as json;
use bitstride_lang::{Operation, evaluate, operation, operations};
use serde_json::Value as Json;

use crate::args::{Ints, Operations};
use crate::session::Session;

pub(crate) fn run(args: &Operations, session: &mut Session) -> io::Result<u8> {
    let part = args.name.as_deref().unwrap_or_default();
    if let Some(operation) = operation(part) {
        return describe(operation, session);
    }
    let found: Vec<&Operation> = operations().filter(|operation| operation.name.contains(part)).collect();
    if found.is_empty() {
        let error = error!(Code::UnknownName, "no operation has `{part}` in its name", [part]);
        return session.refuse("", &error.with_help("`bitstride operations` lists them"));
    }
    if session.json {
        for operation in found {
            session.object(json::operation(operation))?;
        }
        return Ok(0);
    }
    list(&found, session)
}

/// Each operation on two lines, under the heading of its group.
fn list(found: &[&Operation], session: &mut Session) -> io::Result<u8> {
    let width = found.iter().map(|operation| operation.name.len()).max().unwrap_or(0);
    let mut group = None;
    for operation in found {
        if group != Some(operation.group) {
            let gap = if group.is_some() { "\n" } else { "" };
            session.line(&format!("{gap}{}", operation.group.heading()))?;
            group = Some(operation.group);
        }
        session.line(&format!("  {:width$}  {}", operation.name, operation.law))?;
        let example = spelled(operation.example, session.ints);
        session.line(&format!("  {:width$}  {example}", ""))?;
    }
    Ok(0)
}

/// One operation in full, with the value of its example.
fn describe(operation: &Operation, session: &mut Session) -> io::Result<u8> {
    let answer = evaluate(operation.example);
    if session.json {
        let mut object = json::operation(operation);
        let answer = match &answer {
            Ok(answer) => json::answer(answer, session.ints.spelling()),
            Err(error) => json::refusal(error),
        };
        object.insert("answer".into(), Json::Object(answer));
        session.object(object)?;
        return Ok(0);
    }
    session.line(&format!("{}: {}", operation.name, operation.law))?;
    session.line(&format!("  call       {}", operation.signature()))?;
    let width = operation.parameters.iter().map(|parameter| parameter.to_string().chars().count()).max().unwrap_or(0);
    for parameter in operation.parameters {
        session.line(&format!("             {:width$}  {}", parameter.to_string(), parameter.meaning))?;
    }
    if let Some(statement) = operation.statement() {
        for (at, requirement) in statement.split("; ").enumerate() {
            let label = if at == 0 { "law" } else { "" };
            session.line(&format!("  {label:9}  {requirement}"))?;
        }
        for meaning in operation.statement_words() {
            session.line(&format!("             where {meaning}"))?;
        }
    }
    session.line(&format!("  example    {}", spelled(operation.example, session.ints)))?;
    let shown = match &answer {
        Ok(answer) => session.ints.spelling().text(&answer.value),
        Err(error) => error.to_string(),
    };
    for (at, line) in shown.lines().enumerate() {
        let label = if at == 0 { "value" } else { "" };
        session.line(format!("  {label:9}  {line}").trim_end())?;
    }
    for (at, names) in operation.names_elsewhere().iter().enumerate() {
        let label = if at == 0 { "elsewhere" } else { "" };
        session.line(&format!("  {label:9}  {names}"))?;
    }
    Ok(0)
}

/// An example as it would be typed in a spelling.
fn spelled(example: &str, ints: Ints) -> String {
    match parse(example, notation::Ints::Plain) {
        Ok(tree) => tree.display(ints.reading()).to_string(),
        Err(_) => example.to_owned(),
    }
}
