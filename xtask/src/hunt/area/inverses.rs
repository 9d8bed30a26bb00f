//! Inverses, complements and what they are made of.

use bitstride::Code;
use bitstride_oracle::laws;
use bitstride_oracle::reference::{self, Layout, Nest};

use super::super::Case;
use super::super::draw;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::{parsed, said};

pub(super) fn draw(source: &mut Source) -> Case {
    let sizes = draw::extents(source, 3, 48);
    let layout = draw::layout_of(source, &sizes).text();
    match source.below(4) {
        0 => one("left_inverse", layout, |layout, answer| match answer {
            Ok(answer) => Outcome::of_answer(laws::left_inverse(layout, &answer)),
            Err(error) => Outcome::of_known(&error, left_inverse(layout).map(|answer| format!("{answer} undoes it"))),
        }),
        1 => one("right_inverse", layout, |layout, answer| match answer {
            // Where modes overlap or go backwards, indices that are no chain of modes may be more.
            Ok(answer) if is_plain(layout) => Outcome::of_answer(laws::right_inverse_longest(layout, &answer)),
            Ok(answer) => Outcome::of_answer(laws::right_inverse(layout, &answer)),
            Err(error) => Outcome::of_known(&error, Some("there is always one".into())),
        }),
        2 => one("nullspace", layout, |layout, answer| match answer {
            Ok(answer) => Outcome::of_answer(laws::nullspace(layout, &answer)),
            Err(error) => Outcome::of_known(&error, Some("there is always one".into())),
        }),
        _ => complement(layout, source.of(&[24, 1, 48, 7, 100, 256])),
    }
}

fn is_plain(layout: &Layout) -> bool {
    let mut offsets = layout.int_values().unwrap_or_default();
    offsets.sort_unstable();
    offsets.first().is_none_or(|least| *least >= 0) && offsets.windows(2).all(|pair| pair[0] != pair[1])
}

type Judge = fn(&Layout, Result<Layout, bitstride::Error>) -> Outcome;

fn one(name: &'static str, layout: String, judge: Judge) -> Case {
    let text = format!("{name}({layout})");
    Case::new(text.clone(), move || {
        let Some(layout) = parsed::<Layout>(&layout) else { return Outcome::Unjudged(text) };
        match said(&text) {
            Ok(value) => match parsed::<Layout>(&value.to_string()) {
                Some(answer) => judge(&layout, Ok(answer)),
                None => Outcome::Wrong(format!("{value} is no layout")),
            },
            Err(error) => judge(&layout, Err(error)),
        }
    })
}

fn complement(layout: String, target: i64) -> Case {
    let text = format!("complement({layout}, {target})");
    Case::new(text.clone(), move || {
        let Some(layout) = parsed::<Layout>(&layout) else { return Outcome::Unjudged(text) };
        let target = Nest::Leaf(target);
        match said(&text) {
            Ok(value) => match parsed::<Layout>(&value.to_string()) {
                Some(answer) => Outcome::of_answer(laws::complement(&layout, &target, &answer)),
                None => Outcome::Wrong(format!("{value} is no layout")),
            },
            Err(error) if error.code() == Code::Range => Outcome::Refused,
            Err(error) => Outcome::of_refusal(&error, laws::complement_refusal(&layout, &target)),
        }
    })
}

/// A left inverse of one or two modes, by trying what its values allow: R is 0 at 0, its first mode has the stride that the first
/// offset tells, and the second what is left.
fn left_inverse(layout: &Layout) -> Option<Layout> {
    let chain = reference::left_inverse(layout).ok()?;
    if let Some(chain) = chain.filter(|chain| laws::left_inverse(layout, chain).is_ok()) {
        return Some(chain);
    }
    let offsets = layout.int_values().ok()?;
    let most = offsets.iter().copied().max()?;
    if offsets.iter().any(|offset| *offset < 0) || most > 512 {
        return None;
    }
    // What is wanted at each offset that is reached.
    let mut wanted: Vec<(i64, i64)> = offsets.iter().copied().zip(0..).collect();
    wanted.sort_unstable();
    wanted.dedup_by_key(|(at, _)| *at);
    let size = i64::try_from(offsets.len()).ok()?;
    for extent in 1..=most + 1 {
        for low in -size..=size {
            let mut high = None;
            let fits = wanted.iter().all(|(at, index)| {
                let rest = index - at % extent * low;
                match at / extent {
                    0 => rest == 0,
                    upper => rest % upper == 0 && *high.get_or_insert(rest / upper) == rest / upper,
                }
            });
            if fits {
                let upper = most / extent + 1;
                let text = format!("({extent},{upper}):({low},{})", high.unwrap_or(0));
                let answer: Layout = text.parse().ok()?;
                if laws::left_inverse(layout, &answer).is_ok() {
                    return Some(answer);
                }
            }
        }
    }
    None
}
