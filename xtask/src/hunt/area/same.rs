//! Equality of layouts of any two families: equal ones, near misses, and different ones.

use bitstride::Code;

use super::super::Case;
use super::super::draw;
use super::super::known::{FAMILIES, Family, Known, known, read, until};
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::said;

pub(super) fn draw(source: &mut Source) -> Case {
    if source.once_in(4) {
        return of_other_ranks(source);
    }
    let Some((a, b)) = pair(source) else { return Case::none() };
    let text = format!("same({}, {})", a.text, b.text);
    Case::new(text.clone(), move || match said(&text) {
        Ok(value) if value.is_false() != a.is_same(&b) => Outcome::Right,
        Ok(value) => Outcome::Wrong(format!("{value}")),
        Err(error) => {
            Outcome::of_known(&error, Some(format!("they are {}the same", if a.is_same(&b) { "" } else { "not " })))
        }
    })
}

/// Two layouts of as many elements and other ranks, which are compared by the numbers of elements where both families number them
/// alike, and refused else.
fn of_other_ranks(source: &mut Source) -> Case {
    let drawn = until(source, |source| {
        let (one, other) = (source.of(&FAMILIES), source.of(&FAMILIES));
        let extents = draw::dims(source, one == Family::Linear || other == Family::Linear);
        let merged = merged(source, &extents)?;
        Some((known(source, one, &extents)?, known(source, other, &merged)?))
    });
    let Some((a, b)) = drawn.filter(|(a, b)| a.extents.len() != b.extents.len()) else { return Case::none() };
    let text = format!("same({}, {})", a.text, b.text);
    Case::new(text.clone(), move || {
        let ordered = [&a, &b].map(Known::is_row_major);
        let matters = [&a, &b].iter().any(|side| side.extents.iter().filter(|extent| **extent > 1).count() > 1);
        let wanted = (ordered[0] == ordered[1] || !matters).then(|| a.numbered() == b.numbered());
        match (said(&text), wanted) {
            (Ok(value), Some(same)) if value.is_false() != same => Outcome::Right,
            (Ok(value), _) => Outcome::Wrong(format!("{value}, but {wanted:?}")),
            (Err(error), None) if error.code() == Code::NeedsOrder => Outcome::Refused,
            (Err(error), _) => Outcome::of_known(&error, Some(format!("same is {wanted:?}"))),
        }
    })
}

/// The extents with two neighbours as one, where there are two.
fn merged(source: &mut Source, extents: &[i64]) -> Option<Vec<i64>> {
    let at = source.count(0, extents.len().checked_sub(2)?);
    let mut merged = extents.to_vec();
    let next = merged.remove(at + 1);
    *merged.get_mut(at)? *= next;
    Some(merged)
}

/// Two layouts over the same extents: of two families, one in another notation, or one with a digit changed.
pub(super) fn pair(source: &mut Source) -> Option<(Known, Known)> {
    until(source, |source| {
        let family = source.of(&FAMILIES);
        let extents = draw::dims(source, family == Family::Linear);
        let a = known(source, family, &extents)?;
        let b = match source.below(4) {
            0 => {
                let other = source.of(&FAMILIES);
                known(source, other, &extents)?
            }
            1 => converted(&a, source.of(&["cute", "linear", "xla, f32"]))?,
            2 => changed(source, &a.text)?,
            _ => {
                let b = converted(&a, "cute")?;
                changed(source, &b.text)?
            }
        };
        (a.extents == b.extents).then_some((a, b))
    })
}

/// The same layout in another notation, as the oracle reads our answer.
fn converted(layout: &Known, notation: &str) -> Option<Known> {
    read(&said(&format!("convert({}, {notation})", layout.text)).ok()?.to_string())
}

/// The text with one digit changed.
fn changed(source: &mut Source, text: &str) -> Option<Known> {
    // The name of an element type stays.
    let first = if text.starts_with("linear") { 0 } else { text.find('[').unwrap_or(0) };
    let digits = text.char_indices().filter(|(at, c)| *at >= first && c.is_ascii_digit());
    let digits: Vec<usize> = digits.map(|(at, _)| at).collect();
    let at = *digits.get(source.count(0, digits.len().checked_sub(1)?))?;
    let old: u8 = text.get(at..=at)?.parse().ok()?;
    let new = (u64::from(old) + 1 + source.below(8)) % 10;
    read(&format!("{}{new}{}", text.get(..at)?, text.get(at + 1..)?))
}
