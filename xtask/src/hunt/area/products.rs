//! The six products: copies of A in the order of B.

use bitstride_oracle::laws;
use bitstride_oracle::laws::Violation;
use bitstride_oracle::reference::{self, Form, Layout, Tiler};

use super::super::Case;
use super::super::draw;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::{parsed, said};

const FORMS: [(&str, Form); 4] = [
    ("logical_product", Form::Logical),
    ("zipped_product", Form::Zipped),
    ("tiled_product", Form::Tiled),
    ("flat_product", Form::Flat),
];

pub(super) fn draw(source: &mut Source) -> Case {
    let sizes = draw::extents(source, 2, 24);
    let layout = draw::layout_of(source, &sizes);
    let a = layout.text();
    if source.once_in(3) {
        let rank = draw::extents(source, 2, 16);
        let b = draw::layout_of(source, &rank).text();
        return by_mode(source.of(&["blocked_product", "raked_product"]), &a, &b);
    }
    let (name, form) = source.of(&FORMS);
    let b = match source.below(2) {
        0 => {
            let sizes = draw::extents(source, 2, 24);
            draw::layout_of(source, &sizes).text()
        }
        _ => draw::tiler(source, &sizes),
    };
    let text = format!("{name}({a}, {b})");
    Case::new(text.clone(), move || {
        let (Some(layout), Some(tiler)) = (parsed::<Layout>(&a), parsed::<Tiler>(&b)) else {
            return Outcome::Unjudged(text);
        };
        match said(&text) {
            Ok(value) => match parsed::<Layout>(&value.to_string()) {
                Some(answer) => Outcome::of_answer(laws::product(&layout, &tiler, form, &answer)),
                None => Outcome::Wrong(format!("{value} is no layout")),
            },
            Err(error) => {
                let held = laws::product_refusal(&layout, &tiler, form);
                Outcome::of_refusal(&error, held.or_else(|violation| copies_meet(&layout, &tiler, violation)))
            }
        }
    })
}

fn by_mode(name: &'static str, a: &str, b: &str) -> Case {
    let text = format!("{name}({a}, {b})");
    let (a, b) = (a.to_owned(), b.to_owned());
    Case::new(text.clone(), move || {
        let (Some(a), Some(b)) = (parsed::<Layout>(&a), parsed::<Layout>(&b)) else { return Outcome::Unjudged(text) };
        match said(&text) {
            Ok(value) => match parsed::<Layout>(&value.to_string()) {
                Some(answer) if name == "blocked_product" => Outcome::of_answer(laws::blocked_product(&a, &b, &answer)),
                Some(answer) => Outcome::of_answer(laws::raked_product(&a, &b, &answer)),
                None => Outcome::Wrong(format!("{value} is no layout")),
            },
            Err(error) => {
                let rank = a.rank().max(b.rank());
                let (a, tiler) = (a.padded(rank), Tiler::Layout(b.padded(rank)));
                let held = laws::product_refusal(&a, &tiler, Form::Logical);
                Outcome::of_refusal(&error, held.or_else(|violation| copies_meet(&a, &tiler, violation)))
            }
        }
    })
}

/// Where the only copies there could be meet each other in some mode, the refusal stands.
fn copies_meet(a: &Layout, tiler: &Tiler, violation: Violation) -> Result<(), Violation> {
    match tiler {
        Tiler::Keep => Err(violation),
        Tiler::Layout(tile) => match reference::product(a, tiler)? {
            Some(cut) if laws::product_copies(a, tile, &cut.arrange(Form::Logical)?).is_ok() => Err(violation),
            _ => Ok(()),
        },
        Tiler::Modes(tilers) => {
            let mut modes = a.modes().into_iter().zip(tilers);
            match modes.any(|(mode, tiler)| copies_meet(&mode, tiler, violation.clone()).is_ok()) {
                true => Ok(()),
                false => Err(violation),
            }
        }
    }
}
