//! Any text reads or is refused, with a span inside it; what reads prints as a
//! text that reads as the same tree and prints the same again.
#![no_main]

use bitstride::notation::{Ints, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for ints in [Ints::Plain, Ints::Cpp] {
        match parse(text, ints) {
            Ok(tree) => {
                assert!(text.get(tree.span.start..tree.span.end).is_some());
                for ints in [Ints::Plain, Ints::Cpp] {
                    let printed = tree.display(ints).to_string();
                    let again = parse(&printed, ints);
                    assert_eq!(again.as_ref(), Ok(&tree), "{printed}");
                    assert_eq!(
                        again.map(|again| again.display(ints).to_string()),
                        Ok(printed)
                    );
                }
            }
            Err(error) => {
                assert!(
                    text.get(error.span.start..error.span.end).is_some(),
                    "{error:?}"
                );
            }
        }
    }
});
