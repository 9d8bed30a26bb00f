//! einops: a layout as what is rearranged of a tensor that fills its memory row by row,
//! `rearrange(x[2,3,4], 'a b c -> c a b')`, or `repeat` where places are repeated.
//!
//! The dims of the tensor are the digits of the layout in the order of memory; each has a letter.

use super::modes;
use crate::value::Value;
use bitstride::map::Map;
use bitstride::notation::Dialect;
use bitstride::{Code, Error, error};

/// A digit of the layout: which mode it is of, its place in the mode, its extent and its stride.
struct Digit {
    mode: usize,
    extent: i64,
    stride: i64,
}

pub(super) fn written(map: &Map) -> Result<String, Error> {
    let refused = |why: String| {
        error!(Code::NotALayout, "{dialect} rearranges a whole tensor: {why}", [dialect = Dialect::Einops, why])
    };
    let cute = Value::from(map.to_cute()?);
    let Value::Layout(layout) = &cute else {
        return Err(refused(format!("{cute} is more than an order of dims")));
    };
    let modes = modes(layout)?;
    // The fastest digit of a mode comes first in CuTe, and last in a group.
    let mut digits: Vec<Digit> = Vec::new();
    for (mode, leaves) in modes.iter().enumerate() {
        let leaves = leaves.iter().rev().filter(|(extent, _)| *extent != 1);
        digits.extend(leaves.map(|(extent, stride)| Digit { mode, extent: *extent, stride: *stride }));
    }
    let mut memory: Vec<usize> =
        (0..digits.len()).filter(|at| digits.get(*at).is_some_and(|d| d.stride != 0)).collect();
    memory.sort_by_key(|at| digits.get(*at).map(|digit| std::cmp::Reverse(digit.stride)));
    let mut expected = 1_i64;
    for digit in memory.iter().rev().filter_map(|at| digits.get(*at)) {
        if digit.stride != expected {
            return Err(refused(format!("{cute} has the stride {} where {expected} would follow", digit.stride)));
        }
        expected = expected.checked_mul(digit.extent).ok_or_else(|| Error::overflow("the size of a tensor"))?;
    }
    let name = |at: usize| {
        let place = memory
            .iter()
            .position(|other| *other == at)
            .unwrap_or_else(|| memory.len() + (0..at).filter(|before| !memory.contains(before)).count());
        letter(place)
    };
    let left: Vec<String> = memory.iter().map(|at| name(*at)).collect();
    let sizes: Vec<String> =
        memory.iter().filter_map(|at| digits.get(*at)).map(|digit| digit.extent.to_string()).collect();
    let mut right = Vec::new();
    for mode in 0..modes.len() {
        let names: Vec<String> =
            digits.iter().enumerate().filter(|(_, digit)| digit.mode == mode).map(|(at, _)| name(at)).collect();
        right.push(match names.as_slice() {
            [] => "1".to_owned(),
            [only] => only.clone(),
            names => format!("({})", names.join(" ")),
        });
    }
    let repeated: Vec<String> = digits
        .iter()
        .enumerate()
        .filter(|(_, digit)| digit.stride == 0)
        .map(|(at, digit)| format!(", {}={}", name(at), digit.extent))
        .collect();
    let verb = if repeated.is_empty() { "rearrange" } else { "repeat" };
    // A tensor has a dim for the left side to name.
    let (sizes, left) = match sizes.is_empty() {
        true => ("1".to_owned(), "1".to_owned()),
        false => (sizes.join(","), left.join(" ")),
    };
    Ok(format!("{verb}(x[{sizes}], '{left} -> {}'{})", right.join(" "), repeated.concat()))
}

/// `a` to `z`, then `a1` and so on.
fn letter(at: usize) -> String {
    let (round, place) = (at / 26, at % 26);
    let letter = ('a'..='z').nth(place).unwrap_or('a');
    if round == 0 { letter.to_string() } else { format!("{letter}{round}") }
}
