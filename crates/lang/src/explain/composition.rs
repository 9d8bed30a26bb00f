//! Composition: A coalesced, each mode of B walked over it, why nothing carries, and the concatenation.

use super::refusal;
use super::steps::{Steps, nesting};
use super::swizzle;
use super::tiler::mode_by_mode;
use super::walk::{Taken, Walk};
use super::words::{path_text, sentence};
use crate::{Value, evaluate};
use bitstride::cute::{self, Function, Layout, Tiler};
use bitstride::{Error, Int, Integer, Node, StrideLeaf};

/// `composition(A, B)` for operands of every kind.
pub(super) fn explain(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    let outer = a.as_function()?;
    if !matches!(outer, Function::Layout(_)) || matches!(b, Value::Function(_) | Value::Offset(_)) {
        return swizzle::composition(&outer, b, steps);
    }
    let layout = steps.argument(a)?;
    match b.as_tiler()? {
        Tiler::Layout(inner) => layouts(&layout, &inner, steps).map(drop),
        tiler => mode_by_mode(&layout, &tiler, true, steps, &mut |mode, tile, place, steps| {
            let tile = match tile {
                Tiler::Extent(n) => format!("{n}:1"),
                tile => tile.to_string(),
            };
            let inner = Value::Layout(evaluate(&tile)?.value.as_layout()?).as_layout()?;
            one(mode, &inner, &format!("{place} is {mode}, tiled by {inner}: "), steps)
        })
        .map(drop),
    }
}

/// `with_shape(L, S)`.
pub(super) fn with_shape(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, shape] = values else { return Ok(()) };
    let compact = steps.layout(
        "The compact layout of the shape numbers its coordinates as the flat index does.",
        format!("column_major({shape})"),
    )?;
    explain(&[layout.clone(), Value::Layout(compact)], steps)
}

/// The composite of two layouts; a refusal is shown at the coordinates that contradict each other.
pub(super) fn layouts(a: &Layout, b: &Layout, steps: &mut Steps) -> Result<Layout, Error> {
    walked(a, b, steps).inspect_err(|_| refusal::show(a, b, steps))
}

fn walked(a: &Layout, b: &Layout, steps: &mut Steps) -> Result<Layout, Error> {
    let a = coalesced(a, b, steps)?;
    if b.root().is_leaf() {
        return one(&a, b, "", steps);
    }
    let mut parts = Vec::new();
    let mut account = Vec::new();
    for (path, leaf) in leaf_modes(b, b.root(), &mut Vec::new()) {
        let place = format!("Mode {} is {leaf}: ", path_text(&path));
        parts.push(one(&a, &leaf, &place, steps)?.to_string());
        account.push(leaf);
    }
    let mut parts = parts.into_iter();
    let expression = nesting(b.root(), &mut parts);
    // Evaluated first: what does not add up is refused as a whole, not answered part by part.
    cute::composition(&a, b)?;
    steps.layout(adding(&a, b, &account)?, expression)
}

/// One mode of B over A.
fn one(a: &Layout, leaf: &Layout, place: &str, steps: &mut Steps) -> Result<Layout, Error> {
    let words = words(a, leaf)?;
    let rule = match leaf.extents().first() {
        Some(n) if leaf.root().is_leaf() && place.is_empty() => {
            format!("{n} steps of {}: {words}", stride_text(leaf))
        }
        _ => words,
    };
    steps.layout(sentence(&format!("{place}{rule}")), format!("composition({a}, {leaf})"))
}

fn stride_text(leaf: &Layout) -> String {
    leaf.strides().first().map(ToString::to_string).unwrap_or_default()
}

/// The walk in words, where they name the answer; else that the digits were found by the exact check.
fn words(a: &Layout, b: &Layout) -> Result<String, Error> {
    let (answer, walk) = Walk::of(a, b)?;
    let ([n], [d]) = (b.extents(), b.strides()) else {
        return Ok(format!("{a} takes the values of {answer} on {b}."));
    };
    let Some(walk) = walk else {
        return Ok(format!("{d} steps through several modes of {a} at once, which add up to {answer}."));
    };
    if !walk.names(&answer)? {
        return Ok(format!(
            "{n} steps of {d} do not meet the modes of {a} evenly, but the exact check of all values finds {answer}."
        ));
    }
    let along = match (d.as_integer(), d.components().first()) {
        (None, Some((path, _))) => {
            format!("{d} points along mode {} of {a}, {}; ", path_text(path), a.get(path)?)
        }
        _ => String::new(),
    };
    Ok(format!("{along}{}", walk.words()?))
}

/// A with fewer modes, where that is the same function beyond its size too.
fn coalesced(a: &Layout, b: &Layout, steps: &mut Steps) -> Result<Layout, Error> {
    let coalesced = cute::coalesce(a)?;
    let same_end = coalesced.strides().last() == a.strides().last()
        || a.extents().last().is_some_and(|n| !n.is(1)) && !a.extents().is_empty();
    let plain = b.strides().iter().all(|d| d.as_integer().is_some());
    if coalesced.to_string() == a.to_string() || !plain || !same_end || a.extents().is_empty() {
        return Ok(a.clone());
    }
    if let (Ok(before), Ok(after)) = (cute::composition(a, b), cute::composition(&coalesced, b))
        && before != after
    {
        return Ok(a.clone());
    }
    let rule = if coalesced.root().is_leaf() {
        format!("{a} is one line: each of its modes goes on where the one before ends.")
    } else {
        format!("{a} is walked in as few modes as possible: nesting, size-1 modes and seams do not count.")
    };
    let expression = format!("coalesce({a})");
    if steps.0.iter().any(|step| step.expression == expression) {
        return Ok(coalesced);
    }
    steps.layout(rule, expression)
}

/// Why the parts add up: what the modes of B together take of each mode of A.
fn adding(a: &Layout, b: &Layout, leaves: &[Layout]) -> Result<String, Error> {
    let moving: Vec<&Layout> =
        leaves.iter().filter(|leaf| !leaf.extents().iter().all(|n| n.is(1)) && stride_text(leaf) != "0").collect();
    if moving.len() < 2 {
        return Ok(format!("Only one mode of {b} moves, so nothing can carry. Put together in its profile:"));
    }
    let mut along: Vec<(Vec<usize>, Walk, Vec<Taken>)> = Vec::new();
    for leaf in &moving {
        let [d] = leaf.strides() else { continue };
        let components = d.components();
        let ([(path, _)], (_, Some(walk))) = (components.as_slice(), Walk::of(a, leaf)?) else {
            return Ok("The exact check of all values finds that they add up. Put together in its profile:".into());
        };
        let taken = walk.taken()?;
        match along.iter_mut().find(|(known, _, _)| known == path) {
            Some((_, _, all)) => all.extend(taken),
            None => along.push((path.clone(), walk, taken)),
        }
    }
    let mut clauses = Vec::new();
    let mut sure = true;
    for (_, walk, taken) in &along {
        sure &= !(taken.iter().any(|t| t.negative) && taken.iter().any(|t| !t.negative));
        for at in 0..walk.lower() {
            let here: Vec<&Taken> = taken.iter().filter(|t| t.mode == at).collect();
            if here.is_empty() {
                continue;
            }
            let mut reach = Int::from(0);
            let mut terms = Vec::new();
            for t in &here {
                let steps = t.steps.add(&Int::from(-1))?;
                reach = reach.add(&steps.mul(&t.size)?)?;
                terms.push(format!("{steps}*{}", t.size));
            }
            let fits = walk.extent(at).and_then(|extent| reach.add(&Int::from(1)).ok()?.at_most(extent));
            sure &= fits == Some(true);
            let extent = walk.extent(at).map(ToString::to_string).unwrap_or_default();
            clauses.push(match fits {
                Some(true) => {
                    format!("in {} they reach {} = {reach} < {extent}", walk.mode(at), terms.join(" + "))
                }
                _ => format!("in {} they reach {} = {reach}, of {extent}", walk.mode(at), terms.join(" + ")),
            });
        }
    }
    Ok(match (sure, clauses.is_empty()) {
        (true, true) if along.len() > 1 => {
            format!(
                "Nothing carries: the modes of {b} move along coordinates of their own. Put together in its profile:"
            )
        }
        (true, true) => {
            format!(
                "Nothing carries: the modes of {b} move in the last mode only, which goes on. Put together in its profile:"
            )
        }
        (true, false) => {
            format!("Nothing carries, all modes of {b} together: {}. Put together in its profile:", clauses.join(", "))
        }
        (false, _) => {
            let far = if clauses.is_empty() { String::new() } else { format!(" ({})", clauses.join("; ")) };
            format!(
                "The reach of the modes of {b} does not settle that nothing carries{far}; the exact check of all values finds that they add up. Put together in its profile:"
            )
        }
    })
}

fn leaf_modes(b: &Layout, node: Node<'_>, path: &mut Vec<usize>) -> Vec<(Vec<usize>, Layout)> {
    if node.is_leaf() {
        return b.get(path).map(|leaf| vec![(path.clone(), leaf)]).unwrap_or_default();
    }
    let mut all = Vec::new();
    for (at, child) in node.children().enumerate() {
        path.push(at);
        all.extend(leaf_modes(b, child, path));
        path.pop();
    }
    all
}
