//! `bitstride check`: whether a reader finds what a writer stored, field by field.
//!
//! As JSON it is `{"kind": "check", "value", "producer", "consumer", "fields"}`.

use std::io;

use bitstride::{Class, Code, Error};
use bitstride_formats::check::{self, Elsewhere, Finding, Report};
use bitstride_formats::{Format, Repack, Verdict};
use serde_json::{Map, Value as Json, json};

use super::formats::{Failure, shaped, zoo};
use crate::args::Check;
use crate::session::Session;

pub(crate) fn run(args: &Check, session: &mut Session) -> io::Result<u8> {
    let [producer, consumer] = match formats(args) {
        Ok(formats) => formats,
        Err(failure) => return failure.report(session),
    };
    let mut findings = check::formats(&producer, &consumer);
    if let Some(name) = args.fields.iter().find(|name| !findings.iter().any(|finding| finding.field == **name)) {
        let error = Error::new(Code::UnknownName, format!("neither format has a field {name}"));
        return session.refuse("", &error);
    }
    findings.retain(|finding| args.fields.is_empty() || args.fields.contains(&finding.field));
    let undecided =
        |finding: &Finding| finding.report.as_ref().is_err_and(|why| why.code().class() == Class::Undecided);
    let code = if findings.iter().any(|finding| !finding.holds() && !undecided(finding)) {
        1
    } else if findings.iter().any(undecided) {
        3
    } else {
        0
    };
    let value = match code {
        0 => "every field is read as it was stored",
        1 => "not every field is read as it was stored",
        _ => "undecided",
    };
    let cure = if code == 1 { cured(&producer, &consumer, &findings) } else { None };
    if session.json {
        let fields: Vec<Json> = findings.iter().map(object).collect();
        session.object(Map::from_iter([
            ("kind".to_owned(), json!("check")),
            ("value".to_owned(), json!(value)),
            ("producer".to_owned(), json!(producer.name)),
            ("consumer".to_owned(), json!(consumer.name)),
            ("fields".to_owned(), json!(fields)),
            ("repack".to_owned(), json!(cure)),
        ]))?;
        return Ok(code);
    }
    for finding in &findings {
        lines(finding, [&producer.name, &consumer.name]).into_iter().try_for_each(|line| session.line(&line))?;
    }
    if let Some(cure) = cure {
        session.note(&cure)?;
    }
    Ok(code)
}

fn formats(args: &Check) -> Result<[Format; 2], Failure> {
    let zoo = zoo(&args.stored)?;
    let specs = shaped(&zoo, &[&args.producer, &args.consumer], args.stored.shape.as_deref())?;
    let mut all = specs.iter().map(|spec| zoo.instance(spec));
    match (all.next(), all.next()) {
        (Some(producer), Some(consumer)) => Ok([producer?, consumer?]),
        _ => Err(Error::new(Code::Arity, "a check is of two formats").into()),
    }
}

/// The repack that cures it, or why there is none.
fn cured(producer: &Format, consumer: &Format, findings: &[Finding]) -> Option<String> {
    let shared: Vec<&str> =
        findings.iter().filter(|finding| finding.report.is_ok()).map(|finding| finding.field.as_str()).collect();
    if shared.is_empty() {
        return None;
    }
    let command = format!("bitstride repack IN OUT --from {} --to {}", producer.name, consumer.name);
    match Repack::new(producer, consumer, Some(&shared)) {
        Ok(_) if Repack::new(producer, consumer, None).is_ok() => Some(format!("{command} cures it")),
        Ok(_) => {
            let fields: String = shared.iter().map(|field| format!(" --field {field}")).collect();
            Some(format!("{command}{fields} cures it"))
        }
        Err(error) => Some(format!("no repack cures it: {}", error.message())),
    }
}

fn lines(finding: &Finding, names: [&str; 2]) -> Vec<String> {
    let Finding { field, tensors, report } = finding;
    let report = match (report, tensors) {
        (Ok(report), _) => report,
        (Err(error), [None, Some(_)]) if error.code() == Code::UnknownName => {
            return vec![format!("{field}: only {} has it", names[1])];
        }
        (Err(error), [Some(_), None]) if error.code() == Code::UnknownName => {
            return vec![format!("{field}: only {} has it", names[0])];
        }
        (Err(error), _) => return vec![format!("{field}: {}", error.message())],
    };
    let mut lines = vec![match &report.verdict {
        Verdict::Different => {
            let differing = report.differing.map_or_else(|| "some".to_owned(), |differing| differing.to_string());
            format!("{field}: different, {differing} of {} elements lie elsewhere", report.elements)
        }
        verdict => format!("{field}: {verdict}"),
    }];
    lines.extend(report.first.as_ref().map(|first| format!("  {first}")));
    if !report.same_kind {
        lines.push("  the values are of other kinds, whatever their places".to_owned());
    }
    if !finding.holds() {
        lines.push(match (finding.passes_shape_checks(), tensors) {
            (true, [Some(both), _]) => format!("  both are {both}: no check of types and extents sees it"),
            (_, [Some(one), Some(other)]) => {
                format!("  {one} and {other} differ, as a check of types and extents sees")
            }
            _ => String::new(),
        });
    }
    lines
}

fn object(finding: &Finding) -> Json {
    let mut object = Map::new();
    object.insert("field".to_owned(), json!(finding.field));
    object.insert("tensors".to_owned(), json!(finding.tensors));
    object.insert("passes_shape_checks".to_owned(), json!(finding.passes_shape_checks()));
    match &finding.report {
        Ok(Report { verdict, elements, differing, first, first_column_major, same_kind }) => {
            let name = match verdict {
                Verdict::Same => "same",
                Verdict::SamePlaces(_) => "same places",
                Verdict::Different => "different",
            };
            let element = |found: &Option<Elsewhere>| {
                found.as_ref().map(|found| {
                    let [producer, consumer] = &found.places;
                    json!({"element": found.element, "producer_bits": producer, "consumer_bits": consumer})
                })
            };
            object.insert("verdict".to_owned(), json!(name));
            if let Verdict::SamePlaces(steps) = verdict {
                let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
                object.insert("mapped".to_owned(), json!(steps));
            }
            object.insert("elements".to_owned(), json!(elements));
            object.insert("differing".to_owned(), json!(differing));
            object.insert("first".to_owned(), json!(element(first)));
            object.insert("first_column_major".to_owned(), json!(element(first_column_major)));
            object.insert("same_kind".to_owned(), json!(same_kind));
        }
        Err(error) => {
            object.insert("error".to_owned(), json!({"code": error.code().as_str(), "message": error.message()}));
        }
    }
    Json::Object(object)
}
