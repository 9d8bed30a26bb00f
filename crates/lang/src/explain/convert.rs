//! `convert` and `same`: what a layout lowers to, the digits of it, what a notation reads from them or where two layouts
//! part.
//!
//! A digit is shown by its first step: the point that has it at 1, and all others at 0, with what that leads to.

use super::steps::Steps;
use super::words::list;
use crate::Value;
use bitstride::Error;
use bitstride::cute::Function;
use bitstride::map::{Certificate, Difference, Digit, Direction, Form, Map, Stage, Unit};

/// More stages are only counted.
const MOST_STAGES: usize = 6;

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

/// `same(A, B)`.
pub(super) fn same(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [left, right] = values else { return Ok(()) };
    let maps = [left.as_map()?, right.as_map()?];
    for ((which, map), layout) in ["The first", "The second"].iter().zip(&maps).zip(values) {
        steps.add(format!("{} {}", lowered(which, map), summed(map)), layout.to_string())?;
    }
    let verdict = maps[0].same(&maps[1])?;
    if let Some(Difference::Point { from, point, places, .. }) = &verdict.difference {
        // Where axes were joined or put in another order, the point is of neither.
        let own = |map: &Map| map.domain().iter().map(|axis| axis.name).eq(from.iter().copied());
        for ((which, map), (layout, place)) in ["first", "second"].iter().zip(&maps).zip(values.iter().zip(places)) {
            if own(map) && map.at(point).is_ok_and(|own| own == *place) {
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
    steps.add(format!("Held against each other: {}. {by}:", verdict.alignment), format!("same({left}, {right})"))?;
    Ok(())
}

/// What a layout lowers to, in a sentence.
fn lowered(which: &str, map: &Map) -> String {
    let stages: Vec<String> = map.stages().iter().filter(|stage| !is_nothing(stage)).map(stage).collect();
    match stages.len() {
        0 => format!("{which} is the map {map}, which changes nothing."),
        1..=MOST_STAGES => format!("{which} is the map {map}: {}.", list(&stages)),
        count => format!("{which} is the map {map}, in {count} stages."),
    }
}

/// A stage that leaves all as it is.
fn is_nothing(stage: &Stage) -> bool {
    match stage {
        Stage::Delinearise { radices, .. } => radices.is_empty(),
        Stage::Linearise { count, sums, .. } => *count == 0 && sums.is_empty(),
        Stage::Permute(order) => order.is_sorted(),
        Stage::Xor { .. } | Stage::Guard { .. } => false,
    }
}

fn stage(stage: &Stage) -> String {
    let count = |count: usize| if count == 1 { "one".to_owned() } else { count.to_string() };
    match stage {
        Stage::Delinearise { radices, .. } => format!("a split by {}", list(radices)),
        Stage::Linearise { count: 0, sums, .. } => format!("{} that stay 0", count(sums.len())),
        Stage::Linearise { count: taken, sums, .. } if sums.is_empty() => format!("{} dropped", count(*taken)),
        Stage::Linearise { count: taken, sums, .. } => {
            format!("{} joined into {}", count(*taken), count(sums.len()))
        }
        Stage::Xor { ins, outs, .. } => {
            format!("{} bits xored into {}", ins.iter().sum::<u32>(), outs.iter().sum::<u32>())
        }
        Stage::Permute(_) => "a change of places".to_owned(),
        Stage::Guard { extent, .. } => format!("padding from {extent} on"),
    }
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

/// One step a digit.
fn digits(map: &Map, text: &str, steps: &mut Steps) -> Result<(), Error> {
    let Ok(form) = Form::of(map) else { return Ok(()) };
    let origin = vec![0; form.axes.len()];
    if form.axes.iter().any(|axis| axis.extent == 0) {
        return Ok(());
    }
    if form.at(&origin)?.iter().any(|x| *x != 0) {
        steps.add("The origin leads to:", format!("at({text}, {})", tuple(&origin)))?;
    }
    for (at, digit) in form.digits.iter().enumerate() {
        let point = tuple(&first_step(&form, digit));
        steps.add(format!("{}:", moves(map, &form, at, digit)), format!("at({text}, {point})"))?;
    }
    Ok(())
}

/// The point with a digit at 1 and all others at 0.
fn first_step(form: &Form, digit: &Digit) -> Vec<i64> {
    (0..form.axes.len()).map(|axis| if axis == digit.axis { digit.weight } else { 0 }).collect()
}

/// What a step of a digit does.
fn moves(map: &Map, form: &Form, at: usize, digit: &Digit) -> String {
    let mut parts = Vec::new();
    for (axis, sum) in map.codomain().iter().zip(&form.sums) {
        let (stride, xor) = (sum.strides.get(at).copied().unwrap_or(0), sum.xors.get(at).copied().unwrap_or(0));
        if stride != 0 {
            parts.push(format!("moves {} by {stride}", axis.name));
        }
        if xor != 0 {
            parts.push(format!("xors {xor} into {}", axis.name));
        }
    }
    let does = if parts.is_empty() { "leads nowhere else".to_owned() } else { list(&parts) };
    format!("{} {does}", form.named(digit))
}

/// All digits of a map in a sentence.
fn summed(map: &Map) -> String {
    match Form::of(map) {
        Ok(form) if form.digits.is_empty() => "It has one place.".to_owned(),
        Ok(form) => {
            let digits = form.digits.iter().enumerate();
            format!("{}.", digits.map(|(at, digit)| moves(map, &form, at, digit)).collect::<Vec<_>>().join("; "))
        }
        Err(error) => format!("It comes to no digits: {}.", error.message()),
    }
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

fn tuple(numbers: &[i64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    format!("({})", numbers.join(","))
}
