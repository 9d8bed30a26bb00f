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
    let number = matches!(value, Value::Tuple(_));
    written && printed.len() < 4096 && deepest(printed) < 64 && (number || !has_bare_sum(printed))
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

/// Whether a sum stands beside a bare `shape:stride`, where it reads as an offset: `1:M+4` is `1:M` at 4.
fn has_bare_sum(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut before = ' ';
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '+' if depth == 0 && before != ' ' => return true,
            '-' if depth == 0 && !matches!(before, ' ' | ':' | '<' | '_') => return true,
            _ => {}
        }
        before = letter;
    }
    false
}
