//! Two tuples side by side: the pairs of entries, up to the first that decides.

use super::measure::shape_of;
use super::steps::Steps;
use super::words::path_text;
use crate::{Entry, Value};
use bitstride::{Error, Int, Integer, Tuple};

/// `congruent(A, B)` and `weakly_congruent(A, B)`: where one has a leaf, what the other has.
pub(super) fn congruent(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    alike(name == "weakly_congruent", &nesting(a)?, &nesting(b)?, &mut Vec::new(), steps).map(drop)
}

fn nesting(value: &Value) -> Result<Tuple<Entry>, Error> {
    match value {
        Value::Tuple(tuple) => Ok(tuple.clone()),
        other => Ok(other.as_function()?.domain()?.shape().map(|n| Entry::Number(n.clone().into()))),
    }
}

/// Goes on as long as both are nested alike.
fn alike(
    weak: bool,
    a: &Tuple<Entry>,
    b: &Tuple<Entry>,
    path: &mut Vec<usize>,
    steps: &mut Steps,
) -> Result<bool, Error> {
    let place = if path.is_empty() { String::new() } else { format!("At {}: ", path_text(path)) };
    let (left, right) = (Value::Tuple(a.clone()), Value::Tuple(b.clone()));
    let rank = |tuple: &Tuple<Entry>| {
        if tuple.is_leaf() { "a leaf".to_owned() } else { format!("a tuple of {}", tuple.rank()) }
    };
    let holds = match (a.is_leaf(), b.is_leaf()) {
        (true, true) => true,
        (true, false) => weak,
        (false, true) => false,
        (false, false) => a.rank() == b.rank(),
    };
    let verdict = match (holds, a.is_leaf() && !b.is_leaf()) {
        (true, true) => "a leaf may become any tuple",
        (true, false) => "alike",
        (false, _) => "not alike",
    };
    let rule = format!("{place}{left} is {}, and {right} is {}: {verdict}.", rank(a), rank(b));
    // A leaf has no depth.
    let measure = if b.is_leaf() { "depth" } else { "rank" };
    steps.add(super::words::sentence(&rule), format!("{measure}({right})"))?;
    if !holds || a.is_leaf() {
        return Ok(holds);
    }
    for (at, (a, b)) in a.entries().iter().zip(b.entries()).enumerate() {
        path.push(at);
        let holds = alike(weak, a, &b, path, steps)?;
        path.pop();
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `evenly_divides(S, T)`: what whole tiles cover, beside what there is.
pub(super) fn divides(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [shape, tile] = values else { return Ok(()) };
    covered(&shape_of(shape)?, &shape_of(tile)?, steps).map(drop)
}

fn covered(shape: &Tuple<Int>, tile: &Tuple<Int>, steps: &mut Steps) -> Result<bool, Error> {
    if let Some(extent) = tile.as_leaf() {
        let tiles = bitstride::ceil_div(shape, tile)?.size()?;
        let (all, size) = (extent.mul(&tiles)?, shape.size()?);
        let verdict = if all.same(&size) { "no more, so they fill it" } else { "so they do not fill it" };
        let rule =
            format!("In {shape} there is room for {tiles} tiles of {extent}. They cover {all} of {size}, {verdict}.");
        steps.add(rule, format!("{extent}*{tiles}"))?;
        return Ok(all.same(&size));
    }
    if tile.rank() > shape.rank() || shape.is_leaf() {
        let rule = format!("{tile} has more entries than {shape}, so it is no tile of it.");
        steps.add(rule, format!("rank({tile})"))?;
        return Ok(false);
    }
    for (shape, tile) in shape.entries().iter().zip(tile.entries()) {
        if !covered(shape, &tile, steps)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `common_refinement(S, T)` and `common_coarsening(S, T)`: where one has a leaf, the other's entry or the leaf.
pub(super) fn common(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    meeting(name == "common_refinement", &shape_of(a)?, &shape_of(b)?, &mut Vec::new(), steps)
}

fn meeting(finer: bool, a: &Tuple<Int>, b: &Tuple<Int>, path: &mut Vec<usize>, steps: &mut Steps) -> Result<(), Error> {
    let place = if path.is_empty() { String::new() } else { format!("at {}, ", path_text(path)) };
    let (left, right) = (a.size()?, b.size()?);
    let same = left.same(&right);
    if a.is_leaf() || b.is_leaf() || a.rank() != b.rank() {
        let (leaf, other) = if a.is_leaf() { (a, b) } else { (b, a) };
        let rule = match (same, finer, leaf.is_leaf()) {
            (false, ..) => {
                format!("{place}{a} has {left} elements and {b} has {right}: no shape is compatible with both.")
            }
            (_, true, true) => format!("{place}{a} and {b} both have {left} elements. The finer one is {other}."),
            (_, false, true) => format!("{place}{a} and {b} both have {left} elements. The coarser one is {leaf}."),
            (_, true, false) => format!("{place}{a} and {b} split {left} elements in different ways."),
            (_, false, false) => {
                format!("{place}{a} and {b} split {left} elements in different ways, so only {left} is left.")
            }
        };
        let value = match (same, finer, leaf.is_leaf()) {
            (true, true, true) => other.to_string(),
            (true, false, true) => leaf.to_string(),
            _ => format!("size({b})"),
        };
        steps.add(super::words::sentence(&rule), value)?;
        return Ok(());
    }
    for (at, (a, b)) in a.entries().iter().zip(b.entries()).enumerate() {
        path.push(at);
        meeting(finer, a, &b, path, steps)?;
        path.pop();
    }
    Ok(())
}

/// `lex_less`, `colex_less` and `elem_less`: pairs of leaves up to the one that decides.
pub(super) fn less(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    let order = match name {
        "lex_less" => Order::Leftmost,
        "colex_less" => Order::Rightmost,
        _ => Order::All,
    };
    decided(order, &shape_of(a)?, &shape_of(b)?, &mut Vec::new(), steps).map(drop)
}

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Leftmost,
    Rightmost,
    All,
}

/// Whether the pairs so far decide.
fn decided(
    order: Order,
    a: &Tuple<Int>,
    b: &Tuple<Int>,
    path: &mut Vec<usize>,
    steps: &mut Steps,
) -> Result<bool, Error> {
    if let (Some(left), Some(right)) = (a.as_leaf(), b.as_leaf()) {
        let place = if path.is_empty() { String::new() } else { format!("at {}, ", path_text(path)) };
        let (Some(x), Some(y)) = (left.value(), right.value()) else {
            let rule = format!("{place}{left} and {right}: whether they differ has to be known.");
            steps.add(super::words::sentence(&rule), format!("elem_less({left}, {right})"))?;
            return Ok(false);
        };
        let (verdict, decides) = match (order, x.cmp(&y)) {
            (Order::All, std::cmp::Ordering::Less) => ("less, as every one has to be", false),
            (Order::All, _) => ("not less, which decides", true),
            (_, std::cmp::Ordering::Equal) => ("equal, so the next one decides", false),
            (_, std::cmp::Ordering::Less) => ("less, which decides", true),
            (_, std::cmp::Ordering::Greater) => ("greater, which decides", true),
        };
        let rule = format!("{place}{x} beside {y} is {verdict}.");
        steps.add(super::words::sentence(&rule), format!("elem_less({left}, {right})"))?;
        return Ok(decides);
    }
    if a.is_leaf() || b.is_leaf() {
        let rule = format!("{a} and {b} cannot be ordered: a leaf meets a tuple.");
        steps.add(rule, format!("rank({b})"))?;
        return Ok(true);
    }
    let (left, right) = (a.entries(), b.entries());
    let last = left.len().max(right.len());
    for step in 0..left.len().min(right.len()) {
        // From the right, the last entries meet.
        let [i, j] = match order {
            Order::Rightmost => [left.len() - 1 - step, right.len() - 1 - step],
            _ => [step, step],
        };
        let (Some(x), Some(y)) = (left.get(i), right.get(j)) else { break };
        path.push(i);
        let decides = decided(order, x, y, path, steps)?;
        path.pop();
        if decides {
            return Ok(true);
        }
    }
    if left.len() != right.len() {
        let rule =
            format!("{a} has {} entries and {b} has {}, of {last}: the shorter one is less.", left.len(), right.len());
        steps.add(rule, format!("rank({b})"))?;
    }
    Ok(false)
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
    let (Some(quotient), Some(rest)) = (a.checked_div(b), a.checked_rem(b)) else { return Ok(()) };
    let Some(whole) = quotient.checked_mul(b) else { return Ok(()) };
    let rule = format!("{b} goes into {a} {quotient} times, towards zero, and {rest} is left:");
    steps.add(rule, format!("add({whole}, {rest})"))?;
    Ok(())
}
