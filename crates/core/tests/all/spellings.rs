//! Spellings that are read and not printed: marks of other scripts, CuTe's template arguments, applied layouts, quoted names.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::Code;
use bitstride::notation::{Ints, parse};
use bitstride_lang::{Bindings, evaluate, evaluate_in};

fn value(text: &str) -> String {
    evaluate(text).map_or_else(|error| panic!("{text}: {error:?}"), |answer| answer.value.to_string())
}

#[test]
fn spellings_are_read_as_the_canonical_text() {
    let cases = [
        ("（4，8）：（8，1）", "(4,8):(8,1)"),
        ("Sw<3,4,3>∘（8，64）：（64，1）", "Sw<3,4,3> o (8,64):(64,1)"),
        ("A∘B", "A o B"),
        ("4∗M − 1", "4*M-1"),
        ("［2，3］：［1，2］；", "(2,3):(1,2)"),
        ("f32［3，5］｛1，0：T（2，2）｝", "f32[3,5]{1,0:T(2,2)}"),
        ("linear＜｛lane=［［1］］｝, out=［dim0：2］＞", "linear<{lane=[[1]]}, out=[dim0:2]>"),
        ("atom(SM80_16x8x16_F32F16F16F32_TN).A", "part(atom(SM80_16x8x16_F32F16F16F32_TN), A)"),
        ("atom(UniversalCopy< uint128_t >).Src", "part(atom(UniversalCopy<uint128_t>), Src)"),
        ("size(atom(SM61_DP4A).ThrID)", "size(part(atom(SM61_DP4A), ThrID))"),
        ("[2,[1,6]]:[1,[6,2]]", "(2,(1,6)):(1,(6,2))"),
        ("(4,)", "(4)"),
        ("<32, None>", "<32, _>"),
        ("(4,8):(8,1)(None,3)", "slice((4,8):(8,1), (_,3))"),
        ("<3:4, 8:2,>", "<3:4, 8:2>"),
        ("size((4,8),);", "size((4,8))"),
        ("4:1 == 8:1", "same(4:1, 8:1)"),
        ("M == 4:1 o 2:1 ;", "same(M, 4:1 o 2:1)"),
        ("size<0>(4:1)", "size[0](4:1)"),
        ("rank<0, 1>(4:1)", "rank[0,1](4:1)"),
        ("take<1,3>((2,3,5,7))", "take((2,3,5,7), 1, 3)"),
        ("select<2,0>((2,3,5))", "select((2,3,5), 2, 0)"),
        ("upcast<4>((4,8):(8,1))", "upcast((4,8):(8,1), 4)"),
        ("(4,8):(8,1)(1,2)", "crd2idx((1,2), (4,8):(8,1))"),
        ("(4,8):(8,1)(5)", "crd2idx(5, (4,8):(8,1))"),
        ("(4,8):(8,1)((1),2)", "crd2idx(((1),2), (4,8):(8,1))"),
        ("(4,8):(8,1)(_,2)(3)", "crd2idx(3, slice((4,8):(8,1), (_,2)))"),
        ("coalesce(4:1)(2) + 3", "crd2idx(2, coalesce(4:1)) + 3"),
        ("f32[4]{0}(1)", "crd2idx(1, f32[4]{0})"),
        ("\"lane\"", "lane"),
        ("\"M\"", "\"M\""),
        ("(x, \"o\")", "(x,\"o\")"),
        ("linear<{\"o\"=[[1]]}, out=[\"M\":2]>", "linear<{o=[[1]]}, out=[M:2]>"),
    ];
    for (text, canonical) in cases {
        let tree = parse(text, Ints::Plain).unwrap_or_else(|error| panic!("{text}: {error} {:?}", error.span));
        assert_eq!(tree.to_string(), canonical);
        assert_eq!(parse(canonical, Ints::Plain).as_ref(), Ok(&tree), "{text}");
        assert_eq!((tree.span.start, text.get(tree.span.start..tree.span.end).is_some()), (0, true), "{text}");
    }
}

#[test]
fn errors_point_at_what_was_typed() {
    let cases = [
        ("（4，8）：（8，1", "（"),
        ("（4，8）：（8，frob(2)）", "frob"),
        ("4∘∘4", "∘"),
        ("a∘frob(1)", "a"),
        ("4:1 + 7(3)", "("),
        ("Sw<3,4,3> o 4:1(3)", "("),
        ("4*(4,8)(3)", "("),
        ("size<0>(4:1, frob(1))", "frob"),
        ("4:1 == 8:1 == 2:1", "=="),
        ("4:1; 4", "4"),
        ("(4:1;)", ";"),
        ("crd2idx(１, 4:1)", "１"),
        ("squeeze_ins(linear<{lane=[]}, out=[]>, \"a b\")", "\"a b\""),
    ];
    for (text, at) in cases {
        let error = evaluate(text).err().unwrap_or_else(|| panic!("{text} is answered"));
        let span = error.span().unwrap_or_else(|| panic!("{text}: {error}"));
        assert_eq!(text.get(span.start..span.end), Some(at), "{text}: {error}");
    }
}

#[test]
fn applied_layouts_and_template_arguments_have_values() {
    let cases = [
        ("(4,8):(8,1)(1,2)", "10"),
        ("(4,8):(8,1)(_,2)", "(4):(8) + 2"),
        ("(4,8):(8,1)(_,2)(3)", "26"),
        ("f32[3,5]{1,0:T(2,2)}(1,2)", "6"),
        ("linear<{lane=[[1,0],[0,1]]}, out=[dim0:2, dim1:2]>(3)", "(1,1)"),
        ("inverse((2,3):(3,1))(4)", "3"),
        ("size<0>((4,8):(8,1))", "4"),
        ("size[1]((4,8):(8,1))", "8"),
        ("shape<1>(((4,2),8):((8,1),2))", "8"),
        ("stride<0,1>(((4,2),8):((8,1),2))", "1"),
        ("rank<0>(((4,2),8):((8,1),2))", "2"),
        ("get<1>((4,8):(8,1))", "8:1"),
        ("get<1,0>((4,(8,3)))", "8"),
        ("layout<1>((4,8))", "8:4"),
        ("coalesce[0](((2,2),8):((1,2),4))", "(4,8):(1,4)"),
        ("(4,8):(8,1) == tensor((4,8), (8,1))", "same"),
    ];
    for (text, answer) in cases {
        assert_eq!(value(text), answer, "{text}");
    }
    assert_eq!(evaluate("get<2>((4,8))").map_err(|error| error.code()), Err(Code::NoMode));
}

#[test]
fn dims_of_any_name_can_be_named() {
    let layout = "linear<{o=[[1,0]], M=[[0,1]], Sw=[], true=[]}, out=[N:2, K:2]>";
    for name in ["o", "M", "Sw", "true"] {
        let renamed = value(&format!("rename_in_dim({layout}, \"{name}\", lane)"));
        assert!(renamed.contains("lane=") && !renamed.contains(&format!("{name}=")), "{renamed}");
        let back = value(&format!("rename_in_dim({renamed}, lane, \"{name}\")"));
        assert_eq!(back, layout);
    }
    assert_eq!(
        value(&format!("transpose_outs({layout}, (\"K\", \"N\"))")),
        layout
            .replace("N:2, K:2", "K:2, N:2")
            .replace("[1,0]", "[x]")
            .replace("[0,1]", "[1,0]")
            .replace("[x]", "[0,1]")
    );
    assert_eq!(value(&format!("squeeze_ins({layout}, \"Sw\")")), layout.replace(" Sw=[],", ""));
}

#[test]
fn names_stand_for_values() {
    let mut names = Bindings::default();
    let bind = |names: &mut Bindings, name: &str, text: &str| {
        let value = evaluate_in(text, Ints::Plain, names)?.value;
        names.bind(name, &value)
    };
    for (name, text) in [
        ("a", "(4,8):(8,1)"),
        ("M", "4"),
        ("twice", "(a, a)"),
        ("x", "f32[3,5]{1,0:T(2,2)}"),
        ("swizzled", "Sw<2,0,2> o (4,4):(4,1)"),
        ("lane", "linear<{lane=[[1]]}, out=[dim0:2]>"),
        ("map", "affine_map<(d0) -> (d0 * 2)>"),
        ("two", "(lane, warp)"),
    ] {
        assert_eq!(bind(&mut names, name, text), Ok(()), "{name}");
    }
    let cases = [
        ("a", "(4,8):(8,1)"),
        ("a(1,2)", "10"),
        ("a(_,2)", "(4):(8) + 2"),
        ("size(twice)", "1024"),
        ("(M,2*M):(1,M)", "(4,8):(1,4)"),
        ("swizzled(1,2)", "7"),
        ("a == a", "same"),
        ("K*M", "4*K"),
        ("squeeze_outs(resize_out_dim(lane, dim0, 1), dim0)", "linear<{lane=[[]]}, out=[]>"),
        ("linear_index(x, (1,2))", "6"),
    ];
    for (text, answer) in cases {
        let given = evaluate_in(text, Ints::Plain, &names).map(|answer| answer.value.to_string());
        assert_eq!(given, Ok(answer.to_owned()), "{text}");
    }
    for name in ["o", "size", "true", "", "1a", "a b", "Sw", "(a)"] {
        assert_eq!(bind(&mut names, name, "4").map_err(|error| error.code()), Err(Code::UnknownName), "{name}");
    }
    assert_eq!(bind(&mut names, "text", "print_layout((2,2))").map_err(|error| error.code()), Err(Code::Kind));
    let error = evaluate_in("size(a, frob(1))", Ints::Plain, &names).err();
    assert_eq!(error.and_then(|error| error.span()).map(|span| (span.start, span.end)), Some((8, 12)));
}

#[test]
fn names_cannot_make_an_expression_too_large() {
    let mut names = Bindings::default();
    let mut refused = None;
    let first = evaluate("(2,2)").map(|answer| names.bind("a", &answer.value));
    assert_eq!(first, Ok(Ok(())));
    for _ in 0..200 {
        match evaluate_in("(a,a)", Ints::Plain, &names).and_then(|answer| names.bind("a", &answer.value)) {
            Ok(()) => {}
            Err(error) => {
                refused = Some(error.code());
                break;
            }
        }
    }
    assert!(matches!(refused, Some(Code::TooLarge | Code::Syntax("too-long"))), "{refused:?}");
}
