//! What is written in a dialect reads as the value that was written, in that dialect.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::linear::Name;
use bitstride::notation::{Dialect, Ints, read};
use bitstride_lang::{Value, call, evaluate};
use proptest::prelude::*;

/// At least 2,000 cases a property; `PROPTEST_CASES` asks for more.
fn config() -> ProptestConfig {
    let cases = ProptestConfig::default().cases.max(2000);
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_global_rejects: cases.saturating_mul(100),
        ..ProptestConfig::default()
    }
}

/// A value written as `notation`, or why not.
fn written(value: &Value, notation: &str) -> Result<String, bitstride::Error> {
    let mut operands = vec![value.clone(), Value::Name(Name::new(notation)?)];
    if let Some(element) = match notation {
        "numpy" => Some("f32"),
        "ttgir" => Some("f16"),
        _ => None,
    } {
        operands.push(Value::Name(Name::new(element)?));
    }
    call("convert", &operands).map(|answer| answer.value.to_string())
}

/// Reading what is written gives the value; where it is not written, the refusal is one of notation.
fn comes_back(
    text: &str,
    notation: &str,
    dialect: Dialect,
    is_equal: impl Fn(&Value, &Value) -> bool,
) -> Result<bool, TestCaseError> {
    let value = evaluate(text).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?.value;
    let Ok(source) = written(&value, notation) else { return Ok(false) };
    let reading =
        read(&source, Ints::Plain).map_err(|error| TestCaseError::fail(format!("{text}: {source}: {error}")))?;
    prop_assert!(reading.dialects.contains(&dialect), "{text}: {source} is read as {:?}", reading.dialects);
    let again = evaluate(&source).map_err(|error| TestCaseError::fail(format!("{text}: {source}: {error}")))?.value;
    prop_assert!(is_equal(&again, &value), "{text}: {source} reads as {again}");
    Ok(true)
}

fn is_same(left: &Value, right: &Value) -> bool {
    call("same", &[left.clone(), right.clone()]).is_ok_and(|answer| !answer.value.is_false())
}

/// A shape and a stride, nested alike.
fn nested(leaf: impl Strategy<Value = (String, String)> + Clone + 'static) -> impl Strategy<Value = (String, String)> {
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop::collection::vec(inner, 1..4).prop_map(|modes| {
            let (shapes, strides): (Vec<_>, Vec<_>) = modes.into_iter().unzip();
            (format!("({})", shapes.join(",")), format!("({})", strides.join(",")))
        })
    })
}

fn integer() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        6 => (0_i64..200).prop_map(|n| n.to_string()),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        2 => (1_i64..99).prop_map(|n| format!("{n}?")),
        1 => Just("?".to_owned()),
        1 => Just("?{div=8}".to_owned()),
        2 => Just("M".to_owned()),
        1 => Just("N{div=4}".to_owned()),
        1 => Just("4*M".to_owned()),
    ]
}

fn extent() -> impl Strategy<Value = String> + Clone {
    integer().prop_map(|text| if text.starts_with('-') { "5".to_owned() } else { text })
}

fn stride() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        8 => integer(),
        1 => (1_i64..9, 0_usize..3).prop_map(|(n, mode)| format!("{n}@{mode}")),
        1 => (0_usize..3, 0_usize..3).prop_map(|(a, b)| format!("1@{a}@{b}")),
    ]
}

fn layout() -> impl Strategy<Value = String> {
    nested((extent(), stride())).prop_map(|(shape, stride)| format!("{shape}:{stride}"))
}

fn swizzle() -> impl Strategy<Value = String> {
    (0_i64..4, 0_i64..5, 3_i64..6).prop_map(|(bits, base, shift)| format!("Sw<{bits},{base},{shift}>"))
}

/// Layouts, with what may come before them; tilers.
fn cute() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => layout(),
        1 => swizzle(),
        2 => (swizzle(), 0_i64..9, layout()).prop_map(|(s, n, l)| format!("{s} o {n} o {l}")),
        1 => (swizzle(), swizzle(), layout()).prop_map(|(s, t, l)| format!("{s} o 0 o {t} o 0 o {l}")),
        1 => (swizzle(), layout()).prop_map(|(s, l)| format!("{s} o bytes[16] o {l}")),
        1 => (layout(), 1_i64..9).prop_map(|(l, n)| format!("{l} + {n}")),
        1 => prop::collection::vec(prop_oneof![layout(), extent(), Just("_".to_owned())], 1..4)
            .prop_map(|modes| format!("<{}>", modes.join(", "))),
    ]
}

/// Layouts of memory: dims in any order, perhaps padded, repeated or with an offset.
fn memory() -> impl Strategy<Value = String> {
    (prop::collection::vec((1_i64..6, 0_i64..9), 1..5), any::<u64>(), 0_i64..3).prop_map(|(dims, seed, offset)| {
        let mut order: Vec<usize> = (0..dims.len()).collect();
        let mut seed = seed;
        for at in (1..order.len()).rev() {
            let other = usize::try_from(seed % 7).unwrap_or(0) % (at + 1);
            order.swap(at, other);
            seed /= 7;
        }
        let mut strides = vec![0; dims.len()];
        let mut stride = 1;
        for at in order {
            if let (Some(place), Some((extent, kind))) = (strides.get_mut(at), dims.get(at)) {
                // One in nine is repeated, one in nine padded.
                *place = if *kind == 0 { 0 } else { stride };
                stride *= if *kind == 0 { 1 } else { extent + i64::from(*kind == 1) };
            }
        }
        let text = |all: Vec<i64>| all.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        let sizes = text(dims.iter().map(|(extent, _)| *extent).collect());
        let offset = if offset == 0 { String::new() } else { format!(", {offset}") };
        format!("tensor(({sizes}), ({}){offset})", text(strides))
    })
}

/// Layouts that fill their memory, with modes of several digits.
fn rearranged() -> impl Strategy<Value = String> {
    (prop::collection::vec(2_i64..5, 1..6), any::<u64>(), 1_usize..4).prop_map(|(digits, seed, count)| {
        let mut strides = Vec::new();
        let mut stride = 1;
        for extent in &digits {
            strides.push(stride);
            stride *= extent;
        }
        let mut modes: Vec<Vec<(i64, i64)>> = vec![Vec::new(); count];
        let mut seed = seed;
        for digit in digits.into_iter().zip(strides) {
            let place = usize::try_from(seed % 5).unwrap_or(0) % count;
            seed /= 5;
            if let Some(mode) = modes.get_mut(place) {
                match seed % 2 {
                    0 => mode.push(digit),
                    _ => mode.insert(0, digit),
                }
                seed /= 2;
            }
        }
        let text = |pick: fn(&(i64, i64)) -> i64, empty: &str| {
            let modes: Vec<String> = modes
                .iter()
                .map(|mode| match mode.is_empty() {
                    true => empty.to_owned(),
                    false => format!("({})", mode.iter().map(|d| pick(d).to_string()).collect::<Vec<_>>().join(",")),
                })
                .collect();
            format!("({})", modes.join(","))
        };
        format!("{}:{}", text(|digit| digit.0, "1"), text(|digit| digit.1, "0"))
    })
}

/// Extents that are powers of two, as many as there are dims.
fn powers(rank: usize, most: u32) -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec((0..most).prop_map(|bits| 1_i64 << bits), rank)
}

/// Encodings of every family that Gluon has a class for.
fn encoding() -> impl Strategy<Value = String> {
    let blocked = (1_usize..4).prop_flat_map(|rank| {
        let order = Just((0..rank).collect::<Vec<usize>>()).prop_shuffle();
        (powers(rank, 4), powers(rank, 4), powers(rank, 3), order).prop_map(|(size, threads, warps, order)| {
            format!(
                "#ttg.blocked<{{sizePerThread = {size:?}, threadsPerWarp = {threads:?}, warpsPerCTA = {warps:?}, order = {order:?}}}>"
            )
        })
    });
    let shared = (0_u32..4, 0_u32..4, 0_u32..4, any::<bool>()).prop_map(|(vec, per, max, turned)| {
        let order = if turned { [0, 1] } else { [1, 0] };
        format!(
            "#ttg.swizzled_shared<{{vec = {}, perPhase = {}, maxPhase = {}, order = {order:?}}}>",
            1 << vec,
            1 << per,
            1 << max
        )
    });
    let matrix = (powers(2, 3), 1_i64..5).prop_map(|(warps, n)| {
        format!(
            "#ttg.nvidia_mma<{{versionMajor = 3, versionMinor = 0, warpsPerCTA = {warps:?}, instrShape = [16, {}, 16]}}>",
            8 << n
        )
    });
    let padded = (3_u32..8, 0_u32..4, powers(2, 6)).prop_map(|(interval, padding, shape)| {
        format!("#ttg.padded_shared<[{}:+{}] {{order = [1, 0], shape = {shape:?}}}>", 1 << interval, 1 << padding)
    });
    let nvmma = (0_usize..4, any::<bool>(), 3_u32..6).prop_map(|(width, transposed, bits)| {
        format!(
            "#ttg.nvmma_shared<{{swizzlingByteWidth = {}, transposed = {transposed}, elementBitWidth = {}}}>",
            [0, 32, 64, 128][width],
            1 << bits
        )
    });
    let memory = (0_usize..2, 0_u32..5, any::<bool>()).prop_map(|(rows, columns, two)| {
        format!(
            "#ttng.tensor_memory_encoding<blockM = {}, blockN = {}, colStride = 1, twoCTAs = {two}>",
            [64, 128][rows],
            8 << columns
        )
    });
    let parent = prop_oneof![blocked, matrix];
    prop_oneof![
        4 => parent.clone(),
        2 => (0_i64..2, parent.clone()).prop_map(|(dim, parent)| format!("#ttg.slice<{{dim = {dim}, parent = {parent}}}>")),
        1 => (0_i64..2, parent)
            .prop_map(|(operand, parent)| format!("#ttg.dot_op<{{opIdx = {operand}, parent = {parent}, kWidth = 2}}>")),
        1 => shared,
        1 => padded,
        1 => nvmma,
        1 => memory,
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn gluon_comes_back(text in encoding()) {
        prop_assume!(evaluate(&text).is_ok());
        prop_assert!(comes_back(&text, "gluon", Dialect::Gluon, |a, b| a == b)?, "{text} is not written");
    }

    #[test]
    fn ttgir_comes_back(encoding in encoding(), shape in powers(2, 7)) {
        let sizes: String = shape.iter().map(|size| format!("{size}x")).collect();
        let kind = if encoding.contains("_shared<") { "!ttg.memdesc" } else { "tensor" };
        let rest = if kind == "tensor" { "" } else { ", #ttg.shared_memory" };
        let text = format!("{kind}<{sizes}f16, {encoding}{rest}>");
        let Ok(value) = evaluate(&text).map(|answer| answer.value) else { return Ok(()) };
        let Ok(source) = written(&value, "ttgir") else { return Ok(()) };
        let again = evaluate(&source).map_err(|error| TestCaseError::fail(format!("{text}: {source}: {error}")))?.value;
        prop_assert!(is_same(&again, &value), "{text}: {source} reads as {again}");
    }

    #[test]
    fn cpp_comes_back(text in cute()) {
        prop_assume!(evaluate(&text).is_ok());
        prop_assume!(comes_back(&text, "cpp", Dialect::CuteCpp, |a, b| a == b)?);
    }

    #[test]
    fn dsl_comes_back(text in cute()) {
        prop_assume!(evaluate(&text).is_ok());
        prop_assume!(comes_back(&text, "dsl", Dialect::CuteDsl, |a, b| a == b)?);
    }

    #[test]
    fn pycute_comes_back(text in cute()) {
        prop_assume!(evaluate(&text).is_ok());
        prop_assume!(comes_back(&text, "pycute", Dialect::Pycute, |a, b| a == b)?);
    }

    #[test]
    fn torch_comes_back(text in memory()) {
        prop_assert!(comes_back(&text, "torch", Dialect::Torch, is_same)?);
    }

    #[test]
    fn numpy_comes_back(text in memory()) {
        prop_assert!(comes_back(&text, "numpy", Dialect::NumPy, is_same)?);
    }

    #[test]
    fn einops_comes_back(text in prop_oneof![memory(), rearranged()]) {
        prop_assume!(comes_back(&text, "einops", Dialect::Einops, is_same)?);
    }
}

#[test]
fn what_is_written() {
    for (text, notation, source) in [
        ("(8,64):(64,1)", "cpp", "Layout<Shape<_8,_64>,Stride<_64,_1>>{}"),
        ("(8,20):(20,1)", "cpp", "Layout<Shape<_8,Int<20>>,Stride<Int<20>,_1>>{}"),
        ("(8,64?):(64?,1)", "cpp", "make_layout(make_shape(_8{},int(64)), make_stride(int(64),_1{}))"),
        ("(M,N):(N,1)", "cpp", "make_layout(make_shape(M,N), make_stride(N,_1{}))"),
        ("(4,?):(1@0,1@1)", "cpp", "Layout<Shape<_4,int>,Stride<E<0>,E<1>>>{}"),
        (
            "Sw<3,3,3> o (8,64):(64,1)",
            "cpp",
            "ComposedLayout<Swizzle<3,3,3>,_0,Layout<Shape<_8,_64>,Stride<_64,_1>>>{}",
        ),
        ("Sw<3,4,3> o bytes[16] o 4:1", "cpp", "ComposedLayout<Swizzle<3,4,3>,smem_ptr_flag_bits<16>,Layout<_4,_1>>{}"),
        ("(8,64):(64,1)", "dsl", "cute.make_layout((8, 64), stride=(64, 1))"),
        ("(8,?{div=8}):(64,1)", "dsl", "!cute.layout<\"(8,?{div=8}):(64,1)\">"),
        ("Sw<3,4,3> o bytes[16] o 4:1", "dsl", "tensor<ptr<i16, smem, S<3,4,3>> o 4:1>"),
        ("(8,(2,2)):(4,(1,2))", "pycute", "Layout((8, (2, 2)), (4, (1, 2)))"),
        ("f32[3,5]{0,1}", "torch", "torch.empty_strided((3, 5), (1, 3))"),
        ("f32[3,5]{0,1}", "numpy", "np.ndarray((3, 5), np.float32, strides=(4, 12))"),
        ("(4,2,3):(1,12,4)", "einops", "rearrange(x[2,3,4], 'a b c -> c a b')"),
        ("(4,2,3):(1,0,4)", "einops", "repeat(x[3,4], 'a b -> b c a', c=2)"),
        ("((2,4),3):((1,6),2)", "einops", "rearrange(x[4,3,2], 'a b c -> (a c) b')"),
    ] {
        let value = evaluate(text).map(|answer| answer.value).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(written(&value, notation).as_deref(), Ok(source), "{text} as {notation}");
    }
}

#[test]
fn what_a_notation_cannot_hold_is_refused() {
    for (text, notation, words) in [
        ("4:1 + 3", "cpp", "begin elsewhere"),
        ("(M{div=8},4):(4,1)", "cpp", "divides"),
        ("(M,4):(4,1)", "pycute", "plain integers"),
        ("(4,8):(-8,1) + 24", "torch", "negative"),
        ("Sw<1,0,3> o (4,8):(8,1)", "torch", "xor"),
        ("(4,8):(9,1)", "einops", "whole tensor"),
        ("Sw<1,0,3> o (4,8):(8,1)", "einops", "more than an order"),
    ] {
        let value = evaluate(text).map(|answer| answer.value).unwrap_or_else(|error| panic!("{text}: {error}"));
        let error = written(&value, notation).err().unwrap_or_else(|| panic!("{text} as {notation} is written"));
        assert!(error.message().contains(words), "{text} as {notation}: {error}");
    }
}
