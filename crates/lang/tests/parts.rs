//! Parts of tensors that are no layouts of CuTe: `slice`, and an array of XLA further on in its memory.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride_lang::{Value, evaluate};

fn value(text: &str) -> Value {
    evaluate(text).unwrap_or_else(|error| panic!("{text}: {error}")).value
}

/// The answer, or the code of the error.
fn said(text: &str) -> String {
    evaluate(text).map_or_else(|error| error.code().as_str().to_owned(), |answer| answer.value.to_string())
}

/// All points of a box, the last dim the fastest.
fn points(shape: &[i64]) -> Vec<Vec<i64>> {
    shape.iter().fold(vec![vec![]], |points, extent| {
        points.iter().flat_map(|point| (0..*extent).map(move |x| [point.as_slice(), &[x]].concat())).collect()
    })
}

#[test]
fn each_element_of_a_slice_lies_where_it_lies_in_the_whole() {
    let wholes = [
        ("f32[3,4,5]{2,1,0}", [3, 4, 5]),
        ("f32[3,4,5]{0,1,2}", [3, 4, 5]),
        ("f32[3,4,5]{2,1,0:T(2,2)}", [3, 4, 5]),
        ("bf16[3,4,5]{1,2,0:T(4,2)(2,1)}", [3, 4, 5]),
        ("f32[3,4,5]{2,1,0:T(*,4)}", [3, 4, 5]),
        ("f32[3,4,5]{2,1,0:T(2,2)L(128)}", [3, 4, 5]),
        ("f32[3,4,5]{2,1,0:T(2,2)} + 7", [3, 4, 5]),
        ("tensor((3,4,5), (20,-5,1), 15)", [3, 4, 5]),
        ("tag(ABc2b, (3,4,5))", [3, 4, 5]),
        ("f32[1,1,5]{2,1,0:T(2,2)}", [1, 1, 5]),
    ];
    for (whole, shape) in wholes {
        let map = value(whole).as_map().expect("a map");
        for coordinate in points(&shape.map(|extent| extent + 1)) {
            // The number beyond the last stands for `_`.
            let fixed: Vec<Option<i64>> =
                coordinate.iter().zip(shape).map(|(x, extent)| (*x < extent).then_some(*x)).collect();
            let entries: Vec<String> =
                fixed.iter().map(|x| x.map_or_else(|| "_".to_owned(), |x| x.to_string())).collect();
            let text = format!("slice({whole}, ({}))", entries.join(","));
            let part = value(&text);
            let read = value(&part.to_string());
            assert_eq!(part.to_string(), read.to_string(), "{text}");
            let (part, read) = (part.as_map().expect("a map"), read.as_map().expect("a map"));
            let kept: Vec<i64> = fixed.iter().zip(shape).filter(|(x, _)| x.is_none()).map(|(_, n)| n).collect();
            assert_eq!(part.domain().iter().map(|axis| axis.extent).collect::<Vec<_>>(), kept, "{text}");
            for point in points(&kept) {
                let mut rest = point.iter();
                let all: Option<Vec<i64>> = fixed.iter().map(|x| x.or_else(|| rest.next().copied())).collect();
                let place = map.at(&all.expect("a coordinate in each dim")).expect("a place");
                assert_eq!(part.at(&point), Ok(place.clone()), "{text} at {point:?}");
                assert_eq!(read.at(&point), Ok(place), "{text} as it is written, at {point:?}");
            }
        }
    }
}

#[test]
fn a_slice_is_an_array_where_the_fixed_dims_are_not_in_tiles() {
    for (text, answer) in [
        ("slice(s8[56,4096,4096]{2,1,0:T(8,128)(4,1)}, (3,_,_))", "s8[4096,4096]{1,0:T(8,128)(4,1)} + 50331648"),
        ("slice(f32[4,8]{1,0}, (0,_))", "f32[8]{0}"),
        ("slice(f32[4,8]{1,0}, (1,2))", "f32[] + 10"),
        ("slice(f32[4,8]{1,0}, (_,3))", "slice(f32[4,8]{1,0}, (_,3))"),
        // A row of tiles is not one run.
        ("slice(f32[16,256]{1,0:T(8,128)}, (3,_))", "slice(f32[16,256]{1,0:T(8,128)}, (3,_))"),
        // What is of the whole buffer is not of a part.
        ("slice(f32[4,8]{1,0:M(16)}, (1,_))", "f32[8]{0} + 8"),
        ("slice(f32[4,8]{1,0:SC(0:2)}, (1,_))", "slice(f32[4,8]{1,0:SC(0:2)}, (1,_))"),
        ("slice(f32[3,0]{1,0}, (1,_))", "slice(f32[3,0]{1,0}, (1,_))"),
        ("slice(f32[0,3]{1,0}, (0,_))", "range"),
        ("slice(f32[4,8]{1,0}, (4,_))", "range"),
        ("slice(f32[4,8]{1,0}, (1,_,_))", "rank-mismatch"),
        ("slice(f32[4,8]{1,0}, ((1,0),_))", "profile"),
        ("f32[4,8]{1,0} + -1", "range"),
        ("f32[4,8]{1,0} + 9223372036854775807", "overflow"),
    ] {
        assert_eq!(said(text), answer, "{text}");
    }
}

#[test]
fn padding_of_any_layout_counts_places() {
    for (text, part) in [
        ("padding(tag(nChw16c, (1,3,224,224)))", "150528 elements in 802816 places, 5.33 times"),
        (
            "padding((f32[32,10]{1,0:T(8,128)}, (token[], f32[10]{0:T(256)})))",
            "4352 places, 17408 bytes for 1320 bytes",
        ),
        ("padding(16:1)", "16 elements in 16 places, no padding"),
        ("padding((4,8):(1,8))", "32 elements in 60 places, 1.87 times"),
        ("padding((4,8):(0,2))", "32 elements share 8 of 15 places, 1.87 times"),
    ] {
        let said = said(text);
        assert!(said.contains(part), "{text}: {said}");
    }
}
