//! `bitstride show --banks` of layouts of any family in shared memory: padded, of CuTe, by strides.

use std::io;

use bitstride::calc::Answer;
use bitstride::{Code, Error};
use bitstride_draw::Picture;
use bitstride_draw::scene::{Banks, Shared, banks_picture};
use serde_json::{Map, Value as Json, json};

use super::show::{Wrong, evaluated};
use super::show_linear::{coordinate, element_bits};
use crate::args::{Ints, Show};
use crate::session::Session;

/// The most elements that are written as JSON.
const MOST_LISTED: u64 = 1 << 16;

/// The memories that are to be shown, and what is read of each.
pub(super) struct SharedMemory {
    answers: Vec<(Answer, Shared, Banks)>,
}

impl SharedMemory {
    pub(super) fn read(args: &Show, given: &[(String, Answer)], ints: Ints) -> Result<Self, Wrong> {
        let wrong = |message: &str| Err((String::new(), Error::new(Code::Kind, message)));
        if args.memory || args.codomain || args.two_line || args.tv.is_some() || args.mark.is_some() {
            return wrong("--banks is a picture of its own");
        }
        if args.slice.is_some() || args.view.is_some() || !args.by.is_empty() {
            return wrong("--slice, --view and --by are of other pictures than --banks");
        }
        let along = match args.at.as_slice() {
            [] => None,
            [only] => {
                let (text, answer) = evaluated(only, ints)?;
                Some(coordinate(&answer.value).map_err(|error| (text, error))?)
            }
            _ => return wrong("--banks counts the elements of one coordinate"),
        };
        let mut answers = Vec::new();
        for (text, answer) in given {
            let memory = answer.value.as_map().and_then(|map| Shared::new(text, &map));
            let memory = memory.map_err(|error| (text.clone(), error))?;
            let of_array = answer.value.as_array().ok().and_then(|array| u32::try_from(array.element_bits()).ok());
            let bits = args.element_bits.or(of_array).or_else(|| element_bits(text)).unwrap_or(32);
            let usual = Banks::column(bits, memory.sides().len());
            let banks = along.clone().map_or(usual, |along| Banks { element_bits: bits, along });
            answers.push((answer.clone(), memory, banks));
        }
        Ok(SharedMemory { answers })
    }

    pub(super) fn picture(&self, columns: Option<usize>) -> Result<Picture, Error> {
        let memories = self.answers.iter().map(|(_, memory, banks)| (memory.clone(), banks.clone()));
        banks_picture(&memories.collect::<Vec<_>>(), columns)
    }

    /// One object for each layout.
    pub(super) fn print_json(&self, session: &mut Session) -> io::Result<u8> {
        let mut code = 0;
        for (answer, memory, banks) in &self.answers {
            match object(answer, memory, banks) {
                Ok(object) => session.object(object)?,
                Err(error) => code = code.max(session.refuse("", &error)?),
            }
        }
        Ok(code)
    }
}

/// `{"kind", "value", "dims", "shape", "cells"}`: the bank of each element.
fn object(answer: &Answer, memory: &Shared, banks: &Banks) -> Result<Map<String, Json>, Error> {
    let sides = memory.sides();
    let count = sides.iter().try_fold(1u64, |count, (_, size)| count.checked_mul(*size));
    if count.is_none_or(|count| count > MOST_LISTED) {
        let message = format!("more than {MOST_LISTED} elements; at most so many are listed");
        return Err(Error::new(Code::TooLarge, message));
    }
    let mut object = Map::new();
    object.insert("kind".into(), answer.value.kind().into());
    object.insert("value".into(), answer.value.to_string().into());
    object.insert("dims".into(), sides.iter().map(|(name, _)| name.as_str()).collect());
    object.insert("shape".into(), sides.iter().map(|(_, size)| *size).collect());
    object.insert("cells".into(), cells(memory, banks, &sides.iter().map(|(_, size)| *size).collect::<Vec<_>>()));
    if !answer.notes.is_empty() {
        object.insert("notes".into(), json!(answer.notes));
    }
    Ok(object)
}

/// Arrays in arrays, the first dim outermost.
fn cells(memory: &Shared, banks: &Banks, sizes: &[u64]) -> Json {
    fn level(at: &mut Vec<u64>, sizes: &[u64], cell: &dyn Fn(&[u64]) -> Json) -> Json {
        let Some((size, inner)) = sizes.split_first() else { return cell(at) };
        let mut entries = Vec::new();
        for value in 0..*size {
            at.push(value);
            entries.push(level(at, inner, cell));
            at.pop();
        }
        entries.into()
    }
    level(&mut Vec::new(), sizes, &|at| json!(memory.offset(at).map(|offset| banks.bank(offset))))
}
