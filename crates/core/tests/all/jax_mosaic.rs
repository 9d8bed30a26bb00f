//! The layouts of JAX and Mosaic: the printed map, evaluated, is the definition's offset; conversions keep the memory.

use bitstride::xla::mosaic::{MemRef, TiledAttribute, affine_map};
use bitstride::xla::{Array, Dim, ElementType, Image, JaxLayout, Layout, Tile, TileDim};
use bitstride::{Class, Error};
use bitstride_lang::evaluate;
use proptest::collection::vec;
use proptest::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn array(element: &str, dims: &[i64], minor_to_major: &[i64], tiles: &[&[i64]]) -> Result<Array, String> {
    let element = ElementType::from_name(element).ok_or_else(|| format!("{element} is no type"))?;
    let mut array = Array::row_major(element, dims);
    array.layout = Layout::ordered(minor_to_major.to_vec());
    array.layout.tiles = tiles.iter().map(|tile| Tile(tile.iter().copied().map(TileDim::Size).collect())).collect();
    Ok(array)
}

/// The value of a printed map at an index.
struct Map<'t> {
    tokens: Vec<&'t str>,
    index: &'t [i64],
}

impl Map<'_> {
    fn value(map: &str, index: &[i64]) -> Option<i64> {
        let body = map.split_once("->")?.1.replace('(', " ( ").replace(')', " ) ");
        let mut map = Map { tokens: body.split_whitespace().rev().collect(), index };
        map.operand().filter(|_| map.tokens.is_empty())
    }

    fn sum(&mut self) -> Option<i64> {
        let mut sum = self.product()?;
        while let Some("+") = self.tokens.last().copied() {
            self.tokens.pop();
            sum += self.product()?;
        }
        Some(sum)
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.operand()?;
        while let Some(operator @ ("*" | "floordiv" | "mod")) = self.tokens.last().copied() {
            self.tokens.pop();
            let by = self.operand()?;
            value = match operator {
                "*" => value * by,
                "mod" => value.rem_euclid(by),
                _ => value.div_euclid(by),
            };
        }
        Some(value)
    }

    fn operand(&mut self) -> Option<i64> {
        let token = self.tokens.pop()?;
        if token == "(" {
            let value = self.sum()?;
            return self.tokens.pop().filter(|token| *token == ")").map(|_| value);
        }
        match token.strip_prefix('d') {
            Some(dim) => self.index.get(dim.parse::<usize>().ok()?).copied(),
            None => token.parse().ok(),
        }
    }
}

fn indices(dims: &[i64]) -> Vec<Vec<i64>> {
    dims.iter().fold(vec![vec![]], |indices, extent| {
        indices.iter().flat_map(|index| (0..*extent).map(move |at| [index.as_slice(), &[at]].concat())).collect()
    })
}

#[test]
fn maps_are_printed_as_mosaic_prints_them() -> Outcome {
    for (memref, minor_to_major, expected) in [
        (
            "memref<16x256xbf16, #tpu.tiled<(8,128)(4,1)(2,1),[2,1]>>",
            vec![1, 0],
            "(d0, d1) -> ((d0 floordiv 8) * 2048 + (d1 floordiv 128) * 1024 + ((d0 mod 8) floordiv 4) * 512 \
             + (d1 mod 128) * 4 + ((d0 mod 4) floordiv 2) * 2 + d0 mod 2)",
        ),
        (
            "memref<4x2048xf32, #tpu.tiled<(1024)(128)(4,1),[2,1]>>",
            vec![1, 0],
            "(d0, d1) -> (d0 * 2048 + (d1 floordiv 1024) * 1024 + (((d1 mod 1024) floordiv 128) floordiv 4) * 512 \
             + (d1 mod 128) * 4 + ((d1 mod 1024) floordiv 128) mod 4)",
        ),
        (
            "memref<1x1x256xbf16, #tpu.tiled<(1,128),[2,2,1]>>",
            vec![2, 1, 0],
            "(d0, d1, d2) -> (d0 * 256 + d1 * 256 + (d2 floordiv 128) * 128 + d2 mod 128)",
        ),
        ("memref<3x5xi32, #tpu.tiled<,[1,3]>>", vec![0, 1], "(d0, d1) -> (d0 + d1 * 3)"),
        (
            "memref<9xi32, #tpu.tiled<(4)(4)(4),[1]>>",
            vec![0],
            "(d0) -> ((d0 floordiv 4) * 4 + ((d0 mod 4) floordiv 4) * 8 + d0 mod 4)",
        ),
        ("memref<f32, #tpu.tiled<,[]>>", vec![], "() -> (0)"),
        (
            "memref<2x4x8xf32, #tpu.tiled<(8),[1,2,1]>>",
            vec![2, 0, 1],
            "(d0, d1, d2) -> (d0 * 8 + d1 * 16 + (d2 floordiv 8) * 8 + d2 mod 8)",
        ),
    ] {
        let read: MemRef = memref.parse()?;
        assert_eq!(read.to_string(), memref);
        let (array, notes) = read.to_array()?;
        assert_eq!(array.layout.minor_to_major, minor_to_major, "{memref}");
        assert!(notes.is_empty(), "{notes:?}");
        assert_eq!(affine_map(&array)?, expected);
        assert_eq!(MemRef::of_array(&array)?, (read, vec![]));
    }
    Ok(())
}

#[test]
fn strides_that_no_array_has_are_printed_too() -> Outcome {
    for (attribute, expected) in [
        ("#tpu.tiled<,[-1,-1]>", "(d0, d1) -> (-d0 - d1)"),
        ("#tpu.tiled<(2,4),[0,-1]>", "(d0, d1) -> ((d1 floordiv 4) * -8 + (d0 mod 2) * 4 + d1 mod 4)"),
        ("#tpu.tiled<(2),[-3,-5]>", "(d0, d1) -> (d0 * -6 - (d1 floordiv 2) * 10 + d1 mod 2)"),
        ("#tpu.tiled<(1),[0]>", "(d0) -> (0)"),
    ] {
        let attribute: TiledAttribute = attribute.parse()?;
        assert_eq!(attribute.affine_map()?, expected);
    }
    Ok(())
}

#[test]
fn a_map_gives_the_offsets_of_the_definition() -> Outcome {
    let tiles: [&[&[i64]]; 12] = [
        &[],
        &[&[2, 2]],
        &[&[4]],
        &[&[3, 2]],
        &[&[2, 4], &[2, 1]],
        &[&[4, 2], &[1, 2]],
        &[&[8], &[4], &[2, 1]],
        &[&[2, 2, 2]],
        &[&[4, 4], &[2, 2], &[2, 1]],
        &[&[1, 1]],
        &[&[6], &[3], &[3]],
        &[&[2], &[2], &[2]],
    ];
    let orders: [&[i64]; 4] = [&[2, 1, 0], &[2, 0, 1], &[1, 2, 0], &[0, 1, 2]];
    let dims: [&[i64]; 6] = [&[3, 5, 4], &[1, 4, 9], &[4, 1, 1], &[2, 2, 8], &[1, 1, 3], &[2, 0, 3]];
    let mut written = 0;
    for (dims, order, tiles) in dims
        .iter()
        .flat_map(|dims| orders.iter().map(move |order| (dims, order)))
        .flat_map(|(dims, order)| tiles.iter().map(move |tiles| (dims, order, tiles)))
    {
        let array = array("f32", dims, order, tiles)?;
        let Ok((memref, _)) = MemRef::of_array(&array) else {
            assert_ne!(**order, [2, 1, 0], "{dims:?} {tiles:?}");
            continue;
        };
        written += 1;
        let (image, map) = (Image::of(&array)?, memref.tiled.affine_map()?);
        let back = Image::of(&memref.to_string().parse::<MemRef>()?.to_array()?.0)?;
        for index in indices(dims) {
            let offset = image.offset(&index)?;
            assert_eq!(Map::value(&map, &index), Some(offset), "{memref} {map} at {index:?}");
            assert_eq!(back.offset(&index)?, offset, "{memref} at {index:?}");
        }
    }
    assert!(written >= 6 * 12, "{written}");
    Ok(())
}

#[test]
fn arrays_that_mosaic_lacks_are_refused_with_the_reason() -> Outcome {
    let mut merged = array("f32", &[4, 8], &[1, 0], &[&[2, 8]])?;
    merged.layout.tiles = vec![Tile(vec![TileDim::Combine, TileDim::Size(4)])];
    let mut unknown = array("f32", &[4, 8], &[1, 0], &[])?;
    unknown.dims = vec![Dim::Static(4), Dim::Unbounded];
    for (array, code, message) in [
        (merged, "not-a-layout", "a tile of Mosaic has an extent for each dim, never `*`"),
        (unknown, "not-a-layout", "dim 1 has an unknown extent and is not the slowest"),
        (array("f32", &[4, 8], &[0, 1], &[&[2, 2]])?, "not-a-layout", "the first tile cuts the dims 1, 0;"),
        (array("f32", &[8], &[0], &[&[2, 2]])?, "invalid-layout", "the first tile has 2 dims, the array has 1"),
        (array("f32", &[8, 8], &[1, 0], &[&[8], &[2, 2]])?, "invalid-layout", "tile 1 of Mosaic's layout has 2 dims"),
        (array("f32", &[8], &[0], &[&[6], &[4]])?, "invalid-layout", "tile 1 of Mosaic's layout has the extent 4,"),
        (array("f32", &[1, i64::MAX, i64::MAX], &[2, 1, 0], &[])?, "overflow", ""),
        (array("f32", &[0, 1 << 40, 1 << 40], &[2, 1, 0], &[])?, "overflow", "a tile stride"),
    ] {
        let Err(error) = affine_map(&array) else { return Err(format!("{array:?} has a map").into()) };
        assert_eq!(error.code().as_str(), code, "{error}");
        assert!(error.message().starts_with(message), "{error}");
    }
    Ok(())
}

#[test]
fn memrefs_that_xla_lacks_are_refused_with_the_numbers() -> Outcome {
    for (memref, code, message) in [
        (
            "memref<4x8xf32, #tpu.tiled<(2,2),[1,2]>>",
            "not-a-layout",
            "the tile stride of dim 1 is 2; without gaps it would be 1",
        ),
        (
            "memref<4x8xf32, #tpu.tiled<(2,2),[5,1]>>",
            "not-a-layout",
            "the tile stride of dim 0 is 5; without gaps it would be 4",
        ),
        (
            "memref<4x?xf32, #tpu.tiled<(2,2),[5,1]>>",
            "not-a-layout",
            "dim 1 has an unknown extent and is not the slowest: nothing is known of the strides of slower dims",
        ),
        (
            "memref<3x9223372036854775807x9xf32, #tpu.tiled<,[81,9,1]>>",
            "not-a-layout",
            "the tile stride of dim 0 is 81; without gaps it would be beyond 64 bits",
        ),
    ] {
        let Err(error) = memref.parse::<MemRef>()?.to_array() else { return Err(format!("{memref} is one").into()) };
        assert_eq!((error.code().as_str(), error.message()), (code, message));
    }
    let (array, notes) = "memref<?x8xi4, #tpu.tiled<(8,128),[1,1]>, 3>".parse::<MemRef>()?.to_array()?;
    assert_eq!((array.dims.as_slice(), array.layout.element_bits), ([Dim::Unbounded, Dim::Static(8)].as_slice(), 4));
    assert_eq!(notes, ["the memory space 3 of Mosaic has no number in XLA"]);
    Ok(())
}

#[test]
fn what_a_memref_lacks_is_said() -> Outcome {
    let mut array = array("s4", &[8, 8], &[1, 0], &[&[8, 8]])?;
    assert_eq!(
        MemRef::of_array(&array)?.1,
        ["a memref does not say that an element has 8 bits of memory; read back it has 4"]
    );
    array.layout.element_bits = 4;
    assert_eq!(MemRef::of_array(&array)?.1, Vec::<String>::new());
    array.layout.memory_space = 1;
    array.dims = vec![Dim::Bounded(8), Dim::Static(8)];
    let notes =
        ["a memref has no place for the memory space S(1)", "dim 0 is written as its bound 8: a memref has none"];
    assert_eq!(MemRef::of_array(&array)?.1, notes);
    Ok(())
}

#[test]
fn every_element_type_is_written_and_read() -> Outcome {
    for element in ElementType::all() {
        let tiled = TiledAttribute { tiles: vec![], tile_strides: vec![1] };
        let memref = MemRef { dims: vec![Some(1)], element, tiled, memory_space: None };
        assert_eq!(memref.to_string().parse::<MemRef>()?, memref);
    }
    for (text, name) in
        [("i1", "pred"), ("si8", "s8"), ("ui4", "u4"), ("complex<f32>", "c64"), ("f8E4M3FN", "f8e4m3fn")]
    {
        let memref: MemRef = format!("memref<2x{text},#tpu.tiled<,[1]>>").parse()?;
        assert_eq!(memref.element.name(), name);
    }
    Ok(())
}

#[test]
fn other_texts_are_refused_where_they_go_wrong() {
    for (text, code, start) in [
        ("", "unexpected-end", 0),
        ("memref<3x5xf32>", "unexpected-token", 14),
        ("memref<3x5xf32, strided<[5,1]>>", "unexpected-token", 16),
        ("memref<3x5, #tpu.tiled<,[5,1]>>", "unexpected-token", 10),
        ("memref<3x5xi7, #tpu.tiled<,[5,1]>>", "unknown-name", 11),
        ("memref<3x5x!tpu.semaphore, #tpu.tiled<,[5,1]>>", "unknown-name", 11),
        ("memref<99999999999999999999xf32, #tpu.tiled<,[1]>>", "integer-too-large", 7),
        ("memref<-1xf32, #tpu.tiled<,[1]>>", "unexpected-token", 7),
        ("memref<3x5xf32, #tpu.tiled<,[1]>>", "rank-mismatch", 0),
        ("memref<3xf32, #tpu.tiled<[1]>>", "unexpected-token", 25),
        ("memref<3xf32, #tpu.tiled<(*),[1]>>", "unexpected-token", 26),
        ("memref<3xf32, #tpu.tiled<(0),[1]>>", "invalid-layout", 14),
        ("memref<3xf32, #tpu.tiled<(2,2),[1]>>", "invalid-layout", 14),
        ("memref<3xf32, #tpu.tiled<(2),[-9223372036854775808]>>", "invalid-layout", 14),
        ("memref<3xf32, #tpu.tiled<(2),[1]>, >", "unexpected-token", 35),
        ("memref<3xf32, #tpu.tiled<(2),[1]>, a, b>", "unexpected-token", 36),
        ("memref<3xf32, #tpu.tiled<(2),[1]>, #tpu.memory_space<vmem>", "unexpected-end", 58),
        ("memref<3xf32, #tpu.tiled<(2),[1]>>>", "unexpected-token", 34),
    ] {
        let error = text.parse::<MemRef>().err();
        let got = error.as_ref().map(|error| (error.code().as_str(), error.span().map(|span| span.start)));
        assert_eq!(got, Some((code, Some(start))), "{text}: {error:?}");
    }
}

#[test]
fn numbers_at_the_ends_of_64_bits_and_long_texts() -> Outcome {
    let far: TiledAttribute = "#tpu.tiled<(2),[9223372036854775807]>".parse()?;
    assert_eq!(far.affine_map().map_err(|error| error.code().as_str()), Err("overflow"));
    let far: MemRef = "memref<9223372036854775807xi8, #tpu.tiled<(9223372036854775807),[1]>>".parse()?;
    assert_eq!(MemRef::of_array(&far.to_array()?.0)?.0, far);

    let many = format!("#tpu.tiled<{},[1]>", "(1)".repeat(100_000));
    assert_eq!(many.parse::<TiledAttribute>()?.affine_map()?, "(d0) -> (d0)");
    let halves: Vec<_> = (0..62).rev().map(|bit| format!("({})", 1i64 << bit)).collect();
    let deep: TiledAttribute = format!("#tpu.tiled<{},[1]>", halves.concat()).parse()?;
    assert_eq!(Map::value(&deep.affine_map()?, &[123_456_789]), Some(123_456_789));
    assert!("(".repeat(100_000).parse::<MemRef>().is_err());
    assert!(format!("Layout({}", "(".repeat(100_000)).parse::<JaxLayout>().is_err());

    let rank = 32;
    let wide = Array::row_major(ElementType::from_name("f32").ok_or("no f32")?, &vec![2; rank]);
    let (memref, _) = MemRef::of_array(&wide)?;
    assert_eq!(memref.to_array()?.0, wide);
    Ok(())
}

#[test]
fn layouts_of_jax_become_those_of_xla_and_come_back() -> Outcome {
    for (text, element, minor_to_major, element_bits) in [
        ("Layout((0, 1), ((8, 128), (2, 1)), 0)", "bf16", vec![1, 0], 0),
        ("Layout((0, 1), ((8, 128), (2, 1)), 4)", "f32", vec![1, 0], 4),
        ("Layout((2, 0, 1), (), 0)", "s4", vec![1, 0, 2], 4),
        ("Layout((2, 0, 1), (), 8)", "s4", vec![1, 0, 2], 8),
        ("Layout((2, 0, 1), None, 4)", "s4", vec![1, 0, 2], 0),
        ("Layout((), ((2, 2),), 0)", "u2", vec![], 2),
        ("Layout((0,), ((2, 2),), 0)", "pred", vec![0], 0),
        ("Layout((1, 2, 0, 3), ((*, 8, 128),), 0)", "f4e2m1fn", vec![3, 0, 2, 1], 0),
    ] {
        let jax: JaxLayout = text.parse()?;
        let (layout, _) = jax.to_layout(ElementType::from_name(element));
        assert_eq!((&layout.minor_to_major, layout.element_bits), (&minor_to_major, element_bits), "{text}");
        let (back, notes) = JaxLayout::of_layout(&layout);
        assert!(notes.is_empty(), "{notes:?}");
        assert_eq!(back.to_layout(None).0, layout);
        assert_eq!(back.tiling, Some(jax.tiling.unwrap_or_default()));
    }
    Ok(())
}

/// An array of any type, with a meaning or without.
fn any_array() -> impl Strategy<Value = Array> {
    let element = proptest::sample::select(ElementType::all().collect::<Vec<_>>());
    let dim = prop_oneof![
        8 => proptest::sample::select(vec![1, 2, 3, 4, 8, 16, 130, 256, 0]).prop_map(Dim::Static),
        1 => (1..9_i64).prop_map(Dim::Bounded),
        1 => Just(Dim::Unbounded),
    ];
    let extent = prop_oneof![
        9 => proptest::sample::select(vec![1, 2, 4, 8, 128]).prop_map(TileDim::Size),
        1 => Just(TileDim::Combine),
    ];
    let tiles = vec(vec(extent, 1..3).prop_map(Tile), 0..4);
    let rest = (
        proptest::sample::select(vec![0, 0, 0, 4, 8]),
        proptest::sample::select(vec![1, 1, 1, 8]),
        proptest::sample::select(vec![0, 0, 0, 1]),
    );
    (element, vec(dim, 0..4), tiles, rest, any::<bool>())
        .prop_flat_map(|(element, dims, tiles, rest, in_order)| {
            let order: Vec<i64> = (0_i64..).take(dims.len()).collect();
            let sorted = Just(order.iter().rev().copied().collect()).boxed();
            let order = if in_order { sorted } else { Just(order).prop_shuffle().boxed() };
            (Just((element, dims, tiles, rest)), order)
        })
        .prop_map(|((element, dims, tiles, rest), order)| {
            let mut layout = Layout::ordered(order);
            (layout.element_bits, layout.tail_padding, layout.memory_space) = rest;
            layout.tiles = tiles;
            Array { element, dims, layout }
        })
}

/// An error of an answer, never of a text.
fn refused(error: &Error) -> bool {
    error.code().class() == Class::Refused || error.code().as_str() == "overflow"
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn what_to_jax_prints_gives_the_layout_back(array in any_array()) {
        let answer = match evaluate(&format!("to_jax({array})")) {
            Ok(answer) => answer,
            Err(error) => {
                let layout = &array.layout;
                let lost = layout.memory_space != 0 || layout.tail_padding != 1;
                prop_assert!(array.check_meaning().is_err() || lost, "{array}: {error}");
                prop_assert!(refused(&error), "{array}: {error}");
                return Ok(());
            }
        };
        let printed = answer.value.to_string();
        prop_assert_eq!(evaluate(&printed).map(|answer| answer.value), Ok(answer.value));
        let back = evaluate(&format!("with_layout({}, {printed})", array.without_layout()));
        let back = back.and_then(|answer| answer.value.as_array());
        let bits = back.as_ref().ok().map(Array::element_bits);
        prop_assert_eq!(bits, Some(array.element_bits()), "{} {}", array, printed);
        let mut expected = array.clone();
        expected.layout.element_bits = back.as_ref().map_or(0, |back| back.layout.element_bits);
        prop_assert_eq!(back, Ok(expected), "{}", printed);
    }

    #[test]
    fn what_to_mosaic_prints_is_the_same_memory(array in any_array()) {
        let (answer, map) = match (evaluate(&format!("to_mosaic({array})")), evaluate(&format!("affine_map({array})"))) {
            (Ok(answer), Ok(map)) => (answer, map),
            (Err(error), Err(_)) | (Ok(_), Err(error)) => {
                prop_assert!(refused(&error), "{array}: {error}");
                return Ok(());
            }
            (Err(error), Ok(map)) => return Err(TestCaseError::fail(format!("{array}: {error}, but {}", map.value))),
        };
        let printed = answer.value.to_string();
        let back = evaluate(&printed).and_then(|answer| answer.value.as_array());
        let Ok(back) = back else { return Err(TestCaseError::fail(format!("{array} {printed}: {back:?}"))) };
        let again = evaluate(&format!("to_mosaic({back})")).map(|answer| answer.value.to_string());
        prop_assert_eq!(again.as_deref(), Ok(printed.as_str()), "{}", array);
        // All that differs has been said.
        if answer.notes.is_empty() && let Ok(image) = Image::of(&array) {
            prop_assert_eq!(back.element_bits(), array.element_bits());
            prop_assert_eq!(Image::of(&back).map(|back| back.size()), Ok(image.size()), "{} {}", array, printed);
            for number in [0, 1, image.elements() / 2, image.elements() - 1] {
                let Some(index) = image.numbered(number) else { continue };
                let offset = image.offset(&index);
                prop_assert_eq!(Image::of(&back).and_then(|back| back.offset(&index)), offset.clone(), "{}", array);
                let map = map.value.to_string();
                prop_assert_eq!(Map::value(&map, &index), offset.ok(), "{} {}", array, map);
            }
        }
    }
}

#[test]
fn what_becomes_of_a_memref_is_said() -> Outcome {
    for (text, array, notes) in [
        ("memref<16x256xbf16, #tpu.tiled<(8,128)(2,1),[2,1]>>", "bf16[16,256]{1,0:T(8,128)(2,1)}", vec![]),
        ("memref<8xui8, #tpu.tiled<(8),[1]>>", "u8[8]{0:T(8)}", vec![]),
        (
            "memref<1x5xi4, #tpu.tiled<(1,8),[7,1]>, #tpu.memory_space<vmem>>",
            "s4[1,5]{1,0:T(1,8)E(4)}",
            vec![
                "integers of Mosaic have no sign: the elements are read as s4",
                "of the tile strides [7, 1] those of dims with one step say nothing",
                "the memory space #tpu.memory_space<vmem> of Mosaic has no number in XLA",
            ],
        ),
    ] {
        let answer = evaluate(text)?;
        assert_eq!(
            (answer.value.to_string().as_str(), answer.notes),
            (array, notes.iter().map(ToString::to_string).collect())
        );
    }
    for (text, code, at) in [
        ("size(memref<8xf32, #tpu.tiled<(4),[2]>>)", "not-a-layout", "memref<8xf32, #tpu.tiled<(4),[2]>>"),
        ("size(memref<8xf32, #tpu.tiled<(4)(3),[1]>>)", "invalid-layout", "memref<8xf32, #tpu.tiled<(4)(3),[1]>>"),
        ("with_layout(f32[8], {1,0})", "rank-mismatch", "with_layout(f32[8], {1,0})"),
        ("byte_size({1,0})", "needs-shape", "byte_size({1,0})"),
        ("1 + Layout((0,))", "needs-shape", "Layout((0,))"),
        ("with_layout(f32[8], f32[8])", "kind", "with_layout(f32[8], f32[8])"),
    ] {
        let error = evaluate(text).err();
        let found = error.as_ref().map(|error| (error.code().as_str(), error.span().map(|span| span.of(text))));
        assert_eq!(found, Some((code, Some(at))), "{text}");
    }
    Ok(())
}

#[test]
fn a_map_of_tiles_without_a_meaning_is_refused() {
    for tiles in [vec![vec![2], vec![0]], vec![vec![i64::MIN], vec![-1]], vec![vec![2, 2]]] {
        let attribute = TiledAttribute { tiles, tile_strides: vec![1] };
        assert_eq!(attribute.affine_map().map_err(|error| error.code().as_str()), Err("invalid-layout"));
    }
}
