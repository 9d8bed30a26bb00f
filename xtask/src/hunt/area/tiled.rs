//! Arrays of XLA: offsets, places, sizes, and which reshapes and transposes are free.

use bitstride_oracle::laws;
use bitstride_oracle::reference::Tiled;

use super::super::Case;
use super::super::draw;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::{parsed, said};

pub(super) fn draw(source: &mut Source) -> Case {
    let extents = draw::extents(source, 4, 128);
    let a = draw::tiled(source, &extents);
    match source.below(4) {
        0 => {
            let index: Vec<i64> = extents.iter().map(|extent| source.between(0, (extent - 1).max(0))).collect();
            number(format!("linear_index({a}, {})", draw::tuple(&index)), a, move |array, answer| {
                laws::tiled_offset(array, &index, answer)
            })
        }
        1 => number(format!("padded_size({a})"), a, laws::tiled_size),
        2 => {
            let other = regrouped(source, &extents);
            let b = draw::tiled(source, &other);
            truth(format!("reshape_is_bitcast({a}, {b})"), a, b, laws::tiled_reshape)
        }
        _ => {
            let order = source.order(extents.len());
            let other: Vec<i64> = order.iter().filter_map(|dim| extents.get(*dim).copied()).collect();
            let b = draw::tiled(source, &other);
            let dims = draw::tuple(&order.iter().map(|dim| i64::try_from(*dim).unwrap_or(0)).collect::<Vec<_>>());
            truth(format!("transpose_is_bitcast({a}, {b}, {dims})"), a, b, move |a, b, answer| {
                laws::tiled_transpose(a, b, &order, answer)
            })
        }
    }
}

/// Extents of the same product: neighbours merged, or one cut.
fn regrouped(source: &mut Source, extents: &[i64]) -> Vec<i64> {
    let mut other = extents.to_vec();
    for _ in 0..source.count(0, 3) {
        let at = source.count(0, other.len() - 1);
        if source.once_in(2) && at + 1 < other.len() {
            let next = other.remove(at + 1);
            other[at] *= next;
        } else {
            let cut = source.of(&[2, 1, 3, 4]);
            if other[at] % cut == 0 {
                other[at] /= cut;
                other.insert(at, cut);
            }
        }
    }
    other
}

fn number(text: String, array: String, law: impl Fn(&Tiled, i64) -> Result<(), laws::Violation> + 'static) -> Case {
    Case::new(text.clone(), move || {
        let Some(array) = parsed::<Tiled>(&array) else { return Outcome::Unjudged(text) };
        match said(&text).and_then(|value| value.as_number()) {
            Ok(answer) => Outcome::of_answer(law(&array, answer)),
            Err(error) => Outcome::of_known(&error, Some("it is a number".into())),
        }
    })
}

fn truth(
    text: String,
    a: String,
    b: String,
    law: impl Fn(&Tiled, &Tiled, bool) -> Result<(), laws::Violation> + 'static,
) -> Case {
    Case::new(text.clone(), move || {
        let (Some(a), Some(b)) = (parsed::<Tiled>(&a), parsed::<Tiled>(&b)) else { return Outcome::Unjudged(text) };
        match said(&text) {
            Ok(value) => Outcome::of_answer(law(&a, &b, !value.is_false())),
            Err(error) => Outcome::of_known(&error, Some("it is true or false".into())),
        }
    })
}
