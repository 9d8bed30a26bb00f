//! Swizzles over any strides and extents: padded rows, extents that are no powers of two, sums that carry below the swizzle.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::cute::Swizzle;
use bitstride::map::{Certificate, Comparison, Map};
use bitstride_lang::evaluate;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn map(text: &str) -> Map {
    let value = evaluate(text).unwrap_or_else(|error| panic!("{text}: {error}")).value;
    value.as_map().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn cute(text: &str) -> String {
    map(text).to_cute().map_or_else(|error| error.to_string(), |cute| cute.to_string())
}

/// The offsets of all points, the first axis the fastest.
fn offsets(map: &Map) -> Vec<i64> {
    let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
    let at = |mut flat: i64| {
        let mut digit = |extent: &i64| {
            let x = flat % extent;
            flat /= extent;
            x
        };
        let point: Vec<i64> = extents.iter().map(&mut digit).collect();
        map.at(&point).expect("is small").expect("is no padding")[0]
    };
    (0..extents.iter().product()).map(at).collect()
}

fn list(numbers: &[i64]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Modes of one or two leaves with strides of every kind.
fn layout() -> impl Strategy<Value = String> {
    let extent = select(vec![1i64, 2, 2, 3, 4, 4, 5, 6, 8, 9, 12, 16, 33]);
    let stride = prop_oneof![
        select(vec![0i64, 1, 1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 33, 40, 48, 65, 72, 96]),
        (-12..12_i64),
        (0..8_u32).prop_map(|bit| 1 << bit),
    ];
    vec(vec((extent, stride), 1..3), 1..4).prop_map(|mut modes| {
        let mut room = 400i64;
        let mut texts = (Vec::new(), Vec::new());
        for mode in &mut modes {
            for (extent, _) in mode.iter_mut() {
                *extent = (*extent).min(room);
                room = (room / *extent).max(1);
            }
            let (extents, strides): (Vec<i64>, Vec<i64>) = mode.iter().copied().unzip();
            texts.0.push(format!("({})", list(&extents)));
            texts.1.push(format!("({})", list(&strides)));
        }
        format!("({}):({})", texts.0.join(","), texts.1.join(","))
    })
}

/// Every swizzle of a few bits, its sources above or below its targets.
fn swizzle() -> impl Strategy<Value = String> {
    (0..4_i64, 0..5_i64, 0..4_i64, any::<bool>()).prop_map(|(bits, base, more, above)| {
        let shift = if above { bits + more } else { -bits - more };
        Swizzle::new(bits, base, shift).expect("few bits").to_string()
    })
}

/// One swizzle or several over a layout, with offsets between them.
fn function() -> impl Strategy<Value = String> {
    let offset = prop_oneof![Just(0i64), Just(0), (-40..300_i64), (0..10_u32).prop_map(|bit| 1 << bit)];
    (vec((swizzle(), offset), 1..4), layout()).prop_map(|(outer, layout)| {
        outer.into_iter().fold(layout, |inner, (swizzle, offset)| format!("{swizzle} o {offset} o {inner}"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn what_is_made_of_swizzles_is_a_layout_of_cute(text in function()) {
        let own = map(&text);
        let answer = own.to_cute();
        prop_assert!(answer.is_ok(), "{}: {:?}", text, answer);
        let answer = cute(&text);
        let back = map(&answer);
        prop_assert_eq!(offsets(&own), offsets(&back), "{} is not {}", text, answer);
        prop_assert_eq!(&cute(&answer), &answer, "{}", text);
        prop_assert!(matches!(own.compare(&back), Ok(Comparison::Same(_))), "{}: {}", text, answer);
    }

    #[test]
    fn equal_functions_have_one_text(text in function(), again in swizzle(), (bits, base) in (1..4_i64, 0..6_i64)) {
        let undone = format!("{again} o 0 o {again} o 0 o {text}");
        prop_assert_eq!(cute(&undone), cute(&text), "{}", undone);
        // No offset has these bits.
        let beyond = Swizzle::new(bits, base, 24).expect("few bits");
        prop_assert!(text.contains('-') || cute(&format!("{beyond} o 0 o {text}")) == cute(&text), "{}", beyond);
    }

    #[test]
    fn comparisons_agree_with_enumeration(text in function(), outer in [swizzle(), swizzle()], offsets_of in [0..20_i64, 0..20]) {
        let others = [
            text.clone(),
            format!("{} o {} o {text}", outer[0], offsets_of[0]),
            format!("{} o {} o {text}", outer[1], offsets_of[1]),
        ];
        for (at, one) in others.iter().enumerate() {
            for other in &others[at..] {
                let (left, right) = (map(one), map(other));
                let differing = offsets(&left).iter().zip(offsets(&right)).position(|(a, b)| *a != b);
                match left.compare(&right).expect("is small") {
                    Comparison::Same(_) => prop_assert_eq!(differing, None, "{} and {}", one, other),
                    Comparison::Differ { point, .. } => {
                        let extents = left.domain().iter().map(|axis| axis.extent);
                        let flat = point.iter().zip(extents).rev().fold(0, |flat, (x, extent)| flat * extent + x);
                        prop_assert_eq!(differing, usize::try_from(flat).ok(), "{} and {}", one, other);
                    }
                }
            }
        }
    }
}

#[test]
fn canonical_texts() {
    for (text, answer) in [
        ("Sw<1,0,1> o 0 o 5:3", "Sw<1,0,1> o 0 o 5:3"),
        ("Sw<2,3,3> o 0 o (8,96):(96,1)", "Sw<2,3,3> o 0 o (8,96):(96,1)"),
        ("Sw<3,3,3> o 0 o (64,64):(72,1)", "Sw<3,3,3> o 0 o (64,64):(72,1)"),
        ("Sw<2,3,3> o 0 o (33,40):(40,1)", "Sw<2,3,3> o 0 o (33,40):(40,1)"),
        // The sources are above all offsets but in one bit.
        ("Sw<3,3,3> o 0 o (3,40):(40,1)", "Sw<1,3,3> o 0 o (3,40):(40,1)"),
        // Offsets that are whole blocks go through a swizzle, others stay between two.
        ("Sw<3,3,3> o 512 o Sw<2,0,3> o 0 o (9,72):(72,1)", "Sw<3,3,3> o 0 o Sw<2,0,3> o 512 o (9,72):(72,1)"),
        ("Sw<3,3,3> o 35 o Sw<2,0,3> o 0 o (9,72):(72,1)", "Sw<3,3,3> o 3 o Sw<2,0,3> o 32 o (9,72):(72,1)"),
        ("Sw<0,0,0> o 35 o Sw<2,0,3> o 0 o (9,72):(72,1)", "Sw<0,0,0> o 3 o Sw<2,0,3> o 32 o (9,72):(72,1)"),
    ] {
        assert_eq!(cute(text), answer, "{text}");
    }
}

#[test]
fn extents_do_not_matter() {
    let compared = |one: &str, other: &str| map(one).compare(&map(other)).expect("is decided");
    let large = "Sw<3,3,3> o 0 o (4096,4096,1000003):(4104,1,33554433)";
    assert!(matches!(compared(large, &cute(large)), Comparison::Same(Certificate::Digits(_))));
    // They differ first where bit 6 of an offset is set and bit 9 is not.
    let other = "Sw<3,3,6> o 0 o (4096,4096,1000003):(4104,1,33554433)";
    let Comparison::Differ { point, places, .. } = compared(large, other) else { panic!("they differ") };
    assert_eq!((point, places), (vec![8, 0, 0], [Some(vec![32840]), Some(vec![32832])]));
    // With rows of whole blocks the same sources say the same.
    let rows = "(4096,4096):(4104,1)";
    let twice = format!("Sw<1,3,3> o 0 o Sw<2,4,3> o 0 o {rows}");
    let once = format!("Sw<3,3,3> o 0 o {rows}");
    assert!(matches!(compared(&twice, &once), Comparison::Same(_)));
    assert_eq!(cute(&twice), once);
}
