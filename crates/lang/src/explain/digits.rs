//! A layout of any family as digits: what it lowers to, what each digit does, and a point decoded digit by digit.
//!
//! A digit is shown by its first step: the point that has it at 1, and all others at 0, with what that leads to.

use super::steps::Steps;
use super::words::{list, tuple};
use bitstride::Error;
use bitstride::map::{Digit, Form, Map, Stage};

/// More stages are only counted.
const MOST_STAGES: usize = 6;

/// What a layout lowers to, in a sentence.
pub(super) fn lowered(which: &str, map: &Map) -> String {
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

/// One step a digit.
pub(super) fn digits(map: &Map, text: &str, steps: &mut Steps) -> Result<(), Error> {
    let form = match Form::of(map) {
        Ok(form) => form,
        Err(error) => {
            steps.add(format!("It comes to no digits: {}.", error.message().trim_end_matches('.')), text)?;
            return Ok(());
        }
    };
    let origin = vec![0; form.axes.len()];
    if form.axes.iter().any(|axis| axis.extent == 0) {
        steps.add("An extent is 0, so there are no points.", text)?;
        return Ok(());
    }
    if form.at(&origin)?.iter().any(|x| *x != 0) {
        steps.add("The origin leads to:", format!("at({text}, {})", tuple(&origin)))?;
    }
    if form.digits.is_empty() {
        steps.add("There is one point. It leads to:", format!("at({text}, {})", tuple(&origin)))?;
    }
    for (at, digit) in form.digits.iter().enumerate() {
        let point = tuple(&first_step(&form, digit));
        steps.add(format!("{}:", moves(map, &form, at, digit)), format!("at({text}, {point})"))?;
    }
    Ok(())
}

/// The point with a digit at 1 and all others at 0.
pub(super) fn first_step(form: &Form, digit: &Digit) -> Vec<i64> {
    (0..form.axes.len()).map(|axis| if axis == digit.axis { digit.weight } else { 0 }).collect()
}

/// What a step of a digit does.
pub(super) fn moves(map: &Map, form: &Form, at: usize, digit: &Digit) -> String {
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

/// A point decoded digit by digit: the point with the digits so far, and what it leads to.
pub(super) fn decoded(map: &Map, text: &str, point: &[i64], steps: &mut Steps) -> Result<(), Error> {
    let form = Form::of(map)?;
    let mut so_far = vec![0; form.axes.len()];
    if form.at(&so_far)?.iter().any(|place| *place != 0) {
        steps.add("The origin leads to:", format!("at({text}, {})", tuple(&so_far)))?;
    }
    for (at, digit) in form.digits.iter().enumerate() {
        let value = digit.of(point);
        if value == 0 {
            continue;
        }
        if let Some(coordinate) = so_far.get_mut(digit.axis) {
            *coordinate += value * digit.weight;
        }
        let rule = format!("{}; here that is done {}.", moves(map, &form, at, digit), times(value));
        steps.add(rule, format!("at({text}, {})", tuple(&so_far)))?;
    }
    if so_far.iter().all(|coordinate| *coordinate == 0) {
        steps.add("All digits are 0, so it is the origin.", format!("at({text}, {})", tuple(&so_far)))?;
    }
    Ok(())
}

fn times(count: i64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// All digits of a map in a sentence.
pub(super) fn summed(map: &Map) -> String {
    match Form::of(map) {
        Ok(form) if form.digits.is_empty() => "It has one place.".to_owned(),
        Ok(form) => {
            let digits = form.digits.iter().enumerate();
            format!("{}.", digits.map(|(at, digit)| moves(map, &form, at, digit)).collect::<Vec<_>>().join("; "))
        }
        Err(error) => format!("It comes to no digits: {}.", error.message()),
    }
}
