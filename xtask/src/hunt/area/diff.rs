//! How many elements lie elsewhere in two layouts, and which is the first.

use bitstride_lang::Value;

use super::super::Case;
use super::super::known::points;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::{said, same};

pub(super) fn draw(source: &mut Source) -> Case {
    let Some((a, b)) = same::pair(source) else { return Case::none() };
    let text = format!("diff({}, {})", a.text, b.text);
    Case::new(text.clone(), move || {
        let both_from_places = [&a, &b].iter().all(|side| side.text.starts_with("linear"));
        let elsewhere: Vec<Vec<i64>> = points(&a.extents)
            .into_iter()
            .zip(a.places.iter().zip(&b.places))
            .filter(|(_, (one, other))| one != other)
            .map(|(point, _)| point)
            .collect();
        let wanted = i64::try_from(elsewhere.len()).unwrap_or(i64::MAX);
        match said(&text) {
            Ok(Value::Verdict(verdict)) => match &verdict.differences {
                None if wanted == 0 && verdict.holds() => Outcome::Right,
                Some(found) if found.differing == wanted => match found.first.first() {
                    // Between two layouts from places to elements, the first is a place.
                    Some(first) if !both_from_places && elsewhere.first() != Some(&first.point) => {
                        Outcome::Wrong(format!("the first is {:?}, not {:?}", elsewhere.first(), first.point))
                    }
                    _ => Outcome::Right,
                },
                _ => Outcome::Wrong(format!("{verdict}, but {wanted} differ")),
            },
            Ok(value) => Outcome::Wrong(format!("{value} is no verdict")),
            Err(error) => Outcome::of_known(&error, Some(format!("{wanted} differ"))),
        }
    })
}
