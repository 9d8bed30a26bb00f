//! Laws of explanations, for the whole table of operations: there is a step that says more than the help line, each step
//! evaluates to its value, and the last value is the answer.
//!
//! Operands are those of the examples and then others of the same kinds, drawn from all examples. A call that is refused
//! is explained too: the steps up to there hold.

#![allow(clippy::panic, reason = "that is how a test fails")]

use std::collections::BTreeMap;

use bitstride::notation::{ExprKind, Ints, parse};
use bitstride_lang::explain::explain;
use bitstride_lang::{Operation, evaluate, operations};

/// How often each operation is asked with other operands.
const DRAWS: usize = 40;

/// Holds an explanation to its laws; says which one it breaks.
fn check(operation: &Operation, text: &str) -> Result<(), String> {
    let Ok(explanation) = explain(text) else { return Ok(()) };
    for step in explanation.steps() {
        let expression = &step.expression;
        let value = evaluate(expression).map_err(|error| format!("{text}: {expression}: {error}"))?.value;
        if value.to_string() != step.value.to_string() {
            return Err(format!("{text}: {expression} is {value}, not {}", step.value));
        }
        if !step.rule.ends_with(['.', ':']) || step.rule.contains("  ") {
            return Err(format!("{text}: {}", step.rule));
        }
    }
    let Ok(answer) = &explanation.outcome else { return Ok(()) };
    if explanation.steps().last().map(|step| step.value.to_string()) != Some(answer.value.to_string()) {
        return Err(format!("{text} does not end at its answer:\n{explanation}"));
    }
    let help = format!("{}.", operation.law.trim_end_matches('.').to_lowercase());
    let says_more = |rule: &str| !["altogether:", &help].contains(&rule.to_lowercase().as_str());
    if !explanation.steps().any(|step| says_more(&step.rule)) {
        return Err(format!("{text} says no more than its help line:\n{explanation}"));
    }
    Ok(())
}

/// The operands of a call, as texts.
fn operands(text: &str) -> Vec<String> {
    let tree = parse(text, Ints::Plain).unwrap_or_else(|error| panic!("{text}: {error}"));
    let ExprKind::Call { arguments, .. } = tree.kind else { panic!("{text} is no call") };
    arguments.iter().map(ToString::to_string).collect()
}

/// The kind of an operand; a name alone is no expression.
fn kind(text: &str) -> &'static str {
    evaluate(text).map_or("name", |answer| answer.value.kind())
}

#[test]
fn every_example_is_explained_beyond_its_help_line() {
    for operation in operations() {
        check(operation, operation.example).unwrap_or_else(|broken| panic!("{broken}"));
    }
}

#[test]
fn every_operation_is_explained_for_other_operands_too() {
    let mut pool: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for operand in operations().flat_map(|operation| operands(operation.example)) {
        let known = pool.entry(kind(&operand)).or_default();
        if !known.contains(&operand) {
            known.push(operand);
        }
    }
    // Numbers in a fixed order, so that a failure comes again.
    let mut state = 20u64;
    let mut draw = move |count: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % count.max(1)
    };
    let (mut answered, mut broken) = (0, Vec::new());
    for operation in operations() {
        let own = operands(operation.example);
        for _ in 0..DRAWS {
            // One operand is always the example's own, so that many calls have answers.
            let stays = draw(own.len() + 1);
            let drawn: Vec<String> = own
                .iter()
                .enumerate()
                .map(|(at, operand)| match pool.get(kind(operand)) {
                    Some(others) if at != stays && !others.is_empty() => others[draw(others.len())].clone(),
                    _ => operand.clone(),
                })
                .collect();
            let text = format!("{}({})", operation.name, drawn.join(", "));
            broken.extend(check(operation, &text).err());
            answered += usize::from(evaluate(&text).is_ok());
        }
    }
    assert!(
        broken.is_empty(),
        "{} break a law:\n{}",
        broken.len(),
        broken.iter().take(40).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(answered > 600, "only {answered} calls have answers");
}
