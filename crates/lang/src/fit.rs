//! `fit`: the layout that a table of offsets is, as a value, and where the families before it break.

use super::answer::Answer;
use super::numbers::{numbers, tuple};
use super::operation::{Apply, Group, Operation, argument as arg};
use super::parameters::{OFFSETS, TENSOR_SHAPE};
use super::value::Value;
use super::{affine, mapped};
use bitstride::linear::Name;
use bitstride::map::{Direction, Family, Fit, Map, Table, Unit};
use bitstride::{Code, Error, error};

/// The operation.
pub(super) const FIT: Operation = Operation {
    name: "fit",
    group: Group::Maps,
    parameters: &[OFFSETS, TENSOR_SHAPE],
    law: "the layout that these offsets are, of a box with its first dim the fastest: of CuTe, else linear, else mixed; \
          the layout of a padded box where the box cuts it short, else an affine map",
    example: "fit((0,5,1,6,10,15,11,16), (4,2))",
    apply: Apply::Values(|v, notes| {
        let table = Table::new(&numbers(arg(v, 1)?)?, numbers(arg(v, 0)?)?)?;
        let answer = fitted(&table.fit()?)?;
        notes.extend(answer.notes);
        Ok(answer.value)
    }),
};

/// What was found as a value, in the notation of its family; the notes say where the families before it break.
///
/// # Errors
/// [`Code::NotALayout`] when no family holds the table, with the first element that breaks each.
///
/// ```
/// use bitstride::map::Table;
/// use bitstride_lang::fitted;
/// let answer = fitted(&Table::new(&[4, 2], vec![0, 5, 1, 6, 10, 15, 11, 16])?.fit()?)?;
/// assert_eq!(answer.value.to_string(), "((2,2),2):((5,1),10)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn fitted(fit: &Fit) -> Result<Answer, Error> {
    let broken: Vec<String> = fit.broken.iter().map(|(family, why)| format!("no {}: {why}", words(*family))).collect();
    let Some((family, map)) = &fit.found else {
        return Err(error!(Code::NotALayout, "none of these fits: {broken}", [broken = broken.join("; ")]));
    };
    let mut notes = broken;
    let value = value(*family, map, &mut notes)?;
    if matches!(value, Value::Function(_)) {
        // The families before say where they break; a swizzle is what the first of them lacks.
        notes
            .iter_mut()
            .for_each(|note| *note = note.replacen("no layout of CuTe:", "no layout of CuTe without a swizzle:", 1));
    }
    Ok(Answer { value, notes })
}

fn words(family: Family) -> &'static str {
    match family {
        Family::Layout => "layout of CuTe",
        Family::Linear => "linear layout",
        Family::Mixed => "layout with strides that are added and xored",
        Family::Swizzled => "layout of CuTe under swizzles",
        Family::Chain => "chain of stages",
    }
}

fn value(family: Family, map: &Map, notes: &mut Vec<String>) -> Result<Value, Error> {
    if let (Family::Linear | Family::Mixed, Ok(cute)) = (family, map.to_cute())
        && cute.swizzles() <= 1
    {
        return Ok(cute.into());
    }
    match family {
        Family::Layout | Family::Swizzled => map.to_cute().map(Value::from),
        Family::Linear => linear(map, notes),
        Family::Mixed => match map.to_mixed() {
            Ok(mixed) => mapped::mapped(Map::of_mixed(&mixed)?, mixed.to_string()),
            Err(_) => cut(map, notes),
        },
        Family::Chain => affine::of_map(map),
    }
}

/// A linear layout of dims by number: what the ranges are called is said in a note.
fn linear(map: &Map, notes: &mut Vec<String>) -> Result<Value, Error> {
    let called: Vec<String> = (0..)
        .zip(map.domain())
        .filter(|(dim, axis)| axis.name != Name::dim(*dim))
        .map(|(dim, axis)| format!("{} is {}", Name::dim(dim), axis.name))
        .collect();
    if !called.is_empty() {
        notes.push(called.join(", "));
    }
    let names: Vec<Name> = (0..map.domain().len()).map(Name::dim).collect();
    map.with_names(&names, Unit::Index, Direction::ToPlace).to_linear().map(Value::from)
}

/// A map whose last digits the extents cut short: the layout of the padded box, else an affine map.
fn cut(map: &Map, notes: &mut Vec<String>) -> Result<Value, Error> {
    let Ok(padded) = map.to_padded() else { return affine::of_map(map) };
    if let [_, ..] = padded.extents.as_slice()
        && map.to_cute().is_err()
    {
        notes.push(format!("the elements are those below {}", tuple(&padded.extents)));
        notes.extend(affine::of_map(map).ok().map(|own| format!("the box alone is {own}")));
    }
    Ok(padded.cute.into())
}
