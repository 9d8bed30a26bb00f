//! Any text is an encoding or is refused, with a span inside it; what is one prints as a text that is the same encoding
//! and prints the same again, and its layout for a shape is a layout or an error.
#![no_main]

use bitstride_lang::evaluate;
use bitstride::triton::Encoding;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match text.parse::<Encoding>() {
    Ok(encoding) => {
        let printed = encoding.to_string();
        assert_eq!(printed.parse::<Encoding>().as_ref(), Ok(&encoding), "{printed}");
        for shape in ["32", "8x16", "64x128", "2x16x64"] {
            match evaluate(&format!("tensor<{shape}xf16, {text}>")) {
                Ok(answer) => {
                    let linear = answer.value.to_string();
                    assert_eq!(evaluate(&linear).map(|again| again.value), Ok(answer.value), "{linear}");
                }
                Err(error) => assert!(!error.message().is_empty(), "{error:?}"),
            }
        }
    }
    Err(error) => {
        let inside = error.span().is_some_and(|span| text.get(span.start..span.end).is_some());
        assert!(inside, "{error:?}");
    }
});
