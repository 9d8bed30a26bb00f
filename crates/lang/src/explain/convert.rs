//! `convert`, `same` and `diff`: what a layout lowers to, the digits of it, what a notation reads from them or where two layouts
//! part.

use super::digits::{digits, lowered, summed};
use super::steps::Steps;
use super::words::tuple;
use crate::Value;
use bitstride::Error;
use bitstride::cute::Function;
use bitstride::map::{Certificate, Difference, Direction, Map, Unit};

/// `convert(X, notation)`, also with the type of the elements.
pub(super) fn explain(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, notation, ..] = values else { return Ok(()) };
    let notation = notation.as_name()?;
    let mut map = layout.as_map()?;
    let mut text = layout.to_string();
    steps.add(lowered("The layout", &map), &text)?;
    if let Some(back) = turned(&map, notation.as_str()) {
        let to = if back.direction() == Direction::ToPlace { "elements to places" } else { "places to elements" };
        text = format!("inverse({text})");
        steps.add(format!("The notation is written from {to}, so the map is turned round:"), &text)?;
        map = back;
    }
    digits(&map, &text, steps)?;
    let operands: Vec<String> = values.iter().map(Value::to_string).collect();
    let whole = format!("convert({})", operands.join(", "));
    let answer = crate::evaluate(&whole)?.value;
    if let Value::Function(Function::Composed(composed)) = &answer {
        let rule = format!("What is xored is {}; the layout under it has digits that only add:", composed.outer);
        steps.add(rule, composed.inner.to_string())?;
    }
    steps.add(read(notation.as_str()), whole)?;
    Ok(())
}

/// `same(A, B)` and `diff(A, B)`.
pub(super) fn same(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [left, right] = values else { return Ok(()) };
    let read = [crate::mapped::in_tile(left, right), crate::mapped::in_tile(right, left)];
    for read in read.iter().flatten() {
        steps.add(
            "Beside threads and registers, a layout of CuTe is one of threads and values of the tile:",
            read.to_string(),
        )?;
    }
    let [in_left, in_right] = read;
    let values = [in_left.unwrap_or_else(|| left.clone()), in_right.unwrap_or_else(|| right.clone())];
    let maps = [values[0].as_map()?, values[1].as_map()?];
    for ((which, map), layout) in ["The first", "The second"].iter().zip(&maps).zip(&values) {
        steps.add(format!("{} {}", lowered(which, map), summed(map)), layout.to_string())?;
    }
    let verdict = maps[0].same(&maps[1])?;
    if let Some(Difference::Point { from, point, places, .. }) = &verdict.difference {
        // Where axes were joined or put in another order, the point is of neither. Parts of a machine of which there is one are
        // left out.
        for ((which, map), (layout, place)) in ["first", "second"].iter().zip(&maps).zip(values.iter().zip(places)) {
            let own = map.without_single_places();
            let is_own = own.domain().iter().map(|axis| axis.name).eq(from.iter().copied());
            if is_own && own.at(point).is_ok_and(|own| own == *place) {
                let rule = format!("Where they part first, the {which} leads to:");
                steps.add(rule, format!("at({layout}, {})", tuple(point)))?;
            }
        }
    }
    let by = match (&verdict.difference, verdict.by) {
        (Some(_), _) => "One difference is enough".to_owned(),
        (None, Some(Certificate::Digits(count))) => {
            format!("Cut alike, both have the same {count} digits with the same numbers")
        }
        (None, Some(Certificate::LowBits(count))) => {
            format!(
                "Below their swizzles both are sums over the same digits: for all {count} low bits that these have, \
                     they differ by what the swizzles add"
            )
        }
        (None, Some(by)) => format!("Their digits do not say it, so points were compared, {by}"),
        (None, None) => "There is nothing to compare".to_owned(),
    };
    let whole = format!("{name}({left}, {right})");
    let counted = match crate::evaluate(&whole)?.value {
        Value::Verdict(verdict) => verdict.differences,
        _ => None,
    };
    let by = match counted {
        Some(found) => format!("Points of {} that lie elsewhere: {}", found.points, found.differing),
        None => by,
    };
    steps.add(format!("Held against each other: {}. {by}:", verdict.alignment), whole)?;
    Ok(())
}

/// The map the other way round, where a notation of memory is written so.
fn turned(map: &Map, notation: &str) -> Option<Map> {
    let memory = |unit: Unit| matches!(unit, Unit::Element | Unit::Byte | Unit::Bit);
    let turns = match notation {
        "affine" => false,
        "linear" | "triton" => map.direction() == Direction::ToPlace,
        _ => map.direction() == Direction::ToIndex,
    };
    let held = map.place_axes().iter().all(|axis| memory(axis.unit) || axis.unit == Unit::Part && axis.extent == 1);
    let back = map.inverse().ok().filter(|_| turns && held)?;
    (!matches!(notation, "linear" | "triton") || back.to_linear().is_ok()).then_some(back)
}

/// What a notation reads from the digits.
fn read(notation: &str) -> &'static str {
    match notation {
        "cute" => "Each axis is a mode, and its digits are the leaves, the fastest first:",
        "padded" => "Each axis is a mode, and its digits are the leaves, the last of them to its end:",
        "linear" => "Digits are cut to bits; what each bit leads to is its basis:",
        "triton" => "What each bit leads to is its basis; threads are lanes and warps, values are registers:",
        "mixed" => "What a digit adds is a stride, what it xors a pattern behind `^`:",
        "xla" => "In the order of memory the digits are dims and tiles, undone from the fastest on:",
        "strides" => "Each axis has one digit, whose stride it is:",
        "tag" => "In the order of memory each digit is a block of its dim, the slowest the dim itself:",
        _ => "Each digit is a `floordiv` and a `mod` of its dim:",
    }
}
