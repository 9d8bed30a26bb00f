//! Texts: what is read prints as a text that is read as the same value, and no text panics.

use bitstride_lang::Value;

use super::super::Case;
use super::super::draw;
use super::super::known::{FAMILIES, known};
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::said;

pub(super) fn draw(source: &mut Source) -> Case {
    let text = expression(source);
    let text = if source.once_in(2) { text } else { disturbed(source, &text) };
    Case::new(text.clone(), move || match said(&text) {
        Err(_) => Outcome::Refused,
        // A table of text is no value that another expression takes.
        Ok(Value::Text(_)) => Outcome::Right,
        Ok(value) => {
            let shown = value.to_string();
            match said(&shown) {
                Ok(again) if again == value => Outcome::Right,
                Ok(again) => Outcome::Wrong(format!("{shown} is read as {again}")),
                Err(error) => Outcome::Wrong(format!("{shown} is not read: {error}")),
            }
        }
    })
}

/// An expression around a few operands.
fn expression(source: &mut Source) -> String {
    let extents = draw::extents(source, 3, 64);
    let family = source.of(&FAMILIES);
    let layout = known(source, family, &extents).map_or_else(|| draw::layout(source).text(), |known| known.text);
    match source.below(8) {
        0 => layout,
        1 => format!("composition({}, {layout})", draw::layout(source).text()),
        2 => format!(
            "convert({layout}, {})",
            source.of(&["cute", "linear", "mixed", "xla, f32", "affine", "strides", "tag", "triton"])
        ),
        3 => format!("inverse({layout})"),
        4 => format!("slice({layout}, (_,1))"),
        5 => format!("chain({}, {layout})", draw::layout(source).text()),
        6 => format!("bytes({layout}, 16)"),
        _ => {
            let operations: Vec<&str> = bitstride_lang::operations().map(|operation| operation.example).collect();
            source.of(&operations).to_owned()
        }
    }
}

/// The text with a few characters left out, doubled, or others.
pub(super) fn disturbed(source: &mut Source, text: &str) -> String {
    const OTHERS: [char; 22] =
        ['(', ')', ',', ':', '_', '0', '1', '-', '?', '*', '@', '^', '<', '>', '{', '}', '[', ']', ' ', 'M', '"', '∘'];
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..source.count(1, 3) {
        let at = source.count(0, characters.len().saturating_sub(1));
        match source.below(4) {
            0 if !characters.is_empty() => {
                characters.remove(at);
            }
            1 if !characters.is_empty() => characters.insert(at, characters[at]),
            2 if !characters.is_empty() => characters[at] = source.of(&OTHERS),
            _ => characters.insert(at, source.of(&OTHERS)),
        }
    }
    characters.into_iter().collect()
}
