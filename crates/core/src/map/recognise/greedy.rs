//! Axes whose bits are XORed although they are plain digits: `1, 6, 11, 12, 17, 22` is `(3,2):(5,11)` plus 1.
//!
//! Extents that are powers of two are cut at bits, so that the masks show whether they are plain digits. Other extents
//! are read value by value: the first step is the stride, the first break is the extent of a digit, and the starts are
//! read in the same way. This reading is unique.

use super::super::Axis;
use super::super::form::{AffineExpr, Digit, Form};
use crate::cast::length;
use crate::error::Error;

/// Digits, each with what a step of it adds to each coordinate.
type Steps = Vec<(Digit, Vec<i64>)>;

/// Axes are read value by value up to this extent.
const MAX_READ_EXTENT: i64 = 1 << 12;

/// The form without patterns, where it has one that only the values show.
pub(super) fn read_off(form: &Form) -> Result<Option<Form>, Error> {
    if form.sums.iter().all(|sum| sum.mask() == 0) {
        return Ok(None);
    }
    let xored = |at: usize, sum: &AffineExpr| {
        let own = form.digits.iter().zip(&sum.xors).filter(|(digit, _)| digit.axis == at);
        own.fold(0, |mask, (_, xor)| mask | xor)
    };
    let readable = |(at, axis): (usize, &Axis)| {
        let masks = || form.sums.iter().map(|sum| (sum, xored(at, sum)));
        // What axes share is no sum of theirs.
        let alone = |(sum, mask): (&AffineExpr, i64)| (0..at).all(|below| xored(below, sum) & mask == 0);
        let fits = axis.extent <= MAX_READ_EXTENT && axis.extent.count_ones() > 1;
        masks().all(alone) && (fits || masks().all(|(_, mask)| mask == 0))
    };
    if !form.axes.iter().enumerate().all(readable) {
        return Ok(None);
    }
    let origin = form.at(&vec![0; form.axes.len()])?;
    let sum = |offset: &i64| AffineExpr { offset: *offset, ..AffineExpr::default() };
    let mut read = Form { axes: form.axes.clone(), digits: Vec::new(), sums: origin.iter().map(sum).collect() };
    for (at, axis) in form.axes.iter().enumerate() {
        let digits = if form.sums.iter().all(|sum| xored(at, sum) == 0) {
            let own = form.digits.iter().enumerate().filter(|(_, digit)| digit.axis == at);
            let strides =
                |place: usize| form.sums.iter().map(|sum| sum.strides.get(place).copied().unwrap_or(0)).collect();
            own.map(|(place, digit)| (*digit, strides(place))).collect()
        } else {
            match digits(form, at, axis.extent, &origin)? {
                Some(digits) => digits,
                None => return Ok(None),
            }
        };
        for (digit, strides) in digits {
            read.digits.push(digit);
            for (sum, stride) in read.sums.iter_mut().zip(strides) {
                sum.strides.push(stride);
                sum.xors.push(0);
            }
        }
    }
    Ok(Some(read))
}

/// The digits of one axis with what a step of each adds, as its values show them.
fn digits(form: &Form, axis: usize, extent: i64, origin: &[i64]) -> Result<Option<Steps>, Error> {
    let mut table = Vec::new();
    let mut point = vec![0; form.axes.len()];
    for x in 0..extent {
        point.iter_mut().skip(axis).take(1).for_each(|own| *own = x);
        let row = form.at(&point)?;
        table.push(row.iter().zip(origin).map(|(x, none)| i128::from(*x) - i128::from(*none)).collect::<Vec<_>>());
    }
    let mut digits = Steps::new();
    while table.len() > 1 {
        let Some(step) = table.get(1).cloned() else { break };
        let goes_on = |(n, row): &(i128, &Vec<i128>)| row.iter().zip(&step).all(|(x, step)| *x == n * step);
        let radix = (0..).zip(&table).take_while(goes_on).count();
        let repeats = |part: &[Vec<i128>]| {
            let first = part.first();
            part.len() == radix
                && part.iter().zip(&table).all(|(row, low)| {
                    first.is_some_and(|first| row.iter().zip(first).zip(low).all(|((x, first), low)| x - first == *low))
                })
        };
        if !table.chunks(radix).all(repeats) {
            return Ok(None);
        }
        let weight = digits.last().map_or(1, |(digit, _)| digit.weight * digit.radix);
        let strides = step.into_iter().map(crate::cast::narrow).collect::<Result<_, _>>()?;
        digits.push((Digit { axis, weight, radix: length(radix) }, strides));
        table = table.chunks(radix).filter_map(|part| part.first().cloned()).collect();
    }
    Ok(Some(digits))
}
