//! [`Chain`]: the digits of a map into memory, in their order in memory.
//!
//! Memory that is a row-major box has this law, whatever its sides are: each stride divides the next, and between two
//! strides there is room for all values of the digit. Tiled arrays and blocked tags are such boxes, so that a map
//! without a chain is neither.

use super::super::{Digit, Direction, Form, Map, Unit};
use crate::error::{Code, Error};

/// A digit in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// The axis that it is a digit of.
    pub(super) axis: usize,
    /// What one step is worth along the axis.
    pub(super) weight: i64,
    /// How many values it has.
    pub(super) used: i64,
    /// How many there is room for.
    pub(super) room: i64,
    /// Whether it is the last digit of its axis.
    pub(super) top: bool,
}

/// The digits, the fastest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    /// What a step of the first digit is worth in memory.
    pub(super) first: i64,
    /// The digits.
    pub(super) slots: Vec<Slot>,
}

impl Chain {
    /// The chain of a map whose offsets are counted in `scale` units each.
    ///
    /// # Errors
    /// As [`sum_of`]; `NotALayout` for an offset, a pattern, a stride of 0 or below; `NotDivisible` where strides do not
    /// divide each other; `Overlap` where a digit has no room.
    pub(super) fn of(map: &Map, form: &Form, scale: i64) -> Result<Chain, Error> {
        let (offset, digits) = sum_of(map, form)?;
        if offset != 0 {
            return Err(error!(
                (Code::NotALayout, "offset"),
                "the first element lies at {offset}, where such a layout begins at 0",
                [offset]
            ));
        }
        let mut digits = digits;
        if let Some((digit, stride)) = digits.iter().find(|(_, stride)| *stride <= 0) {
            let (count, digit) = (digit.radix, form.named(digit));
            return Err(match stride {
                0 => {
                    error!(
                        (Code::NotALayout, "repeated"),
                        "{digit} does not move, so that {count} elements share a place",
                        [digit, count]
                    )
                }
                _ => {
                    error!((Code::NotALayout, "backwards"), "{digit} moves by {stride}, backwards", [digit, stride])
                }
            });
        }
        if let Some((digit, stride)) = digits.iter().find(|(_, stride)| stride % scale != 0) {
            return Err(error!(
                (Code::NotDivisible, "no-multiple"),
                "{digit} moves by {stride}, which is no multiple of {unit}",
                [digit = form.named(digit), stride, unit = scale]
            ));
        }
        digits.sort_by_key(|(_, stride)| *stride);
        let size = map.codomain().first().map_or(1, |axis| axis.extent);
        let mut slots = Vec::with_capacity(digits.len());
        let mut rest = digits.as_slice();
        while let Some(((digit, stride), after)) = rest.split_first() {
            let room = match after.first() {
                None if size % stride == 0 => (size / stride).max(digit.radix),
                None => digit.radix,
                Some((next, above)) if above % stride != 0 => {
                    let ([upper, lower], larger, smaller) =
                        ([next, digit].map(|digit| form.named(digit)), above, stride);
                    return Err(error!(
                        (Code::NotDivisible, "not-nested"),
                        "{upper} moves by {larger}, which is no multiple of {smaller}, by which {lower} moves",
                        [; digits = [upper, lower], strides = [larger, smaller]]
                    ));
                }
                Some((next, above)) if above / stride < digit.radix => {
                    let ([lower, upper], larger, smaller) =
                        ([digit, next].map(|digit| form.named(digit)), above, stride);
                    return Err(error!(
                        (Code::Overlap, "no-room"),
                        "{lower} takes {radix} places at {smaller} each, into which {upper} moves by {larger}",
                        [radix = digit.radix; digits = [lower, upper], strides = [smaller, larger]]
                    ));
                }
                Some((_, above)) => above / stride,
            };
            let top = digit.is_top(&form.axes);
            slots.push(Slot { axis: digit.axis, weight: digit.weight, used: digit.radix, room, top });
            rest = after;
        }
        let first = digits.first().map_or(size.max(1), |(_, stride)| *stride) / scale;
        Ok(Chain { first: first.max(1), slots })
    }
}

/// The only coordinate of a map into memory: its offset, and its digits with their strides.
///
/// # Errors
/// [`Code::Kind`] for a map that does not lead to memory; [`Code::NotALayout`] for patterns that are xored.
pub(super) fn sum_of(map: &Map, form: &Form) -> Result<(i64, Vec<(Digit, i64)>), Error> {
    let memory = matches!(map.codomain(), [axis] if matches!(axis.unit, Unit::Element | Unit::Byte | Unit::Bit));
    let ([sum], true, Direction::ToPlace) = (form.sums.as_slice(), memory, map.direction()) else {
        return Err(error!(Code::Kind, "{map} does not lead from the coordinates of a tensor to memory", [map]));
    };
    if let Some((digit, xor)) = form.digits.iter().zip(&sum.xors).find(|(_, xor)| **xor != 0) {
        return Err(error!(
            (Code::NotALayout, "xored"),
            "{digit} is xored in as {mask:#b}, and is not added",
            [digit = form.named(digit), mask = xor]
        ));
    }
    let offset = sum.offset.checked_add(sum.flip).ok_or_else(|| Error::overflow("an offset"))?;
    Ok((offset, form.digits.iter().copied().zip(sum.strides.iter().copied()).collect()))
}
