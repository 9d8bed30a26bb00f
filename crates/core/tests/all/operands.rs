//! Layouts with an offset and swizzled layouts are operands wherever a layout is: what acts on coordinates acts on the
//! layout inside, whatever comes after it.

use bitstride::Code;
use bitstride_lang::{Value, evaluate};

/// Operations on coordinates; `$` is the operand `(16,(4,8)):(1,(16,64))`.
const ON_COORDINATES: [&str; 33] = [
    "coalesce($)",
    "coalesce[1]($)",
    "coalesce($, (1,1))",
    "filter($)",
    "filter_zeros($)",
    "flatten($)",
    "layout($, 1)",
    "layout($, (1,0))",
    "select($, 1, 0)",
    "take($, 1, 2)",
    "group($, 0, 2)",
    "append($, 4:512)",
    "prepend($, 4:512)",
    "insert($, 1, 4:512)",
    "replace($, 0, 8:2)",
    "remove($, 0)",
    "with_shape($, (8,64))",
    "composition($, (8,4):(2,16))",
    "composition($, <8, (2,2):(1,4)>)",
    "composition[1]($, 8:2)",
    "logical_divide($, <4, 8>)",
    "zipped_divide($, <4, 8>)",
    "tiled_divide($, <4, 8>)",
    "flat_divide($, <4, 8>)",
    "zipped_product($, 3:1)",
    "blocked_product($, (2,2))",
    "raked_product($, (2,2))",
    "tile_to_shape($, (32,64))",
    "slice($, (3,_))",
    "slice($, (_,(1,_)))",
    "dice($, (3,_))",
    "local_tile($, (4,8), (1,2))",
    "local_partition($, (4,8):(8,1), 11)",
];

const LAYOUT: &str = "(16,(4,8)):(1,(16,64))";

fn value(expression: &str) -> Value {
    evaluate(expression).map(|answer| answer.value).unwrap_or_else(|error| unreachable!("{expression}: {error}"))
}

#[test]
fn operations_on_coordinates_act_inside() {
    for operation in ON_COORDINATES {
        let inside = value(&operation.replace('$', LAYOUT));
        let moved = value(&operation.replace('$', &format!("{LAYOUT} + 7")));
        assert_eq!(moved, value(&format!("{inside} + 7")), "{operation}");
        let swizzled = value(&operation.replace('$', &format!("Sw<2,2,3> o 4 o {LAYOUT}")));
        assert_eq!(swizzled, value(&format!("Sw<2,2,3> o 4 o {inside}")), "{operation}");
        let bytes = value(&operation.replace('$', &format!("Sw<2,4,3> o bytes[16] o 4 o {LAYOUT}")));
        assert_eq!(bytes, value(&format!("Sw<2,4,3> o bytes[16] o 4 o {inside}")), "{operation}");
        let twice = value(&operation.replace('$', &format!("Sw<1,0,5> o 1 o Sw<2,2,3> o 4 o {LAYOUT}")));
        assert_eq!(twice, value(&format!("Sw<1,0,5> o 1 o Sw<2,2,3> o 4 o {inside}")), "{operation}");
    }
}

/// `append((2,3), 4:10)` was the compact layout of the longer shape.
#[test]
fn a_shape_beside_a_layout_is_its_compact_layout() {
    let mut layouts = 0;
    for operation in ON_COORDINATES {
        let Ok(answer) = evaluate(&operation.replace('$', "(16,(4,8))")) else { continue };
        if !matches!(answer.value, Value::Tuple(_)) {
            layouts += 1;
            assert_eq!(answer.value, value(&operation.replace('$', LAYOUT)), "{operation}");
        }
    }
    assert!(layouts >= 20, "{layouts} answers are layouts");
}

#[test]
fn modes_are_added_up_to_a_rank() {
    for (expression, answer) in [
        ("append<3>((4,8):(8,1))", "(4,8,1):(8,1,0)"),
        ("append<2>((4,8):(8,1))", "(4,8):(8,1)"),
        ("append<3>(4:2, 2:8)", "(4,2,2):(2,8,8)"),
        ("append<1>(4:2)", "4:2"),
        ("prepend<4>((4,8):(8,1), 2:64)", "(2,2,4,8):(64,64,8,1)"),
        ("append<3>(Layout<Shape<_4,_8>>{}, Layout<_2,_64>{})", "(4,8,2):(1,4,64)"),
        ("append((1,1), 0, 4)", "(1,1,0,0)"),
        ("cute.append((1,1), 0, up_to_rank=4)", "(1,1,0,0)"),
        ("cute.prepend((1,1), 0, up_to_rank=4)", "(0,0,1,1)"),
        ("cute.append((4,8):(8,1), 1:0, 3)", "(4,8,1):(8,1,0)"),
        ("append((2,3), 4:10, 4)", "(2,3,4,4):(1,2,10,10)"),
        ("append(Sw<1,0,2> o (4,8):(8,1), 1:0, 3)", "Sw<1,0,2> o 0 o (4,8,1):(8,1,0)"),
        ("append[1]((2,3):(1,2), 4:10)", "(2,(3,4)):(1,(2,10))"),
    ] {
        assert_eq!(value(expression), value(answer), "{expression}");
    }
    for (expression, code) in [
        ("append<1>((4,8):(8,1), 2:64)", Code::Range),
        ("append((4,8), 1, -1)", Code::Range),
        ("append((4,8), 1, 9223372036854775807)", Code::Range),
        ("append((4,8), 1, 65)", Code::TooLarge),
    ] {
        assert_eq!(evaluate(expression).map_err(|error| error.code()), Err(code), "{expression}");
    }
}

#[test]
fn questions_about_the_domain_are_answered_alike() {
    for question in
        ["size($)", "rank($)", "depth($)", "shape($)", "stride($)", "compatible($, (16,32))", "nullspace($)"]
    {
        let inside = value(&question.replace('$', LAYOUT));
        for operand in [format!("{LAYOUT} + 7"), format!("Sw<2,2,3> o 4 o {LAYOUT}")] {
            assert_eq!(value(&question.replace('$', &operand)), inside, "{question} of {operand}");
        }
    }
}

#[test]
fn answers() {
    for (expression, answer) in [
        ("local_partition(local_tile((128,64):(64,1),(32,32),(1,1)), (8,4):(4,1), 5)", "(4,8):(512,4) + 2145"),
        ("local_partition(Sw<4,0,4> o (64,16):(16,1), (8,8):(8,1), 9)", "Sw<4,0,4> o 17 o (8,2):(128,8)"),
        ("local_tile((M,K):(K,1), (128,128,64), (I,J,_), <1,_,1>)", "(128,64,ceil_div(K,64)):(K,1,64) + 128*I*K"),
        ("local_tile((M,K):(K,1), (128,128,64), (I,J,_), <1,X,1>)", "(128,64,ceil_div(K,64)):(K,1,64) + 128*I*K"),
        ("local_partition((32,16):(16,1), (8,4):(4,1), 5, <1,_>)", "(4,16):(128,1) + 16"),
        ("local_partition((32,16):(16,1), (8,4):(4,1), 5, <_,1>)", "(8,16):(64,1) + 16"),
        ("domain_offset((2,4), (8,8):(8,1))", "(8,8):(8,1) + 20"),
        ("domain_offset((2,4), (8,8):(8,1) + 3)", "(8,8):(8,1) + 23"),
        ("domain_offset((2,4), Sw<2,0,3> o (8,8):(8,1))", "Sw<2,0,3> o 20 o (8,8):(8,1)"),
        ("make_layout(4:1 + 3, (2,2):(4,8) + 4)", "(4,(2,2)):(1,(4,8)) + 7"),
        ("(4:1 + 3, (2,2):(4,8))", "(4,(2,2)):(1,(4,8)) + 3"),
        ("zip((2,3):(2,4) + 1, (2,2):(1,12))", "((2,2),(3,2)):((2,1),(4,12)) + 1"),
        ("append((8,8):(8,1), 4:64 + 7)", "(8,8,4):(8,1,64) + 7"),
        ("layout_add((2,4):(1,2)+3, (2,4):(4,1)+4)", "(2,4):(5,3) + 7"),
        ("cosize(4:1 + 7)", "11"),
        ("cosize(4:-1 + 2)", "4"),
        ("coshape((4,8):(1@0,2@1) + (1,2))", "(5,17)"),
        ("complement(4:2 + 7, 24)", "(2,3):(1,8)"),
        ("make_layout_like(Sw<2,0,3> o (8,8):(8,1))", "(8,8):(8,1)"),
        ("make_fragment_like(Sw<2,0,3> o (8,8):(8,1))", "(8,8):(1,8)"),
        ("max_common_vector((64,64):(1,64) + 7, (64,64):(1,64) + 3)", "4096"),
        ("max_common_vector(Sw<3,3,3> o (64,64):(1,64), (64,64):(1,64))", "8"),
        ("max_common_layout(Sw<3,3,3> o 4 o (64,64):(1,64), (64,64):(1,64))", "4:1"),
        ("max_common_vector(Sw<3,3,3> o 32:1, 32:1)", "32"),
        ("crd2idx((1,2), (4,8):(8,1) + 5)", "15"),
        ("at((4,8):(8,1) + 5, (1,2))", "15"),
        ("composition((4,8):(8,1), 2:1 + 4)", "2:8 + 1"),
        ("composition((4,8):(8,1) + 3, 2:4 + 8)", "2:1 + 5"),
        ("composition(Sw<1,0,2> o 2 o (4,8):(8,1), 2:1 + 4)", "Sw<1,0,2> o 3 o 2:8"),
        ("composition((4,8):(1,100), 2:1 + 3)", "2:97 + 3"),
        ("composition((64,4):(4,1), Sw<3,0,3> o (8,8):(8,1))", "Sw<3,2,3> o 0 o (8,8):(32,4)"),
        ("composition((8,8):(8,1), Sw<2,0,-3> o 0 o (8,8):(8,1))", "Sw<2,0,3> o 0 o (8,8):(1,8)"),
    ] {
        assert_eq!(value(expression).to_string(), answer, "{expression}");
    }
}

#[test]
fn compositions_that_are_no_layout_have_a_chain() {
    let error = evaluate("composition((32,32):(1,0), Sw<3,0,3> o (8,8):(8,1))").expect_err("bits are xored twice");
    assert_eq!(error.code(), Code::NotALayout);
    let chain = error.chain().expect("a chain");
    assert_eq!(value(&format!("crd2idx((5,3), {chain})")).to_string(), "14");
    let error = evaluate("composition((4,8):(1,100), 3:1 + 3)").expect_err("carries");
    assert_eq!((error.code(), error.chain()), (Code::Carry, Some("chain((4,8):(1,100), 3:1 + 3)")));
}

/// What has no meaning for a swizzle or an offset says why.
#[test]
fn refusals_say_why() {
    for (expression, why) in [
        ("make_layout(Sw<2,0,3> o (8,8):(8,1), 4:64)", "which the swizzle"),
        ("layout_add(Sw<2,0,3> o 64:1, 64:1)", "which the swizzle"),
        ("complement(Sw<1,0,2> o 4:2, 24)", "a swizzle moves places"),
        ("right_inverse(4:1 + 7)", "takes the origin away"),
        ("left_inverse(Sw<1,0,2> o 1 o 4:1)", "takes the origin away"),
        ("zipped_divide((8,8):(8,1), 4:1 + 3)", "starts at 3"),
        ("blocked_product((8,8):(8,1), (2,2):(1,2)+3)", "starts at 3"),
        ("local_partition((32,16):(16,1), (8,4):(4,1), 5, <1>)", "has 1 entries"),
        ("local_tile((32,16):(16,1), (8,4), (1,1), 1)", "a projection has one entry for each mode"),
    ] {
        let error = evaluate(expression).expect_err(expression);
        assert!(error.message().contains(why), "{expression}: {error}");
    }
}
