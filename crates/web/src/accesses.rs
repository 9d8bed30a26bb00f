//! The instructions of an access to shared memory, one at a time: which lanes go together, and what each asks of which bank.

use bitstride::memory::{Accesses, Phase, SharedMemory, Transfer};
use bitstride::notation::Ints;
use bitstride::{Code, Error, error};
use bitstride_lang::{Sheet, evaluate_in};
use serde_json::{Value as Json, json};

use crate::{refused, unknown};

/// The most instructions that are listed; the wavefronts of all are counted.
const MAX_LISTED: usize = 64;

/// `{"count", "wavefronts", "conflicts", "bytes", "instructions": […]}`, each instruction with its phases, and each phase with its lanes.
pub(crate) fn list(sheet: &Sheet, memory: &str, threads: &str, element_bits: &str, transfer: &str) -> Json {
    let Ok(bits) = element_bits.parse::<i64>() else {
        return unknown(&format!("the bits of an element are a number, not {element_bits:?}"));
    };
    let Some(transfer) = Transfer::of_word(if transfer.is_empty() { "ld" } else { transfer }) else {
        return unknown(&format!("`{transfer}` is no access to memory; there are ld, st, ldmatrix and stmatrix"));
    };
    let map = |text: &str| {
        let map = evaluate_in(text, Ints::Plain, sheet.names()).and_then(|answer| answer.value.as_map());
        map.map_err(|error| refused(text, &error, text, 0))
    };
    let (memory, threads) = match (map(memory), map(threads)) {
        (Ok(memory), Ok(threads)) => (memory, threads),
        (Err(refusal), _) | (_, Err(refusal)) => return refusal,
    };
    let listed = Accesses::of(&memory, &threads, bits, transfer).and_then(|accesses| instructions(&accesses));
    listed.unwrap_or_else(|error| refused("", &error, "", 0))
}

fn instructions(accesses: &Accesses) -> Result<Json, Error> {
    let machine = SharedMemory::NVIDIA;
    let passes = accesses.passes(&machine)?;
    let mut listed = Vec::new();
    for (access, passes) in accesses.iter().zip(&passes).take(MAX_LISTED) {
        let access = access?;
        let phases = passes.0.iter().map(|phase| phase_of(phase, access.addresses(), access.bytes(), &machine));
        listed.push(json!({
            "wavefronts": passes.wavefronts().to_string(),
            "conflicts": passes.conflicts().to_string(),
            "phases": phases.collect::<Result<Vec<Json>, Error>>()?,
        }));
    }
    let sum = |count: &dyn Fn(&bitstride::memory::Passes) -> i64| passes.iter().map(count).sum::<i64>().to_string();
    Ok(json!({
        "count": passes.len().to_string(),
        "wavefronts": sum(&|passes| passes.wavefronts()),
        "conflicts": sum(&|passes| passes.conflicts()),
        "bytes": accesses.bytes().to_string(),
        "instructions": listed,
    }))
}

fn phase_of(phase: &Phase, addresses: &[Option<i64>], bytes: i64, machine: &SharedMemory) -> Result<Json, Error> {
    let lane = |lane: &usize| {
        let address = addresses.get(*lane).copied().flatten();
        let address = address.ok_or_else(|| error!(Code::Range, "lane {lane} takes no part", [lane]))?;
        let words = bytes.max(machine.word_bytes).checked_div(machine.word_bytes).unwrap_or(1);
        let banks = (0..words).map(|word| machine.bank(address.saturating_add(word * machine.word_bytes)));
        let banks: Vec<i64> = banks.collect();
        Ok(json!({"lane": lane, "address": address.to_string(), "banks": banks}))
    };
    Ok(json!({
        "wavefronts": phase.wavefronts.to_string(),
        "lanes": phase.lanes.iter().map(lane).collect::<Result<Vec<Json>, Error>>()?,
    }))
}
