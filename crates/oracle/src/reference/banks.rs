//! Accesses to shared memory, lane by lane: which instructions read the values of a warp, and what the banks make of each.
//!
//! Each lane has a list of addresses in bits, one a value. Values that lie at one place in every lane are read once. An instruction
//! reads a run of bytes a lane, aligned to its length: the longest of 16, 8, 4, 2 and 1 that all lanes of all warps can read. A
//! phase serves 128 bytes and costs the most words that one bank has to give.

use std::collections::{BTreeMap, BTreeSet};

/// The banks of a memory, the bytes that a phase serves, and whether wide loads of pairs of lanes with one address are served two
/// phases at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Banks {
    /// How many banks of 4 bytes there are.
    pub banks: i64,
    /// The bytes that a phase serves.
    pub phase: i64,
    /// Whether pairs merge.
    pub merges: bool,
}

/// What all instructions of all warps cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passes {
    /// How many instructions there are.
    pub instructions: i64,
    /// The bytes of a lane in each.
    pub bytes: i64,
    /// How many phases there are.
    pub phases: i64,
    /// How many passes over the banks they take.
    pub wavefronts: i64,
}

const WORD: i64 = 4;

/// The cost of warps, each a list of lanes, each a list of addresses in bits of elements of `bits` bits; none where no instruction of
/// whole bytes reads them.
///
/// ```
/// use bitstride_oracle::reference::{Banks, passes};
/// let column: Vec<Vec<i64>> = (0..32).map(|lane| vec![lane * 64 * 16]).collect();
/// let cost = passes(Banks { banks: 32, phase: 128, merges: true }, &[column], 16, true);
/// assert_eq!(cost.map(|cost| cost.wavefronts), Some(32));
/// ```
pub fn passes(banks: Banks, warps: &[Vec<Vec<i64>>], element_bits: i64, is_load: bool) -> Option<Passes> {
    [16, 8, 4, 2, 1].into_iter().find_map(|bytes| {
        let mut cost = Passes { instructions: 0, bytes, phases: 0, wavefronts: 0 };
        for warp in warps {
            for starts in instructions(warp, element_bits, bytes)? {
                let (phases, wavefronts) = served(banks, &starts, bytes, is_load);
                cost.instructions += 1;
                cost.phases += phases;
                cost.wavefronts += wavefronts;
            }
        }
        Some(cost)
    })
}

/// The cost of warps that execute the same instructions on the same values, so that what one warp reads at once all others do.
///
/// ```
/// use bitstride_oracle::reference::{Banks, passes_in_step};
/// // The second warp has its two halves the other way round: no warp reads them at once.
/// let warp = |flip: i64| (0..32).map(|lane| (0..2).map(|value| (2 * lane + (value ^ flip)) * 16).collect()).collect();
/// let banks = Banks { banks: 32, phase: 128, merges: true };
/// let cost = |warps: &[Vec<Vec<i64>>]| passes_in_step(banks, warps, 16, true).map(|cost| (cost.instructions, cost.bytes));
/// assert_eq!(cost(&[warp(0), warp(0)]), Some((2, 4)));
/// assert_eq!(cost(&[warp(0), warp(1)]), Some((4, 2)));
/// ```
pub fn passes_in_step(banks: Banks, warps: &[Vec<Vec<i64>>], element_bits: i64, is_load: bool) -> Option<Passes> {
    let lanes: Vec<Vec<i64>> = warps.iter().flatten().cloned().collect();
    [16, 8, 4, 2, 1].into_iter().find_map(|bytes| {
        let mut cost = Passes { instructions: 0, bytes, phases: 0, wavefronts: 0 };
        for starts in instructions(&lanes, element_bits, bytes)? {
            let mut rest = starts.as_slice();
            for warp in warps {
                let (own, others) = rest.split_at_checked(warp.len())?;
                let (phases, wavefronts) = served(banks, own, bytes, is_load);
                cost.instructions += 1;
                cost.phases += phases;
                cost.wavefronts += wavefronts;
                rest = others;
            }
        }
        Some(cost)
    })
}

/// The passes that rows of 16 bytes take which are served together, by their byte addresses.
///
/// ```
/// use bitstride_oracle::reference::{Banks, row_passes};
/// let rows = |pitch: i64| (0..8).map(|row| row * pitch).collect::<Vec<i64>>();
/// let banks = Banks { banks: 32, phase: 128, merges: true };
/// assert_eq!((row_passes(banks, &rows(128)), row_passes(banks, &rows(144))), (8, 1));
/// ```
pub fn row_passes(banks: Banks, rows: &[i64]) -> i64 {
    served(banks, rows, 16, false).1
}

/// The byte addresses of all lanes in each instruction of a warp that reads a given number of bytes a lane.
fn instructions(warp: &[Vec<i64>], element_bits: i64, bytes: i64) -> Option<Vec<Vec<i64>>> {
    // Each value as the addresses that it has in all lanes; the same in every lane is one value.
    let count = warp.first().map_or(0, Vec::len);
    let mut values: BTreeSet<Vec<i64>> = (0..count).map(|at| warp.iter().map(|lane| lane[at]).collect()).collect();
    if bytes * 8 % element_bits != 0 {
        return None;
    }
    let mut all = Vec::new();
    while let Some(first) = values.pop_first() {
        if first.iter().any(|address| address % (bytes * 8) != 0) {
            return None;
        }
        for step in 1..bytes * 8 / element_bits {
            let next: Vec<i64> = first.iter().map(|address| address + step * element_bits).collect();
            if !values.remove(&next) {
                return None;
            }
        }
        all.push(first.iter().map(|address| address / 8).collect());
    }
    Some(all)
}

/// The phases of an instruction and the passes that they take.
fn served(banks: Banks, starts: &[i64], bytes: i64, is_load: bool) -> (i64, i64) {
    let pairs = |distance: usize| {
        (0..starts.len()).all(|lane| starts.get(lane ^ distance).is_none_or(|other| *other == starts[lane]))
    };
    let merged = banks.merges && is_load && bytes > WORD && (pairs(1) || pairs(2));
    let lanes = banks.phase / bytes.max(WORD) * if merged { 2 } else { 1 };
    let mut cost = (0, 0);
    for group in starts.chunks(usize::try_from(lanes).unwrap_or(1)) {
        let mut words: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        for byte in group.iter().flat_map(|start| *start..start + bytes) {
            let word = byte / WORD;
            words.entry(word % banks.banks).or_default().insert(word);
        }
        cost.0 += 1;
        cost.1 += words.values().map(|words| i64::try_from(words.len()).unwrap_or(i64::MAX)).max().unwrap_or(0);
    }
    cost
}
