//! What `explain` promises of `convert` and `same`: each step evaluates to its value, and the last is the answer.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride_lang::evaluate;
use bitstride_lang::explain::explain;
use proptest::prelude::*;
use proptest::sample::select;

const LAYOUTS: [&str; 20] = [
    "(4,8):(8,1)",
    "((2,2),3):((24,2),8)",
    "(4,8):(1@0,1@1)",
    "((2,2),3):((1@0,2@1),1@0+1@1)",
    "(4,8):(8,1) + 3",
    "(4,8):(-8,1)",
    "(0,4):(1,2)",
    "():()",
    "8:0",
    "Sw<3,3,3> o 0 o (8,64):(64,1)",
    "Sw<2,0,2> o 5 o (4,4):(4,1)",
    "(8,64):(^72,^1)",
    "f32[3,5]{1,0:T(2,2)}",
    "bf16[16,256]{1,0:T(8,128)(2,1)}",
    "f32[2,3,4]{2,1,0:T(*,3)}",
    "tensor((3,5), (5,1), 2)",
    "tag(nChw16c, (1,32,2,2))",
    "tensor<16x8xf32, #ttg.nvidia_mma<{versionMajor=2, versionMinor=0, warpsPerCTA=[1,1], instrShape=[16,8]}>>",
    "!ttg.memdesc<8x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth=128, transposed=false, elementBitWidth=16}>, #ttg.shared_memory>",
    "tv(((4,8),(2,2)):((32,1),(16,8)), (16,8))",
];

const NOTATIONS: [&str; 9] = ["cute", "padded", "linear", "triton", "mixed", "xla, f32", "strides", "tag", "affine"];

/// Holds an explanation to its laws; gives how many steps it has.
fn check(text: &str) -> Result<usize, TestCaseError> {
    let explanation = explain(text).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
    let answer = evaluate(text);
    prop_assert_eq!(&answer, &explanation.outcome, "{}", text);
    for step in explanation.steps() {
        let value = evaluate(&step.expression)
            .map_err(|error| TestCaseError::fail(format!("{text}: {}: {error}", step.expression)))?
            .value;
        prop_assert_eq!(&value, &step.value, "{}: {}", text, &step.expression);
        prop_assert!(step.rule.ends_with(['.', ':']), "{}: {}", text, &step.rule);
    }
    if let Ok(answer) = answer {
        prop_assert_eq!(explanation.steps().last().map(|step| &step.value), Some(&answer.value), "{}", text);
    }
    prop_assert!(explanation.to_string().lines().all(|line| !line.ends_with(' ')), "{}\n{explanation}", text);
    Ok(explanation.steps().count())
}

fn walk(text: &str) -> Vec<String> {
    let explanation = explain(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    explanation.steps().map(|step| format!("{} {} = {}", step.rule, step.expression, step.value)).collect()
}

#[test]
fn every_conversion_is_walked() {
    for layout in LAYOUTS {
        for notation in NOTATIONS {
            let text = format!("convert({layout}, {notation})");
            let steps = check(&text).unwrap_or_else(|error| panic!("{error}"));
            // What is refused has its map and its digits all the same.
            assert!(steps > 0, "{text}");
        }
    }
}

#[test]
fn every_comparison_is_walked() {
    for left in LAYOUTS {
        for right in LAYOUTS {
            check(&format!("same({left}, {right})")).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn a_conversion_shows_its_digits() {
    assert_eq!(
        walk("convert(f32[4,4]{1,0:T(2,2)}, cute)"),
        [
            "The layout is the map dim0:4, dim1:4 -> offset:16: a split by 2, a split by 2, a change of places \
             and 4 joined into one. f32[4,4]{1,0:T(2,2)} = f32[4,4]{1,0:T(2,2)}",
            "dim0 below 2 moves offset by 2: at(f32[4,4]{1,0:T(2,2)}, (1,0)) = 2",
            "dim0 in steps of 2 moves offset by 8: at(f32[4,4]{1,0:T(2,2)}, (2,0)) = 8",
            "dim1 below 2 moves offset by 1: at(f32[4,4]{1,0:T(2,2)}, (0,1)) = 1",
            "dim1 in steps of 2 moves offset by 4: at(f32[4,4]{1,0:T(2,2)}, (0,2)) = 4",
            "Each axis is a mode, and its digits are the leaves, the fastest first: \
             convert(f32[4,4]{1,0:T(2,2)}, cute) = ((2,2),(2,2)):((2,8),(1,4))",
        ]
    );
    let swizzled = walk("convert((8,8):(^9,^1), cute)");
    assert_eq!(swizzled[1], "dim0 below 2 moves offset by 8 and xors 1 into offset: at((8,8):(^9,^1), (1,0)) = 9");
    let under = &swizzled[swizzled.len() - 2];
    assert_eq!(
        under,
        "What is xored is Sw<3,0,3>; the layout under it has digits that only add: (8,8):(8,1) = (8,8):(8,1)"
    );
}

#[test]
fn a_comparison_shows_where_layouts_part() {
    assert_eq!(
        walk("same((4,8):(8,1), (4,8):(9,1))"),
        [
            "The first is the map dim0:4, dim1:8 -> offset:32: 2 joined into one. dim0 \
             moves offset by 8; dim1 moves offset by 1. (4,8):(8,1) = (4,8):(8,1)",
            "The second is the map dim0:4, dim1:8 -> offset:35: 2 joined into one. dim0 \
             moves offset by 9; dim1 moves offset by 1. (4,8):(9,1) = (4,8):(9,1)",
            "Where they part first, the first leads to: at((4,8):(8,1), (1,0)) = 8",
            "Where they part first, the second leads to: at((4,8):(9,1), (1,0)) = 9",
            "Held against each other: dim0:4, dim1:8; offsets in elements. One difference is enough: \
             same((4,8):(8,1), (4,8):(9,1)) = different: dim0=1, dim1=0 is at offset=8 in the first, at offset=9 in the second",
        ]
    );
    let same = walk("same(f32[4,4]{1,0:T(2,2)}, ((2,2),(2,2)):((2,8),(1,4)))");
    assert!(same[2].contains("Cut alike, both have the same 4 digits with the same numbers"), "{}", same[2]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn steps_hold(
        (n, m, k) in (1..7i64, 1..7i64, 1..5i64),
        strides in prop::collection::vec(select(vec!["0", "1", "2", "6", "-3", "1@0", "2@1", "1@0+1@1"]), 3),
        notation in select(NOTATIONS.to_vec()),
    ) {
        let layout = format!("(({n},{m}),{k}):(({},{}),{})", strides[0], strides[1], strides[2]);
        check(&format!("convert({layout}, {notation})"))?;
        check(&format!("same({layout}, ({},{k}):({},{}))", n * m, strides[0], strides[2]))?;
    }
}
