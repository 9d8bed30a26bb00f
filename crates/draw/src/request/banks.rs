//! Requests of the banks of layouts of any family in shared memory: padded, of CuTe, by strides.

use bitstride::memory::{Accesses, SharedMemory, Transfer};
use bitstride::{Code, Error, error};
use bitstride_lang::{Answer, Spelling, Value};

use super::{Drawing, Request, Wrong, counted, element_bits, evaluated, wrong};
use crate::scene::{Banks, LaneBits, Shared};

pub(super) fn read(request: &Request, given: Vec<(String, Answer)>, spelling: Spelling) -> Result<Drawing, Wrong> {
    if request.mark.is_some() {
        return wrong("--banks is a picture of its own");
    }
    if request.slice.is_some() || !request.by.is_empty() {
        return wrong("--slice, --view and --by are of other pictures than --banks");
    }
    let along = counted(request, spelling)?;
    let mut answers = Vec::new();
    for (text, answer) in given {
        let memory = answer.value.as_map().and_then(|map| Shared::new(&text, &map));
        let memory = memory.map_err(|error| (text.clone(), error))?;
        let of_array = answer.value.as_array().ok().and_then(|array| u32::try_from(array.element_bits()).ok());
        let bits = request.element_bits.or(of_array).or_else(|| element_bits(&text)).unwrap_or(32);
        let usual = Banks::column(bits, memory.sides().len());
        let mut banks = match along.clone() {
            Some(along) => Banks { along, ..usual },
            None => usual,
        };
        if let Some(asked) = &request.threads {
            let (threads_text, threads) = evaluated(asked, spelling)?;
            banks.lanes = lanes(&answer.value, &threads.value, bits, request.transfer.as_deref())
                .map_err(|error| (threads_text, error))?;
        }
        answers.push((answer, memory, banks));
    }
    Ok(Drawing::Banks { answers })
}

/// The lanes of the phase of the first instruction that takes the most wavefronts, with the bits that each asks for.
fn lanes(memory: &Value, threads: &Value, bits: u32, transfer: Option<&str>) -> Result<Vec<LaneBits>, Error> {
    let transfer = match transfer {
        None => Transfer::Load,
        Some(word) => Transfer::of_word(word).ok_or_else(|| {
            error!(Code::Parameter, "`{word}` is no access to memory", [word])
                .with_help("it is ld, st, ldmatrix or stmatrix")
        })?,
    };
    let accesses = Accesses::of(&memory.as_map()?, &threads.as_map()?, i64::from(bits), transfer)?;
    let Some(first) = accesses.iter().next() else { return Ok(Vec::new()) };
    let first = first?;
    let passes = SharedMemory::NVIDIA.passes(&first)?;
    let phase = passes.0.iter().rev().max_by_key(|phase| phase.wavefronts);
    let lane = |lane: &usize| {
        let address = u64::try_from(first.addresses().get(*lane).copied().flatten()?).ok()?.checked_mul(8)?;
        let bits = u64::try_from(first.bytes()).ok()?.checked_mul(8)?;
        Some(LaneBits { lane: *lane, first: address, end: address.checked_add(bits)? })
    };
    let lanes = phase.map(|phase| phase.lanes.iter().map(lane).collect::<Option<Vec<_>>>());
    lanes.unwrap_or_default().ok_or_else(|| Error::overflow("an address in bits"))
}
