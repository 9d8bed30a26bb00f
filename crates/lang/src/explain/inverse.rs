//! Inverses and the nullspace: the chain of modes, and the two-line notation of both.

use super::coalesce;
use super::steps::{Steps, concatenation};
use super::words::{leaves, list};
use crate::Value;
use bitstride::cute::{self, ChainLink, Layout, UndoStep};
use bitstride::{Error, Int, Integer, Stride, StrideLeaf};

/// The two-line notation is written up to this many elements.
const MOST_LISTED: i64 = 32;

/// `right_inverse(L)`.
pub(super) fn right(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [value] = values else { return Ok(()) };
    let layout = steps.argument(value)?;
    two_lines(&layout, "What L does, in two lines: each index, and the offset it is sent to.", steps);
    let (flat, index) = index_steps(&layout, steps)?;
    if flat.strides().iter().any(|d| matches!(d, Stride::Basis(_))) {
        steps.add(
            "L maps to coordinates: one chain for each coordinate, from stride 1 on, nested as the coordinates are.",
            format!("right_inverse({flat})"),
        )?;
        return Ok(());
    }
    let mut links = Vec::new();
    cute::right_inverse_traced(&layout, &mut links)?;
    let chain: Vec<usize> = links.iter().map(|link| link.mode).collect();
    let (mut reached, mut words) = (Int::from(1), Vec::new());
    for ChainLink { extent, reached: from, .. } in &links {
        reached = from.mul(extent)?;
        words.push(format!("{extent}:{from} goes from {from} to {extent}*{from} = {reached}"));
    }
    if chain.is_empty() {
        steps.add(
            format!("No mode of {flat} has stride 1, so only the offset 0 has an index that is settled."),
            format!("right_inverse({layout})"),
        )?;
        return Ok(());
    }
    let missing = if chain.len() < flat.extents().len() {
        format!("; no mode goes on at stride {reached}, so the inverse ends there")
    } else {
        String::new()
    };
    let rule = format!(
        "The chain of modes from stride 1, each starting where the one before ends: {}{missing}. R takes the index steps of these modes in this order.",
        list(&words)
    );
    let inverse = steps.layout(rule, picked(&index, &chain))?;
    if cute::composition(&layout, &inverse).is_ok() {
        steps.add(
            "The law of a right inverse, L after R sends every i to i:",
            format!("coalesce(composition({layout}, {inverse}))"),
        )?;
    }
    two_lines(&inverse, "R in two lines: each offset, and the index that L sends there.", steps);
    Ok(())
}

/// `left_inverse(L)`.
pub(super) fn left(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [value] = values else { return Ok(()) };
    let layout = steps.argument(value)?;
    two_lines(&layout, "What L does, in two lines: each index, and the offset it is sent to.", steps);
    let (flat, index) = index_steps(&layout, steps)?;
    let mut events = Vec::new();
    cute::left_inverse_traced(&layout, &mut events)?;
    let (mut shape, mut strides, mut words) = (Vec::new(), vec!["0".to_owned()], Vec::new());
    let mut last = None;
    for event in &events {
        let UndoStep::Undone { extent, stride, below, gap, index: step } = event else {
            return interpolated(&layout, &flat, &index, steps);
        };
        let from = stride.abs()?;
        let undone = format!("the mode {extent}:{from} is undone by index steps of {step}");
        words.push(if gap.is(1) {
            format!("from offset {from} on, {undone}")
        } else {
            format!("up to offset {from} there are {from}/{below} = {gap} steps of what lies below, and from there on {undone}")
        });
        shape.push(gap);
        strides.push(step.to_string());
        last = Some(extent);
    }
    let pieces: Vec<String> = shape.into_iter().chain(last).zip(&strides).map(|(n, d)| format!("{n}:{d}")).collect();
    if words.is_empty() {
        return Ok(());
    }
    let rule = format!("R is read off the strides from the least on: {}.", words.join("; "));
    let inverse = steps.layout(rule, format!("coalesce({})", concatenation(&pieces)))?;
    way_back(&layout, &inverse, steps)
}

/// A left inverse that is no chain: it has the index steps at the strides.
fn interpolated(layout: &Layout, flat: &Layout, index: &Layout, steps: &mut Steps) -> Result<(), Error> {
    let pairs: Vec<String> =
        flat.strides().iter().zip(index.strides()).map(|(offset, step)| format!("{offset} to {step}")).collect();
    let inverse = steps.layout(
        format!(
            "The strides make no chain, so R is solved for: modes that end where the offsets of all modes add up, with strides that send {}, or other elements of the same places back to theirs.",
            list(&pairs)
        ),
        format!("left_inverse({layout})"),
    )?;
    way_back(layout, &inverse, steps)
}

/// R after L, and R in two lines.
fn way_back(layout: &Layout, inverse: &Layout, steps: &mut Steps) -> Result<(), Error> {
    if cute::composition(inverse, layout).is_ok() {
        let injective = layout.strides().iter().zip(layout.extents()).all(|(d, n)| !d.is_zero() || n.is(1));
        let rule = if injective {
            "R after L is the way back, every i to i where L is injective:"
        } else {
            "R after L is the way back to one index of each offset:"
        };
        steps.add(rule, format!("coalesce(composition({inverse}, {layout}))"))?;
    }
    two_lines(inverse, "R in two lines: each offset, and the index it comes from.", steps);
    Ok(())
}

/// `nullspace(L)`.
pub(super) fn nullspace(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [value] = values else { return Ok(()) };
    let layout = steps.argument(value)?;
    let flat = layout.flatten();
    let index = steps.layout(
        format!("The index steps of the modes of {layout}: each the product of the extents before it."),
        format!("column_major({})", flat.shape()),
    )?;
    let zeros: Vec<usize> = flat.strides().iter().enumerate().filter(|(_, d)| d.is_zero()).map(|(at, _)| at).collect();
    let modes = leaves(&flat);
    let named: Vec<&String> = zeros.iter().filter_map(|at| modes.get(*at)).collect();
    if named.is_empty() {
        steps.add(
            format!("No mode of {layout} has stride 0: only the index 0 is known to be sent to 0."),
            format!("nullspace({layout})"),
        )?;
    } else {
        steps.add(
            format!("Moving along {} changes no offset: those index steps are the nullspace.", list(&named)),
            picked(&index, &zeros),
        )?;
    }
    Ok(())
}

/// `max_common_layout(A, B)` and `max_common_vector(A, B)`.
pub(super) fn common(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    let (a, b) = (steps.argument(a)?, steps.argument(b)?);
    let inverse = steps.layout(
        format!("From which index does B = {b} reach each offset 0, 1, 2, …? Its right inverse says so."),
        format!("right_inverse({b})"),
    )?;
    if cute::composition(&a, &inverse).is_ok() {
        steps.layout(
            format!("Where does A = {a} put those indices? Its first mode counts as long as it has stride 1."),
            format!("coalesce(composition({a}, {inverse}))"),
        )?;
    }
    let common = steps
        .layout("As far as A puts index i at offset i too, both agree:", format!("max_common_layout({a}, {b})"))?;
    if name == "max_common_layout" {
        return Ok(());
    }
    steps.add("Its size is how many elements may move at once:", format!("size({common})"))?;
    Ok(())
}

/// The coalesced modes, and the layout of their index steps.
fn index_steps(layout: &Layout, steps: &mut Steps) -> Result<(Layout, Layout), Error> {
    let flat = if cute::coalesce(layout)?.to_string() == layout.to_string() {
        layout.clone()
    } else {
        coalesce::whole(layout, steps)?
    };
    let index = steps.layout(
        format!(
            "Which index steps move along the modes {}? The product of the extents before each:",
            list(&leaves(&flat))
        ),
        format!("column_major({})", flat.shape()),
    )?;
    Ok((flat, index))
}

/// Some modes of a flat layout, coalesced.
fn picked(layout: &Layout, positions: &[usize]) -> String {
    if layout.root().is_leaf() {
        return format!("coalesce({layout})");
    }
    match positions {
        [only] => format!("layout({layout}, {only})"),
        _ => {
            let positions: Vec<String> = positions.iter().map(usize::to_string).collect();
            format!("coalesce(select({layout}, {}))", positions.join(", "))
        }
    }
}

/// The values of a small layout as a list, which is drawn as two lines.
fn two_lines(layout: &Layout, rule: &str, steps: &mut Steps) {
    let small = layout.size().ok().and_then(|n| n.fixed()).is_some_and(|n| (1..=MOST_LISTED).contains(&n));
    let known = layout.strides().iter().all(|d| d.as_integer().is_some_and(|n| n.fixed().is_some()));
    if small && known {
        // A layout whose values leave 64 bits has no such line.
        let _ = steps.add(rule, format!("offsets({layout})"));
    }
}
