//! The four divides: R(i) = A((B,B*)(i)), mode by mode.

use bitstride_oracle::laws;
use bitstride_oracle::reference::{Form, Layout, Tiler};

use super::super::Case;
use super::super::draw;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::{parsed, said};

const FORMS: [(&str, Form); 4] = [
    ("logical_divide", Form::Logical),
    ("zipped_divide", Form::Zipped),
    ("tiled_divide", Form::Tiled),
    ("flat_divide", Form::Flat),
];

pub(super) fn draw(source: &mut Source) -> Case {
    let (name, form) = source.of(&FORMS);
    let layout = draw::layout(source);
    let (a, b) = (layout.text(), draw::tiler(source, &layout.sizes()));
    let text = format!("{name}({a}, {b})");
    Case::new(text.clone(), move || {
        let (Some(layout), Some(tiler)) = (parsed::<Layout>(&a), parsed::<Tiler>(&b)) else {
            return Outcome::Unjudged(text);
        };
        match said(&text) {
            Ok(value) => match parsed::<Layout>(&value.to_string()) {
                Some(answer) => Outcome::of_answer(laws::divide(&layout, &tiler, form, &answer)),
                None => Outcome::Wrong(format!("{value} is no layout")),
            },
            Err(error) => Outcome::of_refusal(&error, laws::divide_refusal(&layout, &tiler, form)),
        }
    })
}
