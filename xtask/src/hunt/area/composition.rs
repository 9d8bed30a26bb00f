//! Compositions of two layouts, and by tilers: R(i) = A(B(i)), point by point.

use bitstride_oracle::laws;
use bitstride_oracle::reference::{Layout, Tiler};

use super::super::Case;
use super::super::draw;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::{parsed, said};

pub(super) fn draw(source: &mut Source) -> Case {
    let outer = draw::layout(source);
    let a = outer.text();
    let (b, is_tiler) = match source.below(3) {
        0 => (draw::layout(source).text(), false),
        1 => {
            // Sizes and strides of the outer layout again, so that modes meet.
            let sizes = outer.sizes();
            let mut inner = draw::layout_of(source, &sizes);
            let weights: Vec<i64> = weights(&sizes);
            inner.leaves().for_each(|leaf| leaf.1 = source.of(&weights));
            (inner.text(), false)
        }
        _ => (draw::tiler(source, &outer.sizes()), true),
    };
    let is_tiler = is_tiler && b.starts_with('<');
    let text = format!("composition({a}, {b})");
    Case::new(text.clone(), move || {
        let answer = said(&text);
        let (Some(a), Ok(held)) = (parsed::<Layout>(&a), answer.as_ref().map(ToString::to_string)) else {
            return refused(&a, &b, is_tiler, answer);
        };
        let Some(r) = parsed::<Layout>(&held) else { return Outcome::Wrong(format!("{held} is no layout")) };
        match is_tiler {
            true => parsed::<Tiler>(&b).map(|tiler| Outcome::of_answer(laws::composition_by(&a, &tiler, &r))),
            false => parsed::<Layout>(&b).map(|b| Outcome::of_answer(laws::composition(&a, &b, &r))),
        }
        .unwrap_or_else(|| Outcome::Unjudged(b.clone()))
    })
}

fn refused(a: &str, b: &str, is_tiler: bool, answer: Result<bitstride_lang::Value, bitstride::Error>) -> Outcome {
    let (Some(layout), Err(error)) = (parsed::<Layout>(a), answer) else { return Outcome::Unjudged(a.to_owned()) };
    match is_tiler {
        true => parsed::<Tiler>(b).map(|b| Outcome::of_refusal(&error, laws::composition_by_refusal(&layout, &b))),
        false => parsed::<Layout>(b).map(|b| Outcome::of_refusal(&error, laws::composition_refusal(&layout, &b))),
    }
    .unwrap_or_else(|| Outcome::Unjudged(b.to_owned()))
}

/// What one step along each mode is worth in the flat index, and products of these with small numbers.
fn weights(sizes: &[i64]) -> Vec<i64> {
    let mut weights = vec![1, 2, 3, 0, 4];
    let mut weight = 1;
    for size in sizes {
        weight *= size;
        weights.extend([weight, weight / 2, 2 * weight, weight + 1]);
    }
    weights
}
