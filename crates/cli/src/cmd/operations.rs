//! `bitstride operations`: what the expression language can do.

use std::io;

use bitstride::notation::{self, parse};
use bitstride::{Code, Error};
use bitstride_lang::{Group, Operation, Parameter, Presence, evaluate, operation, operations};
use serde_json::{Map, Value as Json, json};

use crate::args::{Ints, Operations};
use crate::json;
use crate::session::Session;
use crate::spelling;

pub(crate) fn run(args: &Operations, session: &mut Session) -> io::Result<u8> {
    let part = args.name.as_deref().unwrap_or_default();
    if let Some(operation) = operation(part) {
        return describe(operation, session);
    }
    let found: Vec<&Operation> = operations().filter(|operation| operation.name.contains(part)).collect();
    if found.is_empty() {
        let error = Error::new(Code::UnknownName, format!("no operation has `{part}` in its name"));
        return session.refuse("", &error.with_help("`bitstride operations` lists them"));
    }
    if session.json {
        for operation in found {
            session.object(object(operation))?;
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
            session.line(&format!("{gap}{}", heading(operation.group)))?;
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
        let mut object = object(operation);
        let answer = match &answer {
            Ok(answer) => json::answer(answer, session.ints),
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
    session.line(&format!("  example    {}", spelled(operation.example, session.ints)))?;
    let shown = match &answer {
        Ok(answer) => spelling::text(&answer.value, session.ints),
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

fn object(operation: &Operation) -> Map<String, Json> {
    let (least, most) = operation.arity();
    let mut object = Map::new();
    object.insert("name".into(), operation.name.into());
    object.insert("group".into(), heading(operation.group).to_lowercase().into());
    object.insert("signature".into(), operation.signature().into());
    object.insert("arity".into(), json!([least, bounded(most)]));
    object.insert("parameters".into(), operation.parameters.iter().map(parameter).collect());
    object.insert("law".into(), operation.law.into());
    object.insert("example".into(), operation.example.into());
    object
}

fn parameter(parameter: &Parameter) -> Json {
    let presence = match parameter.presence {
        Presence::Required => "required",
        Presence::Optional => "optional",
        Presence::Repeated => "repeated",
    };
    json!({"name": parameter.name, "kind": parameter.kind.word(), "meaning": parameter.meaning, "presence": presence})
}

/// The greatest number of arguments, where there is one.
fn bounded(most: usize) -> Option<usize> {
    (most != usize::MAX).then_some(most)
}

fn heading(group: Group) -> &'static str {
    match group {
        Group::Tuples => "Tuples",
        Group::Layouts => "Layouts",
        Group::Linear => "Linear layouts and encodings",
        Group::Tiled => "XLA's tiled arrays",
        Group::Maps => "Layouts of every family",
    }
}
