//! `bitstride show --banks` of layouts of any family in shared memory: padded, of CuTe, by strides.

use bitstride::memory::{Accesses, SharedMemory as Machine, Transfer};
use bitstride::{Code, Error};
use bitstride_draw::Picture;
use bitstride_draw::scene::{Banks, LaneBits, Shared, banks_picture};
use bitstride_lang::{Answer, Value};
use serde_json::json;

use super::cells::{self, Object};
use super::show::{Drawing, Wrong, evaluated};
use super::show_linear::{coordinate, element_bits};
use crate::args::{Ints, Show};

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
            let mut banks = match along.clone() {
                Some(along) => Banks { along, ..usual },
                None => usual,
            };
            if let Some(asked) = &args.threads {
                let (threads_text, threads) = evaluated(asked, ints)?;
                banks.lanes = lanes(&answer.value, &threads.value, bits, args.transfer.as_deref())
                    .map_err(|error| (threads_text, error))?;
            }
            answers.push((answer.clone(), memory, banks));
        }
        Ok(SharedMemory { answers })
    }
}

/// The lanes of the phase of the first instruction that takes the most wavefronts, with the bits that each asks for.
fn lanes(memory: &Value, threads: &Value, bits: u32, transfer: Option<&str>) -> Result<Vec<LaneBits>, Error> {
    let transfer = match transfer {
        None => Transfer::Load,
        Some(word) => Transfer::of_word(word).ok_or_else(|| {
            Error::new(Code::Parameter, format!("`{word}` is no access to memory"))
                .with_help("it is ld, st, ldmatrix or stmatrix")
        })?,
    };
    let accesses = Accesses::of(&memory.as_map()?, &threads.as_map()?, i64::from(bits), transfer)?;
    let Some(first) = accesses.iter().next() else { return Ok(Vec::new()) };
    let first = first?;
    let passes = Machine::NVIDIA.passes(&first)?;
    let phase = passes.0.iter().rev().max_by_key(|phase| phase.wavefronts);
    let lane = |lane: &usize| {
        let address = u64::try_from(first.addresses().get(*lane).copied().flatten()?).ok()?.checked_mul(8)?;
        let bits = u64::try_from(first.bytes()).ok()?.checked_mul(8)?;
        Some(LaneBits { lane: *lane, first: address, end: address.checked_add(bits)? })
    };
    let lanes = phase.map(|phase| phase.lanes.iter().map(lane).collect::<Option<Vec<_>>>());
    lanes.unwrap_or_default().ok_or_else(|| Error::overflow("an address in bits"))
}

impl Drawing for SharedMemory {
    fn picture(&self, columns: Option<usize>) -> Result<Picture, Error> {
        let memories = self.answers.iter().map(|(_, memory, banks)| (memory.clone(), banks.clone()));
        banks_picture(&memories.collect::<Vec<_>>(), columns)
    }

    fn objects(&self) -> Box<dyn Iterator<Item = Object> + '_> {
        Box::new(self.answers.iter().map(|(answer, memory, banks)| object(answer, memory, banks)))
    }
}

/// `{"kind", "value", "dims", "shape", "cells"}`: the bank of each element.
fn object(answer: &Answer, memory: &Shared, banks: &Banks) -> Object {
    let sides = memory.sides();
    let sizes: Vec<u64> = sides.iter().map(|(_, size)| *size).collect();
    cells::check_listed(sizes.iter().try_fold(1u64, |count, size| count.checked_mul(*size)), "elements")?;
    cells::object(answer, &answer.value.to_string(), |object| {
        object.insert("dims".into(), sides.iter().map(|(name, _)| name.as_str()).collect());
        object.insert("shape".into(), json!(sizes));
        let bank = |at: &[u64]| Ok(json!(memory.offset(at).map(|offset| banks.bank(offset))));
        object.insert("cells".into(), cells::nested(&sizes, &bank)?);
        Ok(())
    })
}
