//! Python's indexing of tensors: what `x[sizes][…]` says of each element, against lists of the elements that are picked.

#![allow(clippy::panic, reason = "that is how a test fails")]

use crate::common::{Choices, run};
use bitstride::Code;
use bitstride_lang::evaluate;

fn text(expression: &str) -> String {
    evaluate(expression).map_or_else(|error| format!("!{}", error.code().as_str()), |answer| answer.value.to_string())
}

/// The numbers below `size` that a slice picks, in its order: every number is looked at.
fn picked(size: i64, start: Option<i64>, stop: Option<i64>, step: i64) -> Vec<i64> {
    let from_front = |end: i64| if end < 0 { end + size } else { end };
    let numbers: Vec<i64> = if step > 0 { (0..size).collect() } else { (0..size).rev().collect() };
    let is_behind = |at: i64, end: i64| if step > 0 { at >= end } else { at <= end };
    let kept: Vec<i64> = numbers
        .into_iter()
        .filter(|at| start.is_none_or(|start| is_behind(*at, from_front(start))))
        .filter(|at| stop.is_none_or(|stop| !is_behind(*at, from_front(stop))))
        .collect();
    kept.into_iter().step_by(usize::try_from(step.abs()).expect("a step")).collect()
}

fn end(choices: &mut Choices) -> Option<i64> {
    choices.of(&[None, Some(0), Some(1), Some(2), Some(4), Some(7), Some(9), Some(-1), Some(-2), Some(-5), Some(-9)])
}

#[test]
fn a_slice_picks_what_python_picks() {
    run(2000, |choices| {
        let (rows, columns) = (choices.of(&[1, 3, 5]), choices.of(&[1, 4, 7]));
        let (start, stop, step) = (end(choices), end(choices), choices.of(&[1, 2, 3, -1, -2, -4]));
        let said = |end: Option<i64>| end.map_or_else(String::new, |end| end.to_string());
        let index = format!("{}:{}:{step}", said(start), said(stop));
        let source = format!("np.zeros(({rows},{columns}))[{}, {index}]", choices.of(&[":", "::1", "0:9"]));
        let wanted = picked(columns, start, stop, step);
        if wanted.is_empty() {
            return Ok(());
        }
        let value = evaluate(&source).map_err(|error| format!("{source}: {error}"))?.value;
        let map = value.as_map().map_err(|error| error.to_string())?;
        for row in 0..rows {
            for (at, column) in (0..).zip(&wanted) {
                if map.at(&[row, at]) != Ok(Some(vec![row * columns + column])) {
                    return Err(format!("{source} is {value}: element ({row}, {at}) is not column {column}"));
                }
            }
        }
        let size = i64::try_from(wanted.len()).expect("few");
        if map.size() == Ok(rows * size) { Ok(()) } else { Err(format!("{source} is {value}, of {size} columns")) }
    });
}

#[test]
fn entries_are_integers_slices_none_and_dots() {
    for (expression, answer) in [
        ("torch.empty(4,6)[1]", "tensor((6), (1), 6)"),
        ("torch.empty(4,6)[:, -1]", "tensor((4), (6), 5)"),
        ("torch.empty(2,3,4)[..., ::2]", "tensor((2,3,2), (12,4,2))"),
        ("torch.empty(2,3,4)[…, None]", "tensor((2,3,4,1), (12,4,1,1))"),
        ("torch.empty(2,3,4)[1, ..., 2]", "tensor((3), (4), 14)"),
        ("x[4,6].t()[1:5, ::2]", "tensor((4,2), (1,12), 1)"),
        ("np.zeros((4,6))[::-1]", "tensor((4,6), (-6,1), 18)"),
        ("torch.empty(4,6)[None]", "tensor((1,4,6), (24,6,1))"),
        ("NHWC(2,3,4,5)", "tag(NHWC, (2,3,4,5))"),
        ("nChw16c(1,32,2,2)", "tag(nChw16c, (1,32,2,2))"),
        ("OIhw4i16o4i((16,16,3,3))", "tag(OIhw4i16o4i, (16,16,3,3))"),
    ] {
        assert_eq!(text(expression), answer, "{expression}");
    }
    for (expression, code) in [
        ("torch.empty(4,6)[4]", Code::Range),
        ("torch.empty(4,6)[0, 0, 0]", Code::NoMode),
        ("torch.empty(4,6).contiguous()[::-1]", Code::Range),
        ("torch.empty(4,6)[::0]", Code::Range),
        ("nChw(2,3)", Code::RankMismatch),
    ] {
        assert_eq!(text(expression), format!("!{}", code.as_str()), "{expression}");
    }
    for broken in
        ["torch.empty(4,6)[", "torch.empty(4,6)[a]", "torch.empty(4,6)[..., ...]", "torch.empty(4,6)[1:2:3:4]"]
    {
        assert!(text(broken).starts_with('!'), "{broken}");
    }
}
