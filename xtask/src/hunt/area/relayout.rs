//! Data moved between two layouts of one tensor: every element arrives where the second layout says, and nothing else changes.

use bitstride::{Code, Error};
use bitstride_relayout::{Element, Plan};

use super::super::Case;
use super::super::draw;
use super::super::known::{FAMILIES, Known, known, until};
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::said;

pub(super) fn draw(source: &mut Source) -> Case {
    let bits = source.of(&[8, 16, 32, 64, 4, 2, 24, 40, 128]);
    let drawn = until(source, |source| {
        let extents = draw::dims(source, false);
        let mut side = || {
            let family = source.of(&FAMILIES);
            known(source, family, &extents)
        };
        Some((side()?, side()?))
    });
    let Some((from, to)) = drawn else { return Case::none() };
    let text = format!("relayout({}, {}, {bits} bits)", from.text, to.text);
    Case::new(text, move || judged(&from, &to, bits))
}

fn judged(from: &Known, to: &Known, bits: u32) -> Outcome {
    match moved(from, to, bits) {
        Ok(outcome) => outcome,
        Err(error) => {
            let mut places = to.places.clone();
            places.sort_unstable();
            let repeats = places.windows(2).any(|pair| pair[0] == pair[1]);
            let below = from.places.iter().chain(&to.places).any(|place| *place < 0);
            let reason = match error.code() {
                Code::Overlap => repeats,
                Code::Range => below,
                _ => false,
            };
            Outcome::of_known(
                &error,
                (!reason).then(|| "both lead to memory, each element to a place of its own".into()),
            )
        }
    }
}

fn moved(from: &Known, to: &Known, bits: u32) -> Result<Outcome, Error> {
    let maps = [said(&from.text)?.as_map()?, said(&to.text)?.as_map()?];
    let element = Element::of_bits(bits)?;
    let plan = Plan::new(&maps[0], &maps[1], element)?;
    let source: Vec<u8> = (0..plan.source_bytes()).map(|at| u8::try_from((at * 167 + 13) % 251).unwrap_or(0)).collect();
    let before: Vec<u8> =
        (0..plan.destination_bytes()).map(|at| u8::try_from((at * 89 + 7) % 241).unwrap_or(0)).collect();
    let mut ours = before.clone();
    plan.run(&source, &mut ours)?;
    let mut wanted = before;
    let width = usize::try_from(bits).unwrap_or(0);
    for (one, other) in from.places.iter().zip(&to.places) {
        let (one, other) = (usize::try_from(*one).unwrap_or(0), usize::try_from(*other).unwrap_or(0));
        for bit in 0..width {
            let (at, to) = (one * width + bit, other * width + bit);
            let on = source.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1);
            if let Some(byte) = wanted.get_mut(to / 8) {
                *byte = *byte & !(1 << (to % 8)) | u8::from(on) << (to % 8);
            }
        }
    }
    Ok(match ours == wanted {
        true => Outcome::Right,
        false => Outcome::Wrong("the bytes differ".into()),
    })
}
