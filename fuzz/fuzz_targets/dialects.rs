//! Spellings of other systems: any text reads or is refused with a span inside it, what reads prints as text that reads as the
//! same tree, and evaluates to a value or an error; white space changes no reading.
#![no_main]

use bitstride::notation::{Ints, read};
use bitstride_lang::evaluate_tree;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for ints in [Ints::Plain, Ints::Cpp] {
        // White space changes nothing outside of quotes; a line's end ends a comment.
        if !text.contains(['"', '\'', '/', '#']) {
            let tree = |text: &str| read(text, ints).map(|reading| reading.tree).ok();
            assert_eq!(tree(&text.replace(' ', "\n ")), tree(text), "{text}");
        }
        match read(text, ints) {
            Ok(reading) => {
                let printed = reading.tree.display(ints).to_string();
                let again = read(&printed, ints).map(|again| again.tree);
                assert_eq!(again.as_ref(), Ok(&reading.tree), "{text}: {printed}");
                let _ = evaluate_tree(&reading.tree);
            }
            Err(error) => assert!(text.get(error.span.start..error.span.end).is_some(), "{error:?}"),
        }
    }
});
