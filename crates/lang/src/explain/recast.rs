//! Recast: which leaves shrink, which strides are divided, and where the parts of an element go.

use super::steps::{Steps, nesting};
use super::words::{leaves, quotient};
use crate::{Value, evaluate};
use bitstride::cute::{self, Layout};
use bitstride::{Error, Int, Integer, StrideLeaf, gcd};

/// `recast(L, old, new)`, `rescale(L, up, down)`, `upcast(L, n)` and `downcast(L, n)`.
pub(super) fn explain(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let Some(layout) = values.first() else { return Ok(()) };
    let number = |at: usize| values.get(at).map_or(Ok(1), Value::as_number);
    let (up, down) = match name {
        "upcast" => (number(1)?, 1),
        "downcast" => (1, number(1)?),
        "rescale" => (number(1)?, number(2)?),
        _ => {
            let (old, new) = (number(1)?, number(2)?);
            let common = gcd(old, new);
            let (Some(up), Some(down)) = (new.checked_div(common), old.checked_div(common)) else { return Ok(()) };
            (up, down)
        }
    };
    if let Value::Function(_) | Value::Offset(_) = layout {
        return Ok(());
    }
    let mut layout = steps.argument(layout)?;
    let ratio = match name {
        "recast" => format!("{} bits seen as {} bits: {up} old make {down} new. ", number(1)?, number(2)?),
        _ => String::new(),
    };
    if up != 1 {
        layout = upcast(&layout, up, &ratio, steps)?;
    }
    if down != 1 {
        let rule = format!(
            "{}every element becomes {down} neighbours: the mode of stride 1 grows {down} times, the other strides are multiplied by {down}: {}.",
            if up == 1 { ratio.as_str() } else { "Then " },
            each(&layout, &cute::downcast(&layout, down)?)
        );
        steps.add(super::words::sentence(&rule), format!("downcast({layout}, {down})"))?;
    }
    if up == 1 && down == 1 {
        steps.add(format!("{ratio}Nothing changes."), layout.to_string())?;
    }
    Ok(())
}

/// One step for each leaf, then the nesting.
fn upcast(layout: &Layout, n: i64, ratio: &str, steps: &mut Steps) -> Result<Layout, Error> {
    if layout.root().is_leaf() {
        return steps.layout(leaf_rule(layout, n, ratio), format!("upcast({layout}, {n})"));
    }
    let mut parts = Vec::new();
    for (at, (extent, stride)) in layout.extents().iter().zip(layout.strides()).enumerate() {
        let leaf = evaluate(&format!("{extent}:{stride}"))?.value.as_layout()?;
        let prefix = if at == 0 { ratio } else { "" };
        parts.push(steps.layout(leaf_rule(&leaf, n, prefix), format!("upcast({leaf}, {n})"))?.to_string());
    }
    steps.layout(format!("In the nesting of {layout}:"), nesting(layout.root(), &mut parts.into_iter()))
}

fn leaf_rule(leaf: &Layout, n: i64, prefix: &str) -> String {
    let (Some(extent), Some(stride)) = (leaf.extents().first(), leaf.strides().first()) else { return String::new() };
    let Some(stride) = stride.as_integer() else { return format!("{prefix}{leaf}") };
    let by = Int::from(n);
    let size = stride.abs().unwrap_or_else(|_| stride.clone());
    if stride.is(0) {
        return format!("{prefix}{leaf} stays at one place, whatever the size of an element.");
    }
    if extent.is(1) {
        return format!("{prefix}{leaf} has a single element, which lies at the start of a new one.");
    }
    if by.divides(&size) == Some(true) {
        let stride = size.quotient(&by).ok().map(|n| n.to_string()).unwrap_or_default();
        return format!(
            "{prefix}{leaf} steps over whole new elements, {size}/{n} = {stride} of them; its extent stays."
        );
    }
    let (Ok(joined), true) = (by.quotient(&size), size.divides(&by) == Some(true)) else {
        return format!("{prefix}{leaf} is seen in elements {n} times as large.");
    };
    let left = extent.ceil_div(&joined).map(|left| quotient(extent, &joined, &left)).unwrap_or_default();
    format!(
        "{prefix}{leaf} steps within a new element: {n}/{size} = {joined} of its elements lie in one, so {left} new ones are left, side by side."
    )
}

/// `2:4 becomes 2:8, 3:1 becomes 6:1`.
fn each(before: &Layout, after: &Layout) -> String {
    let pairs: Vec<String> =
        leaves(before).iter().zip(leaves(after)).map(|(a, b)| format!("{a} becomes {b}")).collect();
    pairs.join(", ")
}
