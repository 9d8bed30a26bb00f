//! Maps whose stages come to no sum: what is said of them part by part, against visiting all their points.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::Code;
use bitstride::map::{Axis, Comparison, Direction, Form, Injectivity, Map, Stage};
use bitstride_lang::evaluate;

/// A map from axes with these extents, to places below 100.
fn map(extents: &[i64], stages: Vec<Stage>) -> Map {
    let domain: Vec<Axis> = extents.iter().enumerate().map(|(at, extent)| Axis::dim(at, *extent)).collect();
    let width = stages.iter().try_fold(domain.len(), |width, stage| stage.width(width)).expect("stages of this domain");
    let codomain = (0..width).map(|at| Axis::dim(at, 100)).collect();
    Map::new(domain, stages, codomain, Direction::ToPlace).expect("a map")
}

fn join(count: usize, sums: &[(i64, &[i64])]) -> Stage {
    let sums = sums.iter().map(|(offset, strides)| (*offset, strides.to_vec())).collect();
    Stage::Linearise { at: 0, count, sums }
}

fn split(radices: &[i64]) -> Stage {
    Stage::Delinearise { at: 0, radices: radices.to_vec() }
}

/// All points with their places, those that are padding left out.
fn table(map: &Map) -> Vec<(Vec<i64>, Vec<i64>)> {
    let mut points = vec![Vec::new()];
    for axis in map.domain() {
        points = (0..axis.extent).flat_map(|x| points.iter().map(move |p| [p.as_slice(), &[x]].concat())).collect();
    }
    let place = |point: Vec<i64>| Some((point.clone(), map.at(&point).expect("is small")?));
    points.into_iter().filter_map(place).collect()
}

/// Asserts what is said of a map: whether it is injective, its preimages, and its inverse, or why there is none.
fn said(map: &Map, injective: bool, refused: Option<Code>) {
    let table = table(map);
    let found = map.injectivity().unwrap_or_else(|error| panic!("{map:?}: {error}"));
    match &found {
        Injectivity::Yes(_) => assert!(injective, "{map:?}"),
        Injectivity::No { points: [one, other], place, .. } => {
            assert!(!injective && one != other, "{map:?}: {found:?}");
            for point in [one, other] {
                assert_eq!(map.at(point), Ok(Some(place.clone())), "{map:?}");
            }
        }
    }
    for (_, place) in &table {
        let points = table.iter().filter(|(_, other)| other == place).map(|(point, _)| point.clone()).collect();
        assert_eq!(map.preimages(place), Ok(points), "{map:?}");
    }
    match map.inverse() {
        Ok(inverse) => {
            assert_eq!(refused, None, "{map:?}");
            for (point, place) in table.iter().filter(|(_, place)| place.iter().all(|x| *x >= 0)) {
                assert_eq!(inverse.at(place), Ok(Some(point.clone())), "{map:?}");
            }
        }
        Err(error) => assert_eq!(Some(error.code()), refused, "{map:?}: {error}"),
    }
}

#[test]
fn what_is_refused_again_is_not_cut_again() {
    // A box that is moved down is refused as the sum was: there is nothing to cut off but the move.
    let negative = Stage::Linearise { at: 2, count: 1, sums: vec![(0, vec![-4])] };
    let twice = Stage::Delinearise { at: 2, radices: vec![6, 6] };
    said(&map(&[2, 30, 6], vec![negative.clone(), twice.clone()]), true, Some(Code::NoInverse));
    said(&map(&[2, 3, 6], vec![negative, Stage::Permute(vec![1, 0, 2]), twice.clone()]), true, Some(Code::NoInverse));
    // The same lifted above 0 again after the cut.
    let negative = Stage::Linearise { at: 2, count: 1, sums: vec![(0, vec![-4])] };
    let up = Stage::Linearise { at: 4, count: 1, sums: vec![(1, vec![1])] };
    said(&map(&[2, 30, 6], vec![negative, twice, up]), true, Some(Code::Carry));
    // The same by a guard, which a sum that goes below 0 does not pass.
    let guard = Stage::Guard { at: 0, extent: 6 };
    said(&map(&[6], vec![join(1, &[(2, &[-1])]), guard.clone()]), true, Some(Code::NotALayout));
    said(&map(&[6], vec![join(1, &[(2, &[-4])]), guard, split(&[6, 6])]), true, Some(Code::NotALayout));
    for (text, refused) in
        [("chain(f32[6,6,6]{0,1,2}, 6:-4)", Code::Carry), ("chain(inverse((3,4):(1,4)), 6:-1)", Code::NotALayout)]
    {
        let chain = evaluate(text).expect("a chain").value.as_map().expect("a map");
        said(&chain, true, Some(refused));
    }
}

#[test]
fn boxes_that_are_moved_down_are_still_cut() {
    // From -8 on, what is below 8 is a digit; from -5 on it is not.
    let moved = map(&[11], vec![join(1, &[(-5, &[1])]), split(&[8]), join(2, &[(10, &[1, 8])])]);
    assert_eq!(Form::of(&moved).map_err(|error| error.code()), Err(Code::Carry));
    said(&moved, true, None);
}

#[test]
fn padding_at_the_origin_decides_nothing() {
    // Points with dim1 at 0 are padding; of the others, those that differ in dim0 share a place.
    let stages = vec![join(2, &[(-1, &[0, 6])]), Stage::Guard { at: 0, extent: 99 }];
    said(&map(&[4, 3], stages), false, Some(Code::NoInverse));
}

#[test]
fn points_of_a_part_are_no_witness() {
    // The part behind the first sum sends 3 and 4 to 3, but the sum does not come to 4.
    let sum = join(2, &[(0, &[5, 3])]);
    said(&map(&[2, 4], vec![sum, split(&[4]), join(2, &[(0, &[1, 3])])]), true, Some(Code::NotALayout));
    // The place is that of the whole, not that of its first part.
    let swizzled = evaluate("Sw<1,3,3> o 0 o (3,3,4):(23,12,1)").expect("a layout").value.as_map().expect("a map");
    let error = swizzled.inverse().expect_err("two points share a place");
    assert_eq!(error.message(), "(0,2,0) and (1,0,1) both lead to 24");
}

#[test]
fn large_boxes_between_parts_are_not_visited() {
    let first = join(2, &[(7, &[-3, 0]), (7, &[0, -3])]);
    let stages = vec![first, join(2, &[(0, &[-2, 5]), (1, &[-12, 30])]), split(&[5])];
    let map = map(&[6, 30], stages);
    for (point, place) in table(&map).into_iter().step_by(60) {
        assert!(map.preimages(&place).is_ok_and(|points| points.contains(&point)), "{place:?}");
    }
}

#[test]
fn guards_that_no_point_fails_leave_the_periods() {
    // Rows are cut by 8, and these by 7: no form, but a period of 8 rows.
    let ragged = "s8[56,1048576,1048576]{2,1,0:T(8,128)(7,1)}";
    let whole = evaluate(ragged).expect("an array").value.as_map().expect("a map");
    let part = evaluate(&format!("slice({ragged}, (3,_,_))")).expect("a part");
    assert!(part.notes.iter().any(|note| note.contains("one run")), "{:?}", part.notes);
    let places = part.value.as_map().expect("a map");
    for (row, column) in [(0, 0), (7, 1), (8, 127), (1048575, 1048575), (123457, 654321)] {
        assert_eq!(places.at(&[row, column]), whole.at(&[3, row, column]), "{row} {column}");
    }
    // A guard that a point fails is compared there, far behind the first period: 23 leads to 40.
    let up_to = |extent: i64| {
        map(&[64], vec![split(&[8]), split(&[7]), join(3, &[(0, &[1, 8, 16])]), Stage::Guard { at: 0, extent }])
    };
    let comparison = up_to(40).compare(&up_to(41)).expect("few points");
    assert!(matches!(comparison, Comparison::Differ { ref point, .. } if point == &[23]), "{comparison:?}");
}
