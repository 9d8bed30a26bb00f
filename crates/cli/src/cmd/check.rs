//! `bitstride check`: whether a reader finds what a writer stored, field by field.
//!
//! As JSON it is what `bitstride_formats::Outcome` answers, with usual values that are `assumed`,
//! `labels` that say what files hold, and `heuristics` about their values.

use std::io;
use std::path::Path;

use bitstride::{Code, Error, error};
use bitstride_formats::{Argument, Format, Outcome, Promise, Spec, Zoo, contract};
use serde_json::json;

use super::formats::{self, zoo};
use super::repack::Failure;
use super::repack_files::{Input, is_named};
use crate::args::Check;
use crate::session::Session;

pub(crate) fn run(args: &Check, session: &mut Session) -> io::Result<u8> {
    let (outcome, notes) = match outcome(args) {
        Ok(answer) => answer,
        Err(Failure::Question(failure)) => return formats::Failure::report(&failure, session),
        Err(Failure::File(what, path, error)) => return session.no_file(what, &path, &error),
    };
    let code = match outcome.holds() {
        Some(true) => 0,
        Some(false) => 1,
        None => 3,
    };
    if session.json {
        let mut object = outcome.json();
        for (key, lines) in [("assumed", &notes.assumed), ("labels", &notes.labels), ("heuristics", &notes.heuristics)]
        {
            if !lines.is_empty() {
                object.insert(key.to_owned(), json!(lines));
            }
        }
        session.object(object)?;
        return Ok(code);
    }
    outcome.lines().into_iter().try_for_each(|line| session.line(&line))?;
    outcome.help().into_iter().try_for_each(|help| session.note(help))?;
    // A cure has both names in full.
    let cure = outcome.cure();
    let assumed = notes.assumed.iter().filter(|_| cure.is_none());
    cure.iter().chain(assumed).chain(&notes.labels).chain(&notes.heuristics).try_for_each(|note| session.note(note))?;
    Ok(code)
}

/// What is checked: a format that is named, or one that a file or a contract says.
enum Checked {
    Named(Spec),
    Said(Box<Format>),
}

fn outcome(args: &Check) -> Result<(Outcome, Notes), Failure> {
    let zoo = zoo(&args.stored)?;
    let texts = [args.producer.as_str(), args.consumer.as_str()];
    let is_name = |text: &&&str| !is_contract(text) && !is_named(Path::new(text));
    let names: Vec<&str> = texts.iter().filter(is_name).copied().collect();
    if let Some(file) = names.iter().find(|name| Path::new(name).is_file()) {
        return Err(error!(Code::Kind, "{file} is a file without names of tensors, which says no layout", [file])
            .with_help("name the format of its bytes; .safetensors, .gguf and index files have tensors")
            .into());
    }
    let shape = args.stored.shape.as_deref();
    let typed = if names.is_empty() { Vec::new() } else { zoo.specs(&names, shape)? };
    let mut specs = typed.clone().into_iter();
    let mut notes = Notes::default();
    let mut sides = Vec::new();
    let mut tensors = tensors(args, texts.iter().filter(|text| is_file(text)).count())?.into_iter();
    for text in &texts {
        sides.push(if is_contract(text) {
            Checked::Said(Box::new(contract::read(text, &zoo)?))
        } else if is_file(text) {
            // What is not said of this file may be known of the other side.
            let other = names.first().and_then(|name| Spec::read(name).ok());
            let tensor = tensors.next().flatten();
            Checked::Said(Box::new(said(text, tensor, (other.as_ref(), shape), &zoo, &mut notes)?))
        } else {
            Checked::Named(specs.next().ok_or_else(|| Error::new(Code::Arity, "a check is of two formats"))?)
        });
    }
    let mut sides = sides.into_iter();
    let [Some(producer), Some(consumer)] = [0, 1].map(|_| sides.next()) else {
        return Err(Error::new(Code::Arity, "a check is of two formats").into());
    };
    // What a name leaves open, such as the extents, is that of the data on the other side.
    let (producer, consumer) = match (producer, consumer) {
        (Checked::Said(producer), Checked::Said(consumer)) => (*producer, *consumer),
        (Checked::Named(spec), Checked::Said(consumer)) => (zoo.holding(&spec, &consumer)?, *consumer),
        (Checked::Said(producer), Checked::Named(spec)) => {
            let consumer = zoo.holding(&spec, &producer)?;
            (*producer, consumer)
        }
        (Checked::Named(producer), Checked::Named(consumer)) => zoo.pair(&producer, &consumer)?,
    };
    let fields: Vec<&str> = args.fields.iter().map(String::as_str).collect();
    let resolved = texts.iter().zip([&producer, &consumer]).filter(|(text, _)| is_name(text));
    for (spec, (_, format)) in typed.iter().zip(resolved) {
        let line = assumed(spec, &typed, format, &zoo)?;
        notes.assumed.extend(line.filter(|line| !notes.assumed.contains(line)));
    }
    Ok((Outcome::new(producer, consumer, &fields)?, notes))
}

/// The tensor of each file: one name is that of both.
fn tensors(args: &Check, files: usize) -> Result<Vec<Option<&str>>, Error> {
    let names: Vec<&str> = args.tensors.iter().map(String::as_str).collect();
    match names.as_slice() {
        [] => Ok(vec![None; files]),
        [only] => Ok(vec![Some(*only); files]),
        several if several.len() == files => Ok(several.iter().copied().map(Some).collect()),
        several => Err(error!(
            Code::Arity,
            "{names_count} names of tensors for {files} files",
            [names_count = several.len(), files]
        )
        .with_help("--tensor names one for all files, or one for each")),
    }
}

/// The format of a tensor of a file: what the file says, else what a configuration beside it says.
fn said(
    text: &str,
    tensor: Option<&str>,
    (other, shape): (Option<&Spec>, Option<&str>),
    zoo: &Zoo,
    notes: &mut Notes,
) -> Result<Format, Failure> {
    let input = Input::open(Path::new(text))?;
    let container = &input.container;
    let chosen: Vec<String> = tensor.iter().map(|name| (*name).to_owned()).collect();
    let is_said = !matches!(Promise::name(container, &chosen, zoo), Ok(None));
    let mut label = if is_said { None } else { input.label()? };
    if let Some((_, label)) = &mut label
        && let Some(spec) = zoo.specs(&[&label.to_string()], shape)?.into_iter().next()
    {
        *label = spec;
    }
    let promise = match &label {
        Some((_, label)) => Promise::labelled(container, tensor, label, zoo),
        None => Promise::of(container, tensor, zoo),
    };
    let promise = promise.map_err(|error| {
        // A file that says nothing has values all the same, read as the other side has them.
        let guess = other.filter(|_| !is_said && error.code() == Code::MissingFact);
        let guess = guess.and_then(|other| Promise::labelled(container, tensor, other, zoo).ok());
        let heuristic = guess.and_then(|guess| guess.heuristic(container, &input.bytes()));
        let help = heuristic.map(|line| format!("{}; {line}", error.help().unwrap_or_default()));
        help.map_or_else(|| error.clone(), |help| error.clone().with_help(help)).about(text)
    })?;
    if let Some((name, _)) = label {
        notes.labels.push(format!("{name} says that {text} holds {}", promise.format.name));
    }
    notes.heuristics.extend(promise.heuristic(container, &input.bytes()));
    Ok(promise.format)
}

/// The usual values that a format has where no name gives others.
fn assumed(spec: &Spec, typed: &[Spec], format: &Format, zoo: &Zoo) -> Result<Option<String>, Error> {
    let (definition, _) = zoo.definition(spec)?;
    let is_typed = |name: &str| typed.iter().any(|own| own.parameters.iter().any(|(own, _)| own == name));
    let usual = |(name, value): &&(String, Argument)| {
        let value = Some(value.to_string());
        definition.parameters.iter().any(|own| own.name == *name && own.default_text == value) && !is_typed(name)
    };
    let values = format.parameters.iter().filter(usual);
    let values: Vec<String> = values.map(|(name, value)| format!("{name}={value}")).collect();
    Ok((!values.is_empty()).then(|| format!("assumed of {}: {}", spec.name, values.join(", "))))
}

/// What is said beside a verdict.
#[derive(Default)]
struct Notes {
    /// Usual values of parameters that no name gives.
    assumed: Vec<String>,
    /// What configurations beside files say.
    labels: Vec<String>,
    /// What values suggest.
    heuristics: Vec<String>,
}

/// Whether an argument is a file of tensors or a folder with one.
fn is_file(text: &str) -> bool {
    !is_contract(text) && is_named(Path::new(text))
}

/// A name, a blank and a hash.
fn is_contract(text: &str) -> bool {
    text.contains(" #")
}
