//! Printing and reading are inverse to each other, on random trees and texts.

use bitstride::notation::{
    Argument, Attribute, Basis, Datum, DatumKind, Expr, ExprKind, Ints, LinearText, Name, ShapedKind, ShapedType, Span,
    XlaText, parse,
};
use bitstride::xla::mosaic::{MemRef, TiledAttribute, VectorLayout};
use bitstride::xla::{BareLayout, ElementType, JaxLayout, Layout, Shape, Tile, TileDim};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn printed_trees_read_back(tree in tree()) {
        round_trip(&tree, Ints::Plain)?;
        round_trip(&tree, Ints::Cpp)?;
    }

    #[test]
    fn texts_of_tokens_read_or_fail(tokens in vec(token(), 0..12)) {
        let text = tokens.concat();
        for ints in [Ints::Plain, Ints::Cpp] {
            match parse(&text, ints) {
                Ok(tree) => round_trip(&tree, ints)?,
                Err(error) => prop_assert!(text.get(error.span.start..error.span.end).is_some()),
            }
        }
    }

    #[test]
    fn any_text_reads_or_fails(text in any::<String>()) {
        let _ = parse(&text, Ints::Plain).is_ok() || parse(&text, Ints::Cpp).is_ok();
    }
}

/// Reading what is printed gives the same tree and the same text.
fn round_trip(tree: &Expr, ints: Ints) -> Result<(), TestCaseError> {
    let text = tree.display(ints).to_string();
    let again = parse(&text, ints).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
    prop_assert_eq!(&again, tree, "{}", &text);
    prop_assert_eq!(again.display(ints).to_string(), text);
    Ok(())
}

/// Pieces of text that make sense next to each other often enough.
fn token() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "(",
        ")",
        "<",
        ">",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "+",
        "-",
        "*",
        "@",
        "?",
        "_",
        "o",
        " ",
        "=",
        "div",
        "Sw",
        "S",
        "<3,4,3>",
        "f",
        "M",
        "f32",
        "#a",
        "0",
        "7",
        "_5",
        "{div=8}",
        "(2,3)",
        "1@0",
        "4:1",
        "é",
        "tensor<",
        "4xf16",
        "linear<{",
        "out=[",
        "true",
        "\"t\"",
        "8:+1",
        "memref<",
        "4xf16,#tpu.tiled<,[1]>",
        "#tpu.tiled<",
        "Layout(",
        "(0,)",
        "tiling=",
        "None",
        "{0",
        ":T(2)",
        "f16[3]",
        ";",
        "==",
        "∘",
        "（",
        "）",
        "，",
        "\"M\"",
        "get<1>(",
        "(1,_)",
    ])
}

/// Every form that [`Expr`] says the parser yields.
fn tree() -> impl Strategy<Value = Expr> {
    let operand = prop_oneof![6 => leaf(), 1 => mark()];
    operand.prop_map(Expr::from).prop_recursive(5, 60, 4, compose)
}

/// One level of nesting, with `inner` in the brackets.
fn compose(inner: BoxedStrategy<Expr>) -> BoxedStrategy<Expr> {
    let called = call(inner.clone());
    let value = prop_oneof![4 => leaf(), 1 => called.clone()].prop_map(|kind| Box::new(Expr::from(kind)));
    let vector =
        (value, vec(0..=0xffff_ffff_usize, 1..4)).prop_map(|(value, path)| ExprKind::Basis { value, path }).boxed();
    let factor = prop_oneof![
        6 => leaf(),
        1 => mark(),
        2 => called,
        3 => vec(inner.clone(), 0..4).prop_map(ExprKind::Tuple),
        2 => vec(inner, 0..4).prop_map(ExprKind::Tiler),
        4 => vector.clone(),
    ];
    let product = one_or(factor.prop_map(Expr::from).boxed(), ExprKind::Product);
    let vectors = one_or(vector.prop_map(Expr::from).boxed(), ExprKind::Sum);
    let stride = prop_oneof![3 => product.clone(), 1 => vectors];
    let is_swizzle = |factor: &Expr| matches!(factor.kind, ExprKind::Swizzle { .. });
    let stride = stride.prop_filter("a swizzle as a stride", move |stride| match &stride.kind {
        ExprKind::Product(factors) => !factors.iter().any(is_swizzle),
        _ => !is_swizzle(stride),
    });
    let pair = (product.clone(), stride).prop_map(|(shape, stride)| {
        let (shape, stride) = (Box::new(shape), Box::new(stride));
        Expr::from(ExprKind::Pair { shape, stride })
    });
    let sum = one_or(prop_oneof![product, pair].boxed(), ExprKind::Sum)
        .prop_filter("a basis after a basis stride", |sum| !joins(sum));
    one_or(sum.boxed(), ExprKind::Compose)
}

fn leaf() -> BoxedStrategy<ExprKind> {
    let integer = prop_oneof![Just(-1), Just(i64::MIN), -9_i64..100, any::<i64>()].boxed();
    let name = proptest::option::of("[A-RT-Z][a-zA-Z0-9_]{0,4}");
    let div = prop_oneof![Just(1), 1..=i64::MAX];
    let unknown = (name, div).prop_map(|(name, div)| ExprKind::Unknown { name, div });
    prop_oneof![
        4 => integer.clone().prop_map(ExprKind::Static),
        2 => integer.prop_map(ExprKind::Dynamic),
        2 => unknown,
    ]
    .boxed()
}

/// What is neither an integer nor in brackets.
fn mark() -> BoxedStrategy<ExprKind> {
    let swizzle = prop_oneof![
        any::<[i64; 3]>().prop_map(|[bits, base, shift]| ExprKind::Swizzle { bits, base, shift }),
        (0..=i64::MAX).prop_map(ExprKind::Bytes),
    ];
    prop_oneof![
        Just(ExprKind::Wildcard),
        "[a-np-z][a-zA-Z0-9_]{6,9}".prop_map(|name| ExprKind::Name(name.as_str().into())),
        "[A-Z][a-z0-9]{0,3}|o|true|false|same|padding".prop_map(|name| ExprKind::Quoted(name.as_str().into())),
        swizzle,
        attribute().prop_map(|attribute| ExprKind::Attribute(Box::new(attribute))),
        shaped().prop_map(|shaped| ExprKind::Shaped(Box::new(shaped))),
        linear().prop_map(|linear| ExprKind::Linear(Box::new(linear))),
        xla().prop_map(|shape| ExprKind::Xla(Box::new(XlaText { shape, folded: false }))),
        memref().prop_map(|memref| ExprKind::MemRef(Box::new(memref))),
        bare_layout().prop_map(|layout| ExprKind::BareLayout(Box::new(layout))),
    ]
    .boxed()
}

/// A few shapes; `xla_text.rs` tries all.
fn xla() -> BoxedStrategy<Shape> {
    const SHAPES: [&str; 6] =
        ["f32[]", "pred[3,5]{1,0:T(*,2)(2,1)E(1)}", "bf16[<=3,?]{0,1:L(8)S(1)}", "b(u4[2]{0})", "token[]", "opaque[]"];
    proptest::sample::select(&SHAPES[..]).prop_filter_map("a shape", |text| text.parse().ok()).boxed()
}

/// Arrays of Mosaic, with a meaning or without.
fn memref() -> BoxedStrategy<MemRef> {
    let dims = vec((proptest::option::of(0..=i64::MAX), any::<i64>()), 0..4);
    let element = proptest::sample::select(ElementType::all().collect::<Vec<_>>());
    let space = proptest::option::of("[1-9]|#tpu\\.memory_space<[a-z_]{1,8}>");
    (dims, element, vec(vec(any::<i64>(), 0..3), 0..3), space)
        .prop_map(|(dims, element, tiles, memory_space)| {
            let (dims, tile_strides) = dims.into_iter().unzip();
            MemRef { dims, element, tiled: TiledAttribute { tiles, tile_strides }, memory_space }
        })
        .boxed()
}

fn bare_layout() -> BoxedStrategy<BareLayout> {
    let extent = prop_oneof![3 => (0..=i64::MAX).prop_map(TileDim::Size), 1 => Just(TileDim::Combine)];
    let tiles = vec(vec(extent, 0..3).prop_map(Tile), 0..3).boxed();
    let xla = (vec(any::<i64>(), 0..4), tiles.clone(), any::<i64>()).prop_map(|(order, tiles, element_bits)| {
        BareLayout::Xla(Layout { tiles, element_bits, ..Layout::ordered(order) })
    });
    let jax = (vec(any::<i64>(), 0..4), proptest::option::of(tiles), any::<i64>()).prop_map(
        |(major_to_minor, tiling, sub_byte_bits)| BareLayout::Jax(JaxLayout { major_to_minor, tiling, sub_byte_bits }),
    );
    let offset = || proptest::option::of(any::<i64>());
    let vector = (any::<i64>(), [offset(), offset()], any::<[i64; 2]>(), any::<[bool; 2]>())
        .prop_map(|(bits, offsets, tile, implicit)| BareLayout::Vector(VectorLayout { bits, offsets, tile, implicit }));
    let tiled = (vec(vec(1..9_i64, 1..3), 0..2), vec(0..9_i64, 2..4))
        .prop_map(|(tiles, tile_strides)| BareLayout::Tiled(TiledAttribute { tiles, tile_strides }));
    prop_oneof![xla, jax, vector, tiled].boxed()
}

fn word() -> BoxedStrategy<String> {
    "[a-np-zA-Z][a-zA-Z0-9_]{0,4}".boxed()
}

fn named<T: std::fmt::Debug + 'static>(item: BoxedStrategy<T>) -> BoxedStrategy<(Name, T)> {
    (word(), item).prop_map(|(name, item)| (Name::from(name.as_str()), item)).boxed()
}

fn attribute() -> BoxedStrategy<Attribute> {
    let word = word().prop_filter("read as truths", |word| word != "true" && word != "false");
    let leaf = prop_oneof![
        any::<i64>().prop_map(DatumKind::Integer),
        any::<bool>().prop_map(DatumKind::Bool),
        word.prop_map(DatumKind::Word),
        "[a-z <>{}é]{0,4}".prop_map(DatumKind::Text),
        vec(0..i64::MAX, 2..4).prop_map(DatumKind::Sizes),
        (0..i64::MAX, any::<i64>()).prop_map(|(interval, padding)| DatumKind::Interval { interval, padding }),
    ];
    let datum = leaf.prop_map(Datum::from).prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(DatumKind::Array),
            vec(named(inner.clone()), 0..4).prop_map(DatumKind::Dictionary),
            called(inner).prop_map(DatumKind::Attribute),
        ]
        .prop_map(Datum::from)
    });
    called(datum.boxed()).boxed()
}

/// An attribute with some data in its brackets.
fn called(datum: BoxedStrategy<Datum>) -> BoxedStrategy<Attribute> {
    let argument = prop_oneof![
        datum.clone().prop_map(|datum| Argument { name: None, datum }),
        named(datum).prop_map(|(name, datum)| Argument { name: Some(name), datum }),
    ];
    ("[a-z][a-z.0-9_]{0,5}", proptest::option::of(vec(argument, 0..4)))
        .prop_map(|(name, body)| Attribute { name: Name::from(name.as_str()), body, span: Span::default() })
        .boxed()
}

fn shaped() -> BoxedStrategy<ShapedType> {
    let element = prop_oneof![4 => word(), 1 => word().prop_map(|word| format!("!tt.ptr<{word}, 3>"))];
    let rest = vec((0..9_i64).prop_map(|size| Datum::from(DatumKind::Integer(size))), 0..3);
    let kind = prop_oneof![Just(ShapedKind::Tensor), Just(ShapedKind::Memory), Just(ShapedKind::Descriptor)];
    (kind, vec(0..i64::MAX, 0..3), element, proptest::option::of(attribute()), rest)
        .prop_map(|(kind, shape, element, encoding, rest)| {
            let rest = if kind == ShapedKind::Memory && encoding.is_some() { rest } else { Vec::new() };
            ShapedType { kind, older: false, shape, element, encoding, rest }
        })
        .boxed()
}

fn linear() -> BoxedStrategy<LinearText> {
    let basis = vec(any::<i64>(), 0..3).prop_map(|values| Basis { values, span: Span::default() });
    let ins = vec(named(vec(basis, 0..3).boxed()), 0..3);
    (ins, proptest::option::of(vec(named(any::<i64>().boxed()), 0..3)))
        .prop_map(|(ins, outs)| LinearText { ins, outs })
        .boxed()
}

fn call(inner: BoxedStrategy<Expr>) -> BoxedStrategy<ExprKind> {
    let modes = proptest::option::of(vec(inner.clone(), 1..4));
    // Neither `o`, `tensor`, `token`, `linear` nor, below, `pred` and `b`.
    let name = "[a-km-np-su-z][a-z_]{0,5}".prop_filter("reserved", |name| name != "pred" && name != "b");
    (name, modes, vec(inner, 0..4))
        .prop_map(|(name, modes, arguments)| ExprKind::Call { name: Name::from(name.as_str()), modes, arguments })
        .boxed()
}

/// One item in most cases, otherwise a node over two or three.
fn one_or(item: BoxedStrategy<Expr>, node: fn(Vec<Expr>) -> ExprKind) -> BoxedStrategy<Expr> {
    let several = vec(item.clone(), 2..4).prop_map(move |items| Expr::from(node(items)));
    prop_oneof![3 => item, 1 => several].boxed()
}

/// Whether a summand would be read as part of the stride before it.
fn joins(sum: &Expr) -> bool {
    let ExprKind::Sum(summands) = &sum.kind else {
        return false;
    };
    summands.windows(2).any(|two| match two {
        [before, after] => {
            let ExprKind::Pair { stride, .. } = &before.kind else {
                return false;
            };
            let vectors = stride.kind.is_scaled_basis() || matches!(stride.kind, ExprKind::Sum(_));
            vectors && after.kind.is_scaled_basis()
        }
        _ => false,
    })
}
