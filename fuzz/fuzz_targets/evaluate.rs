//! Any text evaluates or is refused, soon and with a span inside it; a value's text evaluates to the same text.
#![no_main]

use bitstride_lang::{evaluate_with, Value};
use bitstride::notation::Ints;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for ints in [Ints::Plain, Ints::Cpp] {
        match evaluate_with(text, ints) {
            // A truth value and a table have no literal.
            Ok(answer) if matches!(answer.value, Value::Bool(_) | Value::Text(_)) => {}
            Ok(answer) => {
                let printed = answer.value.to_string();
                let again = evaluate_with(&printed, Ints::Plain).map(|answer| answer.value.to_string());
                assert_eq!(again.as_ref().ok(), Some(&printed), "{text}: {again:?}");
            }
            Err(error) => {
                if let Some(span) = error.span() {
                    assert!(text.get(span.start..span.end).is_some(), "{error:?}");
                }
            }
        }
    }
});
