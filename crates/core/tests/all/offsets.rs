//! Offsets of Triton's Python are, element by element, what Python computes.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::Int;
use bitstride::map::{OffsetExpression, Offsets};
use bitstride_lang::evaluate;
use proptest::prelude::*;

/// The extents of the two dims.
const ROWS: i64 = 8;
const COLUMNS: i64 = 4;

/// A text and what it is at a row and a column.
#[derive(Clone, Debug)]
struct Code {
    text: String,
    at: Vec<i64>,
}

impl Code {
    fn of(text: &str, at: impl Fn(i64, i64) -> i64) -> Self {
        let points = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (row, column)));
        Code { text: text.to_owned(), at: points.map(|(row, column)| at(row, column)).collect() }
    }

    fn combined(&self, operator: &str, other: &Code, apply: impl Fn(i64, i64) -> i64) -> Code {
        let at = self.at.iter().zip(&other.at).map(|(a, b)| apply(*a, *b)).collect();
        Code { text: format!("({} {operator} {})", self.text, other.text), at }
    }
}

fn code() -> impl Strategy<Value = Code> {
    let leaf = prop_oneof![
        Just(Code::of("rows[:, None]", |row, _| row)),
        Just(Code::of("tl.arange(0, 4)[None, :]", |_, column| column)),
        Just(Code::of("tl.arange(2, 6)", |_, column| column + 2)),
        Just(Code::of("tl.expand_dims(tl.arange(0, 8), 1)", |row, _| row)),
        (0_i64..20).prop_map(|n| Code::of(&n.to_string(), |_, _| n)),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        (inner.clone(), inner, 0..6_usize, 1_i64..9).prop_map(|(a, b, operator, n)| match operator {
            0 => a.combined("+", &b, |a, b| a + b),
            1 => a.combined("*", &Code::of(&n.to_string(), |_, _| n), |a, b| a * b),
            2 => a.combined("//", &Code::of(&n.to_string(), |_, _| n), |a, b| a / b),
            3 => a.combined("%", &Code::of(&n.to_string(), |_, _| n), |a, b| a % b),
            4 => a.combined("^", &b, |a, b| a ^ b),
            _ => a.combined("&", &b, |a, b| a & b),
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_tensor_of_offsets_is_what_python_computes(code in code()) {
        // Both dims are there, whatever is added to them.
        let whole = format!("{} + tl.broadcast_to(rows[:, None] * 0, (8, 4))", code.text);
        let fail = |error: bitstride::Error| TestCaseError::fail(format!("{whole}: {error}"));
        let read = OffsetExpression::read_start(&whole).map_err(fail)?;
        let (mut expression, length) = read.ok_or_else(|| TestCaseError::fail(whole.clone()))?;
        prop_assert_eq!(length, whole.len());
        let rows = Offsets::strided(vec![Int::from(ROWS)], vec![Int::from(1)], Int::from(0)).map_err(fail)?;
        expression.bind("rows", &rows);
        let offsets = expression.offsets().map_err(fail)?;
        let points = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| [row, column]));
        for (point, expected) in points.zip(&code.at) {
            prop_assert_eq!(offsets.at(&point).map_err(fail)?, *expected, "{} at {:?}", whole, point);
        }
    }
}

#[test]
fn kernels_of_the_tutorials_have_layouts() {
    let value = |text: &str| evaluate(text).map(|answer| answer.value.to_string());
    for (text, expected) in [
        ("tl.arange(0, 128)", "128:1"),
        ("tl.cast(tl.arange(0, 8).to(tl.int64), tl.uint32) * 4", "8:4"),
        ("tl.program_id(0) * 1024 + tl.arange(0, 1024)", "1024:1 + 1024*Pid0"),
        (
            "BLOCK_M: tl.constexpr = 128\nBLOCK_K: tl.constexpr = 32\npid_m = tl.program_id(axis=0)\n\
             offs_am = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)\noffs_k = tl.arange(0, BLOCK_K)\n\
             a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)",
            "(128,32):(Stride_am,Stride_ak) + A_ptr+128*Pid0*Stride_am",
        ),
        (
            "offs_m = tl.arange(0, 64)\noffs_d = tl.arange(0, 128)\nmask = offs_m[:, None] < n\n\
             offs_m[:, None] * 128 + offs_d[None, :]",
            "(64,128):(128,1)",
        ),
        ("(tl.arange(0, 64) % 8) * 8 + tl.arange(0, 64) // 8", "((8,8)):((8,1))"),
        ("rows = tl.arange(0, 8)\n(rows // 2)[:, None] * 4 + tl.arange(0, 4)[None, :]", "((2,4),4):((0,4),1)"),
    ] {
        assert_eq!(value(text).as_deref(), Ok(expected), "{text}");
    }
    for (text, words) in [
        ("offs_m[:, None] * 4", "`offs_m` has no value"),
        ("tl.arange(0, 8)[:, None] + tl.arange(0, 4)[:, None]", "do not broadcast"),
        ("tl.arange(0, 8) // n", "is not known"),
        ("tl.arange(8, 8)", "no elements"),
        ("tl.arange(0, 512).to(tl.int8)", "a cast to int8 may change offsets"),
        ("tl.cast(tl.arange(0, 8), dtype=tl.float32)", "a cast to float32"),
        ("tl.arange(0, 8) < 4", "an operator or the end"),
    ] {
        let error = evaluate(text).err().unwrap_or_else(|| panic!("{text} is answered"));
        assert!(error.message().contains(words), "{text}: {error}");
    }
}
