//! Relations between tuples, pair by pair of entries up to the one that decides, and what becomes of two integers.
//!
//! Whether a pair holds is what the relation itself answers of it.

use super::measure::shape_of;
use super::steps::Steps;
use super::words::{path_text, sentence};
use crate::{Entry, Value, evaluate};
use bitstride::{Error, Int, Integer, Tuple};

type Pair<'t> = [&'t Tuple<Entry>; 2];

/// `congruent`, `weakly_congruent`, `compatible`, `evenly_divides`, `lex_less`, `colex_less`, `elem_less`, `common_refinement` and
/// `common_coarsening` of two tuples.
pub(super) fn explain(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    entries(name, [&nesting(a)?, &nesting(b)?], &mut Vec::new(), steps).map(drop)
}

fn nesting(value: &Value) -> Result<Tuple<Entry>, Error> {
    match value {
        Value::Tuple(tuple) => Ok(tuple.clone()),
        other => Ok(shape_of(other)?.map(|n| Entry::Number(n.clone().into()))),
    }
}

/// Goes into two tuples, entry by entry, or says what the relation answers of them; whether that decides.
fn entries(name: &str, pair: Pair<'_>, path: &mut Vec<usize>, steps: &mut Steps) -> Result<bool, Error> {
    let [a, b] = pair;
    let inside = !a.is_leaf()
        && !b.is_leaf()
        && match name {
            "lex_less" | "colex_less" => true,
            "elem_less" => a.rank() <= b.rank(),
            "evenly_divides" => a.rank() >= b.rank(),
            _ => a.rank() == b.rank(),
        };
    if !inside {
        return said(name, pair, path, steps);
    }
    if name.ends_with("congruent") {
        steps.add(place(path, &ranks(pair, "alike")), format!("rank({})", text(b)))?;
    }
    let (left, right) = (a.entries(), b.entries());
    let common = left.len().min(right.len());
    for step in 0..common {
        // From the right, the last entries meet.
        let [i, j] = match name {
            "colex_less" => [left.len() - 1 - step, right.len() - 1 - step],
            _ => [step; 2],
        };
        let (Some(x), Some(y)) = (left.get(i), right.get(j)) else { break };
        path.push(i);
        let decides = entries(name, [x, y], path, steps)?;
        path.pop();
        if decides {
            // What entries have not in common, the whole may have.
            return if name == "common_coarsening" { said(name, pair, path, steps) } else { Ok(true) };
        }
    }
    if left.len() == right.len() || !name.starts_with("lex") && !name.starts_with("colex") {
        return Ok(false);
    }
    let rule =
        format!("{} has {} entries and {} has {}: the shorter one is less.", text(a), left.len(), text(b), right.len());
    steps.add(place(path, &rule), format!("{name}({}, {})", text(a), text(b)))?;
    Ok(true)
}

/// What the relation answers of a pair that is looked at as a whole, and whether that decides.
fn said(name: &str, pair: Pair<'_>, path: &[usize], steps: &mut Steps) -> Result<bool, Error> {
    let [a, b] = pair.map(text);
    let ask = |a: &str, b: &str| evaluate(&format!("{name}({a}, {b})")).map(|answer| answer.value);
    let size = |tuple: &str| Ok::<_, Error>(evaluate(&format!("size({tuple})"))?.value.to_string());
    let answer = match ask(&a, &b) {
        Ok(answer) => answer,
        Err(error) => {
            steps.add(place(path, &format!("{}.", error.message())), format!("size({b})"))?;
            return Ok(true);
        }
    };
    let holds = answer == Value::Bool(true);
    let (rule, decides) = match name {
        "congruent" | "weakly_congruent" => {
            let verdict = match (holds, pair.map(Tuple::is_leaf)) {
                (true, [true, false]) => "a leaf may become any tuple",
                (true, _) => "alike",
                (false, _) => "not alike",
            };
            (ranks(pair, verdict), !holds)
        }
        "compatible" if pair[0].is_leaf() => {
            let verdict = if holds { "the same, so every index of it is a coordinate there" } else { "not as many" };
            (format!("in the place of {a} stands {b}, with {} elements: {verdict}.", size(&b)?), !holds)
        }
        "compatible" => (ranks(pair, "no coordinate of one is one of the other"), true),
        "evenly_divides" if pair[1].is_leaf() => {
            let tiles = size(&format!("ceil_div({a}, {b})"))?;
            let verdict = if holds { "no more, so they fill it" } else { "so they do not fill it" };
            let all = steps.add(
                place(path, &format!("in {a} there is room for {tiles} tiles of {b}, which cover:")),
                format!("{b}*{tiles}"),
            )?;
            (format!("they cover {all} of {}, {verdict}.", size(&a)?), !holds)
        }
        "evenly_divides" => (format!("{b} has more entries than {a}, so it is no tile of it."), true),
        "common_refinement" | "common_coarsening" => {
            let which = if name == "common_refinement" { "finer" } else { "coarser" };
            let size = size(&a)?;
            let rule = match answer.to_string() {
                found if found == a || found == b => {
                    format!("{a} and {b} both have {size} elements. The {which} one is {found}.")
                }
                found => format!("{a} and {b} split {size} elements in different ways, so only {found} is left."),
            };
            (rule, false)
        }
        "elem_less" if pair.iter().all(|tuple| tuple.is_leaf()) => {
            let verdict = if holds { "less, as every one has to be" } else { "not less, which decides" };
            (format!("{a} beside {b} is {verdict}."), !holds)
        }
        "elem_less" => (format!("{a} has more entries than {b}, so it is none of its coordinates."), true),
        _ => {
            let greater = !holds && ask(&b, &a)? == Value::Bool(true);
            let verdict = match (holds, greater) {
                (true, _) => "less, which decides",
                (_, true) => "greater, which decides",
                _ => "equal, so the next one decides",
            };
            (format!("{a} beside {b} is {verdict}."), holds || greater)
        }
    };
    steps.add(place(path, &rule), format!("{name}({a}, {b})"))?;
    Ok(decides)
}

/// A sentence about the pair at a path.
fn place(path: &[usize], rule: &str) -> String {
    if path.is_empty() { sentence(rule) } else { format!("At {}, {rule}", path_text(path)) }
}

fn text(tuple: &Tuple<Entry>) -> String {
    Value::Tuple(tuple.clone()).to_string()
}

fn ranks(pair: Pair<'_>, verdict: &str) -> String {
    let [a, b] = pair.map(|tuple| match tuple.is_leaf() {
        true => format!("{} is a leaf", text(tuple)),
        false => format!("{} is a tuple of {}", text(tuple), tuple.rank()),
    });
    format!("{a}, and {b}: {verdict}.")
}

/// `add`, `div`, `mod` and `min` of integers.
pub(super) fn integers(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let numbers: Result<Vec<Int>, Error> = values.iter().map(Value::as_int).collect();
    let numbers = numbers?;
    if name == "add" {
        let mut texts = numbers.iter().map(Int::to_string);
        let mut sum = texts.next().unwrap_or_else(|| "0".to_owned());
        for text in texts {
            let rule = match (sum.parse::<i64>(), text.parse::<i64>()) {
                (Ok(_), Ok(_)) => format!("{text} is added to {sum}."),
                _ => format!("{text} is added to {sum}; what is not known stays in the sum."),
            };
            sum = steps.add(rule, format!("add({sum}, {text})"))?.to_string();
        }
        return Ok(());
    }
    let [left, right] = numbers.as_slice() else { return Ok(()) };
    let (Some(a), Some(b)) = (left.value(), right.value()) else {
        let rule = format!("{left} and {right} are not both known, so the answer stays an expression of them.");
        steps.add(rule, format!("{name}({left}, {right})"))?;
        return Ok(());
    };
    if name == "min" {
        let verdict = if a < b { "less than" } else { "not less than" };
        steps.add(format!("{left} is {verdict} {right}:"), format!("elem_less({left}, {right})"))?;
        return Ok(());
    }
    let Ok(quotient) = (if name == "floor_div" { a.floor_div(&b) } else { a.quotient(&b) }) else { return Ok(()) };
    let Some(whole) = quotient.checked_mul(b) else { return Ok(()) };
    let Some(rest) = a.checked_sub(whole) else { return Ok(()) };
    let way = if name == "floor_div" { "rounding down" } else { "towards zero" };
    let rule = format!("{b} goes into {a} {quotient} times, {way}, and {rest} is left:");
    steps.add(rule, format!("add({whole}, {rest})"))?;
    Ok(())
}
