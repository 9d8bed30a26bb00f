//! Turns a normal form back into stages: axes are delinearised into digits, linearised with their strides, and the
//! masks of bits are XORed.
//!
//! Law: the map gives at every point what the form gives. Its own form is the canonical one of the same function.

use super::super::{AffineExpr, Axis, Digit, Direction, Form, Map, Stage};
use crate::error::{Code, Error};

impl Map {
    /// The map of a form, into these axes.
    ///
    /// # Errors
    /// [`Code::Range`] for digits that do not cut their axes from 1 up to their extents, or patterns on digits with more
    /// than two values; [`Code::TooLarge`] for more than 64 digits with patterns; as [`Map::new`].
    ///
    /// ```
    /// use bitstride::map::{Form, Map};
    /// let map = Map::of_layout(&"((2,2),3):((24,2),8)".parse()?)?;
    /// let again = Map::of_form(&Form::of(&map)?, map.codomain().to_vec(), map.direction())?;
    /// assert_eq!(again.at(&[3, 2])?, Some(vec![42]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_form(form: &Form, codomain: Vec<Axis>, direction: Direction) -> Result<Map, Error> {
        let mut stages = Vec::new();
        if !form.digits.is_sorted_by_key(|digit| digit.axis) {
            return Err(Error::new(Code::Range, "the digits of a form are not in the order of its axes"));
        }
        let empty = form.axes.iter().any(|axis| axis.extent == 0);
        let mut at = 0;
        for (number, axis) in form.axes.iter().enumerate() {
            let own: Vec<Digit> = form.digits.iter().filter(|digit| digit.axis == number).copied().collect();
            if !empty {
                covers(axis, &own)?;
            }
            match own.split_last() {
                None => stages.push(Stage::Linearise { at, count: 1, sums: Vec::new() }),
                Some((_, [])) => {}
                Some((_, lower)) => {
                    stages.push(Stage::Delinearise { at, radices: lower.iter().map(|digit| digit.radix).collect() });
                }
            }
            at += own.len();
        }
        sums(form, at, &mut stages)?;
        Map::new(form.axes.clone(), stages, codomain, direction)
    }
}

/// Errs unless the digits, the fastest first, cut the axis into all its coordinates.
fn covers(axis: &Axis, digits: &[Digit]) -> Result<(), Error> {
    let mut weight = 1i128;
    for digit in digits {
        if i128::from(digit.weight) != weight || digit.radix < 1 {
            return Err(error!(
                Code::Range,
                "a digit of {axis} in steps of {digit_weight}, where steps of {weight} are next",
                [axis, digit_weight = digit.weight, weight]
            ));
        }
        weight = weight.saturating_mul(i128::from(digit.radix));
    }
    if weight < i128::from(axis.extent) {
        return Err(error!(Code::Range, "the digits of {axis} have {weight} values only", [axis, weight]));
    }
    Ok(())
}

/// The stages from digits to sums.
fn sums(form: &Form, count: usize, stages: &mut Vec<Stage>) -> Result<(), Error> {
    let unit = |count: usize, places: &[usize]| (0..count).map(|at| i64::from(places.contains(&at))).collect();
    let mut joined: Vec<(i64, Vec<i64>)> = Vec::new();
    let mut copies: Vec<(i64, Vec<i64>)> = Vec::new();
    let mut xors = Vec::new();
    let mut last: Vec<(i64, Vec<usize>)> = Vec::new();
    let outs = form.sums.len();
    for (number, sum) in form.sums.iter().enumerate() {
        let own: Vec<usize> = patterned(form, sum)?;
        if own.is_empty() {
            let offset = sum.offset.checked_add(sum.flip).ok_or_else(|| Error::overflow("the offset of a form"))?;
            joined.push((offset, sum.strides.clone()));
            last.push((0, vec![number]));
            continue;
        }
        joined.push((sum.offset, sum.strides.clone()));
        last.push((0, vec![number, outs + xors.len()]));
        let of = |digit: &usize| word(sum.xors.get(*digit).copied().unwrap_or(0));
        xors.push(Stage::Xor {
            at: outs + xors.len(),
            ins: vec![1; own.len()],
            outs: vec![i64::BITS - sum.mask().leading_zeros()],
            columns: own.iter().map(of).collect::<Result<_, _>>()?,
            flip: word(sum.flip)?,
        });
        copies.extend(own.iter().map(|digit| (0, unit(count, &[*digit]))));
    }
    joined.extend(copies);
    stages.push(Stage::Linearise { at: 0, count, sums: joined });
    if xors.is_empty() {
        return Ok(());
    }
    let wide = outs + xors.len();
    stages.extend(xors);
    let last = last.into_iter().map(|(offset, places)| (offset, unit(wide, &places))).collect();
    stages.push(Stage::Linearise { at: 0, count: wide, sums: last });
    Ok(())
}

/// The digits that bring patterns to a sum.
fn patterned(form: &Form, sum: &AffineExpr) -> Result<Vec<usize>, Error> {
    let with = form.digits.iter().zip(&sum.xors).enumerate().filter(|(_, (_, xor))| **xor != 0);
    let digits = with.map(|(at, (digit, xor))| match digit.radix {
        0..=2 => Ok(at),
        radix => Err(error!(Code::Range, "the pattern {xor} on a digit with {radix} values", [xor, radix])),
    });
    digits.collect()
}

fn word(pattern: i64) -> Result<u64, Error> {
    u64::try_from(pattern).map_err(|_| error!(Code::Range, "{pattern} is no pattern of bits", [pattern]))
}
