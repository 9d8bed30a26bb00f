//! Rows of the whitepaper with strides over F2, `F9` there and `^9` here: what is asked of them is asked of the
//! [`Map`] of a mixed layout, and answers compare as functions.

use std::collections::BTreeSet;

use bitstride::linear::Name;
use bitstride::map::{Axis, Direction, Map, Mixed, MixedLeaf, Stage};
use bitstride::{Code, Error, Tuple};
use bitstride_lang::evaluate;
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
        ("right_inverse", [a]) => right_inverse(a),
        ("left_inverse", [a]) => left_inverse(a),
        ("layout_add", [a, b]) => sum(a, b),
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

/// A layout as a matrix over F2: the place that each bit of the flat index leads to, and how many indices there are.
/// The last extent need not be a power of two: then some indices of its bits lie beyond the size.
struct Bits {
    columns: Vec<u64>,
    size: u64,
}

impl Bits {
    fn of(text: &str) -> Result<Bits, Error> {
        let no = || Error::new(Code::SizeNotPowerOfTwo, format!("{text} is not linear over F2 in its index"));
        let mixed = map(text)?.to_mixed()?;
        let (mut columns, mut size, mut added) = (Vec::new(), 1_u64, 0);
        for leaf in mixed.modes.iter().flatten() {
            let number = |value: i64| u64::try_from(value).map_err(|_| no());
            let (extent, stride, pattern) = (number(leaf.extent)?, number(leaf.stride)?, number(leaf.pattern)?);
            // Strides that are added are patterns where no two bits meet in the sum.
            let reach = (extent.next_power_of_two() - 1).checked_mul(stride).ok_or_else(no)?;
            let lone = stride == 0 || stride.is_power_of_two() && pattern == 0 && reach & added == 0;
            if !size.is_power_of_two() || !lone || mixed.flip != 0 || mixed.offset != 0 {
                return Err(no());
            }
            added |= reach;
            for bit in 0..extent.next_power_of_two().trailing_zeros() {
                let column = (stride ^ pattern).checked_mul(1 << bit).filter(|place| *place >> 62 == 0);
                columns.push(column.ok_or_else(|| Error::overflow("a place"))?);
            }
            size = size.checked_mul(extent).ok_or_else(|| Error::overflow("the size"))?;
        }
        Ok(Bits { columns, size })
    }

    /// What the bits of an index lead to.
    fn at(columns: &[u64], index: u64) -> u64 {
        let bits = columns.iter().enumerate().filter(|(bit, _)| index >> bit & 1 == 1);
        bits.fold(0, |place, (_, column)| place ^ column)
    }

    /// Places in reduced echelon form, each with the index that leads there: no lowest bit is in another one.
    fn echelon(&self) -> Vec<(u64, u64)> {
        let mut rows: Vec<(u64, u64)> = Vec::new();
        for (bit, column) in self.columns.iter().enumerate() {
            let (mut place, mut index) = (*column, 1_u64 << bit);
            for (other, from) in &rows {
                if place >> other.trailing_zeros() & 1 == 1 {
                    (place, index) = (place ^ other, index ^ from);
                }
            }
            if place == 0 {
                continue;
            }
            for (other, from) in &mut rows {
                if *other >> place.trailing_zeros() & 1 == 1 {
                    (*other, *from) = (*other ^ place, *from ^ index);
                }
            }
            rows.push((place, index));
        }
        rows
    }
}

/// The indices of the places 0, 1, 2, …, as far as there are some.
fn right_inverse(text: &str) -> Result<String, Error> {
    let bits = Bits::of(text)?;
    let rows = bits.echelon();
    let index = |place: u64| rows.iter().find(|(reached, _)| *reached == place).map(|(_, index)| *index);
    let columns: Vec<u64> = (0..62).map_while(|bit| index(1 << bit)).collect();
    let inside = |place: &u64| Bits::at(&columns, *place) < bits.size;
    let most = (0..1_u64 << columns.len().min(20)).take_while(inside).count();
    let most = u64::try_from(most).unwrap_or(1);
    (1..=most).rev().find_map(|size| written(&columns, size)).ok_or_else(|| Error::overflow("a number"))
}

/// The index of each place that is reached; places that are not are those of the bits left out.
fn left_inverse(text: &str) -> Result<String, Error> {
    let bits = Bits::of(text)?;
    let mut last = 0;
    for index in 0..bits.size {
        last = last.max(Bits::at(&bits.columns, index));
    }
    let mut columns = vec![0; usize::try_from(u64::BITS - last.leading_zeros()).unwrap_or_default()];
    for (place, index) in bits.echelon() {
        let at = usize::try_from(place.trailing_zeros()).unwrap_or_default();
        if let Some(column) = columns.get_mut(at) {
            *column = index;
        }
    }
    let whole = 1 << columns.len();
    written(&columns, last + 1).or_else(|| written(&columns, whole)).ok_or_else(|| Error::overflow("a number"))
}

/// What both lead to, xored.
fn sum(a: &str, b: &str) -> Result<String, Error> {
    let (a, b) = (Bits::of(a)?, Bits::of(b)?);
    if a.size != b.size {
        return Err(Error::new(Code::Profile, "both have to have as many elements"));
    }
    let columns: Vec<u64> = a.columns.iter().zip(&b.columns).map(|(a, b)| a ^ b).collect();
    let no = || Error::new(Code::NotALayout, "the sum goes on beyond the last whole bit in no one pattern");
    written(&columns, a.size).ok_or_else(no)
}

/// A matrix as a mixed layout of a given number of elements, if it is one: runs of bits that go on from one pattern.
fn written(columns: &[u64], size: u64) -> Option<String> {
    let mut leaves: Vec<(u64, u64)> = Vec::new();
    let mut rest = size;
    let mut columns = columns.iter().copied();
    while rest > 1 {
        // What is left of an extent that is no power of two is one leaf.
        let times = if rest.is_multiple_of(2) { 2 } else { rest };
        let pattern = columns.next()?;
        for bit in 1..times.next_power_of_two().trailing_zeros() {
            if columns.next()? != pattern << bit {
                return None;
            }
        }
        match leaves.last_mut() {
            Some((extent, before)) if *before != 0 && extent.is_power_of_two() && *before * *extent == pattern => {
                *extent *= times;
            }
            _ => leaves.push((times, pattern)),
        }
        rest /= times;
    }
    if leaves.is_empty() {
        leaves.push((1, 0));
    }
    let number = |value: u64| i64::try_from(value).ok();
    let leaf = |(extent, pattern)| Some(MixedLeaf { extent: number(extent)?, stride: 0, pattern: number(pattern)? });
    let modes = leaves.into_iter().map(|bits| Some(vec![leaf(bits)?])).collect::<Option<_>>()?;
    Some(Mixed { modes, offset: 0, flip: 0 }.to_string())
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
    let layout =
        Map::new(domain, vec![Stage::Delinearise { at: 0, radices }], axes, Direction::ToIndex)?.to_linear()?;
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
    let inverse = row.op.ends_with("_inverse");
    if !other.starts_with(&stated) || !inverse && !own.starts_with(&other) {
        return Err("our values are not those stated".to_owned());
    }
    let Some(layout) = row.operands.first().filter(|_| inverse) else {
        return if own == other { Ok(None) } else { Err("the values agree, the sizes do not".to_owned()) };
    };
    let layout = values(layout)?;
    match (undone(&row.op, &layout, &own), undone(&row.op, &layout, &other)) {
        (false, _) => Err("our answer is no such inverse".to_owned()),
        _ if own == other => Ok(None),
        (true, true) => Ok(Some(Kind::Convention)),
        (true, false) => Ok(Some(Kind::BreaksLaw)),
    }
}

/// The law of an inverse R of A over F2: `A(R(i)) = i` for every i, or `A(R(A(i))) = A(i)`, where `R(A(i)) = i` if no place
/// of A occurs twice.
fn undone(op: &str, layout: &[i64], inverse: &[i64]) -> bool {
    let at = |list: &[i64], index: i64| usize::try_from(index).ok().and_then(|at| list.get(at).copied());
    if op == "right_inverse" {
        return inverse.iter().zip(0..).all(|(index, place)| at(layout, *index) == Some(place));
    }
    let injective = layout.iter().collect::<BTreeSet<_>>().len() == layout.len();
    layout.iter().zip(0..).all(|(place, index)| {
        let back = at(inverse, *place);
        back.and_then(|back| at(layout, back)) == Some(*place) && (!injective || back == Some(index))
    })
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
