//! Any text evaluates or is refused, in either spelling of integers; what a value prints evaluates to the same value.
#![no_main]

use bitstride::calc::{Value, evaluate_with};
use bitstride::notation::Ints;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for ints in [Ints::Plain, Ints::Cpp] {
        let Ok(answer) = evaluate_with(text, ints) else { continue };
        let printed = answer.value.display(ints);
        if !has_notation(&answer.value, &printed) {
            continue;
        }
        let again = evaluate_with(&printed, ints).map(|answer| answer.value);
        assert_eq!(again.as_ref(), Ok(&answer.value), "{text} gives {printed}");
    }
});

/// Lists, tables and truths have none; nor has what is nested deeper, or longer, than texts may be.
fn has_notation(value: &Value, printed: &str) -> bool {
    let written = !matches!(value, Value::List(_) | Value::Text(_) | Value::Bool(_));
    written && printed.len() < 4096 && deepest(printed) < 64
}

fn deepest(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut most = 0;
    for letter in text.chars() {
        match letter {
            '(' | '<' => depth += 1,
            ')' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        most = most.max(depth);
    }
    most
}
