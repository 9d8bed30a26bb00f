//! Laws of explanations, for the whole table of operations: there is a step that says more than the help line, each step
//! evaluates to its value, and the last value is the answer.
//!
//! Operands are those of the examples and then others of the same kinds, from all examples and at random. A call that is
//! refused is explained too: the steps up to there hold. What a sentence says of a basis is what its expression gives.

#![allow(clippy::panic, reason = "that is how a test fails")]

use std::collections::BTreeMap;

use bitstride::notation::{ExprKind, Ints, parse};
use bitstride_lang::explain::explain;
use bitstride_lang::{Operation, evaluate, operations};

/// How often each operation is asked with other operands.
const DRAWS: usize = 40;

/// Holds an explanation to its laws; says which one it breaks, or how many sentences name what their expressions give.
fn check(operation: &Operation, text: &str) -> Result<usize, String> {
    let Ok(explanation) = explain(text) else { return Ok(0) };
    let mut claims = 0;
    for step in explanation.steps() {
        let expression = &step.expression;
        let value = evaluate(expression).map_err(|error| format!("{text}: {expression}: {error}"))?.value;
        if value.to_string() != step.value.to_string() {
            return Err(format!("{text}: {expression} is {value}, not {}", step.value));
        }
        if !step.rule.ends_with(['.', ':']) || step.rule.contains("  ") {
            return Err(format!("{text}: {}", step.rule));
        }
        if let (Some(said), Some(image)) = (claimed(&step.rule), image(expression, &step.value.to_string()))
            // These speak of two layouts at once.
            && !["compose", "eq", "equal_ignoring_out_sizes"].contains(&operation.name)
        {
            if said != image {
                return Err(format!("{text}: {expression} is {image}: {}", step.rule));
            }
            claims += 1;
        }
    }
    let Ok(answer) = &explanation.outcome else { return Ok(claims) };
    if explanation.steps().last().map(|step| step.value.to_string()) != Some(answer.value.to_string()) {
        return Err(format!("{text} does not end at its answer:\n{explanation}"));
    }
    let help = format!("{}.", operation.law.trim_end_matches('.').to_lowercase());
    let says_more = |rule: &str| !["altogether:", &help].contains(&rule.to_lowercase().as_str());
    // Inner calls have sections of their own; a literal for an answer needs none.
    let called = format!("{}(", operation.name);
    let own = explanation.sections.iter().rev().find(|section| section.title.starts_with(&called));
    if own.is_some_and(|section| !section.steps.iter().any(|step| says_more(&step.rule))) {
        return Err(format!("{text} says no more than its help line:\n{explanation}"));
    }
    Ok(claims)
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
        let _ = check(operation, operation.example).unwrap_or_else(|broken| panic!("{broken}"));
    }
}

/// What a sentence about bases says that its expression gives: what a reduction leaves, else where a bit goes.
fn claimed(rule: &str) -> Option<&str> {
    let between = |start: &str, end: &str| Some(rule.split_once(start)?.1.split_once(end)?.0);
    if rule.starts_with("The element ") && rule.contains(" has a place") {
        let element = between("The element ", " has a place")?;
        return Some(element.split(", where").next().unwrap_or(element));
    }
    if rule.contains("so it is dependent") {
        return Some("0");
    }
    if let Some(left) = between("that leaves ", ", whose highest bit") {
        return Some(left);
    }
    if rule.starts_with("The column of ") {
        return between(" is ", ". Its highest");
    }
    // `The bit lane = 2 goes to dim0 = 1, dim1 = 3, as before.`
    let (bit, said) = rule.strip_prefix("The bit ")?.split_once(" goes to ")?;
    let mut end = 0;
    for value in said.split_inclusive([',', '.', ':', ';']) {
        let value = value.trim_end_matches([',', '.', ':', ';']);
        let is_value =
            value == "0" || value.split(' ').filter(|word| !word.is_empty()).count() == 3 && value.contains(" = ");
        if !is_value {
            break;
        }
        end += value.len() + 1;
    }
    let said = said.get(..end.checked_sub(1)?)?;
    (bit.split(' ').count() == 3).then_some(said)
}

/// The image that an expression gives, as sentences name it: the values that are not 0 with their dims.
fn image(expression: &str, value: &str) -> Option<String> {
    let (layout, _) = expression.strip_prefix("apply(")?.rsplit_once(", (")?;
    let dims = layout.rsplit_once("out=[")?.1.trim_end_matches("]>").split(", ").filter_map(|dim| dim.split_once(':'));
    let values = value.trim_matches(['(', ')']).split(',');
    let named: Vec<String> =
        dims.zip(values).filter(|(_, n)| *n != "0").map(|((name, _), n)| format!("{name} = {n}")).collect();
    Some(if named.is_empty() { "0".to_owned() } else { named.join(", ") })
}

/// Numbers in a fixed order, so that a failure comes again.
struct Draw(u64);

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % count.max(1)
    }

    fn numbers(&mut self, count: usize, below: usize) -> Vec<usize> {
        (0..count).map(|_| self.below(below)).collect()
    }

    /// An operand of a kind, where one is made at random.
    fn operand(&mut self, kind: &str) -> Option<String> {
        let list = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let count = self.below(3) + 1;
        Some(match kind {
            "linear" => {
                let outs = self.below(2) + 1;
                let bits = self.numbers(outs, 3);
                let mut ins = Vec::new();
                for name in ["register", "lane", "warp"].iter().take(count) {
                    let bases = self.below(4);
                    let bases: Vec<String> = (0..bases)
                        .map(|_| {
                            format!("[{}]", list(&bits.iter().map(|bits| self.below(1 << bits)).collect::<Vec<_>>()))
                        })
                        .collect();
                    ins.push(format!("{name}=[{}]", bases.join(",")));
                }
                let first = if self.below(3) == 0 { "offset" } else { "dim0" };
                let outs: Vec<String> =
                    [first, "dim1"].iter().zip(&bits).map(|(name, bits)| format!("{name}:{}", 1 << bits)).collect();
                format!("linear<{{{}}}, out=[{}]>", ins.join(", "), outs.join(", "))
            }
            "layout" => {
                let (shape, stride) = (self.numbers(count, 6), self.numbers(count, 12));
                format!("({}):({})", list(&shape), list(&stride))
            }
            "tuple" => format!("({})", list(&self.numbers(count, 8))),
            "int" => self.below(9).to_string(),
            "xla" => {
                let mut order: Vec<usize> = (0..count).collect();
                order.rotate_left(self.below(count));
                let tiles = ["", ":T(2,2)", ":T(4)", ":T(2,4)(2,1)", ":T(*,2)"][self.below(5)];
                format!("f32[{}]{{{}{tiles}}}", list(&self.numbers(count, 9)), list(&order))
            }
            _ => return None,
        })
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
    let mut draw = Draw(20);
    let (mut answered, mut claims, mut broken) = (0, 0, Vec::new());
    for operation in operations() {
        let own = operands(operation.example);
        for _ in 0..DRAWS {
            // Often one operand is the example's own, so that many calls have answers.
            let stays = draw.below(own.len() + 1);
            let mut drawn = own.clone();
            for (_, operand) in drawn.iter_mut().enumerate().filter(|(at, _)| *at != stays) {
                let kind = kind(operand);
                let others = pool.get(kind).map_or(&[][..], Vec::as_slice);
                let random = if draw.below(2) == 0 { draw.operand(kind) } else { None };
                *operand = random.or_else(|| others.get(draw.below(others.len())).cloned()).unwrap_or_default();
            }
            let text = format!("{}({})", operation.name, drawn.join(", "));
            match check(operation, &text) {
                Ok(count) => claims += count,
                Err(law) => broken.push(law),
            }
            answered += usize::from(evaluate(&text).is_ok());
        }
    }
    let first: Vec<String> = broken.iter().take(20).cloned().collect();
    assert!(broken.is_empty(), "{} break a law:\n{}", broken.len(), first.join("\n"));
    assert!(answered > 2000 && claims > 2000, "only {answered} calls have answers, and {claims} sentences are checked");
}
