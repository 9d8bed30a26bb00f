//! Complement: the modes by stride, each gap below them, and the repetitions up to the target.

use super::coalesce;
use super::measure::shape_of;
use super::steps::{Steps, concatenation};
use super::words::{leaves, list};
use crate::{Value, evaluate};
use bitstride::cute::{self, ComplementStep, Layout};
use bitstride::{Error, Int, Integer, Tuple};

/// `complement(L, target)` and `complement(L)`.
pub(super) fn explain(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let Some(first) = values.first() else { return Ok(()) };
    let layout = steps.argument(first)?;
    let target = values.get(1).map(shape_of).transpose()?;
    let filtered = filtered(&layout, steps)?;
    let mut events = Vec::new();
    let answer = cute::complement_traced(&layout, target.as_ref().map(Tuple::leaves), &mut events);
    reported(&filtered, target, &events, steps)?;
    answer.map(drop)
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

/// What the operation reports: the modes from the least stride on, the gap below each, and the repetitions up to the target.
fn reported(
    filtered: &Layout,
    target: Option<Tuple<Int>>,
    events: &[ComplementStep<Int>],
    steps: &mut Steps,
) -> Result<(), Error> {
    let mut target = target.unwrap_or_else(|| Tuple::leaf(Int::from(0)));
    // What is said before the next step, and the modes of the complement so far.
    let (mut said, mut pieces) = (String::new(), Vec::new());
    for event in events {
        match event {
            ComplementStep::Reach(reach) => {
                let rule = "Without a target the layout's own reach is the target: its cosize.";
                steps.add(rule, format!("cosize({filtered})"))?;
                target = Tuple::leaf(reach.clone());
            }
            ComplementStep::Sorted(modes) => sorted(filtered, modes, steps)?,
            ComplementStep::Gap { extent, stride, below, copies } => {
                let reach = format!("{extent}:{stride} fills up to {extent}*{stride} = {}", stride.mul(extent)?);
                if copies.is(1) {
                    said.push_str(&format!("{reach}, without a gap below it. "));
                    continue;
                }
                let fit = if below.divides(stride) == Some(false) {
                    format!("{stride}/{below}, rounded down to {copies}, copies")
                } else {
                    format!("{stride}/{below} = {copies} copies")
                };
                let places = if below.is(1) { "1 place is".into() } else { format!("{below} places are") };
                steps.add(
                    format!(
                        "{said}{extent}:{stride} steps by {stride}, but only {places} taken below: {fit} fit there, {copies}:{below}."
                    ),
                    format!("div({stride}, {below})"),
                )?;
                said = format!("{reach}. ");
                pieces.push(format!("{copies}:{below}"));
            }
            ComplementStep::Repeated { below, times, is_more } => {
                let from = if below.is(1) { "1 place is taken".into() } else { format!("{below} places are taken") };
                let rule = if times.iter().all(|n| n.is(1)) {
                    format!("{said}{from}, which reaches the target {target}: there is nothing to repeat.")
                } else {
                    format!("{said}{from}; copies of them, {below} apart, go on up to the target {target}:")
                };
                steps.add(rule, format!("ceil_div({target}, {below})"))?;
                let mut stride = below.clone();
                for (extent, left) in times.iter().zip((0..times.len()).rev()) {
                    pieces.push(format!("{extent}:{stride}"));
                    if left > 0 {
                        stride = stride.mul(extent)?;
                    }
                }
                if *is_more {
                    let times: Vec<String> = times.iter().map(Int::to_string).collect();
                    steps.add(
                        format!(
                            "A gap or a part of the target does not come out even, so that these would reach less than the target {target}. It takes as many as:"
                        ),
                        times.join("*"),
                    )?;
                }
            }
            _ => {}
        }
    }
    if pieces.is_empty() {
        return Ok(());
    }
    let rule = "The gaps and the repetitions together are the complement; coalesced:";
    steps.layout(rule, format!("coalesce({})", concatenation(&pieces))).map(drop)
}

/// The modes in the order in which they are treated, where it is another than theirs.
fn sorted(layout: &Layout, modes: &[(Int, Int)], steps: &mut Steps) -> Result<(), Error> {
    let (own, modes) = (leaves(layout), modes.iter().map(|(n, d)| format!("{n}:{d}")).collect::<Vec<_>>());
    if own == modes {
        return Ok(());
    }
    let positions: Vec<String> =
        modes.iter().filter_map(|mode| own.iter().position(|leaf| leaf == mode)).map(|at| at.to_string()).collect();
    if positions.len() == own.len() {
        let rule = format!("From the least stride on: {}.", list(&modes));
        steps.add(rule, format!("select({layout}, {})", positions.join(", ")))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::evaluate;
    use crate::explain::explain;

    /// The gaps and repetitions that are reported are the answer, also where more are needed than the target has room for.
    #[test]
    fn the_steps_end_at_the_answer() {
        let (mut whole, mut more) = (0, 0);
        for (first, second, stride) in
            (2..5_i64).flat_map(|a| (2..4_i64).flat_map(move |b| (1..20_i64).map(move |d| (a, b, d))))
        {
            for inner in 1..4 {
                for target in [1, 7, 24, 48, 97] {
                    let text = format!("complement(({first},{second}):({inner},{stride}), {target})");
                    let Ok(answer) = evaluate(&text) else { continue };
                    let explanation = explain(&text).expect("as the answer");
                    let pieces = explanation.steps().filter(|step| step.expression.starts_with("coalesce(")).last();
                    let Some(pieces) = pieces else { continue };
                    assert_eq!(pieces.value, answer.value, "{text}");
                    whole += 1;
                    more += i32::from(explanation.steps().any(|step| step.rule.starts_with("A gap or a part")));
                }
            }
        }
        assert!(whole > 500 && more > 5, "{whole}, {more}");
    }
}
