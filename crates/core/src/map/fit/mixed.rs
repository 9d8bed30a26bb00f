//! Fits strides and XOR masks over digits to a table.
//!
//! For one way to cut the axes, the unit point of a digit gives what it adds alone. Two bits together differ from the
//! sum of both by twice the bits that both flip. These bits are the masks, with signs given by the bits at the origin.
//! The rest of what each digit adds is its stride. Then every element is checked.

use super::Break;
use super::cuts::cuts;
use super::table::Table;
use crate::cast::{index, narrow};
use crate::error::Error;
use crate::map::form::meet;
use crate::map::{Digit, Form};

/// The most ways to cut all axes that are tried.
const TRIES: usize = 64;

/// The form of a table, or the element at which the last of the ways to cut it breaks.
pub(super) fn read(table: &Table) -> Result<Result<Form, Break>, Error> {
    let lines = table.lines();
    let ways: Vec<Vec<Vec<i64>>> = table.axes.iter().zip(&lines).map(|(axis, line)| cuts(axis.extent, line)).collect();
    let mut furthest: Option<(usize, i128)> = None;
    for cut in choices(&ways) {
        let digits = digits(&cut);
        // Bits of the origin are part of the patterns, or of an offset that is added.
        let origins = if table.origin() > 0 { vec![table.origin(), 0] } else { vec![0] };
        for origin in origins {
            let mut form = form(table, &digits, origin)?;
            match check(table, &form) {
                None => {
                    form.canonicalise()?;
                    return Ok(Ok(form));
                }
                Some(broken) if furthest.is_none_or(|(at, _)| at < broken.0) => furthest = Some(broken),
                Some(_) => {}
            }
        }
    }
    let (at, expected) = furthest.unwrap_or((0, i128::from(table.origin())));
    Ok(Err(table.break_at(at, Some(expected))))
}

/// Ways to cut all axes: the first of each, then every combination, the first axis changing fastest.
fn choices(ways: &[Vec<Vec<i64>>]) -> Vec<Vec<&Vec<i64>>> {
    let all = ways.iter().fold(1usize, |all, own| all.saturating_mul(own.len()));
    let choice = |number: usize| {
        let mut rest = number;
        let mut pick = |own: &Vec<Vec<i64>>| {
            let at = rest % own.len().max(1);
            rest /= own.len().max(1);
            at
        };
        ways.iter().filter_map(|own| own.get(pick(own))).collect()
    };
    (0..all.min(TRIES)).map(choice).collect()
}

fn digits(cut: &[&Vec<i64>]) -> Vec<Digit> {
    let mut digits = Vec::new();
    for (axis, radices) in cut.iter().enumerate() {
        let mut weight = 1;
        for radix in radices.iter() {
            digits.push(Digit { axis, weight, radix: *radix });
            weight *= radix;
        }
    }
    digits
}

/// The strides and patterns that the unit points and their pairs give, with these bits of the origin in the patterns.
fn form(table: &Table, digits: &[Digit], origin: i64) -> Result<Form, Error> {
    let steps = table.steps();
    let place = |digit: &Digit| Ok(index(digit.weight)? * steps.get(digit.axis).copied().unwrap_or(0));
    let places = digits.iter().map(place).collect::<Result<Vec<usize>, Error>>()?;
    let offset = |place: usize| table.offsets.get(place).map_or(0, |offset| i128::from(*offset));
    let base = offset(0);
    let mut xors = vec![0; digits.len()];
    for (high, (one, first)) in digits.iter().zip(&places).enumerate().filter(|(_, (digit, _))| digit.radix == 2) {
        for (low, (other, second)) in digits.iter().zip(&places).enumerate().take(high) {
            if other.radix != 2 || !meet(&table.axes, one, other) {
                continue;
            }
            let together = offset(first + second) - offset(*first) - offset(*second) + base;
            // What is no pattern shows as an element that breaks.
            let shared = shared(together, origin).unwrap_or(0);
            for at in [high, low] {
                if let Some(xor) = xors.get_mut(at) {
                    *xor |= shared;
                }
            }
        }
    }
    let flip = xors.iter().fold(0, |mask, xor| mask | xor) & origin;
    let mut form = table.blank();
    form.digits = digits.to_vec();
    for sum in &mut form.sums {
        sum.flip = flip;
        sum.offset = narrow(base - i128::from(flip))?;
        let alone = |(place, xor): (&usize, &i64)| narrow(offset(*place) - base - i128::from((flip ^ xor) - flip));
        sum.strides = places.iter().zip(&xors).map(alone).collect::<Result<_, _>>()?;
        sum.xors.clone_from(&xors);
    }
    Ok(form)
}

/// The bits that two digits both flip: each adds twice itself where the origin has it, and takes that away where not.
fn shared(together: i128, origin: i64) -> Option<i64> {
    if together % 2 != 0 {
        return None;
    }
    let (mut rest, mut bits) = (together / 2, 0);
    for bit in 0..i64::BITS - 2 {
        if rest % 2 != 0 {
            bits |= 1 << bit;
            rest -= if origin >> bit & 1 == 1 { 1 } else { -1 };
        }
        rest /= 2;
    }
    (rest == 0).then_some(bits)
}

/// The first element that is not what the form gives, with that.
fn check(table: &Table, form: &Form) -> Option<(usize, i128)> {
    let sum = form.sums.first()?;
    let along = |axis: usize, extent: i64| {
        let own: Vec<_> =
            form.digits.iter().zip(sum.strides.iter().zip(&sum.xors)).filter(|(d, _)| d.axis == axis).collect();
        let at = |x: i64| {
            own.iter().fold((0i128, 0i64), |(sum, pattern), (digit, (stride, xor))| {
                let value = x / digit.weight % digit.radix;
                (sum + i128::from(**stride) * i128::from(value), pattern ^ if value & 1 == 1 { **xor } else { 0 })
            })
        };
        (0..extent).map(at).collect::<Vec<_>>()
    };
    let lines: Vec<Vec<(i128, i64)>> =
        form.axes.iter().enumerate().map(|(axis, side)| along(axis, side.extent)).collect();
    table.scan(table.offsets.len(), |point| {
        let (mut total, mut pattern) = (i128::from(sum.offset), sum.flip);
        for (stride, xor) in lines.iter().zip(point).filter_map(|(line, x)| line.get(index(*x).ok()?)) {
            total += stride;
            pattern ^= xor;
        }
        total + i128::from(pattern)
    })
}
