//! `bitstride formats`: the zoo, or one of its formats.

use std::fs;
use std::io;

use bitstride::{Code, Error};
use bitstride_formats::{Field, Format, Spec, Zoo, contract, definition_json, format_json, holders, notations};

use crate::args::{Formats, Stored};
use crate::session::Session;

/// Why a question about formats has no answer.
pub(super) enum Failure {
    Refused(Error),
    File(std::path::PathBuf, io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Refused(error)
    }
}

impl Failure {
    pub(super) fn report(&self, session: &mut Session) -> io::Result<u8> {
        match self {
            Failure::Refused(error) => session.refuse("", error),
            Failure::File(path, error) => session.no_file("read", path, error),
        }
    }
}

/// The formats that are built in and those of the user's files.
pub(super) fn zoo(stored: &Stored) -> Result<Zoo, Failure> {
    let mut zoo = Zoo::builtin().clone();
    for path in &stored.files {
        let text = fs::read_to_string(path).map_err(|error| Failure::File(path.clone(), error))?;
        zoo.add(&text).map_err(|error| error.about(path.display()))?;
    }
    Ok(zoo)
}

pub(crate) fn run(args: &Formats, session: &mut Session) -> io::Result<u8> {
    let zoo = match zoo(&args.stored) {
        Ok(zoo) => zoo,
        Err(failure) => return failure.report(session),
    };
    match &args.name {
        None => list(&zoo, session),
        Some(name) => one(args, name, &zoo, session),
    }
}

fn list(zoo: &Zoo, session: &mut Session) -> io::Result<u8> {
    let width = zoo.definitions().iter().map(|own| own.name.len()).max().unwrap_or(0);
    for definition in zoo.definitions() {
        if session.json {
            session.object(definition_json(definition))?;
        } else {
            session.line(&format!("{:width$}  {}", definition.name, definition.about))?;
        }
    }
    Ok(0)
}

fn one(args: &Formats, name: &str, zoo: &Zoo, session: &mut Session) -> io::Result<u8> {
    let read = || {
        let specs = zoo.specs(&[name], args.stored.shape.as_deref())?;
        let spec = specs.into_iter().next().unwrap_or(Spec::read(name)?);
        let definition = zoo.definition(&spec)?.0.clone();
        Ok((definition, zoo.instance(&spec)))
    };
    let (definition, format) = match read() {
        Ok(read) => read,
        Err(error) => return session.refuse("", &error),
    };
    let format = match format {
        Ok(format) if !format.fields.is_empty() => Ok(format),
        Ok(format) => Err(format.open.into_iter().next().map(|open| open.1)),
        Err(error) => Err(Some(error)),
    };
    // Where parameters are missing, what does not depend on them is printed all the same.
    let missing = |error: &Error| error.code() == Code::MissingFact;
    if let Err(Some(error)) = &format
        && !missing(error)
    {
        return session.refuse("", error);
    }
    if session.json {
        session.object(
            format.as_ref().map_or_else(|_| definition_json(&definition), |own| format_json(&definition, own)),
        )?;
        return Ok(0);
    }
    let title = format.as_ref().map_or(&definition.name, |format| &format.name);
    session.line(&format!("{title}\n  {}", definition.about))?;
    session.line(&format!("  written by {}; read by {}", definition.writers, definition.readers))?;
    if !definition.confused.is_empty() {
        session.line(&format!("  confused with {}", definition.confused.join(", ")))?;
    }
    let parameters = definition.parameters.iter().map(|own| match &own.default_text {
        Some(default) => format!("{} = {default}", own.name),
        None => own.name.clone(),
    });
    let experts = if definition.has_experts() { "; experts, of tensors one behind the other" } else { "" };
    session.line(&format!("  parameters: {}{experts}", parameters.collect::<Vec<_>>().join(", ")))?;
    if let Ok(format) = &format {
        let lines = fields(format, args.bytes.map(usize::from));
        lines.into_iter().try_for_each(|line| session.line(&line))?;
        if format.open.is_empty() {
            session.line(&format!("contract {}", contract::line(format)))?;
        }
    }
    let open = format.as_ref().ok().map(|format| format.open.clone()).unwrap_or_default();
    for (name, error) in open {
        session.note(&format!("{name}: {}", in_words(&error)))?;
    }
    if let Err(Some(error)) = &format {
        session.note(&in_words(error))?;
    }
    Ok(0)
}

/// An error and what helps, as a note.
fn in_words(error: &Error) -> String {
    let help = error.help().map(|help| format!("; {help}")).unwrap_or_default();
    format!("{}{help}", error.message())
}

/// A tensor of at most as many bytes is shown whole.
const BLOCK_BYTES: usize = 40;

/// The bytes of a larger one that are shown.
const FIRST_BYTES: usize = 4;

/// The tensors and fields of a format.
fn fields(format: &Format, bytes: Option<usize>) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, tensor) in format.tensors.iter().enumerate() {
        let size = tensor.bytes().unwrap_or(0);
        let pad =
            if format.pads(number) { format!(", bits of no element 0x{:02x}", tensor.fill) } else { String::new() };
        lines.push(format!("{} {}, {size} bytes{pad}", tensor.name, tensor.declared()));
        format.fields.iter().filter(|field| field.tensor == number).for_each(|field| lines.extend(field_lines(field)));
        let shown = match bytes {
            Some(bytes) => bytes,
            None if usize::try_from(size).is_ok_and(|size| size <= BLOCK_BYTES) => BLOCK_BYTES,
            None => FIRST_BYTES,
        };
        lines.extend(picture(format, number, shown));
    }
    lines
}

fn field_lines(field: &Field) -> Vec<String> {
    let axes = field.places.axes();
    let listed: Vec<String> = axes.iter().map(|axis| format!("{}:{}", axis.name, axis.extent().unwrap_or(0))).collect();
    let bits = field.places.element_bits();
    let stored: Vec<String> = field.stored.iter().map(ToString::to_string).collect();
    let mut head = format!("  {} ({}) of {bits} bits, {}", field.name, listed.join(", "), field.kind);
    if !stored.is_empty() {
        head += &format!(", stored {}", stored.join(", then "));
    }
    if !field.values.is_empty() {
        let values: Vec<String> = field.values.iter().map(ToString::to_string).collect();
        head += &format!(", always {}", values.join(", "));
    }
    let mut lines = vec![head];
    for piece in field.places.pieces() {
        let (text, unit) = piece.text();
        let over = field.places.over(piece);
        let unit_text = if unit == 1 { "bits".to_owned() } else { format!("units of {unit} bits") };
        let scope = if over.is_empty() { String::new() } else { format!("{}: ", over.join(", ")) };
        let of = piece.index().map(|index| format!(" of ({index})")).unwrap_or_default();
        let mut line = format!("    {scope}{text}{of} in {unit_text}");
        for ((_, bits), axis) in piece.stack().iter().zip(axes) {
            line += &format!(", the next of {} {bits} bits on", axis.name);
        }
        lines.push(line);
        lines.extend(written(text, unit).into_iter().map(|line| format!("  {line}")));
    }
    lines
}

/// A layout in the notations that hold it, but for that in which it is written: a line each.
pub(super) fn written(layout: &str, unit_bits: i64) -> Vec<String> {
    let others = notations(layout, unit_bits).into_iter().skip(1);
    others.map(|(name, text)| format!("    {name}: {text}")).collect()
}

/// What the first bytes hold: runs of bits of one element, the lowest first.
fn picture(format: &Format, tensor: usize, bytes: usize) -> Vec<String> {
    let total = format.tensors.get(tensor).and_then(|tensor| usize::try_from(tensor.bytes().ok()?).ok()).unwrap_or(0);
    let bytes = bytes.min(total);
    let Ok(held) = holders(format, tensor, bytes * 8) else { return Vec::new() };
    // Where a field that a missing parameter leaves open lies is not known.
    let open: String = format.open.iter().map(|(name, _)| format!("{name} or ")).collect();
    let line = |(number, byte): (usize, &[Option<bitstride_formats::Holder>])| {
        let mut runs: Vec<String> = Vec::new();
        let mut at = 0;
        while let Some(first) = byte.get(at) {
            let follows = |step: usize| match (first, byte.get(at + step).map(Option::as_ref)) {
                (None, Some(None)) => true,
                (Some(first), Some(Some(next))) => {
                    next.field == first.field
                        && next.element == first.element
                        && next.bit == first.bit + i64::try_from(step).unwrap_or(0)
                }
                _ => false,
            };
            let length = (1..).take_while(|step| follows(*step)).count() + 1;
            runs.push(match first {
                None => format!("{length} bits of {open}padding"),
                Some(holder) => {
                    let name = format.fields.get(holder.field).map_or("", |field| field.name.as_str());
                    let element: Vec<String> = holder.element.iter().map(ToString::to_string).collect();
                    let bit = holder.bit;
                    let last = bit + i64::try_from(length).unwrap_or(1) - 1;
                    let bits = if last == bit { format!("bit {bit}") } else { format!("bits {bit}-{last}") };
                    format!("{name}({}) {bits}", element.join(","))
                }
            });
            at += length;
        }
        format!("    byte {number}: {}", runs.join(" | "))
    };
    held.chunks(8).enumerate().map(line).collect()
}
