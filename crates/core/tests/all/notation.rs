//! The expression language: what texts read as, which texts are refused and
//! where, and which sizes are too much.

#![allow(clippy::panic, clippy::unwrap_used, reason = "that is how a test fails")]

use bitstride::notation::{Expr, ExprKind, Ints, MAX_DEPTH, MAX_LEAVES, Name, Span, code, parse};

fn read(text: &str, ints: Ints) -> Expr {
    parse(text, ints).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// `text` reads as `expected`, which displays as `canonical`.
#[track_caller]
fn check_as(text: &str, ints: Ints, expected: ExprKind, canonical: &str) {
    let tree = read(text, ints);
    assert_eq!(tree.kind, expected, "{text}");
    assert_eq!(tree.display(ints).to_string(), canonical);
    assert_eq!(read(canonical, ints), tree, "{text} and {canonical}");
}

#[track_caller]
fn check(text: &str, expected: ExprKind, canonical: &str) {
    check_as(text, Ints::Plain, expected, canonical);
}

/// `text` is the canonical text of what it reads as.
#[track_caller]
fn check_canonical(text: &str, ints: Ints) {
    let tree = read(text, ints);
    assert_eq!(tree.display(ints).to_string(), text);
    assert_eq!(tree.span, Span::new(0, text.len()));
}

/// `text` is refused with `code`, pointing at the `at` in it: the one that
/// follows the first `after`.
#[track_caller]
fn check_error_as(text: &str, ints: Ints, code: &str, after: &str, at: &str) -> String {
    let error = match parse(text, ints) {
        Ok(tree) => panic!("{text} reads as {tree:?}"),
        Err(error) => error,
    };
    assert_eq!(error.code, code, "{text}: {error}");
    let start = text.find(after).map(|place| place + after.len());
    let start = start.unwrap_or_else(|| panic!("{after} in {text}"));
    assert_eq!((error.span.start, error.span.of(text)), (start, at), "{text}: {error}");
    format!("{error} {}", error.help.as_deref().unwrap_or_default())
}

#[track_caller]
fn check_error(text: &str, code: &str, after: &str, at: &str) -> String {
    check_error_as(text, Ints::Plain, code, after, at)
}

fn static_(value: i64) -> ExprKind {
    ExprKind::Static(value)
}

fn dynamic(value: i64) -> ExprKind {
    ExprKind::Dynamic(value)
}

fn unknown(name: &str, div: i64) -> ExprKind {
    let name = (name != "?").then(|| name.to_owned());
    ExprKind::Unknown { name, div }
}

fn basis(value: ExprKind, path: &[usize]) -> ExprKind {
    ExprKind::Basis { value: Box::new(value.into()), path: path.to_vec() }
}

fn pair(shape: ExprKind, stride: ExprKind) -> ExprKind {
    ExprKind::Pair { shape: Box::new(shape.into()), stride: Box::new(stride.into()) }
}

fn swizzle(bits: i64, base: i64, shift: i64) -> ExprKind {
    ExprKind::Swizzle { bits, base, shift }
}

fn call(name: &str, modes: Option<Vec<Expr>>, arguments: Vec<Expr>) -> ExprKind {
    let name = Name::from(name);
    ExprKind::Call { name, modes, arguments }
}

fn all<const N: usize>(items: [ExprKind; N]) -> Vec<Expr> {
    items.map(Expr::from).to_vec()
}

fn tuple<const N: usize>(items: [ExprKind; N]) -> ExprKind {
    ExprKind::Tuple(all(items))
}

fn tiler<const N: usize>(items: [ExprKind; N]) -> ExprKind {
    ExprKind::Tiler(all(items))
}

fn sum<const N: usize>(items: [ExprKind; N]) -> ExprKind {
    ExprKind::Sum(all(items))
}

fn product<const N: usize>(items: [ExprKind; N]) -> ExprKind {
    ExprKind::Product(all(items))
}

fn compose<const N: usize>(items: [ExprKind; N]) -> ExprKind {
    ExprKind::Compose(all(items))
}

#[test]
fn integers() {
    check("7", static_(7), "7");
    check(" - 3 ", static_(-3), "-3");
    check("5?", dynamic(5), "5?");
    check("-5 ?", dynamic(-5), "-5?");
    check("?", unknown("?", 1), "?");
    check("?{div=8}", unknown("?", 8), "?{div=8}");
    check("?{ div = 1 }", unknown("?", 1), "?");
    check("M", unknown("M", 1), "M");
    check("Mo_2{div=8}", unknown("Mo_2", 8), "Mo_2{div=8}");
    check("_", ExprKind::Wildcard, "_");
    check("9223372036854775807", static_(i64::MAX), "9223372036854775807");
    check("-9223372036854775808", static_(i64::MIN), "-9223372036854775808");
}

#[test]
fn integers_in_the_cpp_spelling() {
    let cpp = Ints::Cpp;
    check_as("_5", cpp, static_(5), "_5");
    check_as("_-5", cpp, static_(-5), "_-5");
    check_as("5", cpp, dynamic(5), "5");
    check_as("-5", cpp, dynamic(-5), "-5");
    check_as("_", cpp, ExprKind::Wildcard, "_");
    check_as("_-9223372036854775808", cpp, static_(i64::MIN), "_-9223372036854775808");
    check_as("_1@0@2", cpp, basis(static_(1), &[0, 2]), "_1@0@2");
    check_as("Sw<2,0,-3>", cpp, swizzle(2, 0, -3), "Sw<2,0,-3>");
    check_as("M{div=8}", cpp, unknown("M", 8), "M{div=8}");
    // By-mode indices are plain, the operands after them are not.
    let modes = Some(all([static_(1), static_(0)]));
    let arguments = all([static_(4), dynamic(2)]);
    check_as("f[1,0](_4,2)", cpp, call("f", modes, arguments), "f[1,0](_4, 2)");
}

#[test]
fn tuples_never_group() {
    check("()", tuple([]), "()");
    check("(4)", tuple([static_(4)]), "(4)");
    check("( 2 , (1 , 6) )", tuple([static_(2), tuple([static_(1), static_(6)])]), "(2,(1,6))");
    check("():()", pair(tuple([]), tuple([])), "():()");
    check(
        "(5:16, (2,2):(80,4))",
        tuple([pair(static_(5), static_(16)), pair(tuple([static_(2), static_(2)]), tuple([static_(80), static_(4)]))]),
        "(5:16,(2,2):(80,4))",
    );
}

#[test]
fn basis_sums_join_the_stride_before_them() {
    let diagonal = || sum([basis(static_(1), &[0]), basis(static_(1), &[1])]);
    check("42@0@1", basis(static_(42), &[0, 1]), "42@0@1");
    check("1@0 + 1@1", diagonal(), "1@0+1@1");
    check("4:1@0 + 1@1", pair(static_(4), diagonal()), "4:1@0+1@1");
    check("4:1@0+1@1+7", sum([pair(static_(4), diagonal()), static_(7)]), "4:1@0+1@1 + 7");
    check(
        "4:1@0-2*M@1",
        pair(static_(4), sum([basis(static_(1), &[0]), product([static_(-2), basis(unknown("M", 1), &[1])])])),
        "4:1@0-2*M@1",
    );
    check("4:1+7", sum([pair(static_(4), static_(1)), static_(7)]), "4:1 + 7");
    check("4:1+7@0", sum([pair(static_(4), static_(1)), basis(static_(7), &[0])]), "4:1 + 7@0");
    check(
        "(4,8):(1@0+1@1,1@1)",
        pair(tuple([static_(4), static_(8)]), tuple([diagonal(), basis(static_(1), &[1])])),
        "(4,8):(1@0+1@1,1@1)",
    );
    check(
        "(4):(1@0)+1@1",
        sum([pair(tuple([static_(4)]), tuple([basis(static_(1), &[0])])), basis(static_(1), &[1])]),
        "(4):(1@0) + 1@1",
    );
    assert_eq!(read("4:1@0+1@1", Ints::Plain).span, Span::new(0, 9));
}

#[test]
fn leaf_arithmetic() {
    let m = || unknown("M", 1);
    check("4*M", product([static_(4), m()]), "4*M");
    check("M + 4", sum([m(), static_(4)]), "M+4");
    check("8*M - 7", sum([product([static_(8), m()]), static_(-7)]), "8*M-7");
    check("8 - 4*M", sum([static_(8), product([static_(-4), m()])]), "8-4*M");
    check("-M", product([static_(-1), m()]), "-M");
    check("8-M", sum([static_(8), product([static_(-1), m()])]), "8-M");
    check("-1*M", product([static_(-1), m()]), "-M");
    check("-1*5", product([static_(-1), static_(5)]), "-1*5");
    check("2*-3", product([static_(2), static_(-3)]), "2*-3");
    check("_ - 1", sum([ExprKind::Wildcard, static_(-1)]), "_+-1");
    check(
        "(ceil_div(M, 128),4*M)",
        tuple([call("ceil_div", None, all([m(), static_(128)])), product([static_(4), m()])]),
        "(ceil_div(M,128),4*M)",
    );
    check_as("M-7", Ints::Cpp, sum([m(), dynamic(-7)]), "M-7");
    check_as("M+_-7", Ints::Cpp, sum([m(), static_(-7)]), "M+_-7");
}

#[test]
fn layouts_with_an_offset() {
    let layout = || pair(static_(4), static_(1));
    check("4:1 - 7", sum([layout(), static_(-7)]), "4:1 - 7");
    check(
        "slice(_, 4:1)+7",
        sum([call("slice", None, all([ExprKind::Wildcard, layout()])), static_(7)]),
        "slice(_, 4:1) + 7",
    );
    check("(4:1 + 7)", tuple([sum([layout(), static_(7)])]), "(4:1+7)");
}

#[test]
fn tilers_close_one_bracket_at_a_time() {
    check("<3:4,8:2>", tiler([pair(static_(3), static_(4)), pair(static_(8), static_(2))]), "<3:4, 8:2>");
    check("<4,_>", tiler([static_(4), ExprKind::Wildcard]), "<4, _>");
    check("<4,<2,2>>", tiler([static_(4), tiler([static_(2), static_(2)])]), "<4, <2,2>>");
    check("<<2,2>,4>", tiler([tiler([static_(2), static_(2)]), static_(4)]), "<<2,2>, 4>");
    check("<>", tiler([]), "<>");
}

#[test]
fn compositions_need_no_spaces() {
    let square = |stride: [i64; 2]| pair(tuple([8, 8].map(static_)), tuple(stride.map(static_)));
    check(
        "Sw<3,4,3> o 0 o (8,8):(8,1)",
        compose([swizzle(3, 4, 3), static_(0), square([8, 1])]),
        "Sw<3,4,3> o 0 o (8,8):(8,1)",
    );
    check_as(
        "(_8,_8):(_8,_1)oSw<2,0,-3>o_0o(_8,_8):(_8,_1)",
        Ints::Cpp,
        compose([square([8, 1]), swizzle(2, 0, -3), static_(0), square([8, 1])]),
        "(_8,_8):(_8,_1) o Sw<2,0,-3> o _0 o (_8,_8):(_8,_1)",
    );
    check(
        "S<3,3,3>o0o(8,8):(1,8)",
        compose([swizzle(3, 3, 3), static_(0), square([1, 8])]),
        "Sw<3,3,3> o 0 o (8,8):(1,8)",
    );
    check("_o_", compose([ExprKind::Wildcard, ExprKind::Wildcard]), "_ o _");
    check("4o?oM o-3", compose([static_(4), unknown("?", 1), unknown("M", 1), static_(-3)]), "4 o ? o M o -3");
    // `+` binds tighter.
    check("M o 4:1+7", compose([unknown("M", 1), sum([pair(static_(4), static_(1)), static_(7)])]), "M o 4:1 + 7");
    // At the place of an operand it is a letter like any other.
    check("order(S)", call("order", None, all([unknown("S", 1)])), "order(S)");
}

#[test]
fn calls() {
    check("f()", call("f", None, vec![]), "f()");
    let tree = read("size( composition [1,0] (4:1, 2))", Ints::Plain);
    assert_eq!(tree.to_string(), "size(composition[1,0](4:1, 2))");
    let ExprKind::Call { name, arguments, .. } = tree.kind else {
        panic!("a call");
    };
    assert_eq!((name.text.as_str(), name.span), ("size", Span::new(0, 4)));
    let [Expr { kind: ExprKind::Call { name, modes: Some(modes), .. }, span }] = arguments.as_slice() else {
        panic!("a call by mode");
    };
    assert_eq!((name.text.as_str(), name.span), ("composition", Span::new(6, 17)));
    assert_eq!(*span, Span::new(6, 32));
    let modes: Vec<_> = modes.iter().map(|mode| (mode.kind.clone(), mode.span)).collect();
    assert_eq!(modes, [(static_(1), Span::new(19, 20)), (static_(0), Span::new(21, 22))]);
}

#[test]
fn canonical_texts() {
    for text in [
        "coalesce((2,(1,6)):(1,(6,2)), (1,1))",
        "(6,2):(8,2) o (4,3):(3,1)",
        "composition((12,(4,8)):(59,(13,1)), <3:4, 8:2>)",
        "layout(zipped_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>), 0)",
        "make_layout(layout((2,3):(1,2), 0), layout((2,3):(1,2), 1), 4:10)",
        "crd2idx(((1,3),(2,4)), ((2,4),(3,5)):((3,6),(1,24)))",
        "coalesce(blocked_product((2,5):(5,1), (3,4):(1,3)), (1,1))",
        "8:-1",
        "(?{div=2},9,1,1):(9,1,1,?) o (18,1):(6,54)",
        "slice((_,1), ((4,8),2):((1@0,1@1),M)) + 3",
        "tv(((4,8),(2,2)):((32,1),(16,8)), (16,8))",
        "composition[0](((6,2),5):((8,2),1), (4,3):(3,1))",
        "print_layout(Sw<2,0,3> o 0 o (8,8):(8,1))",
    ] {
        check_canonical(text, Ints::Plain);
    }
    check_canonical("composition((10,2):(16,4), (_5,4):(_1,5), <_3:_4, _8:_2>)", Ints::Cpp);
}

#[test]
fn spans_cover_what_was_read() {
    let text = "  (2, -M) : ( 1@0 , 5? ) ";
    let ExprKind::Pair { shape, stride } = read(text, Ints::Plain).kind else {
        panic!("a layout");
    };
    let (ExprKind::Tuple(extents), ExprKind::Tuple(strides)) = (shape.kind, stride.kind) else {
        panic!("two tuples");
    };
    let texts = |items: Vec<Expr>| -> Vec<_> { items.iter().map(|item| item.span.of(text)).collect() };
    assert_eq!((shape.span.of(text), stride.span.of(text)), ("(2, -M)", "( 1@0 , 5? )"));
    assert_eq!(texts(extents), ["2", "-M"]);
    assert_eq!(texts(strides), ["1@0", "5?"]);
}

#[test]
fn unexpected_tokens() {
    let unexpected = code::UNEXPECTED_TOKEN;
    check_error("4::1", unexpected, "4:", ":");
    check_error("4:1:2", unexpected, "4:1", ":");
    check_error("4:1 4:2", unexpected, "4:1 ", "4");
    check_error("4:1 offset", unexpected, "4:1 ", "offset");
    check_error("(,4)", unexpected, "(", ",");
    check_error("(4,,)", unexpected, "(4,", ",");
    check_error("+5", unexpected, "", "+");
    check_error("2*-M", unexpected, "-", "M");
    check_error("1--2", unexpected, "1-", "-");
    check_error("5?{div=8}", unexpected, "5?", "{");
    check_error("?{mod=8}", unexpected, "?{", "mod");
    check_error("?{div:8}", unexpected, "?{div", ":");
    check_error("f[]()", unexpected, "f", "[]");
    check_error("1@M", unexpected, "@", "M");
    check_error("(1,2)@0", unexpected, "(1,2)", "@");
    check_error("o 4:1", unexpected, "", "o");
    assert!(check_error("4–1", unexpected, "4", "–").contains("U+2013"));
    assert!(check_error("4:1 $", unexpected, "4:1 ", "$").contains("found `$`"));
    assert!(check_error("M<3>", unexpected, "M", "<").contains("found `<`"));
}

#[test]
fn unexpected_ends() {
    let end = code::UNEXPECTED_END;
    for text in ["", "  ", "4:", "(2,", "1@", "4*", "4+", "4 o", "-", "?{div=", "?{", "f[", "f(4:1,"] {
        check_error(text, end, text, "");
    }
}

#[test]
fn unbalanced_brackets() {
    let unbalanced = code::UNBALANCED;
    check_error("(2,(3,4):(1,2)", unbalanced, "", "(");
    check_error("(2,(3,4", unbalanced, "2,", "(");
    check_error("f(<2,3", unbalanced, "f(", "<");
    check_error("f[0", unbalanced, "f", "[");
    check_error("2,3)", code::UNEXPECTED_TOKEN, "2", ",");
    check_error("2:3)", unbalanced, "2:3", ")");
    let message = check_error("(2,3>", unbalanced, "(2,3", ">");
    assert!(message.contains("`(` at byte 0"), "{message}");
    check_error("<2,3)", unbalanced, "<2,3", ")");
}

#[test]
fn integers_out_of_range() {
    let large = code::INTEGER_TOO_LARGE;
    let message = check_error("4:9223372036854775808", large, "4:", "9223372036854775808");
    assert!(message.contains("to 9223372036854775807"), "{message}");
    check_error("-9223372036854775809", large, "", "-9223372036854775809");
    check_error_as("_9223372036854775808", Ints::Cpp, large, "", "_9223372036854775808");
    check_error("1@99999999999999999999", large, "@", "99999999999999999999");
    check_error("Sw<9999999999999999999,0,0>", large, "<", "9999999999999999999");
    check_error("?{div=9999999999999999999}", large, "=", "9999999999999999999");
}

#[test]
fn cpp_integers_are_for_the_cpp_spelling() {
    let cpp = code::CPP_INTEGER;
    let message = check_error("(_5,_4):(1,5)", cpp, "(", "_5");
    assert!(message.contains("`--ints cpp`") && message.contains("write `5`"), "{message}");
    check_error("_-1", cpp, "", "_-1");
    // Where the C++ spelling has plain numbers, it is no help.
    for (text, after) in [("1@_0", "@"), ("Sw<_3,0,1>", "<"), ("?{div=_8}", "="), ("f[_0](4)", "[")] {
        for ints in [Ints::Plain, Ints::Cpp] {
            let text = text.replace("1@", if ints == Ints::Cpp { "_1@" } else { "1@" });
            let at: String = text.split(after).skip(1).collect();
            let message = check_error_as(&text, ints, cpp, after, &at[..2]);
            assert!(!message.contains("--ints"), "{message}");
        }
    }
}

#[test]
fn swizzles_have_three_integers() {
    let bad = code::BAD_SWIZZLE;
    check_error("Sw<3,4>", bad, "", "Sw<3,4>");
    check_error("Sw<3,4,3,1>", bad, "", "Sw<3,4,3,");
    check_error("Sw<3,4,M>", bad, "", "Sw<3,4,M");
    check_error("Sw o 4:1", bad, "", "Sw o");
    check_error("Sw", bad, "", "Sw");
    check_error("f(S<3", bad, "f(", "S<3");
}

#[test]
fn divisors_are_positive() {
    check_error("(M{div=0},2)", code::BAD_DIVISIBILITY, "=", "0");
    check_error("?{div=-8}", code::BAD_DIVISIBILITY, "=", "-8");
}

#[test]
fn lower_case_words_are_names_until_called() {
    let read = |text: &str| parse(text, Ints::Plain).map(|tree| tree.kind);
    assert_eq!(read("lane"), Ok(ExprKind::Name("lane".into())));
    assert!(matches!(read("size(coalesce)"), Ok(ExprKind::Call { .. })));
}

#[test]
fn shapes_of_xla_stand_where_operands_do() {
    check_canonical("same_memory(f32[3,5]{1,0:T(2,2)}, b(pred[]))", Ints::Plain);
    check_canonical("size(bf16[16,256]{1,0:T(8,128)(2,1)}) + 1", Ints::Plain);
    let folded = |text: &str| match parse(text, Ints::Plain).map(|tree| tree.kind) {
        Ok(ExprKind::Xla(text)) => Some((text.shape.to_string(), text.folded)),
        _ => None,
    };
    assert_eq!(folded("F32[3,5]"), Some(("f32[3,5]{1,0}".to_owned(), true)));
    assert_eq!(folded("f32[3,5]"), Some(("f32[3,5]{1,0}".to_owned(), false)));
    let message = check_error("size(f32[3,5]{1,0:T(-1,2)})", code::BAD_SIZE, "T(", "-1");
    assert!(message.contains("write `*`"), "{message}");
    check_error("size(f33[3])", code::UNKNOWN_TYPE, "(", "f33");
}

#[test]
fn arrays_of_mosaic_stand_where_those_of_xla_do() {
    check_canonical("size(memref<16x256xbf16, #tpu.tiled<(8,128)(2,1),[2,1]>>) + 1", Ints::Plain);
    check_canonical("(memref<?x8xi4, #tpu.tiled<,[1,1]>, #tpu.memory_space<vmem>>,f32[])", Ints::Cpp);
    let spaced = read("memref < 3 x 5 x f32 , #tpu.tiled < ( 2 , 2 ) , [ 3 , 1 ] > > o 4:1", Ints::Plain);
    assert_eq!(spaced.to_string(), "memref<3x5xf32, #tpu.tiled<(2,2),[3,1]>> o 4:1");
    assert!(matches!(&spaced.kind, ExprKind::Compose(parts) if parts[0].span == Span::new(0, 61)), "{spaced:?}");
    // Whether the tiles have a meaning is not a question of the text.
    check_canonical("memref<16xf32, #tpu.tiled<(8)(3),[1]>>", Ints::Plain);
    let message = check_error(
        "size(memref<3xf32, #tpu.memory_space<vmem>, #tpu.dimension>)",
        code::UNEXPECTED_TOKEN,
        "f32, ",
        "#",
    );
    assert!(message.contains("#tpu.tiled"), "{message}");
    check_error("size(memref<3xf32, #tpu.tiled<(*),[1]>>)", code::UNEXPECTED_TOKEN, "tiled<(", "*");
    check_error("size(memref<3xf99, #tpu.tiled<,[1]>>)", code::UNKNOWN_NAME, "3x", "f99");
    check_error("(memref<3xf32, #tpu.tiled<,[1,1]>>, 1)", "rank-mismatch", "(", "memref<3xf32, #tpu.tiled<,[1,1]>>");
    check_error("size(memref<3xf32, #tpu.tiled<,[1]>, vmem)", code::UNEXPECTED_END, ")", "");
    assert_eq!(read("memref", Ints::Plain).kind, ExprKind::Name("memref".into()));
}

#[test]
fn layouts_without_an_array_are_read_in_both_spellings() {
    check_canonical("with_layout(f32[16,256]{1,0}, {1,0:T(8,128)S(1)})", Ints::Plain);
    check_canonical("linear<{\"M=[[1]], o\"=[[2]]}, out=[dim0:4]>", Ints::Plain);
    check_canonical("LinearLayout:1", Ints::Plain);
    assert_eq!(
        parse("(d0, d1) -> (d0 * 8 + d1)", Ints::Plain),
        parse("affine_map<(d0, d1) -> (d0 * 8 + d1)>", Ints::Plain)
    );
    check_canonical("(f32[4]{0},affine(affine_map<(d0) -> (d0)>,(4)))", Ints::Plain);
    check_canonical("(f32[4]{0},tensor((2,2),(2,1)).rearrange(\"a b -> b a\"))", Ints::Plain);
    check_canonical("{}", Ints::Cpp);
    check_canonical("({0},M{div=8})", Ints::Plain);
    let jax = "Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0)";
    check_canonical(&format!("with_layout(f32[16,256]{{1,0}}, {jax})"), Ints::Plain);
    for text in ["Layout((0,1), ((8,128),))", "DeviceLocalLayout(tiling=((8,128),), major_to_minor=(0,1))"] {
        assert_eq!(read(text, Ints::Plain).to_string(), jax);
    }
    let twice = read("{0} o Layout((0,))o{:T()}", Ints::Plain);
    assert!(matches!(&twice.kind, ExprKind::Compose(parts) if parts.len() == 3), "{twice:?}");

    check_error("f({1,0:T(-1)})", code::BAD_SIZE, "T(", "-1");
    check_error("f({1,0", code::UNEXPECTED_END, "0", "");
    check_error("f({1,0}", code::UNBALANCED, "f", "(");
    check_error("f({1,0})}", code::UNBALANCED, ")", "}");
    check_error("{0} {1}", code::UNEXPECTED_TOKEN, "{0} ", "{");
    check_error("f(Layout((0,1), tile=()))", "parameter", ", ", "tile");
    // What has no dim 0 is no layout of JAX: pycute prints its layouts so.
    assert_eq!(read("size(Layout((4,2),(2,1)))", Ints::Plain).to_string(), "size((4,2):(2,1))");
    let message = check_error("size(Layout((0,2),(2,1)))", code::UNEXPECTED_TOKEN, ",(", "2");
    assert!(message.contains("of CuTe is written (4,2):(2,1)"), "{message}");
    assert!(matches!(read("Layout", Ints::Plain).kind, ExprKind::Unknown { .. }));
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| "(".repeat(depth) + &")".repeat(depth);
    check_canonical(&nested(MAX_DEPTH), Ints::Plain);
    let text = nested(MAX_DEPTH + 1);
    let message = check_error(&text, code::TOO_DEEP, &"(".repeat(MAX_DEPTH), "(");
    assert!(message.contains("128"), "{message}");
    for open in ["(", "<", "f(", "f[", "4:1o<(f(4+", "-M*", "(((((_:"] {
        let error = parse(&open.repeat(10_000), Ints::Plain).unwrap_err();
        let expected = if open == "-M*" { code::UNEXPECTED_TOKEN } else { code::TOO_DEEP };
        assert_eq!(error.code, expected, "{open}");
    }
    let path = "@0".repeat(MAX_DEPTH);
    check_canonical(&format!("1{path}"), Ints::Plain);
    check_error(&format!("1{path}@0"), code::TOO_DEEP, &path, "@");
}

#[test]
fn leaves_are_limited() {
    let tuple = |leaf: &str, count: usize| format!("({})", vec![leaf; count].join(","));
    check_canonical(&tuple("7", MAX_LEAVES), Ints::Plain);
    for leaf in ["7", "5?", "?", "M", "_", "()", "<>", "f()", "Sw<1,0,1>"] {
        let error = parse(&tuple(leaf, MAX_LEAVES + 1), Ints::Plain).unwrap_err();
        assert_eq!(error.code, code::TOO_LONG, "{leaf}");
        assert!(error.message.contains("65536"), "{error}");
    }
}

#[test]
fn ten_megabytes() {
    const LENGTH: usize = 10_000_000;
    for unit in [
        "(",
        ")",
        "4",
        "4,",
        "4:",
        "4+",
        "4*",
        "4 o ",
        "4o0",
        "oO",
        "4o",
        "M",
        "m",
        "_",
        "-",
        "@0",
        "1@0+",
        "4:1@0+",
        "?",
        " ",
        "\u{a0}",
        "é",
        "#a.",
        "f(",
        "f[0](",
        "Sw<1,0,1>",
        "Sw<1,0,1>o",
        "{",
        "\0",
    ] {
        let text = unit.repeat(LENGTH / unit.len());
        for ints in [Ints::Plain, Ints::Cpp] {
            match parse(&text, ints) {
                Ok(tree) => assert_eq!(tree.display(ints).to_string(), text),
                Err(error) => {
                    assert!(error.span.end <= text.len(), "{unit}");
                    assert!(error.message.len() < 400, "{unit}: {}", error.message.len());
                    assert!(error.help.unwrap_or_default().len() < 400, "{unit}");
                }
            }
        }
    }
}

/// The deepest tree fits a small stack: read, printed, compared and dropped.
#[test]
fn the_stack_is_bounded() {
    let open = "f(M*(4:<-1*M+1@0,";
    let close = ">+1))";
    let rounds = MAX_DEPTH / 3;
    let text = format!("{}7{}", open.repeat(rounds), close.repeat(rounds));
    let work = move || {
        let tree = read(&text, Ints::Plain);
        assert_eq!(read(&tree.to_string(), Ints::Plain), tree.clone());
    };
    let thread = std::thread::Builder::new().stack_size(1 << 21).spawn(work);
    assert!(thread.is_ok_and(|thread| thread.join().is_ok()));
}

/// A template called as a type of XLA is named would print as a shape: it is refused, and other templates print as they read.
#[test]
fn templates_with_names_of_types_are_refused() {
    for word in ["s2ize", "f32", "pred", "bf16"] {
        assert!(parse(&format!("{word}<0>((4,8):(8,1))"), Ints::Plain).is_err(), "{word}");
    }
    let tree = read("size<0>((4,8):(8,1))", Ints::Plain);
    assert_eq!(read(&tree.to_string(), Ints::Plain), tree);
}
