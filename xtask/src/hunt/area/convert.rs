//! Conversions of every family to every notation: the answer puts every element where the layout had it.

use bitstride::map::Direction;
use bitstride_lang::Value;

use super::super::Case;
use super::super::draw;
use super::super::known::{FAMILIES, Family, Known, known, points, read, until};
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::said;

const NOTATIONS: [&str; 7] = ["cute", "strides", "mixed", "linear", "affine", "xla, f32", "padded"];

pub(super) fn draw(source: &mut Source) -> Case {
    let notation = source.of(&NOTATIONS);
    let drawn = until(source, |source| {
        let family = source.of(&FAMILIES);
        let extents = draw::dims(source, family == Family::Linear);
        Some((family, known(source, family, &extents)?))
    });
    let Some((family, layout)) = drawn else { return Case::none() };
    let text = format!("convert({}, {notation})", layout.text);
    Case::new(text.clone(), move || judged(&text, notation, family, &layout))
}

fn judged(text: &str, notation: &str, family: Family, layout: &Known) -> Outcome {
    let value = match said(text) {
        Ok(value) => value,
        Err(error) => return Outcome::of_known(&error, exists(notation, family, layout)),
    };
    if notation == "strides" {
        let Some((offset, strides)) = layout.as_strides() else { return Outcome::Wrong(format!("{value}")) };
        return match read_strides(&value) {
            Some((read, all)) if read == offset && moves_alike(&layout.extents, &all, &strides) => Outcome::Right,
            _ => Outcome::Wrong(format!("{value}, but the strides are {strides:?} from {offset}")),
        };
    }
    let answer = value.to_string();
    // What is no layout of its own text is evaluated as a map.
    match read(&answer) {
        Some(read) if notation != "padded" => match read.is_same(layout) {
            true => Outcome::Right,
            false => Outcome::Wrong(format!("{answer} puts some elements elsewhere")),
        },
        _ => by_map(&value, layout),
    }
}

/// Strides with their offset, as `convert` answers them.
fn read_strides(value: &Value) -> Option<(i64, Vec<i64>)> {
    let numbers = |value: &Value| -> Option<Vec<i64>> {
        value.as_shape().ok()?.leaves().iter().map(|n| n.as_number().ok()).collect()
    };
    match value {
        Value::List(parts) => match parts.as_slice() {
            [strides, offset] => Some((offset.as_number().ok()?, numbers(strides)?)),
            _ => None,
        },
        Value::Map(mapped) => {
            let (offset, strides) = mapped.map.to_strides().ok()?;
            Some((offset, strides))
        }
        strides => Some((0, numbers(strides)?)),
    }
}

fn moves_alike(extents: &[i64], one: &[i64], other: &[i64]) -> bool {
    one.len() == extents.len()
        && extents.iter().zip(one).zip(other).all(|((extent, one), other)| *extent < 2 || one == other)
}

/// The answer evaluated point by point.
fn by_map(value: &Value, layout: &Known) -> Outcome {
    let map = match value.as_map() {
        Ok(map) => map,
        Err(error) => return Outcome::Wrong(format!("{value} is no operand: {error}")),
    };
    let wrong = |point: &[i64], said: String| Outcome::Wrong(format!("{value} puts {point:?} at {said}"));
    for (point, place) in points(&layout.extents).into_iter().zip(&layout.places) {
        match map.direction() {
            Direction::ToPlace => match map.at(&point) {
                Ok(Some(said)) if said == [*place] => {}
                said => return wrong(&point, format!("{said:?}, not {place}")),
            },
            Direction::ToIndex => match map.at(&[*place]) {
                Ok(Some(said)) if said == point => {}
                said => return wrong(&point, format!("another place: {place} has {said:?}")),
            },
        }
    }
    Outcome::Right
}

/// What the oracle finds in a notation.
fn exists(notation: &str, family: Family, layout: &Known) -> Option<String> {
    match notation {
        "cute" if matches!(family, Family::Cute | Family::Offset | Family::Swizzled | Family::Strides) => {
            Some("it is a layout of CuTe".into())
        }
        "cute" | "mixed" | "affine" => layout.as_cute(),
        "strides" => layout.as_strides().map(|(offset, strides)| format!("{strides:?} from {offset}")),
        "linear" => layout.is_linear().then(|| "it is linear".into()),
        _ if family == Family::Tiled && notation.starts_with("xla") => Some(layout.text.clone()),
        _ => None,
    }
}
