//! `fit`: the layout that a table of offsets is, as a value, and where the families before it break.

use super::functions::{Group, Operation, argument as arg};
use super::linear::numbers;
use super::value::Value;
use super::{Answer, maps};
use crate::error::{Code, Error};
use crate::map::{Family, Fit, Map, Table};

/// The operation.
pub(super) const FIT: Operation = Operation {
    name: "fit",
    group: Group::Maps,
    arity: (2, 2),
    law: "the layout that these offsets are, of a box with its first dim the fastest: of CuTe, else linear, else mixed",
    example: "fit((0,5,1,6,10,15,11,16), (4,2))",
    apply: |v, notes| {
        let table = Table::new(&numbers(arg(v, 1)?)?, numbers(arg(v, 0)?)?)?;
        let answer = fitted(&table.fit()?)?;
        notes.extend(answer.notes);
        Ok(answer.value)
    },
};

/// What was found as a value, in the notation of its family; the notes say where the families before it break.
///
/// # Errors
/// [`Code::NotALayout`] when no family holds the table, with the first element that breaks each.
///
/// ```
/// use bitstride::{calc::fitted, map::Table};
/// let answer = fitted(&Table::new(&[4, 2], vec![0, 5, 1, 6, 10, 15, 11, 16])?.fit()?)?;
/// assert_eq!(answer.value.to_string(), "((2,2),2):((5,1),10)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn fitted(fit: &Fit) -> Result<Answer, Error> {
    let broken: Vec<String> = fit.broken.iter().map(|(family, why)| format!("no {}: {why}", words(*family))).collect();
    let Some((family, map)) = &fit.found else {
        return Err(Error::new(Code::NotALayout, format!("none of these fits: {}", broken.join("; "))));
    };
    Ok(Answer { value: value(*family, map)?, notes: broken })
}

fn words(family: Family) -> &'static str {
    match family {
        Family::Layout => "layout of CuTe",
        Family::Linear => "linear layout",
        Family::Mixed => "layout with strides that are added and xored",
        Family::Chain => "chain of stages",
    }
}

fn value(family: Family, map: &Map) -> Result<Value, Error> {
    match family {
        Family::Layout => map.to_cute().map(Value::from),
        Family::Linear => map.to_linear().map(Value::from),
        Family::Mixed => match map.to_mixed() {
            Ok(mixed) => maps::mapped(Map::of_mixed(&mixed)?, mixed.to_string()),
            Err(_) => shown(map),
        },
        Family::Chain => shown(map),
    }
}

/// A map that only an affine map writes, or nothing but its axes.
fn shown(map: &Map) -> Result<Value, Error> {
    Ok(Value::Text(map.to_affine().unwrap_or_else(|_| map.to_string())))
}
