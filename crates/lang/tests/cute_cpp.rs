//! What CuTe C++ answered to types and calls of public kernels, to the helpers of CUTLASS and to constants with names
//! (`python/tools/record_cpp.py`).

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride_lang::evaluate;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cute_cpp.jsonl");

#[test]
fn texts_answer_as_in_cute_cpp() {
    let table = std::fs::read_to_string(TABLE).expect("the table is there");
    let mut count = 0;
    for line in table.lines() {
        // No expression has a quote in it.
        let row = line.strip_prefix("{\"expr\":\"").and_then(|row| row.strip_suffix("\"}"));
        let (expression, printed) = row.and_then(|row| row.split_once("\",\"cpp\":\"")).expect("a row");
        count += 1;
        if printed.is_empty() {
            assert!(evaluate(expression).is_err(), "{expression} is refused by the compiler");
            continue;
        }
        let answer = evaluate(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
        let theirs = evaluate(printed).unwrap_or_else(|error| panic!("{printed}: {error}"));
        let (ours, theirs) = (answer.value.to_string(), theirs.value.to_string());
        // Integers that are dynamic there keep a stride for a mode of one element.
        let is_same =
            || evaluate(&format!("same({ours}, {theirs})")).is_ok_and(|same| same.value.to_string() == "same");
        assert!(ours == theirs || is_same(), "{expression}: {ours}, and {theirs} in C++");
    }
    assert!(count > 500, "{count} rows");
}

/// What a kernel computes from names among its constants: the value, and with a name that nothing binds the expression.
#[test]
fn constants_are_computed_from_names() {
    for (text, value) in [
        ("Layout<Shape<Int<16 * kNWarps>, _8>>{}", "(16*KNWarps,8):(1,16*KNWarps)"),
        ("Layout<Shape<Int<kBlockM / 2>, Int<kBlockM % 3>>>{}", "(div(KBlockM,2),mod(KBlockM,3)):(1,div(KBlockM,2))"),
        ("Layout<Shape<Int<(kM + 8) * 2 - 1>>>{}", "(2*KM+15):(1)"),
        ("constexpr int kM = 128;\nusing L = Layout<Shape<Int<kM>, Int<kM/2 - 8>>>;", "(128,56):(1,128)"),
        (
            "constexpr int kM = 7;\nusing L = Layout<Shape<Int<2*kM + 1>, _1>, Stride<Int<0 - kM/2>, _1>>;",
            "(15,1):(-3,1)",
        ),
        ("Layout<Shape<Int<Traits::kM>, Int<kM>>>{}", "(Traits__kM,KM):(1,Traits__kM)"),
        ("kM = 4\nLayout<Shape<Int<Traits::kM>, Int<kM>>>{}", "(Traits__kM,4):(1,Traits__kM)"),
        ("make_layout(make_shape(size<0>(TileShape{}), _8{}))", "(Size_0__TileShape,8):(1,Size_0__TileShape)"),
        ("make_shape(Int<4>{}, uint32_t(6))", "(4,6?)"),
        ("kSwizzle = 3\ncomposition(Swizzle<kSwizzle, 3, 3>{}, Layout<_64>{})", "Sw<3,3,3> o 0 o 64:1"),
        ("b = 3\ncute.make_swizzle(b, 4, 3)", "Sw<3,4,3>"),
        (
            "kM = 128\nss_smem_selector<GMMA::Major::K, half_t, _128, Int<kM / 4>>()",
            "Sw<2,4,3> o bytes[16] o (8,32):(32,1)",
        ),
    ] {
        let answer = evaluate(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(answer.value.to_string(), value, "{text}");
    }
    for (text, said) in [
        ("make_layout(get<0>(EpilogueTile{}))", "EpilogueTile stands for a layout or a shape in get"),
        ("ss_smem_selector<GMMA::Major::K, half_t, Int<kM>, _64>()", "numbers, multiples of 8"),
        ("Sm1xxBlockScaledConfig<16>::Blk_MN", "`::SfAtom`"),
        ("compact_col_major(make_shape(_4{}, _8{}), _3{})", "with 1 arguments, here are 2"),
    ] {
        let error = evaluate(text).expect_err(text);
        assert!(error.message().contains(said), "{text}: {error}");
    }
}

/// `//` of Python rounds down and binds as `*`; where prose follows it is a comment of C++.
#[test]
fn integers_are_divided_as_in_python() {
    for (text, value) in [
        ("kBlockM = 128//2", "64"),
        ("2 - 7 // 2", "-1"),
        ("2 - 1 * 7 // 2", "-1"),
        ("0 - 7 // 2", "-3"),
        ("-7 // 2", "-4"),
        ("7 // -2", "-4"),
        ("(7 - 14) // 2", "-4"),
        ("100 // 3 // 4 * 5", "40"),
        ("floor_div(-7, -2)", "3"),
        ("M // 2", "div(M,2)"),
        ("(M - 8) // 2 * 2", "-2*ceil_div(-1*M+8,2)"),
        ("m = -7\nm // 2", "-4"),
        ("cute.make_layout((tile_m // 2, 8), stride=(8, 1))", "(div(Tile_m,2),8):(8,1)"),
        ("cute.make_layout(((M + 127) // 128, 128), stride=(128, 1))", "(div(M+127,128),128):(128,1)"),
        ("(4,8):(8,1) // rows first", "(4,8):(8,1)"),
        ("128 // 4 warps of 32", "128"),
        ("size((4,8):(8,1)) // elements", "32"),
        ("size((4,8):(8,1)) // 4", "8"),
        ("self.bM = 128\nself.tile = (self.bM // 2, 64)\ncute.make_layout(self.tile)", "(64,64):(1,64)"),
    ] {
        let answer = evaluate(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(answer.value.to_string(), value, "{text}");
    }
    for (text, said) in [("4 // 0", "4 / 0"), ("cute.make_layout((128/2, 8))", "found `/`")] {
        let error = evaluate(text).expect_err(text);
        assert!(error.message().contains(said), "{text}: {error}");
    }
}

/// Brackets around one thing are none in Python, and parts of what nothing binds are unknowns, each its own.
#[test]
fn python_groups_by_brackets_and_takes_parts() {
    for (text, value) in [
        ("cute.make_layout((4))", "4:1"),
        ("cute.make_layout((4,))", "(4):(1)"),
        ("cute.make_layout(((4), 8), stride=((8), 1))", "(4,8):(8,1)"),
        ("pycute.Layout((12), (2))", "12:2"),
        ("Layout(((4,2)), ((1,16)))", "(4,2):(1,16)"),
        ("cute.size((4):(1))", "4"),
        ("cute.make_layout((tile[0], tile_0), stride=(1, 0))", "(Tile_0,Tile_01):(1,0)"),
        ("cute.make_layout((tile[0], tile[1]), stride=(tile[1], 1))", "(Tile_0,Tile_1):(Tile_1,1)"),
        ("tile = (64, 32)\ncute.make_layout((tile[0], tile[1]))", "(64,32):(1,64)"),
        ("cute.make_layout((mA.shape[0], 8), stride=(8, 1))", "(MA_shape_0,8):(8,1)"),
        ("x[1,2].t()", "tensor((2,1), (1,2))"),
    ] {
        let answer = evaluate(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(answer.value.to_string(), value, "{text}");
    }
    let error = evaluate("cute.slice_(cluster_layout_vmnk, (0, None))").expect_err("nothing binds the name");
    assert!(error.help().is_some_and(|help| help.contains("cluster_layout_vmnk = ")), "{error:?}");
}
