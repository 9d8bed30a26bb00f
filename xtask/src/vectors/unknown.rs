//! Rows with unknown integers, in the print of CuTe's compiler: `?`, `?{div=8}`.
//!
//! That print forgets which unknown is which, so an answer in it says little. Ours agrees when it says at least as
//! much: the same modes, and every unknown leaf known to be divisible by at least as much. It is held to its law
//! besides: with the unknowns named, it is computed once, and judged at values drawn at random.

use bitstride::notation::Ints;
use bitstride_lang::evaluate;
use bitstride_oracle::reference::{self, Layout};

use super::laws::{self, CheckResult};
use super::operation::{self, Ours};
use super::row::Row;

/// How many times a symbolic answer is instantiated.
const INSTANCES: u64 = 24;

/// Leaves that sizes and strides multiply out of sight: values are at most so many times what divides them.
const LARGEST: u64 = 3;

/// Whether our answer says at least what theirs says.
pub(crate) fn covers(theirs: &str, ours: &str) -> bool {
    let (theirs, ours) = (leaves(theirs), leaves(ours));
    theirs.len() == ours.len()
        && theirs.iter().zip(&ours).all(|(theirs, ours)| match (theirs, ours) {
            (Leaf::Unknown(known), Leaf::Unknown(div)) => div % known == 0,
            (theirs, ours) => theirs == ours,
        })
}

#[derive(PartialEq)]
enum Leaf {
    Unknown(u64),
    Other(char),
}

/// The text with each unknown as one leaf.
fn leaves(text: &str) -> Vec<Leaf> {
    let mut rest = text;
    let mut leaves = Vec::new();
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        if c != '?' {
            leaves.push(Leaf::Other(c));
            continue;
        }
        let fact = rest.strip_prefix("{div=").and_then(|fact| fact.split_once('}'));
        let known = fact.and_then(|(number, after)| Some((number.parse().ok()?, after)));
        if let Some((_, after)) = known {
            rest = after;
        }
        leaves.push(Leaf::Unknown(known.map_or(1, |(number, _)| number)));
    }
    leaves
}

/// The row with its unknowns named, and what divides each: `(?,?{div=8})` is `(U0{div=1},U1{div=8})`.
fn named(row: &Row) -> (Row, Vec<u64>) {
    let (mut row, mut divisors) = (row.clone(), Vec::new());
    for operand in &mut row.operands {
        let mut out = String::new();
        for leaf in leaves(operand) {
            match leaf {
                Leaf::Other(c) => out.push(c),
                Leaf::Unknown(div) => {
                    out.push_str(&format!("U{}{{div={div}}}", divisors.len()));
                    divisors.push(div);
                }
            }
        }
        *operand = out;
    }
    (row, divisors)
}

/// The text with numbers for names.
fn instantiated(text: &str, divisors: &[u64], values: &[u64]) -> String {
    // The last name first, so that U1 is not taken for the beginning of U12.
    let all = divisors.iter().zip(values).enumerate().rev();
    all.fold(text.to_owned(), |text, (at, (div, value))| {
        text.replace(&format!("U{at}{{div={div}}}"), &value.to_string()).replace(&format!("U{at}"), &value.to_string())
    })
}

/// Random numbers that are the same in every run.
struct Draw(u64);

impl Draw {
    fn new(seed: &str) -> Draw {
        Draw(
            seed.bytes()
                .fold(0x9e37_79b9_7f4a_7c15, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)),
        )
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// The law of our symbolic answer at random values; undecided when no instance could be judged.
pub(crate) fn law(row: &Row) -> Option<CheckResult> {
    let (row, divisors) = named(row);
    let Ours::Answer(answer) = operation::answer(&row) else {
        return None;
    };
    each(&row, &divisors, |instance, values| {
        let text = instantiated(&answer, &divisors, values);
        let value = match evaluate(&text) {
            Ok(answer) => operation::shown(&instance.op, &answer.value, Ints::Plain),
            Err(error) => return Some(Err(laws::misread(&format!("{text}: {error}")))),
        };
        let settled = settled(&instance.op, value);
        match laws::law(&instance.op, &instance.operands, &settled) {
            // The gap below a mode of a tile stays in the rest, also where an unknown extent of the mode is 1.
            Some(Err(violation)) if !violation.is_undecided() && has_unit_tile(&row, values) => {
                laws::covers(&instance.op, &instance.operands, &settled).or(Some(Err(violation)))
            }
            held => held,
        }
    })
}

/// Whether an unknown of the second operand has the value 1.
fn has_unit_tile(row: &Row, values: &[u64]) -> bool {
    let names = |at: usize| row.operands.get(1).is_some_and(|tiler| tiler.contains(&format!("U{at}{{")));
    values.iter().enumerate().any(|(at, value)| *value == 1 && names(at))
}

/// The law of our refusal at random values.
pub(crate) fn refusal(row: &Row) -> Option<CheckResult> {
    let (row, divisors) = named(row);
    each(&row, &divisors, |instance, _| laws::refusal(&instance.op, &instance.operands))
}

fn each(row: &Row, divisors: &[u64], judge: impl Fn(&Row, &[u64]) -> Option<CheckResult>) -> Option<CheckResult> {
    let mut draw = Draw::new(&row.id);
    let mut judged = None;
    for _ in 0..INSTANCES {
        let values: Vec<u64> = divisors.iter().map(|div| div * (1 + draw.below(LARGEST))).collect();
        let mut instance = row.clone();
        for operand in &mut instance.operands {
            *operand = instantiated(operand, divisors, &values);
        }
        match judge(&instance, &values)? {
            Err(violation) if !violation.is_undecided() => {
                let witness = format!("at {:?}: {}", instance.operands, violation.witness);
                return Some(Err(bitstride_oracle::laws::Violation { law: violation.law, witness }));
            }
            held => judged = if matches!(judged, Some(Ok(()))) { judged } else { Some(held) },
        }
    }
    judged
}

/// An unknown leaf keeps its mode even when its value is 1, so that only the function of such an answer is judged.
fn settled(op: &str, answer: String) -> String {
    if !matches!(op, "coalesce" | "filter") {
        return answer;
    }
    let coalesced = answer.parse::<Layout>().and_then(|layout| reference::coalesce(&layout));
    coalesced.map_or(answer, |layout| layout.to_string())
}
