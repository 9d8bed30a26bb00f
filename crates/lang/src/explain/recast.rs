//! Recast: which leaves shrink, which strides are divided, and where the parts of an element go, as the operation reports it.

use super::steps::{Steps, nesting};
use super::words::{leaves, quotient, sentence};
use crate::Value;
use bitstride::cute::{self, RecastStep};
use bitstride::{Error, Int, Integer, gcd};

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
    let mut events = Vec::new();
    // What is refused is explained up to there.
    let _ = cute::rescale_traced(&layout, up, down, &mut events);
    // It introduces the first step.
    let mut ratio = match name {
        "recast" => format!("{} bits seen as {} bits: {up} old make {down} new. ", number(1)?, number(2)?),
        _ => String::new(),
    };
    if events.is_empty() && up == 1 && down == 1 {
        steps.add(format!("{ratio}Nothing changes."), layout.to_string())?;
    }
    let modes = leaves(&layout);
    let mut parts = Vec::new();
    for event in &events {
        let start = std::mem::take(&mut ratio);
        if let RecastStep::Parts { leaf } = event {
            let (before, after) = (leaves(&layout), leaves(&cute::downcast(&layout, down)?));
            let pairs: Vec<String> = before.iter().zip(after).map(|(a, b)| format!("{a} becomes {b}")).collect();
            let rule = format!(
                "{}every element becomes {down} neighbours: the mode {} takes them and grows {down} times, the other strides are multiplied by {down}: {}.",
                if up == 1 { start.as_str() } else { "Then " },
                before.get(*leaf).map(String::as_str).unwrap_or_default(),
                pairs.join(", ")
            );
            steps.add(sentence(&rule), format!("downcast({layout}, {down})"))?;
            continue;
        }
        let at = parts.len();
        let (Some(mode), Some(extent), Some(stride)) =
            (modes.get(at), layout.extents().get(at), layout.strides().get(at))
        else {
            break;
        };
        let rule = match event {
            RecastStep::Still => format!("{mode} stays at one place, whatever the size of an element."),
            RecastStep::Whole { stride: new } => {
                format!("{mode} steps over whole new elements, {stride}/{up} = {new} of them; its extent stays.")
            }
            RecastStep::Inside { .. } if extent.is(1) => {
                format!("{mode} has a single element, which lies at the start of a new one.")
            }
            RecastStep::Inside { joined, left } => inside(mode, extent, &stride.to_string(), up, joined, left),
            _ => break,
        };
        parts.push(steps.layout(format!("{start}{rule}"), format!("upcast({mode}, {up})"))?.to_string());
        if parts.len() == modes.len() && !layout.root().is_leaf() {
            let expression = nesting(layout.root(), &mut parts.iter().cloned());
            layout = steps.layout(format!("In the nesting of {layout}:"), expression)?;
        }
    }
    Ok(())
}

/// A mode that steps within a new element.
fn inside(mode: &str, extent: &Int, stride: &str, n: i64, joined: &Int, left: &Int) -> String {
    let size = stride.trim_start_matches('-');
    let rule = match joined.same(extent) {
        true => format!("its {extent} elements, {size} apart, all lie in one of {n}."),
        false => {
            let left = quotient(extent, joined, left);
            format!("{n}/{size} = {joined} of its elements lie in one, so {left} new ones are left, side by side.")
        }
    };
    format!("{mode} steps within a new element: {rule}")
}
