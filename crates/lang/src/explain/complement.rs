//! Complement: the modes by stride, each gap below them, and the repetitions up to the target.

use super::coalesce;
use super::measure::shape_of;
use super::steps::{Steps, concatenation};
use super::words::{leaves, list};
use crate::{Value, evaluate};
use bitstride::cute::{self, Layout};
use bitstride::{Error, Int, Integer, Tuple, ceil_div};

/// `complement(L, target)` and `complement(L)`.
pub(super) fn explain(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let Some(first) = values.first() else { return Ok(()) };
    let layout = steps.argument(first)?;
    let target = values.get(1).map(shape_of).transpose()?;
    let filtered = filtered(&layout, steps)?;
    let target = match target {
        Some(target) => target,
        None => Tuple::leaf(
            steps
                .add(
                    "Without a target the layout's own reach is the target: its cosize.",
                    format!("cosize({filtered})"),
                )?
                .as_int()?,
        ),
    };
    gaps(&filtered, &target, steps).map(drop)
}

/// The complement as one step of a longer explanation.
pub(super) fn brief(layout: &Layout, target: &Tuple<Int>, place: &str, steps: &mut Steps) -> Result<Layout, Error> {
    let answer = evaluate(&format!("complement({layout}, {target})"))?.value;
    let rule = if answer.to_string() == "1:0" {
        format!("{place}{layout} leaves nothing free up to {target}, so its complement has one element.")
    } else {
        let filtered = cute::filter(layout)?;
        let (reach, room) = (cute::cosize(&filtered)?, target.size()?);
        if filtered.size()?.same(&reach) {
            format!("{place}{layout} fills {reach} of {room} places; its complement repeats it until all are covered.")
        } else {
            format!(
                "{place}{layout} reaches over {reach} of {room} places and leaves gaps; its complement fills these and repeats all until the {room} are covered."
            )
        }
    };
    steps.layout(rule, format!("complement({layout}, {target})"))
}

fn filtered(layout: &Layout, steps: &mut Steps) -> Result<Layout, Error> {
    let filtered = cute::filter(layout)?;
    if filtered.to_string() == layout.to_string() {
        return Ok(filtered);
    }
    let zeros = layout.strides().iter().any(bitstride::StrideLeaf::is_zero);
    let rule = if zeros {
        "Stride-0 and size-1 modes fill nothing, and modes in one line count as one:"
    } else {
        "Modes in one line count as one, and size-1 modes fill nothing:"
    };
    if zeros {
        return steps.layout(rule, format!("filter({layout})"));
    }
    if layout.root().is_leaf() {
        return steps.layout(rule, format!("filter({layout})"));
    }
    coalesce::whole(layout, steps)
}

/// The modes of a filtered layout from the least stride on, the gap below each, and what is left up to the target.
fn gaps(filtered: &Layout, target: &Tuple<Int>, steps: &mut Steps) -> Result<Layout, Error> {
    let sorted = by_stride(filtered, steps)?;
    let mut below = Int::from(1);
    let mut pieces = Vec::new();
    let mut filled = String::new();
    for (extent, stride) in sorted.extents().iter().zip(sorted.strides()) {
        let Some(stride) = bitstride::StrideLeaf::as_integer(stride) else { return Ok(sorted) };
        if stride.is(0) {
            continue;
        }
        let top = stride.mul(extent)?;
        if below.at_most(stride) == Some(false) {
            // The call itself refuses, with the same numbers.
            return Ok(sorted);
        }
        let gap = stride.quotient(&below)?;
        let reach = format!("{extent}:{stride} fills up to {extent}*{stride} = {top}");
        if gap.is(1) {
            filled.push_str(&format!("{reach}, without a gap below it. "));
        } else {
            let copies = if below.divides(stride) == Some(false) {
                format!("{stride}/{below}, rounded down to {gap}, copies")
            } else {
                format!("{stride}/{below} = {gap} copies")
            };
            let places = if below.is(1) { "1 place is".into() } else { format!("{below} places are") };
            steps.add(
                format!(
                    "{filled}{extent}:{stride} steps by {stride}, but only {places} taken below: {copies} fit there, {gap}:{below}."
                ),
                format!("div({stride}, {below})"),
            )?;
            filled = format!("{reach}. ");
        }
        if !gap.is(1) {
            pieces.push(format!("{gap}:{below}"));
        }
        below = top;
    }
    let rest = ceil_div(target, &Tuple::leaf(below.clone()))?;
    let from = if below.is(1) { "1 place is taken".into() } else { format!("{below} places are taken") };
    let rule = if rest.leaves().iter().all(|n| n.is(1)) {
        format!("{filled}{from}, which reaches the target {target}: there is nothing to repeat.")
    } else {
        format!("{filled}{from}; copies of them, {below} apart, go on up to the target {target}:")
    };
    steps.add(rule, format!("ceil_div({target}, {below})"))?;
    for extent in rest.leaves() {
        pieces.push(format!("{extent}:{below}"));
        below = below.mul(extent)?;
    }
    let coalesced = format!("coalesce({})", concatenation(&pieces));
    let answer = cute::complement(filtered, target)?;
    let short = evaluate(&coalesced)?.value.as_layout()?;
    if short == answer {
        return steps.layout("The gaps and the repetitions together are the complement; coalesced:", coalesced);
    }
    steps.layout("The gaps and the repetitions together, coalesced:", coalesced)?;
    steps.add(
        format!(
            "A gap is uneven, so that with the layout they reach less than the target {target}; the last mode goes on until it is reached:"
        ),
        format!("cosize(make_layout({filtered}, {short}))"),
    )?;
    Ok(answer)
}

/// The modes in the order of their strides.
fn by_stride(layout: &Layout, steps: &mut Steps) -> Result<Layout, Error> {
    if layout.root().is_leaf() {
        return Ok(layout.clone());
    }
    let order = order_by_stride(layout);
    if order.iter().copied().eq(0..order.len()) {
        return Ok(layout.clone());
    }
    let modes = leaves(layout);
    let sorted: Vec<&String> = order.iter().filter_map(|at| modes.get(*at)).collect();
    let positions: Vec<String> = order.iter().map(usize::to_string).collect();
    steps.layout(
        format!("From the least stride on: {}.", list(&sorted)),
        format!("select({layout}, {})", positions.join(", ")),
    )
}

/// The positions of the flat modes, least stride first.
pub(super) fn order_by_stride(layout: &Layout) -> Vec<usize> {
    let mut order: Vec<usize> = (0..layout.strides().len()).collect();
    order.sort_by_key(|at| {
        layout.strides().get(*at).and_then(bitstride::StrideLeaf::as_integer).and_then(Integer::value)
    });
    order
}

#[cfg(test)]
mod tests {
    use crate::evaluate;
    use crate::explain::explain;

    /// The gaps and repetitions are the answer, or a step says that they are short of the target.
    #[test]
    fn the_steps_end_at_the_answer() {
        let (mut whole, mut short) = (0, 0);
        for (first, second, stride) in
            (2..5_i64).flat_map(|a| (2..4_i64).flat_map(move |b| (1..20_i64).map(move |d| (a, b, d))))
        {
            for inner in 1..4 {
                for target in [1, 7, 24, 48, 97] {
                    let text = format!("complement(({first},{second}):({inner},{stride}), {target})");
                    let Ok(answer) = evaluate(&text) else { continue };
                    let explanation = explain(&text).expect("as the answer");
                    let values: Vec<(&str, String)> =
                        explanation.steps().map(|step| (step.expression.as_str(), step.value.to_string())).collect();
                    let pieces = values.iter().rfind(|(expression, _)| expression.starts_with("coalesce("));
                    let Some((_, pieces)) = pieces else { continue };
                    let reach = values.iter().find(|(expression, _)| expression.starts_with("cosize(make_layout("));
                    match reach {
                        None => assert_eq!(*pieces, answer.value.to_string(), "{text}"),
                        Some((_, reach)) => {
                            assert!(reach.parse::<i64>().is_ok_and(|reach| reach < target), "{text}: {reach}");
                            short += 1;
                        }
                    }
                    whole += 1;
                }
            }
        }
        assert!(whole > 500 && short > 5, "{whole}, {short}");
    }
}
