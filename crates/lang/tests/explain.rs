//! Laws of explanations, for the whole table of operations: there is a step that says more than the help line, each step
//! evaluates to its value, and the last value is the answer.
//!
//! Operands are those of the examples and then others of the same kinds, from all examples and at random. A call that is
//! refused is explained too: the steps up to there hold. What a sentence says of a basis is what its expression gives, and
//! each equation in a sentence holds.

#![allow(clippy::panic, reason = "that is how a test fails")]

mod draws;

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
        if let Some(wrong) = equations(&step.rule).into_iter().find(|(left, right)| computed(left) != Some(*right)) {
            return Err(format!("{text}: {wrong:?} in {}", step.rule));
        }
        if let Some(said) = coordinates(&step.rule).filter(|said| *said != step.value.to_string()) {
            return Err(format!("{text}: {expression} is {}, not {said}: {}", step.value, step.rule));
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

/// The coordinates that a sentence ends with as what its expression is: `In the new order that is (1,0).`
fn coordinates(rule: &str) -> Option<&str> {
    let (_, last) = rule.strip_suffix('.')?.rsplit_once(" is ")?;
    let inside = last.strip_prefix('(')?.strip_suffix(')')?;
    inside.chars().all(|c| c.is_ascii_digit() || c == ',').then_some(last)
}

/// The equations of a sentence between numbers, such as `4*2 = 8`: what stands left, and the number on the right.
fn equations(rule: &str) -> Vec<(String, i128)> {
    let mut equations = Vec::new();
    let pieces: Vec<&str> = rule.split(" = ").collect();
    for (left, right) in pieces.iter().zip(pieces.iter().skip(1)) {
        let is_term = |word: &&str| *word != "-" && word.chars().all(|c| c.is_ascii_digit() || "*/+-".contains(c));
        let mut words: Vec<&str> = left.split(' ').rev().take_while(is_term).collect();
        words.reverse();
        let right: String = right
            .chars()
            .enumerate()
            .take_while(|(at, c)| c.is_ascii_digit() || *at == 0 && *c == '-')
            .map(|(_, c)| c)
            .collect();
        let left = words.join("");
        if left.starts_with(|c: char| c.is_ascii_digit() || c == '-')
            && left.contains(['*', '/', '+'])
            && let Ok(right) = right.parse()
        {
            equations.push((left, right));
        }
    }
    equations
}

/// The value of sums of products and exact quotients.
fn computed(text: &str) -> Option<i128> {
    text.split('+').try_fold(0, |sum: i128, product| {
        let mut value: Option<i128> = None;
        for factor in product.split('*') {
            let mut parts = factor.split('/');
            let first: i128 = parts.next()?.parse().ok()?;
            let quotient = parts.try_fold(first, |quotient, divisor| {
                let divisor: i128 = divisor.parse().ok()?;
                (quotient.checked_rem(divisor)? == 0).then_some(quotient / divisor)
            })?;
            value = Some(value.unwrap_or(1).checked_mul(quotient)?);
        }
        sum.checked_add(value?)
    })
}

#[test]
fn equations_are_found_and_computed() {
    let found = equations("(4,8):1 ends at 2*3 + 4/2*5 = 16 < 20, since lane = 2 and 3*-2 = -6.");
    assert_eq!(found, [("2*3+4/2*5".to_owned(), 16), ("3*-2".to_owned(), -6)]);
    assert_eq!([computed("2*3+4/2*5"), computed("3*-2"), computed("7/2")], [Some(16), Some(-6), None]);
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

#[test]
fn every_operation_is_explained_for_other_operands_too() {
    let (mut answered, mut claims, mut broken) = (0, 0, Vec::new());
    for (operation, text) in draws::calls(operations(), DRAWS) {
        match check(operation, &text) {
            Ok(count) => claims += count,
            Err(law) => broken.push(law),
        }
        answered += usize::from(evaluate(&text).is_ok());
    }
    let first: Vec<String> = broken.iter().take(20).cloned().collect();
    assert!(broken.is_empty(), "{} break a law:\n{}", broken.len(), first.join("\n"));
    assert!(answered > 2000 && claims > 2000, "only {answered} calls have answers, and {claims} sentences are checked");
}

#[test]
fn a_refused_range_of_any_length_is_explained_at_once() {
    for call in ["take((2,3,5,7), 0, 4294967295)", "group((2,3), 4294967294, 3)", "remove((2,3,5), 4294967295)"] {
        let explained = explain(call).expect(call);
        assert!(explained.outcome.is_err(), "{call}");
        assert!(explained.steps().any(|step| step.rule.starts_with("There is no entry")), "{call}");
    }
}

#[test]
fn memory_is_explained_by_what_decided() {
    let cases = [
        ("f32[4,6]{1,0}", "f32[8,3]{0,1}", "Seen as one number each"),
        ("f32[3,5]{1,0}", "f32[3,5]{0,1}", "In the second likewise"),
        // The dims that are merged carry, but into numbers that both have.
        ("f32[4,2,11,10]{3,2,1,0:T(2,*,3)}", "f32[4,2,11,10]{3,2,0,1:T(2,*,3)}", "both cut the same numbers"),
        ("f32[4,11,10]{2,1,0:T(2,*,3)}", "f32[4,11,10]{2,1,0:T(2,*,4)}", "both offsets move by a constant"),
    ];
    for (left, right, said) in cases {
        let text = format!("same_memory({left}, {right})");
        let explained = explain(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(explained.steps().any(|step| step.rule.contains(said)), "{text}:\n{explained}");
    }
}

#[test]
fn two_equal_bases_of_a_tile_are_not_found_in_one_bit() {
    let layout = |bases: &str| format!("linear<{{register=[{bases}]}}, out=[offset:4]>");
    let text = format!("reg_perm_for_divide({}, {})", layout("[0],[1]"), layout("[0],[0]"));
    let explained = explain(&text).expect(&text);
    assert!(explained.steps().any(|step| step.rule.contains("register = 2 goes to 0, and no bit")), "{explained}");
}

/// What a call is explained by, in one text.
fn said(call: &str) -> String {
    let explained = explain(call).unwrap_or_else(|error| panic!("{call}: {error}"));
    explained.steps().map(|step| format!("{}\n", step.rule)).collect()
}

#[test]
fn what_is_left_of_a_divisor_has_a_next_leaf_or_is_left_over() {
    assert!(said("shape_div((2,3), 12)").contains("of 6, 6/3 = 2 is left over."));
    assert!(said("shape_div((2,3), 12)").contains("of 12, 12/2 = 6 is left for the next."));
    assert!(!said("shape_mod((3,6), 1)").contains("as it is"));
    assert!(!said("ceil_div((8,64,14), (4,2))").contains("side by side"), "that is refused");
}

#[test]
fn modes_are_ordered_as_the_operation_orders_them() {
    assert!(said("make_layout_like((2,3):(M,1))").contains("from the least stride on are 3:1 and 2:M"));
    let dynamic = said("make_ordered_layout((2,3), (0?,1))");
    assert!(dynamic.contains("the modes come as 3 and 2.") && !dynamic.contains("Altogether"), "{dynamic}");
    let equal = said("make_ordered_layout((2,3,4), (1,1,0))");
    assert!(equal.contains("the modes come as 4, 2 and 3."), "{equal}");
}

#[test]
fn the_bit_that_decides_is_named() {
    let run = said("num_consecutive_in_out(linear<{register=[[1],[2],[4]], lane=[[4],[2]]}, out=[dim0:16]>)");
    assert!(run.contains("The bit lane = 2 goes to dim0 = 2, inside of the run of 8: only 2 stay"), "{run}");
    let square = said("square_sublayout_is_identity(linear<{lane=[]}, out=[lane:4]>, lane)");
    assert!(square.contains("not the identity") && !square.contains("nothing says no"), "{square}");
    // The basis that differs is the last of twenty.
    let bases = |last: i64| {
        let units: Vec<String> =
            (0..20).map(|bit| format!("[{}]", if bit < 19 { 1i64 << bit } else { last })).collect();
        format!("linear<{{lane=[{}]}}, out=[lane:1048576]>", units.join(","))
    };
    for call in [
        format!("is_trivial_over({}, lane)", bases(3)),
        format!("square_sublayout_is_identity({}, lane)", bases(3)),
        format!("eq({}, {})", bases(3), bases(5)),
    ] {
        let text = said(&call);
        assert!(
            text.contains("The bit lane = 524288 goes to lane = 1, lane = 2")
                || text.contains("The bit lane = 524288 goes to lane = 3"),
            "{text}"
        );
    }
}

#[test]
fn a_tile_is_repeated_in_its_first_in_dim() {
    let call = |ins: &str, size: i64| {
        format!(
            "combine_cta_cga_with_shape(linear<{{{ins}}}, out=[dim0:{size}]>, linear<{{block=[]}}, out=[dim0:1]>, (8))"
        )
    };
    assert!(said(&call("lane=[[1]]", 2)).contains("so values of lane repeat it 4 times"));
    assert!(said(&call("register=[[1]]", 2)).contains("so registers repeat it 4 times"));
    let refused = evaluate(&call("", 1)).expect_err("no in dim can repeat it");
    assert_eq!(refused.code(), bitstride::Code::MissingDim);
}
