//! Composition: A coalesced, each mode of B walked over it, why nothing carries, and the concatenation.

use super::refusal;
use super::steps::{Steps, nesting};
use super::swizzle;
use super::tiler::mode_by_mode;
use super::walk::Walk;
use super::words::{path_text, sentence};
use crate::{Value, evaluate};
use bitstride::cute::{self, Function, Layout, Tiler, WalkStep};
use bitstride::{Error, Int, Integer, Node, Path, Stride, StrideLeaf};

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
    let mut events = Vec::new();
    cute::composition_traced(&a, b, &mut events)?;
    steps.layout(adding(&events, b, &account)?, expression)
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

/// What the modes of B along one coordinate take of the modes of A.
struct Account<'e> {
    path: Path,
    modes: &'e [(Int, Stride)],
    taken: Vec<&'e WalkStep<Int, Stride>>,
}

/// Why the parts add up, as the composition has reported it: what the modes of B together take of each mode of A.
fn adding(events: &[WalkStep<Int, Stride>], b: &Layout, leaves: &[Layout]) -> Result<String, Error> {
    let moving = |leaf: &&Layout| !leaf.extents().iter().all(|n| n.is(1)) && stride_text(leaf) != "0";
    if leaves.iter().filter(moving).count() < 2 {
        return Ok(format!("Only one mode of {b} moves, so nothing can carry. Put together in its profile:"));
    }
    // A stride along several modes is not walked.
    let walked = |leaf: &&Layout| leaf.strides().iter().all(|d| d.as_integer().is_some() || d.components().len() == 1);
    let mut walks = leaves.iter().filter(walked);
    let mut accounts: Vec<Account<'_>> = Vec::new();
    let mut current = None;
    for event in events {
        match event {
            WalkStep::Start { modes, .. } => {
                current = None;
                let Some(leaf) = walks.next().filter(moving) else { continue };
                let path = leaf.strides().first().and_then(|d| d.components().into_iter().next());
                let path = path.map(|(path, _)| path).unwrap_or_default();
                current = accounts.iter().position(|account| account.path == path).or_else(|| {
                    accounts.push(Account { path, modes, taken: Vec::new() });
                    Some(accounts.len() - 1)
                });
            }
            WalkStep::Taken { .. } => {
                if let Some(account) = current.and_then(|at| accounts.get_mut(at)) {
                    account.taken.push(event);
                }
            }
            _ => {}
        }
    }
    let is_proved = events.last() == Some(&WalkStep::Proved);
    let mut clauses = Vec::new();
    for Account { modes, taken, .. } in &accounts {
        for (at, (extent, stride)) in modes.iter().enumerate() {
            let (mut terms, mut reach) = (Vec::new(), None);
            for event in taken {
                if let WalkStep::Taken { mode, step, part, used, .. } = event
                    && *mode == at
                {
                    terms.push(format!("{}*{}", part.add(&Int::from(-1))?, step.abs()?));
                    reach = Some(used);
                }
            }
            let Some(reach) = reach else { continue };
            let fits = reach.add(&Int::from(1))?.at_most(extent) == Some(true);
            let limit = if fits { format!(" < {extent}") } else { format!(", of {extent}") };
            clauses.push(format!("in {extent}:{stride} they reach {} = {reach}{limit}", terms.join(" + ")));
        }
    }
    Ok(match (is_proved, clauses.is_empty()) {
        (true, true) if accounts.len() > 1 => {
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
