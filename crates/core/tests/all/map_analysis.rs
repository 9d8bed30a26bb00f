//! What is said of maps, against visiting all their points.

#![allow(clippy::panic, reason = "that is how a test fails")]

use std::collections::HashSet;

use bitstride::Code;
use bitstride::map::{Axis, Certificate, Contiguity, Cycles, Direction, Form, Injectivity, Map, Order, Stage};
use bitstride::xla::{Image, Shape};
use bitstride_lang::{Value, evaluate};
use bitstride_oracle::laws::{self, Sent, Violation};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// The map of what a text says; none where its family refuses it.
fn lowered(text: &str) -> Option<Map> {
    let map = match evaluate(text).ok()?.value {
        Value::Layout(layout) => Map::of_layout(&layout),
        Value::Function(function) => Map::of_function(&function),
        Value::Offset(slice) => Map::of_function(&slice.into()),
        Value::Linear(layout) => Map::of_linear(&layout),
        Value::Xla(Shape::Array(array)) => {
            Image::of(&array).ok()?;
            Map::of_array(&array)
        }
        other => panic!("{text} is {other}"),
    };
    Some(map.unwrap_or_else(|error| panic!("{text}: {error}")))
}

fn map(text: &str) -> Map {
    lowered(text).unwrap_or_else(|| panic!("{text}"))
}

/// All points of some axes, the first the fastest.
fn points(axes: &[Axis]) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for axis in axes {
        points = (0..axis.extent).flat_map(|x| points.iter().map(move |p| [p.as_slice(), &[x]].concat())).collect();
    }
    points
}

/// All points with their places.
fn table(map: &Map) -> Vec<Sent> {
    let sent = |point: Vec<i64>| {
        let place = map.at(&point).expect("is small");
        (point, place)
    };
    points(map.domain()).into_iter().map(sent).collect()
}

fn held(law: Result<(), Violation>) -> Result<(), TestCaseError> {
    law.map_err(|violation| TestCaseError::fail(violation.to_string()))
}

/// Injectivity and inverse; says whether there is an inverse.
fn inverts(map: &Map) -> Result<bool, TestCaseError> {
    let table = table(map);
    let found = map.injectivity().expect("is small");
    let collision = match &found {
        Injectivity::Yes(_) => None,
        Injectivity::No { points: [one, other], .. } => Some([one.as_slice(), other.as_slice()]),
    };
    held(laws::map_injective(&table, collision))?;
    let Ok(inverse) = map.inverse() else { return Ok(false) };
    prop_assert!(collision.is_none());
    let back = points(map.codomain()).into_iter().map(|place| {
        let point = inverse.at(&place).expect("is small");
        (place, point)
    });
    held(laws::map_inverse(&table, &back.collect::<Vec<_>>()))?;
    Ok(true)
}

/// Image, holes and preimages.
fn measures(map: &Map) -> Result<(), TestCaseError> {
    let (table, codomain) = (table(map), points(map.codomain()));
    let found = map.image().expect("is small");
    held(laws::map_image(&table, &codomain, found.size, found.holes, found.first_hole.as_deref()))?;
    for place in codomain.iter().chain(table.iter().filter_map(|(_, place)| place.as_ref())) {
        held(laws::map_preimages(&table, place, &map.preimages(place).expect("is small")))?;
    }
    Ok(())
}

/// Runs and vectors along every axis.
fn runs(map: &Map) -> Result<(), TestCaseError> {
    let table = table(map);
    for axis in 0..map.domain().len() {
        for along in 0..map.codomain().len() {
            let Contiguity { run, aligned, .. } = map.contiguity(axis, along).expect("is small");
            held(laws::map_contiguity(&table, axis, along, run, aligned))?;
        }
    }
    Ok(())
}

/// Cycles; says whether there are any.
fn turns(map: &Map) -> Result<bool, TestCaseError> {
    let (mut table, mut own) = (table(map), points(map.codomain()));
    // Elements of arrays are numbered with the last dim the fastest, where places are one offset.
    if map.order() == Order::RowMajor && map.place_axes().len() == 1 {
        match map.direction() {
            Direction::ToPlace => table.sort(),
            Direction::ToIndex => own.sort(),
        }
    }
    let place = |(_, place): Sent| own.iter().position(|own| Some(own) == place.as_ref());
    let next: Option<Vec<usize>> = table.into_iter().map(place).collect();
    let onto =
        next.as_ref().is_some_and(|next| next.len() == own.len() && (0..own.len()).all(|place| next.contains(&place)));
    match map.cycles() {
        Ok(Cycles { order, count, fixed, .. }) => {
            prop_assert!(onto);
            held(laws::map_cycles(&next.unwrap_or_default(), order, count, fixed))?;
        }
        Err(_) => prop_assert!(!onto),
    }
    Ok(onto)
}

/// Permutations of digits of one box.
fn permutation() -> impl Strategy<Value = String> {
    vec(select(vec![2, 2, 2, 3, 4]), 1..5).prop_flat_map(|extents| {
        let order: Vec<usize> = (0..extents.len()).collect();
        Just(order).prop_shuffle().prop_map(move |order| {
            let mut strides = vec![0; extents.len()];
            let mut stride = 1;
            for at in order {
                strides[at] = stride;
                stride *= extents[at];
            }
            let list = |numbers: &[i64]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            format!("({}):({})", list(&extents), list(&strides))
        })
    })
}

fn extents() -> impl Strategy<Value = Vec<i64>> {
    vec(select(vec![1, 2, 2, 3, 4, 4, 5, 8, 9]), 1..4)
}

/// Layouts whose strides nest, in any order, some padded, some turned round, some with a stride that does not fit.
fn nested() -> impl Strategy<Value = String> {
    let leaf = (
        select(vec![1, 2, 2, 3, 4, 5, 8]),
        select(vec![1, 1, 1, 2, 3]),
        select(vec![0, 0, 0, 0, 1, 7]),
        select(vec![1, 1, 1, -1]),
    );
    (
        vec(leaf, 1..6),
        any::<u64>(),
        select(vec![0, 0, 1, 5]),
        select(vec!["", "", "Sw<2,0,3>", "Sw<1,1,2>", "Sw<2,1,-2>"]),
        0..40_i64,
    )
        .prop_map(|(leaves, seed, odd, swizzle, offset)| {
            let mut stride = 1;
            let mut listed: Vec<(i64, i64)> = Vec::new();
            for (extent, gap, pad, sign) in leaves {
                listed.push((extent, sign * stride * gap));
                stride = stride * extent * gap + pad;
            }
            let turn = usize::try_from(seed % 7).expect("below 7") % listed.len();
            listed.rotate_left(turn);
            if odd > 0
                && let Some(leaf) = listed.first_mut()
            {
                leaf.1 = odd;
            }
            let list = |pick: fn(&(i64, i64)) -> i64| {
                listed.iter().map(|leaf| pick(leaf).to_string()).collect::<Vec<_>>().join(",")
            };
            let layout = format!("({}):({})", list(|leaf| leaf.0), list(|leaf| leaf.1));
            if swizzle.is_empty() { layout } else { format!("{swizzle} o {} o {layout}", 4096 + offset) }
        })
}

fn tiled() -> impl Strategy<Value = String> {
    (extents(), vec(vec(select(vec!["1", "2", "3", "4", "8"]), 1..3), 0..3)).prop_map(|(extents, tiles)| {
        let order = (0..extents.len()).rev().map(|dim| dim.to_string()).collect::<Vec<_>>().join(",");
        let tiles: String = tiles.iter().map(|tile| format!("({})", tile.join(","))).collect();
        let dims = extents.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        format!("f32[{dims}]{{{order}{}{tiles}}}", if tiles.is_empty() { "" } else { ":T" })
    })
}

fn linear() -> impl Strategy<Value = String> {
    let basis = (0..4_i64, 0..8_i64);
    (vec(basis.clone(), 0..3), vec(basis, 0..4)).prop_map(|(registers, lanes)| {
        let list =
            |bases: Vec<(i64, i64)>| bases.iter().map(|(a, b)| format!("[{a},{b}]")).collect::<Vec<_>>().join(",");
        format!("linear<{{register=[{}], lane=[{}]}}, out=[dim0:4, dim1:8]>", list(registers), list(lanes))
    })
}

fn anything() -> impl Strategy<Value = String> {
    prop_oneof![nested(), tiled(), linear()]
}

/// Chains that come to patterns under odd strides: rows that are padded and swizzled, ragged.
fn padded_swizzle() -> impl Strategy<Value = Map> {
    (1..10_i64, select(vec![8, 9, 12, 16]), 0..4_usize).prop_map(|(rows, pitch, flips)| {
        let axes = vec![Axis::dim(0, rows), Axis::dim(1, 8)];
        let columns = vec![1, 2, 4, 1 << (flips % 3), 2, 4].into_iter().take(6).collect();
        let stages = vec![
            Stage::Linearise { at: 0, count: 2, sums: vec![(0, vec![1, 0]), (0, vec![0, 1]), (0, vec![1, 0])] },
            Stage::Delinearise { at: 2, radices: vec![8] },
            Stage::Xor { at: 1, ins: vec![3, 3], outs: vec![3], columns, flip: 0 },
            Stage::Linearise { at: 0, count: 3, sums: vec![(0, vec![pitch, 1, 0])] },
        ];
        Map::new(axes, stages, vec![Axis::offset(pitch * rows)], Direction::ToPlace).expect("a map")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn inverses_are_right(text in anything()) {
        let Some(map) = lowered(&text) else { return Ok(()) };
        inverts(&map)?;
    }

    #[test]
    fn inverses_of_padded_swizzles_are_right(map in padded_swizzle()) {
        prop_assert!(inverts(&map)?);
        measures(&map)?;
        runs(&map)?;
    }

    #[test]
    fn cycles_are_right(text in permutation()) {
        prop_assert!(turns(&map(&text))?);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn images_are_right(text in anything()) {
        let Some(map) = lowered(&text) else { return Ok(()) };
        prop_assume!(map.codomain().iter().map(|axis| axis.extent).product::<i64>() < 3000);
        measures(&map)?;
        turns(&map)?;
    }

    #[test]
    fn runs_are_right(text in anything()) {
        let Some(map) = lowered(&text) else { return Ok(()) };
        runs(&map)?;
    }
}

#[test]
fn every_layout_of_three_small_leaves() {
    for code in 0..4 * 4 * 4 * 27 {
        let extent = |at: u32| 1 + code / 4_i64.pow(at) % 4;
        let stride = |at: u32| code / 64 / 3_i64.pow(at) % 3 + i64::from(at) * extent(at);
        let text = format!("({},{},{}):({},{},{})", extent(0), extent(1), extent(2), stride(0), stride(1), stride(2));
        let map = map(&text);
        let all = inverts(&map).and_then(|_| measures(&map)).and_then(|()| runs(&map)).and_then(|()| turns(&map));
        assert!(all.is_ok(), "{text}: {all:?}");
    }
}

#[test]
fn large_maps_are_measured() {
    let million = map("(1048576,1048576):(1048576,1)");
    let image = million.image().expect("by digits");
    assert_eq!((image.size, image.holes), (1 << 40, 0));
    let cycles = million.cycles().expect("by digits");
    assert_eq!((cycles.order, cycles.count, cycles.fixed), (2, (1 << 39) + (1 << 19), 1 << 20));
    assert!(matches!(cycles.by, Certificate::Digits(_)));
    let padded = map("(1048576,1048576):(1,1048584)");
    let along = padded.contiguity(0, 0).expect("by digits");
    assert_eq!((along.run, along.aligned), (1 << 20, 8));
    let copies = map("(1048576,1048576):(1,0)");
    assert_eq!(copies.image().map(|image| (image.size, image.holes)), Ok((1 << 20, 0)));
    assert_eq!(copies.preimages(&[7]).map(|points| points.len()).map_err(|error| error.code()), Err(Code::Undecided));
    let swizzled = map("Sw<3,4,3> o 0 o (1048576,1048576):(1048576,1)");
    assert_eq!(swizzled.image().map(|image| image.holes), Ok(0));
    assert_eq!(swizzled.contiguity(1, 0).map(|along| (along.run, along.aligned)), Ok((16, 16)));
    assert_eq!(swizzled.preimages(&[1 << 20]), Ok(vec![vec![1, 0]]));
}

#[test]
fn padding_has_no_place() {
    // What the inverse of a padded layout gives for the places between the rows is padding.
    let inverse = map("(6,3):(1,8)").inverse().expect("its digits are decoded");
    assert!(matches!(inverse.injectivity(), Ok(Injectivity::Yes(_))));
    measures(&inverse).expect("the laws hold");
    assert_eq!(inverse.image().map(|image| (image.size, image.holes)), Ok((18, 0)));
    assert_eq!(inverse.preimages(&[1, 2]), Ok(vec![vec![17]]));
    assert!(inverse.cycles().is_err());
}

#[test]
fn odd_questions_get_answers() {
    let empty = Map::new(vec![Axis::dim(0, 0)], vec![], vec![Axis::offset(0)], Direction::ToPlace).expect("a map");
    assert!(matches!(empty.injectivity(), Ok(Injectivity::Yes(_))));
    assert_eq!(empty.inverse().map_err(|error| error.code()), Err(Code::NoInverse));
    assert_eq!(empty.image().map(|image| (image.size, image.holes)), Ok((0, 0)));
    assert_eq!(empty.cycles().map(|cycles| cycles.count), Ok(0));
    assert_eq!(empty.contiguity(0, 0).map(|along| along.run), Ok(1));
    assert!(empty.preimages(&[0]).is_ok_and(|points| points.is_empty()));
    assert!(empty.preimages(&[]).is_err() && empty.contiguity(1, 0).is_err() && empty.contiguity(0, 1).is_err());
    for stride in [i64::MAX, i64::MIN, i64::MIN + 1] {
        for extent in [1, 2, 3] {
            let stages = vec![Stage::Linearise { at: 0, count: 1, sums: vec![(i64::MIN, vec![stride])] }];
            let map = Map::new(vec![Axis::dim(0, extent)], stages, vec![Axis::offset(9)], Direction::ToPlace);
            let map = map.expect("a map");
            let _ = (map.injectivity(), map.inverse(), map.image(), map.preimages(&[i64::MAX]), map.contiguity(0, 0));
            let _ = (map.preimages(&[i64::MIN]), map.cycles());
        }
    }
}

#[test]
fn inverses_are_found() {
    for text in [
        "((2,2),3):((24,2),8)",
        "(64,8):(1,72)",
        "(4,8):(-1,4) + 3",
        "Sw<3,3,3> o 0 o (8,64):(64,1)",
        "Sw<3,3,3> o 0 o (9,64):(64,1)",
        "Sw<2,0,3> o 64 o (8,8):(8,1)",
        "bf16[16,256]{1,0:T(8,128)(2,1)}",
        "f32[3,5]{1,0:T(2,2)}",
        "(3,2,2):(1,4,10)",
        "(8,4,64):(1,512,8)",
        "(8,4):(8,3)",
        "(5,3):(5,16)",
        "(1,1,3,5):(4,24,5,-4) + 16",
        "Sw<1,1,2> o 256 o (5,8):(4,5)",
        // Digits that interleave.
        "(4,2,2):(5,8,1)",
        "(8,8,2):(5,23,185)",
        "(4,8,2,8):(5,11,89,178)",
        "(5,8,8,4):(5,-11,95,-2301) + 6980",
        "(4,2,2,8):(5,4,18,-108) + 756",
        // Swizzles of digits that are no bits, and of what goes below 0.
        "Sw<2,0,3> o 4117 o (3,2):(3,48)",
        "Sw<2,1,-2> o 4123 o (5):(-2)",
        "Sw<1,1,2> o 8200 o (8,3,5,4):(-736,1,9,-92)",
        "Sw<1,1,2> o 8200 o (5,8,8,4):(5,-11,95,-2301)",
        "linear<{register=[[0,1],[1,1]], lane=[[2,0]]}, out=[dim0:4, dim1:2]>",
    ] {
        assert_eq!(
            inverts(&map(text)).map_err(|error| error.to_string()),
            Ok(true),
            "{text}: {:?}",
            map(text).inverse()
        );
    }
}

#[test]
fn places_below_zero_have_no_inverse() {
    let refused = |text: &str| map(text).inverse().map_err(|error| error.to_string());
    for (text, place) in [("2:-1", -1), ("(4,8):(-1,16)", -3), ("4:1 + -2", -2), ("Sw<1,0,3> o 0 o (2,3):(1,-8)", -16)]
    {
        let error = refused(text).expect_err(text);
        assert!(error.starts_with(&format!("no-inverse: an element lies at offset {place};")), "{text}: {error}");
    }
    let converted = |text: &str| evaluate(text).map(|answer| answer.value.to_string()).map_err(|error| error.code());
    assert_eq!(converted("convert(2:-1, linear)"), Err(Code::NotALayout));
    // The least of a box, not of the digits that are read for it.
    assert!(map("Sw<3,3,3> o 28728 o (4096,8):(-7,32768)").inverse().is_ok());
}

/// Whether all points have places of their own.
fn is_injective(map: &Map) -> bool {
    let mut seen = HashSet::new();
    table(map).into_iter().all(|(_, place)| seen.insert(place))
}

/// Three or four leaves whose strides are anything.
fn interleaved() -> impl Strategy<Value = String> {
    vec((2..6_i64, 1..40_i64), 3..5).prop_map(|leaves| {
        let list =
            |pick: fn(&(i64, i64)) -> i64| leaves.iter().map(|l| pick(l).to_string()).collect::<Vec<_>>().join(",");
        format!("({}):({})", list(|leaf| leaf.0), list(|leaf| leaf.1))
    })
}

/// How many of some random maps are injective, and those of them that are refused an inverse; all others have the right one.
fn refused(maps: impl Strategy<Value = String>, count: usize) -> (usize, Vec<String>) {
    let mut runner = TestRunner::deterministic();
    let (mut injective, mut refused) = (0, Vec::new());
    for _ in 0..count {
        let text = maps.new_tree(&mut runner).expect("a map").current();
        let Some(map) = lowered(&text) else { continue };
        if map.size().is_ok_and(|size| (1..5000).contains(&size)) && is_injective(&map) {
            injective += 1;
            let below_zero = table(&map).iter().any(|(_, place)| place.iter().flatten().any(|x| *x < 0));
            match map.inverse() {
                Err(error) if below_zero => assert_eq!(error.code(), Code::NoInverse, "{text}"),
                Ok(_) if below_zero => panic!("{text} has places below 0"),
                Err(error) => {
                    assert_eq!(error.code(), Code::NotALayout, "{text}");
                    refused.push(text);
                }
                Ok(_) => assert_eq!(inverts(&map).map_err(|error| error.to_string()), Ok(true), "{text}"),
            }
        }
    }
    (injective, refused)
}

#[test]
fn injective_maps_are_not_refused() {
    let (injective, wrongly) = refused(anything(), 1500);
    assert!(injective > 1200 && wrongly.is_empty(), "{} of {injective}: {wrongly:?}", wrongly.len());
    // Sums that no residue separates are as hard as knapsacks.
    let (injective, wrongly) = refused(interleaved(), 1500);
    assert!(injective > 400 && wrongly.len() * 25 < injective, "{} of {injective}: {wrongly:?}", wrongly.len());
}

#[test]
fn large_maps_are_decided() {
    for (text, injective) in [
        ("(1048576,1048576):(1,1048576)", true),
        ("(1048576,1048576):(1,1048575)", false),
        ("(1048576,1048576):(1048583,1)", true),
        ("(1048576,1048576):(0,1)", false),
        ("(1048576,1048576):(6,4)", false),
        ("Sw<3,4,3> o 0 o (1048576,1048576):(1048576,1)", true),
        ("Sw<3,4,3> o 0 o (1048576,1048577):(1048580,1)", true),
        ("bf16[1000000,1000000]{1,0:T(8,128)(2,1)}", true),
    ] {
        let map = map(text);
        let found = map.injectivity().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(matches!(found, Injectivity::Yes(_)), injective, "{text}: {found:?}");
        if let Injectivity::No { points: [one, other], place, .. } = &found {
            assert_ne!(one, other);
            assert_eq!(map.at(one).expect("is in range").as_ref(), Some(place));
            assert_eq!(map.at(other).expect("is in range").as_ref(), Some(place));
        }
        let inverse = map.inverse();
        assert_eq!(inverse.is_ok(), injective, "{text}: {inverse:?}");
        if let Ok(inverse) = inverse {
            let point = vec![123_457, 654_321];
            let place = map.at(&point).expect("is in range").expect("is no padding");
            assert_eq!(inverse.at(&place).expect("is in range"), Some(point), "{text}");
        }
    }
}

#[test]
fn what_is_hard_is_not_guessed() {
    // Sums of subsets of these are all different, or not: nobody knows without trying.
    let strides: Vec<String> =
        (0..40).map(|at: i64| (1_000_003 * (at * at + 7) + 13 * at + (at ^ 21)).to_string()).collect();
    let text = format!("({}):({})", vec!["2"; 40].join(","), strides.join(","));
    match map(&text).injectivity() {
        Err(error) => assert_eq!(error.code(), Code::Undecided),
        Ok(Injectivity::No { points: [one, other], .. }) => {
            assert_eq!(map(&text).at(&one).ok(), map(&text).at(&other).ok());
        }
        Ok(found) => panic!("{found:?}"),
    }
}

#[test]
fn a_witness_shows_why_there_is_no_inverse() {
    let error = map("(8,8):(2,3)").inverse().expect_err("it overlaps");
    assert_eq!(error.code(), Code::NoInverse);
    let witness = error.witness().expect("two points");
    assert_eq!(witness.gives[0], witness.gives[1]);
    assert_ne!(witness.at[0], witness.at[1]);
}

#[test]
fn a_cut_through_bits_looks_at_all_of_them() {
    let axes = vec![Axis::dim(0, 8), Axis::dim(1, 2), Axis::dim(2, 2)];
    let stages = vec![
        Stage::Xor { at: 1, ins: vec![1, 1], outs: vec![1], columns: vec![1, 1], flip: 0 },
        Stage::Linearise { at: 0, count: 2, sums: vec![(0, vec![2, 1])] },
        Stage::Delinearise { at: 0, radices: vec![4] },
    ];
    let map = Map::new(axes, stages, vec![Axis::dim(0, 4), Axis::dim(1, 4)], Direction::ToPlace).expect("a map");
    let form = Form::of(&map).expect("comes to a sum");
    for point in points(map.domain()) {
        assert_eq!(Some(form.at(&point).expect("is small")), map.at(&point).expect("is small"));
    }
}
