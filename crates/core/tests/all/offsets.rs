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

/// A block has at each point the sum, dim by dim, of its stride times the offset and the coordinate.
#[test]
fn a_block_is_the_sum_over_its_dims() {
    for (strides, offsets, sizes) in [
        (vec![64, 1], vec![3, 5], vec![4, 8]),
        (vec![1], vec![7], vec![16]),
        (vec![-5, 0, 100], vec![0, 2, -1], vec![2, 3, 4]),
        (vec![1, 64], vec![0, 0], vec![8, 4]),
    ] {
        let text = format!(
            "tl.make_block_ptr(1000, {sizes:?}, {strides:?}, {offsets:?}, {sizes:?}, {:?})",
            Vec::from_iter(0..sizes.len())
        );
        let map = evaluate(&text).and_then(|answer| answer.value.as_map()).expect(&text);
        let mut points: Vec<Vec<i64>> = vec![Vec::new()];
        for size in &sizes {
            points = points
                .iter()
                .flat_map(|point| (0..*size).map(|x| [point.as_slice(), &[x]].concat()).collect::<Vec<_>>())
                .collect();
        }
        for point in points {
            let along = point.iter().zip(&offsets).zip(&strides).map(|((x, offset), stride)| (x + offset) * stride);
            assert_eq!(map.at(&point), Ok(Some(vec![1000 + along.sum::<i64>()])), "{text} at {point:?}");
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
        (
            "tl.make_block_ptr(base=a_ptr, shape=(M, K), strides=(stride_am, stride_ak), offsets=(pid_m * BLOCK_M, 0), \
             block_shape=(BLOCK_M, 32), order=(1, 0))",
            "(BLOCK_M,32):(Stride_am,Stride_ak) + A_ptr+BLOCK_M*Pid_m*Stride_am",
        ),
        ("tl.make_block_ptr(0, (256, 64), (64, 1), (128, 16), (128, 32), (1, 0))", "(128,32):(64,1) + 8208"),
        (
            "desc = tl.make_tensor_descriptor(0, shape=[M, 64], strides=[64, 1], block_shape=[128, 64])\ndesc",
            "(128,64):(64,1)",
        ),
        (
            "tl.make_tensor_descriptor(0, [M, 64], [64, 1], [128, 64], padding_option=\"nan\").load([256, 0])",
            "(128,64):(64,1) + 16384",
        ),
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
        ("tl.make_block_ptr(0, (256, 64), (64, 1), (0,), (128, 32), (1, 0))", "1 offsets for 2 dims"),
        ("tl.make_block_ptr(0, (256, 64), (64, 1), (0, 0), (128, 32), (1, 1))", "names each of the 2 dims once"),
        ("tl.make_block_ptr(0, (256, 64), (64, 1), (0, 0), (128, 32))", "needs its order"),
        ("tl.make_block_ptr(0, (256, 64), stride=(64, 1))", "is called with base, shape, strides"),
        ("tl.make_block_ptr(0, 256, 64, 0, 128, 0)", "the shape of make_block_ptr as a list"),
        ("tl.make_block_ptr(0, (), (), (), (), ())", "blocks of 1 dim or more"),
        (
            "tl.make_tensor_descriptor(0, [8, 64], [64, 2], [8, 64])",
            "the last stride of make_tensor_descriptor is 1, not 2",
        ),
    ] {
        let error = evaluate(text).err().unwrap_or_else(|| panic!("{text} is answered"));
        assert!(error.message().contains(words), "{text}: {error}");
    }
}
