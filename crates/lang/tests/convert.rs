//! What `convert` refuses, and whether its help leads on.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::{Code, Error};
use bitstride_lang::evaluate;

fn refusal(text: &str) -> Error {
    match evaluate(text) {
        Ok(answer) => panic!("{text} is {}", answer.value),
        Err(error) => error,
    }
}

#[test]
fn tensor_memory_has_neither_offsets_nor_threads() {
    let memory = "!ttg.memdesc<128x64xf16, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>, #ttng.tensor_memory>";
    for notation in ["cute", "padded", "mixed", "xla", "strides", "tag"] {
        let element = if notation == "xla" { ", f16" } else { "" };
        let error = refusal(&format!("convert({memory}, {notation}{element})"));
        assert_eq!(error.code(), Code::NotALayout, "{notation}");
        assert!(error.help().is_some_and(|help| help.contains("convert(X, linear)")), "{notation}: {error}");
    }
    for notation in ["linear", "affine"] {
        assert!(evaluate(&format!("same({memory}, convert({memory}, {notation}))")).is_ok(), "{notation}");
    }
}

#[test]
fn an_array_with_ragged_tiles_is_a_layout_of_its_padded_box() {
    let error = refusal("convert(f32[3,5]{1,0:T(2,2)}, cute)");
    assert!(error.help().is_some_and(|help| help.contains("convert(X, padded)")), "{error}");
    let padded = evaluate("convert(f32[3,5]{1,0:T(2,2)}, padded)").map(|answer| answer.value.to_string());
    assert_eq!(padded.ok().as_deref(), Some("((2,2),(2,3)):((2,12),(1,4))"));
}
