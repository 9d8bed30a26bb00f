//! How elements are numbered: what reads the number of an element, against counting them one by one.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::map::{Map, Order};
use bitstride::{Code, Error};
use bitstride_lang::evaluate;

use crate::common::run;

fn map(text: &str) -> Map {
    evaluate(text).and_then(|answer| answer.value.as_map()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn said(text: &str) -> Result<String, Error> {
    evaluate(text).map(|answer| answer.value.to_string())
}

/// All points of a box in the order of their numbers.
fn points(extents: &[i64], order: Order) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for extent in extents.iter().rev() {
        points = (0..*extent).flat_map(|x| points.iter().map(move |rest| [&[x], rest.as_slice()].concat())).collect();
    }
    if order == Order::ColumnMajor {
        points.sort_by_key(|point| point.iter().rev().copied().collect::<Vec<_>>());
    }
    points
}

/// What the elements lead to, by their numbers.
fn numbered(map: &Map, order: Order) -> Vec<Option<Vec<i64>>> {
    let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
    points(&extents, order).iter().map(|point| map.at(point).expect("is small")).collect()
}

/// Texts of every family over the same extents, and whether they are numbered row-major.
fn texts(extents: &[i64], strides: &[i64]) -> Vec<(String, Order)> {
    let list = |numbers: &[i64]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let (extents, strides) = (list(extents), list(strides));
    let minor = (0..extents.split(',').count()).rev().map(|dim| dim.to_string()).collect::<Vec<_>>().join(",");
    vec![
        (format!("({extents}):({strides})"), Order::ColumnMajor),
        (format!("({extents}):({strides}) + 3"), Order::ColumnMajor),
        (format!("Sw<1,0,2> o 1 o ({extents}):({strides})"), Order::ColumnMajor),
        (format!("tensor(({extents}), ({strides}))"), Order::RowMajor),
        (format!("f32[{extents}]{{{minor}:T(2,3)}}"), Order::RowMajor),
    ]
}

#[test]
fn a_shape_and_back_in_one_order_changes_nothing() {
    run(200, |choices| {
        let shape = [choices.of(&[1, 2, 3, 4]), choices.of(&[2, 3, 6]), choices.of(&[1, 2, 5])];
        let strides = [choices.of(&[1, 7, 12]), choices.of(&[1, 4, 30]), choices.of(&[0, 2, 9])];
        let merged = [shape[0] * shape[1], shape[2]];
        for (text, own) in texts(&shape, &strides) {
            let map = map(&text);
            assert_eq!(map.order(), own, "{text}");
            for order in [Order::RowMajor, Order::ColumnMajor] {
                let other = map.reshaped(&merged, order).expect("as many elements");
                assert_eq!(numbered(&other, order), numbered(&map, order), "{text} {order}");
                let back = other.reshaped(&shape, order).expect("as many elements");
                assert_eq!(numbered(&back, order), numbered(&map, order), "{text} {order}");
                let flat = map.flattened(order).expect("small");
                assert_eq!(numbered(&flat, order), numbered(&map, order), "{text} {order}");
            }
            // Alone, each counts in its own order, which need not be said.
            let number = choices.of(&[0, 1]);
            let at = numbered(&map, own).into_iter().nth(number).flatten();
            let place = at.map_or_else(|| "padding".to_owned(), |place| place[0].to_string());
            assert_eq!(said(&format!("at({text}, {number})")), Ok(place.clone()), "{text}");
            assert_eq!(said(&format!("at(chain({text}, 1:0 + {number}), 0)")), Ok(place), "{text}");
        }
        Ok(())
    });
}

#[test]
fn other_ranks_are_the_same_by_number_or_refused() {
    let (shape, other) = ([2, 3, 4], [6, 4]);
    let rows = |shape: &[i64]| shape.iter().rev().scan(1, |step, n| Some(std::mem::replace(step, *step * n))).collect();
    let rows = |shape: &[i64]| -> Vec<i64> {
        let mut strides: Vec<i64> = rows(shape);
        strides.reverse();
        strides
    };
    for (one, mine) in texts(&shape, &rows(&shape)) {
        for (two, theirs) in texts(&other, &rows(&other)) {
            for text in [format!("same({one}, {two})"), format!("diff({one}, {two})")] {
                let said = said(&text);
                if mine == theirs {
                    let same = numbered(&map(&one), mine) == numbered(&map(&two), mine);
                    assert_eq!(said.map(|said| said == "same"), Ok(same), "{text}");
                } else {
                    let error = said.expect_err(&text);
                    assert_eq!(error.code(), Code::NeedsOrder, "{text}");
                    let help = error.help().unwrap_or_default();
                    assert!(help.contains("`reshape(X, (6,4), row)` or `reshape(X, (6,4), column)`"), "{help}");
                    for order in [Order::RowMajor, Order::ColumnMajor] {
                        let asked = format!("same(reshape({one}, (6,4), {}), {two})", order.word());
                        let same = numbered(&map(&one), order) == numbered(&map(&two), order);
                        assert_eq!(self::said(&asked).map(|said| said == "same"), Ok(same), "{asked}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_systems_call_free_is_the_same() {
    for text in [
        "same(f32[16,256]{1,0:T(8,128)}, f32[2,8,256]{2,1,0:T(8,128)})",
        "same(reshape(f32[2,3,4]{2,1,0}, (6,4)), f32[6,4]{1,0})",
        "same(tensor((3,2,8,16,128), (32768,16384,2048,128,1)), tensor((3,16,16,128), (32768,2048,128,1)))",
        "same((2,3,4):(1,2,6), (6,4):(1,6))",
        // One dim of more than one element has one order.
        "same((1,6):(1,1), f32[6]{0})",
    ] {
        assert_eq!(said(text).as_deref(), Ok("same"), "{text}");
    }
    // Other sizes are other tensors, in whatever order.
    assert!(said("same((2,3,4):(1,2,6), f32[5,5]{1,0})").is_ok_and(|said| said != "same"));
    assert_eq!(said("reshape((2,3):(1,2), (6), rows)").map_err(|error| error.code()), Err(Code::Parameter));
}

#[test]
fn a_number_beyond_the_box_goes_on_along_the_slowest_dim() {
    // A layout of CuTe goes on, an array ends.
    assert_eq!(said("at(chain((2,3):(1,2), 8:1), 7)").as_deref(), Ok("7"));
    assert_eq!(said("at(chain(tensor((2,3), (3,1)), 8:1), 7)").as_deref(), Ok("padding"));
    assert_eq!(said("at(chain(tensor((2,3), (3,1)), 8:1), 5)").as_deref(), Ok("5"));
}
