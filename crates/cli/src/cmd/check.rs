//! `bitstride check`: whether a reader finds what a writer stored, field by field.
//!
//! As JSON it is what `bitstride_formats::Outcome` answers, with `heuristics` about the values of files.

use std::io;
use std::path::Path;

use bitstride::{Code, Error, error};
use bitstride_formats::{Format, Outcome, Promise, Spec, contract};
use serde_json::json;

use super::formats::{self, zoo};
use super::repack::Failure;
use super::repack_files::{Input, is_named};
use crate::args::Check;
use crate::session::Session;

pub(crate) fn run(args: &Check, session: &mut Session) -> io::Result<u8> {
    let (outcome, heuristics) = match outcome(args) {
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
        if !heuristics.is_empty() {
            object.insert("heuristics".to_owned(), json!(heuristics));
        }
        session.object(object)?;
        return Ok(code);
    }
    outcome.lines().into_iter().try_for_each(|line| session.line(&line))?;
    outcome.help().into_iter().try_for_each(|help| session.note(help))?;
    outcome.cure().iter().chain(&heuristics).try_for_each(|note| session.note(note))?;
    Ok(code)
}

/// What is checked: a format that is named, or one that a file or a contract says.
enum Side {
    Named(Spec),
    Said(Box<Format>),
}

fn outcome(args: &Check) -> Result<(Outcome, Vec<String>), Failure> {
    let zoo = zoo(&args.stored)?;
    let texts = [args.producer.as_str(), args.consumer.as_str()];
    let is_name = |text: &&&str| !is_contract(text) && !is_named(Path::new(text));
    let names: Vec<&str> = texts.iter().filter(is_name).copied().collect();
    if let Some(file) = names.iter().find(|name| Path::new(name).is_file()) {
        return Err(error!(Code::Kind, "{file} is a file without names of tensors, which says no layout", [file])
            .with_help("name the format of its bytes; .safetensors, .gguf and index files have tensors")
            .into());
    }
    let mut specs = zoo.specs(&names, args.stored.shape.as_deref())?.into_iter();
    let mut heuristics = Vec::new();
    let mut sides = Vec::new();
    for text in &texts {
        sides.push(if is_contract(text) {
            Side::Said(Box::new(contract::read(text, &zoo)?))
        } else if is_named(Path::new(text)) {
            let input = Input::open(Path::new(text))?;
            let promise = Promise::of(&input.container, args.tensor.as_deref(), &zoo);
            let promise = promise.map_err(|error| error.about(*text))?;
            heuristics.extend(promise.heuristic(&input.container, &input.bytes()));
            Side::Said(Box::new(promise.format))
        } else {
            Side::Named(specs.next().ok_or_else(|| Error::new(Code::Arity, "a check is of two formats"))?)
        });
    }
    let mut sides = sides.into_iter();
    let [Some(producer), Some(consumer)] = [0, 1].map(|_| sides.next()) else {
        return Err(Error::new(Code::Arity, "a check is of two formats").into());
    };
    // What a name leaves open, such as the extents, is that of the data on the other side.
    let (producer, consumer) = match (producer, consumer) {
        (Side::Said(producer), Side::Said(consumer)) => (*producer, *consumer),
        (Side::Named(spec), Side::Said(consumer)) => (zoo.holding(&spec, &consumer)?, *consumer),
        (Side::Said(producer), Side::Named(spec)) => {
            let consumer = zoo.holding(&spec, &producer)?;
            (*producer, consumer)
        }
        (Side::Named(producer), Side::Named(consumer)) => zoo.pair(&producer, &consumer)?,
    };
    let fields: Vec<&str> = args.fields.iter().map(String::as_str).collect();
    Ok((Outcome::new(producer, consumer, &fields)?, heuristics))
}

/// A name, a blank and a hash.
fn is_contract(text: &str) -> bool {
    text.contains(" #")
}
