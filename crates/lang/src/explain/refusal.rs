//! A refused composition, step by step: the coordinates that contradict each other, what would compose, and the chain.

use super::steps::Steps;
use crate::evaluate;
use bitstride::Code;
use bitstride::cute::{self, Layout};

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
