//! The law of a conversion within a warp: values are moved word by word and lane by lane, and looked for where they should be.

use super::{CheckResult, hold};
use crate::reference::{Linear, Place, number};

/// A register bit, the lane bit before the shuffle, where there is one, and after it that it changes places with, and the bytes that two words of a pair take:
/// of the lower and upper word before the shuffle, and after it.
pub type Exchange = (usize, Option<usize>, usize, [u16; 4]);

/// The bytes of a word.
const BYTES: usize = 4;

/// Bits moved to other places.
fn renamed(value: usize, bits: &[usize]) -> usize {
    bits.iter().enumerate().map(|(from, to)| (value >> from & 1) << to).sum()
}

/// What a byte permute of two words gives.
fn permuted(low: &[i64], high: &[i64], selector: u16) -> Vec<i64> {
    let bytes: Vec<i64> = low.iter().chain(high).copied().collect();
    (0..BYTES).filter_map(|nibble| bytes.get(usize::from(selector >> (4 * nibble) & 7)).copied()).collect()
}

/// `warp_shuffle_decomp(A, B)`: registers of A are renamed and packed, `packed` bits of their numbers inside of a word; pairs of words
/// are exchanged by byte permutes, every word is read from the lane that `lanes` says, pairs are exchanged again, and then every lane
/// of every warp has in every register what B has there.
pub fn warp_shuffles(
    a: &Linear,
    b: &Linear,
    registers: &[usize],
    lanes: &Linear,
    exchanges: &[Exchange],
    packed: usize,
) -> CheckResult {
    const LAW: &str = "warp_shuffles";
    let size = |layout: &Linear, name: &str| {
        layout.ins().iter().find(|(own, _)| own == name).map_or(1, |(_, size)| usize::try_from(*size).unwrap_or(0))
    };
    let (count, width) = (1_usize << registers.len(), size(lanes, "lane"));
    let each = 1_usize << packed;
    let outer = ["warp", "block"].map(|name| size(a, name).max(size(b, name)));
    for (warp, block) in (0..outer[0]).flat_map(|warp| (0..outer[1]).map(move |block| (warp, block))) {
        let place = |layout: &Linear, register: usize, lane: usize| -> Place {
            let numbers = [("register", register), ("lane", lane), ("warp", warp), ("block", block)];
            numbers.into_iter().map(|(name, number)| (name.to_owned(), index(number % size(layout, name)))).collect()
        };
        let element = |layout: &Linear, register: usize, lane: usize| {
            number(layout.outs(), &layout.at(&place(layout, register, lane)))
        };
        let mut words = vec![vec![vec![0_i64; BYTES]; count / each]; width];
        for (lane, words) in words.iter_mut().enumerate() {
            for register in 0..count {
                let to = renamed(register, registers);
                let value = element(a, register, lane)?;
                if let Some(word) = words.get_mut(to / each) {
                    let bytes = BYTES / each;
                    word.iter_mut().skip(to % each * bytes).take(bytes).for_each(|byte| *byte = value);
                }
            }
        }
        exchange(&mut words, exchanges, packed, true);
        let read: Vec<Vec<Vec<i64>>> = (0..width)
            .map(|lane| {
                (0..count / each)
                    .map(|word| {
                        let from = lanes.at(&place(lanes, word * each, lane)).get("lane").copied().unwrap_or(0);
                        let from = usize::try_from(from).ok().and_then(|from| words.get(from)?.get(word).cloned());
                        from.unwrap_or_default()
                    })
                    .collect()
            })
            .collect();
        words = read;
        exchange(&mut words, exchanges, packed, false);
        for (lane, words) in words.iter().enumerate() {
            for register in 0..size(b, "register") {
                let byte = register % each * (BYTES / each);
                let arrived = words.get(register / each).and_then(|word| word.get(byte)).copied();
                let wanted = element(b, register, lane)?;
                hold(LAW, arrived == Some(wanted), || {
                    format!(
                        "lane {lane} of warp {warp} has {arrived:?} in register {register}, which must hold {wanted}"
                    )
                })?;
            }
        }
    }
    Ok(())
}

fn index(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(0)
}

/// Pairs of words exchanged in lanes of which a bit is set: before the shuffle the results change places, after it the operands.
fn exchange(words: &mut [Vec<Vec<i64>>], exchanges: &[Exchange], packed: usize, is_before: bool) {
    for (register, source, target, [before_low, before_high, after_low, after_high]) in exchanges {
        let (bit, low, high) = match is_before {
            true => (*source, before_low, before_high),
            false => (Some(*target), after_low, after_high),
        };
        let pair = 1_usize << (register - packed);
        for (lane, words) in words.iter_mut().enumerate() {
            let is_set = bit.is_some_and(|bit| lane >> bit & 1 == 1);
            let (low, high) = match (is_set, is_before) {
                (false, _) => (*low, *high),
                (true, true) => (*high, *low),
                (true, false) => (low ^ 0x4444, high ^ 0x4444),
            };
            for first in (0..words.len()).filter(|word| word & pair == 0) {
                let (Some(a), Some(b)) = (words.get(first).cloned(), words.get(first | pair).cloned()) else {
                    continue;
                };
                if let Some(word) = words.get_mut(first) {
                    *word = permuted(&a, &b, low);
                }
                if let Some(word) = words.get_mut(first | pair) {
                    *word = permuted(&a, &b, high);
                }
            }
        }
    }
}
