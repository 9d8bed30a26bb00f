//! Layouts of threads and values as Triton's linear encodings.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride_lang::evaluate;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn said(text: &str) -> Result<String, &'static str> {
    evaluate(text).map(|answer| answer.value.to_string()).map_err(|error| error.code().as_str())
}

const MMA: &str = "#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>";

#[test]
fn the_accumulator_is_one_attribute() {
    let mma = "#ttg.nvidia_mma<{versionMajor=2, versionMinor=0, warpsPerCTA=[1,1], instrShape=[16,8]}>";
    let fragment = "tv(((4,8),(2,2)):((32,1),(16,8)), (16,8))";
    assert_eq!(said(&format!("convert(to_linear({mma}, (16,8)), triton)")).as_deref(), Ok(MMA));
    assert_eq!(said(&format!("convert({fragment}, triton)")).as_deref(), Ok(MMA));
    assert_eq!(said(&format!("to_linear({MMA}, (16,8))")), said(&format!("to_linear({mma}, (16,8))")));
    assert_eq!(said(&format!("same(to_linear({MMA}, (16,8)), {fragment})")).as_deref(), Ok("same"));
    let answer = evaluate(&format!("convert({fragment}, triton)")).expect("is one");
    assert_eq!(
        answer.notes,
        ["thread is lane, 32 of them, then warp; value is register", "the layout of a tensor of shape (16,8)"]
    );
}

#[test]
fn what_is_no_encoding_is_refused() {
    let message = |text: &str| match evaluate(text) {
        Err(error) => format!("{}: {}", error.code().as_str(), error.message()),
        Ok(answer) => panic!("{text} is {}", answer.value),
    };
    for (text, wanted) in [
        ("tv((8,2):(2,1), (16))", "not-divisible: 8 threads are no whole warps of 32 lanes"),
        ("tv((48,2):(2,1), (96))", "not-divisible: 48 threads are no whole warps of 32 lanes"),
        ("tv((96,2):(2,1), (192))", "not-a-layout: axis warp has extent 3, which is no power of two"),
        (
            "tv((32,2):(1,64), (128))",
            "not-surjective: the bases reach 6 of the 7 out bits, so not every element has a place",
        ),
        (
            "(4,8):(1@0,1@1)",
            "kind: dim0:4, dim1:8 -> dim0:4, dim1:8 does not lead from registers and lanes, nor from threads and values",
        ),
        (
            "linear<{row=[[1]], col=[[2]]}, out=[dim0:4]>",
            "kind: row:2, col:2 -> dim0:4 does not lead from registers and lanes, nor from threads and values",
        ),
        ("linear<{lane=[[1],[2]]}, out=[x:4]>", "dim-names-mismatch: (dim0) does not name each of (x) once"),
    ] {
        assert_eq!(message(&format!("convert({text}, triton)")), wanted, "{text}");
    }
}

#[test]
fn other_encodings_keep_their_axes() {
    for (text, wanted) in [
        // Warps of any size, where lanes are named.
        (
            "linear<{lane=[[2],[4]], register=[[1]]}, out=[dim0:8]>",
            "#ttg.linear<{register = [[1]], lane = [[2], [4]], warp = [], block = []}>",
        ),
        // Several warps, and values that all warps hold.
        (
            "tv(((32,4),2):((2,0),1), (64))",
            "#ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0], [0]], block = []}>",
        ),
        // Bases that are sums of bits, or come twice.
        (
            "linear<{register=[[3]], lane=[[1]]}, out=[dim0:4]>",
            "#ttg.generic_linear<{register = [[3]], lane = [[1]], warp = [], block = []}>",
        ),
        (
            "linear<{register=[[1],[1]], lane=[[2]]}, out=[dim0:4]>",
            "#ttg.generic_linear<{register = [[1], [1]], lane = [[2]], warp = [], block = []}>",
        ),
    ] {
        assert_eq!(said(&format!("convert({text}, triton)")).as_deref(), Ok(wanted), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Any fragment of bits: the attribute has the layout that the text has.
    #[test]
    fn attributes_are_the_same_layout(
        order in Just((0..9usize).collect::<Vec<_>>()).prop_shuffle(),
        threads in 5..8usize,
        rows in select(vec![2u32, 4, 5]),
        zeros in vec(any::<prop::sample::Index>(), 0..2),
    ) {
        let mut strides: Vec<i64> = order.iter().map(|bit| 1 << bit).collect();
        for zero in &zeros {
            strides.insert(zero.index(strides.len()), 0);
        }
        let mode = |strides: &[i64]| {
            let list = strides.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            (format!("({})", vec!["2"; strides.len()].join(",")), format!("({list})"))
        };
        let (thread, value) = strides.split_at(threads);
        let ((a, x), (b, y)) = (mode(thread), mode(value));
        let shape = format!("({},{})", 1 << rows, 1 << (9 - rows));
        let fragment = format!("tv(({a},{b}):({x},{y}), {shape})");
        let attribute = said(&format!("convert({fragment}, triton)")).map_err(TestCaseError::fail)?;
        prop_assert!(attribute.starts_with("#ttg.linear<"));
        let back = format!("to_linear({attribute}, {shape})");
        prop_assert_eq!(said(&format!("same({fragment}, {back})")), Ok("same".to_owned()), "{}", attribute);
        prop_assert_eq!(said(&format!("convert({back}, triton)")), Ok(attribute));
    }
}
