//! Cells: values that stand alone, each in a power of two of bits, and the values of elements where a format has them.

use bitstride::cast::{bytes, narrow};
use bitstride::{Code, Error, error};

use crate::places::Places;

/// The bits of the cell in which an element stands alone: a power of two.
pub(crate) fn cell(bits: i64) -> i64 {
    u64::try_from(bits).map_or(64, |bits| i64::try_from(bits.next_power_of_two()).unwrap_or(64))
}

/// The bytes of a given number of cells.
pub(crate) fn room(elements: i64, cell: i64) -> Result<usize, Error> {
    bytes(narrow((i128::from(elements) * i128::from(cell) + 7) / 8)?)
}

/// The value that stands in a cell, a power of two of bits wide.
pub(crate) fn get(dense: &[u8], element: i64, cell: i64) -> i64 {
    let first = usize::try_from(element * cell / 8).unwrap_or(usize::MAX);
    let width = usize::try_from(cell / 8).unwrap_or(0).max(1);
    let bytes = dense.get(first..first.saturating_add(width)).unwrap_or_default();
    let whole = bytes.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    if cell >= 8 { whole.cast_signed() } else { (whole >> (element * cell % 8) & ((1 << cell) - 1)).cast_signed() }
}

/// Puts a value into a cell that holds 0.
pub(crate) fn put(dense: &mut [u8], element: i64, cell: i64, value: i64) {
    let first = usize::try_from(element * cell / 8).unwrap_or(usize::MAX);
    let width = usize::try_from(cell / 8).unwrap_or(0).max(1);
    let shift = if cell >= 8 { 0 } else { element * cell % 8 };
    let bytes = dense.get_mut(first..first.saturating_add(width)).unwrap_or_default();
    bytes.iter_mut().zip((value << shift).to_le_bytes()).for_each(|(byte, own)| *byte |= own);
}

/// The value of an element in memory.
pub(crate) fn value(places: &Places, point: &[i64], memory: &[u8]) -> Result<i64, Error> {
    let mut value = 0;
    for bit in 0..places.element_bits() {
        let place = places.at(point, bit)?;
        let byte = usize::try_from(place / 8).ok().and_then(|at| memory.get(at)).ok_or_else(|| short(memory))?;
        value |= i64::from(byte >> (place % 8) & 1) << bit;
    }
    Ok(value)
}

fn short(memory: &[u8]) -> Error {
    error!(
        Code::Range,
        "a tensor has {memory_count} bytes, and its format reaches further",
        [memory_count = memory.len()]
    )
}
