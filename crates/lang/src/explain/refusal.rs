//! Refusals, step by step: the coordinates that contradict each other, and for a composition what would compose, and the chain.

use super::digits::{lowered, summed};
use super::steps::Steps;
use super::words::{list, tuple};
use crate::{Value, evaluate};
use bitstride::cute::{self, Layout};
use bitstride::linear::Dim;
use bitstride::map::Injectivity;
use bitstride::{Code, Error};

/// What a refused call is about: the operands, where nothing has been said of them, and two points that share a place where that
/// is why.
pub(super) fn general(values: &[Value], error: &Error, steps: &mut Steps) -> Result<(), Error> {
    if steps.0.is_empty() {
        operands(values, steps)?;
    }
    if !matches!(error.code(), Code::NoInverse | Code::Overlap) {
        return Ok(());
    }
    for value in values.iter().filter(|value| is_layout(value)) {
        let Ok(Injectivity::No { points: [one, other], place, .. }) = value.as_map().and_then(|map| map.injectivity())
        else {
            continue;
        };
        let rule = format!("Two points of {value} share the place {}. The one is {}:", tuple(&place), tuple(&one));
        steps.add(rule, format!("at({value}, {})", tuple(&one)))?;
        steps.add(format!("The other is {}:", tuple(&other)), format!("at({value}, {})", tuple(&other)))?;
    }
    Ok(())
}

/// What each operand leads from and to.
fn operands(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    for (number, value) in (1..).zip(values) {
        let which = format!("Operand {number}");
        let rule = match value {
            Value::Name(_) => continue,
            Value::Linear(layout) => {
                let dims = |dims: &[Dim]| {
                    list(&dims.iter().map(|dim| format!("{} of {}", dim.name, dim.size())).collect::<Vec<_>>())
                };
                let (ins, outs) = (dims(layout.ins()), dims(layout.outs()));
                format!("{which} is a linear layout from {ins} to {outs}, of rank {}.", layout.rank())
            }
            _ => match value.as_map() {
                Ok(map) if is_layout(value) => format!("{} {}", lowered(&which, &map), summed(&map)),
                _ => format!("{which}:"),
            },
        };
        steps.add(rule, value.to_string())?;
    }
    Ok(())
}

fn is_layout(value: &Value) -> bool {
    matches!(value.kind(), "layout" | "composed" | "linear" | "map" | "xla")
}

/// The witness of a refusal, each of its values computed; nothing where the refusal has none.
///
/// Steps that cannot be taken are left out: a refusal is explained as far as it goes.
pub(super) fn show(a: &Layout, b: &Layout, steps: &mut Steps) {
    let Err(error) = cute::composition(a, b) else { return };
    let Some(witness) = error.witness() else { return };
    let mut places = Vec::new();
    for (at, gives) in witness.at.iter().zip(&witness.gives) {
        let Ok(place) = evaluate(&format!("crd2idx({at}, {b})")) else { continue };
        let rule = format!(
            "{b} sends the index {at} to {}, and {a} sends that to {gives}, so the composite R must have R({at}) = {gives}.",
            place.value
        );
        if steps.add(rule, format!("crd2idx(crd2idx({at}, {b}), {a})")).is_ok() {
            places.push((*at, gives.clone()));
        }
    }
    match (error.code(), places.as_slice()) {
        (Code::Carry, [(i, x), (j, y), (k, z)]) => {
            let rule = format!(
                "The index {k} is the moves to {i} and to {j} together. A layout of this profile would have R({k}) = R({i}) + R({j}), but the true value is {z}: the sum carries into another mode of {a}."
            );
            let _ = steps.add(rule, format!("{x}+{y}"));
        }
        (Code::Split, [(i, x), (k, z)]) if *i != 0 => {
            let times = k / i;
            let rule = format!(
                "A straight mode would have R({k}) = {times}*R({i}), but the true value is {z}: the mode bends after {times} equal steps, and {times} does not divide the number of steps."
            );
            let _ = steps.add(rule, format!("{times}*{x}"));
        }
        _ => {}
    }
    let near = cute::nearest(a, b);
    for layout in &near {
        let _ =
            steps.add(format!("Near {b}, the layout {layout} does compose:"), format!("composition({a}, {layout})"));
    }
    let _ = steps.add(
        format!("No layout with the profile of {b} is the composite. The function itself exists; `chain` keeps the two as they are:"),
        format!("chain({a}, {b})"),
    );
}
