//! Linear layouts: products, divisions, composition and inverses, dims in any order and of any size, 1 included.

use bitstride_oracle::laws;
use bitstride_oracle::reference::Linear;

use super::super::Case;
use super::super::draw;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::{parsed, said};

const INS: [&str; 4] = ["register", "lane", "warp", "block"];
const OUTS: [&str; 3] = ["dim0", "dim1", "dim2"];

pub(super) fn draw(source: &mut Source) -> Case {
    match source.below(5) {
        0 => binary(source, "mul", false),
        1 => division(source, true),
        2 => division(source, false),
        3 => chained(source, "compose"),
        _ => inverse(source),
    }
}

/// Some of the names in some order, each with a number of bits.
fn dims<'n>(source: &mut Source, names: &[&'n str], most: usize) -> Vec<(&'n str, usize)> {
    let order = source.order(names.len());
    let count = source.count(1, names.len());
    let chosen = order.into_iter().take(count).filter_map(|at| names.get(at).copied());
    chosen.map(|name| (name, source.count(0, most))).collect()
}

fn layout(source: &mut Source, ins: &[(&str, usize)], outs: &[(&str, usize)]) -> String {
    let outs: Vec<(&str, u32)> = outs.iter().map(|(name, bits)| (*name, u32::try_from(*bits).unwrap_or(0))).collect();
    draw::linear(source, ins, &outs, &[0, 0, 1, 2])
}

fn random(source: &mut Source) -> String {
    let (ins, outs) = (dims(source, &INS, 2), dims(source, &OUTS, 2));
    layout(source, &ins, &outs)
}

fn binary(source: &mut Source, name: &'static str, _: bool) -> Case {
    let (a, b) = (random(source), random(source));
    let text = format!("{name}({a}, {b})");
    Case::new(text.clone(), move || judged(&text, [&a, &b], laws::linear_product))
}

type Law = fn(&Linear, &Linear, &Linear) -> Result<(), laws::Violation>;

fn judged(text: &str, [a, b]: [&str; 2], law: Law) -> Outcome {
    let (Some(one), Some(two)) = (parsed::<Linear>(a), parsed::<Linear>(b)) else {
        return Outcome::Unjudged(text.to_owned());
    };
    match said(text) {
        Ok(value) => match parsed::<Linear>(&value.to_string()) {
            Some(answer) => Outcome::of_answer(law(&one, &two, &answer)),
            None => Outcome::Wrong(format!("{value} is no linear layout")),
        },
        Err(error) => Outcome::of_known(&error, Some("every two layouts have a product".into())),
    }
}

/// A product divided by one of its factors: the answer times that factor is the product again.
fn division(source: &mut Source, left: bool) -> Case {
    let (a, b) = (random(source), random(source));
    let (name, factor) = if left { ("divide_left", &a) } else { ("divide_right", &b) };
    let text = format!("{name}(mul({a}, {b}), {factor})");
    let (product, factor) = (format!("mul({a}, {b})"), factor.clone());
    Case::new(text.clone(), move || {
        let quotient = match said(&text) {
            Ok(value) => value.to_string(),
            Err(error) => return Outcome::of_known(&error, Some("it is a product".into())),
        };
        let again = if left { format!("mul({factor}, {quotient})") } else { format!("mul({quotient}, {factor})") };
        match (said(&product), said(&again)) {
            (Ok(product), Ok(again)) if product == again => Outcome::Right,
            (product, again) => Outcome::Wrong(format!("{quotient} gives {again:?}, not {product:?}")),
        }
    })
}

fn chained(source: &mut Source, name: &'static str) -> Case {
    let (ins, mut between, outs) = (dims(source, &INS, 2), dims(source, &["x", "y"], 2), dims(source, &OUTS, 2));
    let a = layout(source, &ins, &between);
    if source.once_in(2) {
        between.reverse();
    }
    for (_, bits) in &mut between {
        *bits += usize::from(source.once_in(4));
    }
    let b = layout(source, &between, &outs);
    let text = format!("{name}({a}, {b})");
    Case::new(text.clone(), move || judged(&text, [&a, &b], laws::linear_compose))
}

fn inverse(source: &mut Source) -> Case {
    let outs = dims(source, &OUTS, 2);
    let (ins, others) = (dims(source, &INS, 2), dims(source, &["offset", "bank"], 3));
    let (a, b) = (layout(source, &ins, &outs), layout(source, &others, &outs));
    let text = format!("invert_and_compose({a}, {b})");
    Case::new(text.clone(), move || {
        let (Some(one), Some(two)) = (parsed::<Linear>(&a), parsed::<Linear>(&b)) else {
            return Outcome::Unjudged(text);
        };
        match said(&text) {
            Ok(value) => match parsed::<Linear>(&value.to_string()) {
                Some(answer) => Outcome::of_answer(laws::linear_invert_and_compose(&one, &two, &answer)),
                None => Outcome::Wrong(format!("{value} is no linear layout")),
            },
            Err(error) => Outcome::of_refusal(&error, laws::linear_invert_and_compose_refusal(&one, &two)),
        }
    })
}
