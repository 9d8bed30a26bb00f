//! Maps against what they were lowered from: evaluated, brought to their form, compared.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::map::{Comparison, Form, Map};
use bitstride::xla::{Array, Image, Shape};
use bitstride_lang::{Value, evaluate};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The map of what a text says.
fn map(text: &str) -> Map {
    let answer = evaluate(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let map = match answer.value {
        Value::Layout(layout) => Map::of_layout(&layout),
        Value::Function(function) => Map::of_function(&function),
        Value::Linear(layout) => Map::of_linear(&layout),
        Value::Xla(Shape::Array(array)) => Map::of_array(&array),
        other => panic!("{text} is {other}"),
    };
    map.unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// All points of a map, the first axis the fastest.
fn points(map: &Map) -> impl Iterator<Item = Vec<i64>> {
    let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
    (0..extents.iter().product()).map(move |mut flat| {
        let mut digit = |extent: &i64| {
            let x = flat % extent;
            flat /= extent;
            x
        };
        extents.iter().map(&mut digit).collect()
    })
}

/// The form gives what the map gives; says whether there is one.
fn form_is_right(map: &Map) -> Result<bool, TestCaseError> {
    let Ok(form) = Form::of(map) else { return Ok(false) };
    for point in points(map) {
        prop_assert_eq!(Some(form.at(&point).expect("is small")), map.at(&point).expect("is small"), "{:?}", form);
    }
    Ok(true)
}

/// Comparing agrees with enumeration, and the difference is the first.
fn comparison_is_right(a: &Map, b: &Map) -> Result<(), TestCaseError> {
    let first = points(a).find(|point| a.at(point) != b.at(point));
    match (a.compare(b), first) {
        (Ok(Comparison::Same(_)), None) => {}
        (Ok(Comparison::Differ { point, places, .. }), Some(first)) => {
            prop_assert_eq!(&point, &first);
            prop_assert_eq!(places, [a.at(&first).expect("is small"), b.at(&first).expect("is small")]);
        }
        (said, first) => prop_assert!(false, "{:?}, but by enumeration {:?}", said, first),
    }
    Ok(())
}

fn extents() -> impl Strategy<Value = Vec<i64>> {
    vec(select(vec![1, 2, 2, 3, 4, 4, 5, 8, 9]), 1..4)
}

/// A layout of these modes, each of one or two leaves.
fn layout(extents: Vec<i64>) -> impl Strategy<Value = String> {
    let stride = select(vec![0, 1, 2, 3, 4, 5, 8, 16, 32, 12, -1, -4]);
    let cut = select(vec![1, 2, 3, 4]);
    let modes: Vec<_> = extents
        .into_iter()
        .map(move |extent| {
            (cut.clone(), stride.clone(), stride.clone()).prop_map(move |(cut, a, b)| {
                if extent % cut == 0 && cut > 1 {
                    (format!("({cut},{})", extent / cut), format!("({a},{b})"))
                } else {
                    (extent.to_string(), a.to_string())
                }
            })
        })
        .collect();
    modes.prop_map(|modes| {
        let (shapes, strides): (Vec<_>, Vec<_>) = modes.into_iter().unzip();
        format!("({}):({})", shapes.join(","), strides.join(","))
    })
}

fn swizzled(extents: Vec<i64>) -> impl Strategy<Value = String> {
    let swizzle = (1..3_i64, 0..3_i64, select(vec![2, 3, -2, -3]), select(vec![0, 0, 1, 5]));
    (layout(extents), swizzle)
        .prop_map(|(layout, (bits, base, shift, offset))| format!("Sw<{bits},{base},{shift}> o {offset} o {layout}"))
}

fn tiled(extents: Vec<i64>) -> impl Strategy<Value = String> {
    let rank = extents.len();
    let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
    let tile = (vec(select(vec!["1", "2", "3", "4", "*"]), 0..3), select(vec!["1", "2", "3", "4", "8"]));
    (order, vec(tile, 0..3)).prop_map(move |(order, tiles)| {
        let joined = |numbers: &[String]| numbers.join(",");
        let dims: Vec<_> = extents.iter().map(ToString::to_string).collect();
        let order: Vec<_> = order.iter().map(ToString::to_string).collect();
        let tiles: String =
            tiles.iter().map(|(more, last)| format!("({})", [more.as_slice(), &[*last]].concat().join(","))).collect();
        let tiles = if tiles.is_empty() { tiles } else { format!(":T{tiles}") };
        format!("f32[{}]{{{}{tiles}}}", joined(&dims), joined(&order))
    })
}

fn any(extents: Vec<i64>) -> impl Strategy<Value = String> {
    prop_oneof![layout(extents.clone()), swizzled(extents.clone()), tiled(extents)]
}

/// Whether the text is one that its family accepts.
fn accepted(text: &str) -> bool {
    evaluate(text).is_ok_and(|answer| match answer.value {
        Value::Xla(Shape::Array(array)) => Image::of(&array).is_ok(),
        _ => true,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn forms_give_what_maps_give(text in extents().prop_flat_map(any)) {
        prop_assume!(accepted(&text));
        form_is_right(&map(&text))?;
    }

    #[test]
    fn comparing_agrees_with_enumeration((a, b) in extents().prop_flat_map(|extents| (any(extents.clone()), any(extents)))) {
        prop_assume!(accepted(&a) && accepted(&b));
        comparison_is_right(&map(&a), &map(&b))?;
    }

    #[test]
    fn lowering_a_layout_keeps_its_offsets(text in extents().prop_flat_map(swizzled)) {
        let Value::Function(function) = evaluate(&text).expect("is read").value else { return Ok(()) };
        let map = map(&text);
        for point in points(&map) {
            let at = point.iter().map(|x| bitstride::Int::from(*x)).collect::<Vec<_>>();
            let coordinate = bitstride::Tuple::flat(&at);
            let offset = function.offset_at(&coordinate).expect("is small").to_string();
            prop_assert_eq!(map.at(&point).expect("is small").map(|row| row[0].to_string()), Some(offset));
        }
    }

    #[test]
    fn lowering_an_array_keeps_its_offsets(text in extents().prop_flat_map(tiled)) {
        prop_assume!(accepted(&text));
        let array: Array = text.parse().expect("is accepted");
        let (image, map) = (Image::of(&array).expect("is accepted"), map(&text));
        for point in points(&map) {
            prop_assert_eq!(map.at(&point).expect("is small"), Some(vec![image.offset(&point).expect("is small")]));
        }
    }
}

#[test]
fn forms_are_found() {
    for text in [
        "((2,2),3):((24,2),8)",
        "Sw<3,3,3> o 0 o (8,64):(64,1)",
        "Sw<3,3,3> o 0 o (9,64):(64,1)",
        "Sw<2,0,3> o 64 o (8,8):(8,1)",
        "bf16[16,256]{1,0:T(8,128)(2,1)}",
        "f32[3,5]{1,0:T(2,2)}",
        "f32[16,8]{1,0:T(*,8)}",
        "linear<{register=[[0,1],[1,1]], lane=[[2,0]]}, out=[dim0:4, dim1:2]>",
    ] {
        assert_eq!(
            form_is_right(&map(text)).map_err(|error| error.to_string()),
            Ok(true),
            "{text}: {:?}",
            Form::of(&map(text)).err()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    /// Layouts after layouts, beyond their sizes too: as their own family has it, or refused.
    #[test]
    fn lowering_a_chain_keeps_its_offsets((a, b) in (extents().prop_flat_map(layout), extents().prop_flat_map(layout))) {
        let Value::Function(function) = evaluate(&format!("chain({a}, {b})")).expect("is read").value else { return Ok(()) };
        let Ok(map) = Map::of_function(&function) else { return Ok(()) };
        for point in points(&map) {
            let at = point.iter().map(|x| bitstride::Int::from(*x)).collect::<Vec<_>>();
            let offset = function.offset_at(&bitstride::Tuple::flat(&at)).expect("is small").to_string();
            prop_assert_eq!(map.at(&point).expect("is small").map(|row| row[0].to_string()), Some(offset));
        }
        form_is_right(&map)?;
    }
}
