//! Coalesce and filter, mode by mode: what is dropped and what merges.

use super::steps::{Steps, concatenation};
use super::words::{leaves, list, path_text, sentence};
use crate::{Entry, Value};
use bitstride::cute::{self, CoalesceStep, Layout};
use bitstride::{Error, Int, Tuple};

/// `coalesce(L)` and `coalesce(L, profile)`.
pub(super) fn explain(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    match values {
        [layout] => {
            let layout = steps.argument(layout)?;
            whole(&layout, steps).map(drop)
        }
        [layout, Value::Tuple(profile)] => {
            let layout = steps.argument(layout)?;
            by_profile(&layout, profile, &mut Vec::new(), "coalesce", steps).map(drop)
        }
        _ => Ok(()),
    }
}

/// `filter(L)` and `filter(L, profile)`.
pub(super) fn filter(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    match values {
        [layout] => {
            let layout = steps.argument(layout)?;
            let kept = zeros(&layout, steps)?;
            whole(&kept, steps).map(drop)
        }
        [layout, Value::Tuple(profile)] => {
            let layout = steps.argument(layout)?;
            by_profile(&layout, profile, &mut Vec::new(), "filter", steps).map(drop)
        }
        _ => Ok(()),
    }
}

/// `filter_zeros(L)`.
pub(super) fn filter_zeros(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let layout = steps.argument(layout)?;
    zeros(&layout, steps).map(drop)
}

fn zeros(layout: &Layout, steps: &mut Steps) -> Result<Layout, Error> {
    let broadcast: Vec<String> = leaves(layout).into_iter().filter(|mode| mode.ends_with(":0")).collect();
    let rule = match broadcast.as_slice() {
        [] => "No mode has stride 0: there is no broadcast to take out.".into(),
        [only] => format!("The mode {only} has stride 0: all its elements lie at one place, so one is enough."),
        _ => format!(
            "The modes {} have stride 0: all their elements lie at one place, so one of each is enough.",
            list(&broadcast)
        ),
    };
    steps.layout(rule, format!("filter_zeros({layout})"))
}

/// One step for each mode that is dropped or merged, as the operation reports it.
pub(super) fn whole(layout: &Layout, steps: &mut Steps) -> Result<Layout, Error> {
    let mut events = Vec::new();
    let coalesced = cute::coalesce_traced(layout, &mut events)?.to_string();
    if coalesced == layout.to_string() {
        return steps.layout(settled(layout), format!("coalesce({layout})"));
    }
    let mut state = layout.clone();
    if layout.depth() > 1 {
        state = steps.layout(
            "Coalescing sees the leaves only, from left to right: the nesting goes.",
            format!("flatten({layout})"),
        )?;
    }
    // The modes that are kept, and behind them the one that the event is about.
    let mut kept: usize = 0;
    for event in events.iter().filter(|_| !layout.root().is_leaf()) {
        let modes = state.modes();
        let (before, mode) = (kept.checked_sub(1).and_then(|before| modes.get(before)), modes.get(kept));
        let (rule, expression) = match (event, before, mode) {
            (CoalesceStep::Dropped, _, Some(mode)) => (
                format!("{mode} has a single element, which lies at 0: it is dropped."),
                format!("remove({state}, {kept})"),
            ),
            (CoalesceStep::Merged { extent }, Some(before), Some(mode)) => {
                (merge(before, mode, extent), format!("coalesce[{}](group({state}, {0}, {}))", kept - 1, kept + 1))
            }
            _ => {
                kept += 1;
                continue;
            }
        };
        state = steps.layout(rule, expression)?;
    }
    if coalesced == state.to_string() {
        return Ok(state);
    }
    let rule = match state.rank() {
        0 => "Nothing is left: the layout of one element is 1:0.".into(),
        _ if state.root().is_leaf() => format!("{state} has a single element, which lies at 0; that is 1:0."),
        _ => "One mode is left: it stands without brackets.".to_owned(),
    };
    steps.layout(rule, format!("coalesce({state})"))
}

fn merge(mode: &Layout, next: &Layout, both: &Int) -> String {
    let (Some(n), Some(d), Some(m), Some(end)) =
        (mode.extents().first(), mode.strides().first(), next.extents().first(), next.strides().first())
    else {
        return "The two modes go on in one line.".into();
    };
    format!("{next} goes on where {mode} ends, since {n}*{d} = {end}: together {n}*{m} = {both} elements.")
}

/// Why no neighbours merge.
fn settled(layout: &Layout) -> String {
    let modes = layout.modes();
    let ends: Vec<String> = modes
        .iter()
        .zip(modes.iter().skip(1))
        .filter_map(|(mode, next)| {
            let (n, d) = (mode.extents().first()?, mode.strides().first()?);
            let end = bitstride::StrideLeaf::scale(d, n).ok()?;
            Some(format!("{mode} ends at {n}*{d} = {end}, but {next} steps by {}", next.strides().first()?))
        })
        .collect();
    if ends.is_empty() {
        return format!("{layout} is one mode: there is nothing to merge.");
    }
    format!("No mode goes on where the one before it ends: {}.", ends.join("; "))
}

/// One step for each leaf of the profile, and their concatenation.
fn by_profile(
    layout: &Layout,
    profile: &Tuple<Entry>,
    path: &mut Vec<usize>,
    name: &str,
    steps: &mut Steps,
) -> Result<Layout, Error> {
    if profile.is_leaf() {
        let rule = match path.as_slice() {
            [] => format!("The profile {profile} is one leaf: all of the layout at once."),
            path => sentence(&format!("mode {} on its own.", path_text(path))),
        };
        return steps.layout(rule, format!("{name}({layout})"));
    }
    let mut modes = Vec::new();
    let mut kept = Vec::new();
    for (at, mode) in layout.modes().iter().enumerate() {
        match profile.entries().get(at) {
            Some(entry) => {
                path.push(at);
                modes.push(by_profile(mode, entry, path, name, steps)?.to_string());
                path.pop();
            }
            None => {
                modes.push(mode.to_string());
                kept.push(mode.to_string());
            }
        }
    }
    let rule = match kept.as_slice() {
        [] => "The modes stay modes: they are put side by side.".into(),
        _ => format!("The modes stay modes: they are put side by side; the profile does not reach {}.", list(&kept)),
    };
    steps.layout(rule, concatenation(&modes))
}
