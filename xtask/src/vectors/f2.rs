//! Rows of the whitepaper with strides over F2, `F9` there and `^9` here: what is asked of them is asked of the
//! [`Map`] of a mixed layout, and answers compare as functions.

use bitstride::calc::evaluate;
use bitstride::linear::{Columns, Dim, Dims, LinearLayout, Name};
use bitstride::map::{Axis, Direction, Map, Stage};
use bitstride::{Code, Error, Tuple};
use serde_json::Value;

use super::judge::Kind;
use super::operation::Ours;
use super::row::Row;

/// Our answer to a row of our own operations.
pub(crate) fn answer(row: &Row) -> Ours {
    match computed(row) {
        Some(Ok(text)) => Ours::Answer(text),
        Some(Err(error)) => Ours::Refused(error),
        None => Ours::NoCode,
    }
}

fn computed(row: &Row) -> Option<Result<String, Error>> {
    let operands: Vec<&str> = row.operands.iter().map(String::as_str).collect();
    Some(match (row.op.as_str(), operands.as_slice()) {
        ("composition", [a, b]) => composition(a, b),
        ("right_inverse", [a]) => flat(a).and_then(|a| mixed(&a.pseudoinvert()?)),
        ("left_inverse", [a]) => flat(a).and_then(|a| mixed(&a.invert()?)),
        ("layout_add", [a, b]) => flat(a).and_then(|a| mixed(&sum(&a, &flat(b)?)?)),
        ("coshape", [a]) => map(a).map(|map| map.codomain().iter().map(|axis| axis.extent.to_string()).collect()),
        ("idx2crd", [index, shape]) => coordinate(index, shape),
        _ => return None,
    })
}

fn map(text: &str) -> Result<Map, Error> {
    evaluate(text)?.value.as_map()
}

fn composition(a: &str, b: &str) -> Result<String, Error> {
    Ok(map(b)?.then(&map(a)?)?.to_mixed()?.to_string())
}

fn mixed(layout: &LinearLayout) -> Result<String, Error> {
    Ok(Map::of_linear(layout)?.to_mixed()?.to_string())
}

/// A layout as a linear one of its flat index.
fn flat(text: &str) -> Result<LinearLayout, Error> {
    let layout = map(text)?.to_linear()?;
    linear(layout.in_bits(), layout.out_bits(), layout.columns())
}

fn linear(ins: u32, outs: u32, columns: &[u64]) -> Result<LinearLayout, Error> {
    let side = |name, bits| Dims::from_slice(&[Dim { name, bits }]);
    LinearLayout::from_columns(side(Name::dim(0), ins), side(Name::OFFSET, outs), Columns::from_slice(columns))
}

/// What both lead to, xored.
fn sum(a: &LinearLayout, b: &LinearLayout) -> Result<LinearLayout, Error> {
    if a.in_bits() != b.in_bits() {
        return Err(Error::new(Code::Profile, "both have to have as many elements"));
    }
    let columns: Vec<u64> = a.columns().iter().zip(b.columns()).map(|(a, b)| a ^ b).collect();
    linear(a.in_bits(), a.out_bits().max(b.out_bits()), &columns)
}

/// The coordinate of an index over F2, where the digits of the shape are bits.
fn coordinate(index: &str, shape: &str) -> Result<String, Error> {
    let shape: Tuple<i64> = evaluate(shape)?.value.as_shape()?.try_map(bitstride::Int::as_number)?;
    let index = index.strip_prefix('^').and_then(|number| number.parse().ok());
    let index: i64 = index.ok_or_else(|| Error::new(Code::Kind, "an index over F2 is needed"))?;
    let extents = shape.leaves();
    let axes = extents.iter().enumerate().map(|(at, extent)| Axis::dim(at, *extent)).collect();
    let radices = extents.split_last().map_or_else(Vec::new, |(_, low)| low.to_vec());
    let domain = vec![Axis::offset(extents.iter().product())];
    let layout = Map::new(domain, vec![Stage::Split { at: 0, radices }], axes, Direction::ToIndex)?.to_linear()?;
    let places = layout.apply(&[(Name::OFFSET, index)])?;
    Ok(format!("({})", places.iter().map(|(_, x)| format!("^{x}")).collect::<Vec<_>>().join(",")))
}

/// How a recorded answer differs from ours, if it does.
///
/// # Errors
/// Why the difference is not explained.
pub(crate) fn compared(row: &Row, theirs: &str, ours: &Ours) -> Result<Option<Kind>, String> {
    let text = match ours {
        Ours::Refused(_) if theirs.starts_with('!') => return Ok(None),
        Ours::Answer(text) => text,
        other => return Err(format!("ours: {}", other.text())),
    };
    let theirs = spelled(theirs);
    if *text == theirs && !text.contains(':') {
        return Ok(None);
    }
    let (own, other) = (values(text)?, values(&theirs)?);
    let stated = row.fields.get("vals").and_then(Value::as_array).into_iter().flatten();
    let stated = stated.map(|value| value.as_str().unwrap_or_default().trim_start_matches('F').parse().ok());
    let stated: Vec<i64> = stated.collect::<Option<_>>().ok_or("stated values cannot be read")?;
    if !own.starts_with(&stated) || !own.starts_with(&other) {
        return Err("our values are not those stated".to_owned());
    }
    match (row.op.as_str(), row.operands.first()) {
        _ if own.len() == other.len() => Ok(None),
        // Longer than theirs, and each index comes back.
        ("right_inverse", Some(layout)) => {
            let layout = values(layout)?;
            let back = own.iter().map(|at| usize::try_from(*at).ok().and_then(|at| layout.get(at)).copied());
            let whole = back.eq((0..).take(own.len()).map(Some));
            if whole { Ok(Some(Kind::Convention)) } else { Err("our answer is no right inverse".to_owned()) }
        }
        _ => Err("the values agree, the sizes do not".to_owned()),
    }
}

/// Their strides in our spelling.
fn spelled(text: &str) -> String {
    text.replace('F', "^")
}

/// All values, by flat index.
fn values(text: &str) -> Result<Vec<i64>, String> {
    let read = || {
        let map = map(text)?;
        let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
        let mut values = Vec::new();
        for index in 0..map.size()? {
            let mut rest = index;
            let mut point = Vec::new();
            for extent in &extents {
                point.push(rest % extent);
                rest /= extent;
            }
            values.extend(map.at(&point)?.and_then(|row| row.first().copied()));
        }
        Ok(values)
    };
    read().map_err(|error: Error| format!("{text}: {error}"))
}
