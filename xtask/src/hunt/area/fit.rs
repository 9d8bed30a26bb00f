//! Tables of offsets read as layouts.

use super::super::Case;
use super::super::draw;
use super::super::known::{Family, Known, known, points, read, until};
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::said;

pub(super) fn draw(source: &mut Source) -> Case {
    let drawn = until(source, |source| {
        let family = source.of(&[Family::Cute, Family::Swizzled, Family::Tiled, Family::Linear, Family::Offset]);
        let extents = draw::dims(source, family == Family::Linear);
        known(source, family, &extents)
    });
    let Some(mut layout) = drawn else { return Case::none() };
    // One offset changed makes a table that is mostly no layout.
    if source.once_in(4) {
        let at = source.count(0, layout.places.len() - 1);
        layout.places[at] += source.of(&[1, -1, 8]);
    }
    let text = format!("fit({}, {})", draw::tuple(&layout.places), draw::tuple(&layout.extents));
    Case::new(text.clone(), move || match said(&text) {
        Ok(value) => judged(&value, &layout),
        Err(error) => Outcome::of_known(&error, layout.as_cute()),
    })
}

/// The answer holds every offset of the table.
fn judged(value: &bitstride_lang::Value, layout: &Known) -> Outcome {
    let answer = value.to_string();
    if let Some(read) = read(&answer)
        && read.places.len() == layout.places.len()
        && !answer.starts_with("linear")
    {
        return match read.places == layout.places {
            true => Outcome::Right,
            false => Outcome::Wrong(format!("{answer} has other offsets")),
        };
    }
    let map = match value.as_map() {
        Ok(map) => map,
        Err(error) => return Outcome::Wrong(format!("{answer} is no operand: {error}")),
    };
    for (point, place) in points(&layout.extents).into_iter().zip(&layout.places) {
        match map.at(&point) {
            Ok(Some(said)) if said == [*place] => {}
            said => return Outcome::Wrong(format!("{answer} puts {point:?} at {said:?}, not {place}")),
        }
    }
    Outcome::Right
}
