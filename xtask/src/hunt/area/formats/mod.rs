//! Stored layouts: what `check` says of two formats and what `repack` makes of random bytes, against a twin that goes through the
//! bits of every element one by one.
//!
//! Half of the cases are formats of the zoo with parameters of any kind, the others are formats of texts that are made up, of which the twin
//! knows the places by its own arithmetic.

mod drawn;
mod twin;

use bitstride::Code;
use bitstride_formats::{Format, Repack, Zoo, check};

use super::super::Case;
use super::super::known::until;
use super::super::outcome::Outcome;
use super::super::source::Source;
use drawn::Drawn;
use twin::{Bits, Pair};

/// The most bits of a field that are looked at.
const MOST_BITS: i64 = 1 << 13;

pub(super) fn draw(source: &mut Source) -> Case {
    if source.once_in(2) { of_texts(source) } else { of_zoo(source) }
}

/// Two formats of texts that are made up.
fn of_texts(source: &mut Source) -> Case {
    let drawn = until(source, |source| {
        let tensor = drawn::tensor(source);
        Some([Drawn::new(source, "one", &tensor)?, Drawn::new(source, "other", &tensor)?])
    });
    let Some([one, other]) = drawn else { return Case::none() };
    let seed = source.below(1 << 20);
    let texts = [&one, &other].map(|drawn| drawn.text.clone());
    let text = format!("check one other, where {}", texts.concat().trim_end().replace('\n', "; "));
    Case::new(text, move || {
        let mut zoo = Zoo::default();
        for own in &texts {
            if let Err(error) = zoo.add(own) {
                return Outcome::Wrong(format!("the text is not read: {error}"));
            }
        }
        let format = |drawn: &Drawn| match (zoo.format(drawn.name), drawn.fits) {
            (Ok(format), true) => Ok(format),
            (Ok(_), false) => Err(Outcome::Wrong(format!("{} reaches beyond its tensor, and is made", drawn.name))),
            (Err(error), fits) => {
                Err(Outcome::of_known(&error, fits.then(|| "its places are in the tensor".to_owned())))
            }
        };
        let (producer, consumer) = match (format(&one), format(&other)) {
            (Ok(producer), Ok(consumer)) => (producer, consumer),
            (Err(outcome), _) | (_, Err(outcome)) => return outcome,
        };
        for (format, drawn) in [(&producer, &one), (&consumer, &other)] {
            let found = Bits::of(format, "x");
            if found.as_ref().map(|bits| &bits.places) != Some(&drawn.places) {
                return Outcome::Wrong(format!(
                    "{} has the places {found:?}, and should have {:?}",
                    drawn.name, drawn.places
                ));
            }
        }
        judged(&producer, &consumer, "x", seed)
    })
}

/// Two formats of the zoo, with one field that both have.
fn of_zoo(source: &mut Source) -> Case {
    let drawn = until(source, |source| {
        let [one, other] = drawn::specs(source)?;
        let formats = [&one, &other].map(|spec| Zoo::builtin().instance(spec).ok());
        let [Some(producer), Some(consumer)] = formats else { return None };
        let shared: Vec<String> = producer
            .fields
            .iter()
            .filter(|field| consumer.fields.iter().any(|other| other.name == field.name))
            .map(|field| field.name.clone())
            .collect();
        let field = shared.get(source.count(0, shared.len().saturating_sub(1)))?.clone();
        let small = |format: &Format| {
            let field = format.field(&field).ok()?;
            field.places.shape().ok()?.iter().try_fold(field.places.element_bits(), |size, extent| {
                size.checked_mul(*extent).filter(|size| *size <= MOST_BITS)
            })
        };
        (small(&producer).is_some() && small(&consumer).is_some()).then_some((one, other, field))
    });
    let Some((one, other, field)) = drawn else { return Case::none() };
    let seed = source.below(1 << 20);
    Case::new(format!("check {one} {other} --field {field}"), move || {
        match (Zoo::builtin().instance(&one), Zoo::builtin().instance(&other)) {
            (Ok(producer), Ok(consumer)) => judged(&producer, &consumer, &field, seed),
            _ => Outcome::Unjudged("a format that was made before is not made again".to_owned()),
        }
    })
}

fn judged(producer: &Format, consumer: &Format, field: &str, seed: u64) -> Outcome {
    let (Some(one), Some(other)) = (Bits::of(producer, field), Bits::of(consumer, field)) else {
        return Outcome::Wrong(format!("an element of {field} has no place"));
    };
    let pair = Pair::of(&one, &other);
    let checked = match (producer.field(field), consumer.field(field)) {
        (Ok(from), Ok(to)) => check::fields(from, to),
        _ => return Outcome::Unjudged(format!("no field {field}")),
    };
    let comparable = pair.as_ref().filter(|pair| pair.is_comparable());
    let outcome = match (checked, comparable) {
        (Ok(report), Some(pair)) => pair.judge(&report),
        (Ok(report), None) => Outcome::Wrong(format!("{}, but the tensors or elements are others", report.verdict)),
        (Err(error), pair) => Outcome::of_known(&error, pair.map(|_| "both have elements of one tensor".to_owned())),
    };
    if !matches!(outcome, Outcome::Right | Outcome::Refused) {
        return outcome;
    }
    let moved = repacked(producer, consumer, field, pair.as_ref(), seed);
    match (outcome, moved) {
        (Outcome::Right, Outcome::Refused) => Outcome::Right,
        (_, moved) => moved,
    }
}

/// Numbers that look random, the same for the same seed.
fn noise(bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..bytes).map(|_| next()).collect()
}

/// Repacks random bytes, and looks at every byte of the target.
fn repacked(producer: &Format, consumer: &Format, field: &str, pair: Option<&Pair>, seed: u64) -> Outcome {
    let sources: Option<Vec<Vec<u8>>> =
        producer.tensors.iter().map(|tensor| Some(noise(usize::try_from(tensor.bytes().ok()?).ok()?, seed))).collect();
    let Some(sources) = sources else { return Outcome::Unjudged("a tensor beyond 64 bits".to_owned()) };
    let slices: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
    let made = Repack::new(producer, consumer, Some(&[field])).and_then(|repack| repack.run(&slices));
    let wanted = pair.map(|pair| pair.repacked(&sources));
    match (made, wanted) {
        (Ok(targets), Some(Ok(wanted))) => match pair.and_then(|pair| targets.get(pair.target())) {
            Some(target) if *target == wanted => Outcome::Right,
            Some(target) => {
                let at = target.iter().zip(&wanted).position(|(made, wanted)| made != wanted);
                Outcome::Wrong(format!("byte {at:?} of {} is another than bit by bit", target.len()))
            }
            None => Outcome::Wrong("the tensor of the field is not made".to_owned()),
        },
        (Ok(_), Some(Err(why))) => Outcome::Wrong(format!("it is repacked, but {why}")),
        (Ok(_), None) => Outcome::Wrong("tensors of other shapes are repacked".to_owned()),
        (Err(error), Some(Ok(_))) if error.code() != Code::Kind || pair.is_some_and(Pair::is_one_kind) => {
            Outcome::of_known(&error, Some("every value has its place".to_owned()))
        }
        (Err(error), _) => Outcome::of_known(&error, None),
    }
}
