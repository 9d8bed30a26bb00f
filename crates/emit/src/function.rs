//! [`Function`]: a map as straight-line integer code, the cheapest of a few ways to write it.
//!
//! A map is written from its stages and from its normal form, where it has one, each with XORs of sums taken apart and not; the
//! one with the cheapest operations is taken. Law: at every point of its box the function gives what the map gives, and padding
//! where the map does.

use bitstride::map::{Axis, Form, Map, Stage};
use bitstride::{Code as ErrorCode, Error, error};

use crate::code::Code;
use crate::expr::{Condition, Id, Masked, Pool};
use crate::lang::Language;

/// A function from integers to integers, or to padding.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name that it has in the source.
    pub(crate) name: String,
    /// One sentence that says what it computes.
    pub(crate) about: String,
    pub(crate) arguments: Vec<Axis>,
    pub(crate) results: Vec<Axis>,
    pub(crate) code: Code,
}

impl Function {
    /// The cheapest function of a map.
    ///
    /// # Errors
    /// [`ErrorCode::Overflow`] where an integer on the way may leave 64 bits; [`ErrorCode::TooLarge`] for too long a chain.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::Function;
    /// let map = Map::of_layout(&"((2,2),3):((24,2),8)".parse()?)?;
    /// let function = Function::of(&map, "layout_offset", "where an element lies")?;
    /// assert_eq!(function.at(&[3, 2]), Some(vec![42]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(map: &Map, name: &str, about: &str) -> Result<Self, Error> {
        let point: Vec<Input> = (0..map.domain().len()).map(Input::Variable).collect();
        let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
        let code = cheapest(map, &extents, &[point])?;
        Ok(Function {
            name: name.to_owned(),
            about: about.to_owned(),
            arguments: map.domain().to_vec(),
            results: map.codomain().to_vec(),
            code,
        })
    }

    /// What it gives at a point; `None` is padding.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::Function;
    /// let padded = Map::of_layout(&"(2,2):(1,3)".parse()?)?;
    /// let back = Function::of(&padded.inverse()?, "back", "")?;
    /// assert_eq!((back.at(&[4]), back.at(&[2])), (Some(vec![1, 1]), None));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn at(&self, point: &[i64]) -> Option<Vec<i64>> {
        let values = self.code.values(point);
        let of = |at: crate::code::Ref| values.get(at.0).copied().unwrap_or(0);
        let holds = self.code.checks.iter().all(|check| of(check.of) >= 0 && of(check.of) < check.extent);
        holds.then(|| self.code.results.iter().map(|result| of(*result)).collect())
    }

    /// What it is called in the source.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::Function;
    /// let function = Function::of(&Map::of_layout(&"(8,16):(16,1)".parse()?)?, "offset", "")?;
    /// assert_eq!(function.name(), "offset");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether some points of its box are padding.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::Function;
    /// let function = Function::of(&Map::of_layout(&"(8,16):(16,1)".parse()?)?, "offset", "")?;
    /// assert!(!function.pads());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn pads(&self) -> bool {
        !self.code.checks.is_empty()
    }

    /// Its text alone, without what stands before all functions.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::Function;
    /// let function = Function::of(&Map::of_layout(&"(8,16):(16,1)".parse()?)?, "offset", "")?;
    /// assert!(function.source(bitstride_emit::Language::C).contains("return (dim0 << 4) + dim1;"));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn source(&self, language: Language) -> String {
        language.function(self)
    }

    /// How many operations it has: arithmetic and comparisons.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_emit::Function;
    /// let function = Function::of(&Map::of_layout(&"(8,16):(16,1)".parse()?)?, "offset", "")?;
    /// assert_eq!(function.operations(), 2);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn operations(&self) -> usize {
        self.code.count_ops()
    }
}

/// What a map is given along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A variable, by number.
    Variable(usize),
    /// A number.
    Constant(i64),
}

/// The cheapest code for the images of some points, one after the other.
///
/// # Errors
/// As [`Function::of`]; [`ErrorCode::NotALayout`] where there are several points and some may be padding.
pub(crate) fn cheapest(map: &Map, extents: &[i64], points: &[Vec<Input>]) -> Result<Code, Error> {
    let form = Form::of(map).ok();
    let mut best: Option<Code> = None;
    let mut refused = None;
    for (expand, by_form) in [(true, true), (false, true), (true, false), (false, false)] {
        if by_form && form.is_none() {
            continue;
        }
        let mut pool = Pool::new(extents, expand);
        match written(&mut pool, map, form.as_ref().filter(|_| by_form), points) {
            Ok(code) if best.as_ref().is_none_or(|best| code.cost() < best.cost()) => best = Some(code),
            Ok(_) => {}
            Err(error) => refused = Some(error),
        }
    }
    best.ok_or_else(|| refused.unwrap_or_else(|| Error::overflow("an integer of the emitted function")))
}

/// The code of some points, by the stages of a map or by its form.
fn written(pool: &mut Pool, map: &Map, form: Option<&Form>, points: &[Vec<Input>]) -> Result<Code, Error> {
    let (mut conditions, mut results) = (Vec::new(), Vec::new());
    for point in points {
        let mut row = Vec::with_capacity(point.len());
        for input in point {
            row.push(match input {
                Input::Variable(at) => pool.variable(*at)?,
                Input::Constant(n) => pool.constant(*n)?,
            });
        }
        match form {
            Some(form) => results.extend(formed(pool, form, &row)?),
            None => {
                let (own, ends) = staged(pool, map, row)?;
                conditions.extend(own);
                results.extend(ends);
            }
        }
    }
    if points.len() > 1 && !conditions.is_empty() {
        return Err(error!(ErrorCode::NotALayout, "some points of {map} are padding", [map]));
    }
    Code::of(pool, &conditions, &results)
}

/// A map by its stages.
fn staged(pool: &mut Pool, map: &Map, mut row: Vec<Id>) -> Result<(Vec<Condition>, Vec<Id>), Error> {
    let mut conditions = Vec::new();
    let missing = || Error::new(ErrorCode::RankMismatch, "a stage speaks of integers that are not there");
    for stage in map.stages() {
        match stage {
            Stage::Delinearise { at, radices } => {
                let mut rest = row.get(*at).copied().ok_or_else(missing)?;
                let mut digits = Vec::with_capacity(radices.len() + 1);
                for radix in radices {
                    digits.push(pool.modulo(rest, *radix)?);
                    rest = pool.div(rest, *radix)?;
                }
                digits.push(rest);
                row.splice(*at..=*at, digits);
            }
            Stage::Linearise { at, count, sums } => {
                let end = at.checked_add(*count).filter(|end| *end <= row.len()).ok_or_else(missing)?;
                let taken = row.get(*at..end).unwrap_or(&[]).to_vec();
                let sum = |(offset, strides): &(i64, Vec<i64>)| {
                    let terms: Vec<(Id, i64)> = taken.iter().copied().zip(strides.iter().copied()).collect();
                    pool.sum(*offset, &terms)
                };
                let sums = sums.iter().map(sum).collect::<Result<Vec<_>, _>>()?;
                row.splice(*at..end, sums);
            }
            Stage::Xor { at, ins, outs, columns, flip } => {
                let end = at.checked_add(ins.len()).filter(|end| *end <= row.len()).ok_or_else(missing)?;
                let taken = row.get(*at..end).unwrap_or(&[]).to_vec();
                let mut results = Vec::with_capacity(outs.len());
                let mut start = 0u32;
                for bits in outs {
                    let ones = if *bits == 0 { 0 } else { u64::MAX.wrapping_shr(64 - (*bits).min(64)) };
                    let field = |word: u64| word.checked_shr(start).unwrap_or(0) & ones;
                    let wires = taken.iter().zip(ins).flat_map(|(id, bits)| (0..*bits).map(move |bit| (*id, bit)));
                    let terms: Vec<Masked> =
                        wires.zip(columns).flat_map(|((id, bit), column)| moved(id, bit, field(*column))).collect();
                    results.push(pool.xor(field(*flip), &terms)?);
                    start = start.saturating_add(*bits);
                }
                row.splice(*at..end, results);
            }
            Stage::Permute(order) => {
                row = order.iter().map(|at| row.get(*at).copied().ok_or_else(missing)).collect::<Result<_, _>>()?;
            }
            Stage::Guard { at, extent } => {
                let guarded = row.get(*at).copied().ok_or_else(missing)?;
                conditions.extend(pool.assume_below(guarded, *extent));
            }
        }
    }
    Ok((conditions, row))
}

/// One bit of an expression at each bit of a pattern.
fn moved(of: Id, bit: u32, pattern: u64) -> impl Iterator<Item = Masked> {
    let to = (0..u64::BITS).filter(move |to| pattern >> to & 1 == 1);
    let place = |bit: u32| i32::try_from(bit).unwrap_or(i32::MAX);
    to.map(move |to| Masked { of, distance: place(to) - place(bit), mask: 1u64.checked_shl(bit).unwrap_or(0) })
}

/// A map by its normal form: digits, strides and patterns.
fn formed(pool: &mut Pool, form: &Form, axes: &[Id]) -> Result<Vec<Id>, Error> {
    let mut digits = Vec::with_capacity(form.digits.len());
    for digit in &form.digits {
        let axis = match axes.get(digit.axis) {
            Some(axis) => *axis,
            None => pool.constant(0)?,
        };
        let above = pool.div(axis, digit.weight)?;
        digits.push(pool.modulo(above, digit.radix)?);
    }
    let mut results = Vec::with_capacity(form.sums.len());
    for sum in &form.sums {
        let word =
            |pattern: i64| u64::try_from(pattern).map_err(|_| Error::overflow("a pattern of the emitted function"));
        let mut parts = Vec::new();
        for (digit, pattern) in digits.iter().zip(&sum.xors) {
            parts.extend(moved(*digit, 0, word(*pattern)?));
        }
        let pattern = pool.xor(word(sum.flip)?, &parts)?;
        let mut terms: Vec<(Id, i64)> = digits.iter().copied().zip(sum.strides.iter().copied()).collect();
        terms.push((pattern, 1));
        results.push(pool.sum(sum.offset, &terms)?);
    }
    Ok(results)
}
