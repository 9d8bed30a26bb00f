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

/// What is written for Triton and JAX reads back as what it was written of.
#[test]
fn texts_of_triton_and_jax_read_back() {
    let value = |text: &str| evaluate(text).unwrap_or_else(|error| panic!("{text}: {error}")).value;
    for (written, of) in [
        ("convert((64,64):(72,1), ttgir, f16)", "same((64,64):(72,1), $)"),
        ("convert(Sw<3,3,3> o (8,64):(64,1), ttgir, bf16)", "same(Sw<3,3,3> o (8,64):(64,1), $)"),
        (
            "convert(tv(((4,8),(2,2)):((32,1),(16,8)), (16,8)), ttgir, f32)",
            "same(tv(((4,8),(2,2)):((32,1),(16,8)), (16,8)), $)",
        ),
        ("convert(f32[16,256]{1,0:T(8,128)}, mosaic)", "same(f32[16,256]{1,0:T(8,128)}, $)"),
        ("convert((16,256):(256,1), mosaic, f32)", "same(tensor((16,256), (256,1)), $)"),
        ("convert(f32[16,256]{0,1:T(8,128)}, jax)", "same(f32[16,256]{0,1:T(8,128)}, with_layout(f32[16,256], $))"),
    ] {
        let text = value(written).to_string();
        let aliases = text.rsplit_once('\n').map_or("", |(aliases, _)| aliases);
        let last = text.rsplit('\n').next().unwrap_or_default();
        let question = format!("{aliases}\n{}", of.replace('$', last));
        assert_eq!(value(question.trim_start()).to_string(), "same", "{question}");
    }
}
