//! Checks the sizes that a plan reports: exact ends, and errors for what no memory holds.
#![allow(clippy::panic, clippy::unwrap_used, reason = "that is how a test fails")]

use std::collections::HashSet;

use crate::common::map;
use bitstride::Code;
use bitstride_relayout::{Element, Plan};
use proptest::prelude::*;

fn refusal(from: &str, to: &str, bits: u32) -> Code {
    match Plan::new(&map(from), &map(to), Element::of_bits(bits).unwrap()) {
        Ok(plan) => panic!("{from} -> {to}: {plan}"),
        Err(why) => why.code(),
    }
}

#[test]
fn what_no_memory_holds_is_refused() {
    let max = i64::MAX;
    for bits in [2, 8, 128] {
        assert_eq!(refusal(&format!("{max}:0"), &format!("{max}:1"), bits), Code::TooLarge);
        assert_eq!(refusal("2:1", &format!("2:{}", max - 1), bits), Code::TooLarge);
        assert_eq!(refusal(&format!("2:{}", max - 1), "2:1", bits), Code::TooLarge);
        assert_eq!(refusal("2:1", &format!("2:1 + {}", max - 2), bits), Code::TooLarge);
    }
    // As many elements of 2 bits fit where those of 128 do not.
    assert_eq!(refusal("2:1", &format!("2:{}", 1i64 << 53), 128), Code::TooLarge);
    assert!(Plan::new(&map("2:1"), &map(&format!("2:{}", 1i64 << 53)), Element::of_bits(2).unwrap()).is_ok());
}

/// The offset that is told is the least that helps.
#[test]
fn places_before_memory_are_refused_with_their_offset() {
    for (from, to, side, offset) in
        [("(3,4):(4,-1)", "(3,4):(1,3)", "source", 3), ("(3,4):(4,1)", "(3,4):(-4,-1)", "destination", 11)]
    {
        let plan = |from: &str, to: &str| Plan::new(&map(from), &map(to), Element::of_bits(4).unwrap());
        let Err(why) = plan(from, to) else { panic!("{from} -> {to}") };
        let told =
            (why.code(), why.message().contains(side), why.help().unwrap_or_default().contains(&format!("+ {offset}")));
        assert_eq!(told, (Code::Range, true, true), "{why}");
        let lifted =
            |layout: &str, own: &str, by: i32| if own == side { format!("{layout} + {by}") } else { layout.into() };
        let with = |by| plan(&lifted(from, "source", by), &lifted(to, "destination", by));
        assert!(with(offset).is_ok() && with(offset - 1).is_err(), "{from} -> {to}");
    }
}

/// Dims that are merged before they are cut have no digits where they carry: the plan names the side.
#[test]
fn what_is_no_sum_over_digits_is_slow_and_says_why() {
    let (merged, plain) = ("f32[5,7]{1,0:T(*,3)}", "f32[5,7]{1,0}");
    for (from, to, side) in [(merged, plain, "the source: "), (plain, merged, "the destination: ")] {
        let plan = Plan::new(&map(from), &map(to), Element::of_bits(32).unwrap()).unwrap();
        let why = plan.slow().unwrap_or_default();
        assert!(why.starts_with(side) && why.contains("carry"), "{why}");
        assert!(plan.to_string().contains(why), "{plan}");
        assert!(plan.explain().to_string().replace('\n', " ").contains("No kernel moves this pair"), "{plan}");
    }
    let plan = Plan::new(&map("f32[5,6]{1,0:T(*,3)}"), &map("f32[5,6]{1,0}"), Element::of_bits(32).unwrap()).unwrap();
    assert_eq!(plan.slow(), None);
}

/// Eight axes of 7 that end inside a tile of 2 and inside one of 4: more boxes than kernels are made for.
#[test]
fn too_many_boxes_are_slow() {
    let axes = |tile: &str| format!("u8[{}]{tile}", ["7"; 8].join(","));
    let (from, to) = (axes("{7,6,5,4,3,2,1,0:T(2,2,2,2,2,2,2,2)}"), axes("{7,6,5,4,3,2,1,0:T(4,4,4,4,4,4,4,4)}"));
    let plan = Plan::new(&map(&from), &map(&to), Element::of_bits(8).unwrap()).unwrap();
    assert!(plan.slow().is_some_and(|why| why.contains("boxes")), "{plan}");
    assert_eq!(plan.elements(), 7i64.pow(8));
}

/// A pair that no kernel moves is planned by its periods or digits, whatever its size.
#[test]
fn what_no_kernel_moves_has_any_size() {
    let (from, to) = ("Sw<1,0,1> o 0 o (3,1000000000):(1,3)", "(3,1000000000):(1,3)");
    let plan = Plan::new(&map(from), &map(to), Element::of_bits(8).unwrap()).unwrap();
    assert!(plan.no_common_digits().is_some_and(|why| why.contains("carry")) && plan.slow().is_none(), "{plan}");
    assert_eq!((plan.elements(), plan.source_bytes()), (3_000_000_000, 3_000_000_000));
}

/// A table of 348000 places for one axis, and 256 boxes for the others: the limit of kernels is for all of them together.
#[test]
fn tables_of_many_boxes_are_slow() {
    let ones = |count: usize, one: &str| vec![one; count].join(",");
    let from = |axes| format!("((3,348000),{}):((348000,1),{})", ones(axes, "3"), ones(axes, "0"));
    let to = |axes: usize| {
        let order: Vec<String> = (0..=axes).rev().map(|axis| axis.to_string()).collect();
        format!("u8[1044000,{}]{{{}:T({})}}", ones(axes, "3"), order.join(","), ones(axes + 1, "2"))
    };
    let slow = |axes| {
        let plan = Plan::new(&map(&from(axes)), &map(&to(axes)), Element::of_bits(8).unwrap()).unwrap();
        plan.slow().map(str::to_owned)
    };
    assert!(slow(8).is_some_and(|why| why.contains("boxes")));
    assert_eq!(slow(1), None);
}

proptest! {
    /// Loops that flip bits of each other, few and many.
    #[test]
    fn reaches_of_patterns_are_exact(patterns in prop::collection::vec(1u32..1 << 14, 1..14)) {
        let shape = vec!["2"; patterns.len()].join(",");
        let strides = patterns.iter().map(|pattern| format!("^{pattern}")).collect::<Vec<_>>().join(",");
        let source = format!("({shape}):({strides})");
        let target = format!("{}:1", 1u32 << patterns.len());
        let flat = format!("reshape({source}, {})", 1u32 << patterns.len());
        let of = |chosen: u32| {
            patterns.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).fold(0, |place, (_, own)| place ^ own)
        };
        let most = (0..1u32 << patterns.len()).map(of).max().unwrap();
        let plan = Plan::new(&map(&flat), &map(&target), Element::of_bits(8).unwrap()).unwrap();
        prop_assert_eq!(plan.source_bytes(), usize::try_from(most).unwrap() + 1);
    }
}

/// Two elements of the destination share a place exactly where the plan is refused for it.
fn check_injective(layout: &str) {
    let to = map(layout);
    let extents: Vec<i64> = to.domain().iter().map(|axis| axis.extent).collect();
    let mut points = vec![Vec::new()];
    for extent in &extents {
        points = (0..*extent).flat_map(|x| points.iter().map(move |point| [point.as_slice(), &[x]].concat())).collect();
    }
    let places: HashSet<i64> = points.iter().map(|point| to.at(point).unwrap().unwrap()[0]).collect();
    let shape = extents.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let strides: Vec<i64> =
        extents.iter().scan(1, |next, extent| Some(std::mem::replace(next, *next * extent))).collect();
    let strides = strides.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let plan = Plan::new(&map(&format!("({shape}):({strides})")), &to, Element::of_bits(8).unwrap());
    let is_injective = places.len() == points.len();
    assert_eq!(
        plan.map(|_| ()).map_err(|why| why.code()),
        if is_injective { Ok(()) } else { Err(Code::Overlap) },
        "{layout}"
    );
}

#[test]
fn elements_that_share_a_place_are_refused() {
    for layout in [
        "(4,8):(8,1)",
        "(4,8):(-8,1) + 24",
        "(4,8):(7,1)",
        "(4,8):(0,1)",
        "(1,8):(0,1)",
        "Sw<3,3,3> o 0 o (64,64):(64,1)",
        "Sw<3,3,3> o 0 o (64,64):(1,64)",
        "(2,2,2):(^1,^2,^3)",
        "(2,2,2):(^1,^2,^4)",
    ] {
        check_injective(layout);
    }
}

/// Digits show how far more points reach than are evaluated one by one, and that none shares a place: as all points do.
#[test]
fn digits_show_what_every_point_does() {
    let (rows, columns) = (2053i64, 2056i64);
    let bytes = |row: i64| {
        let at = |x: i64, y: i64| x * row + y;
        let place = |at: i64| at ^ (at >> 6 & 3) << 3;
        (0..rows).flat_map(|x| (0..columns).map(move |y| place(at(x, y)))).max().unwrap() + 1
    };
    let dense = map(&format!("({rows},{columns}):({columns},1)"));
    let plan = |row: i64| {
        let to = map(&format!("Sw<2,3,3> o 0 o ({rows},{columns}):({row},1)"));
        Plan::new(&dense, &to, Element::of_bits(8).unwrap())
    };
    for row in [columns, columns + 8] {
        let plan = plan(row).unwrap();
        assert!(plan.no_common_digits().is_some(), "{plan}");
        let reach = [rows * columns, bytes(row)].map(|bytes| usize::try_from(bytes).unwrap());
        assert_eq!([plan.source_bytes(), plan.destination_bytes()], reach);
    }
    assert_eq!(plan(columns - 1).unwrap_err().code(), Code::Overlap);
}

proptest! {
    #[test]
    fn random_elements_that_share_a_place_are_refused(
        digits in prop::collection::vec((2i64..4, -9i64..20, 0i64..16, any::<bool>()), 1..6),
    ) {
        let text = |list: Vec<String>| format!("({})", list.join(","));
        let shape = text(digits.iter().map(|(radix, _, _, flips)| if *flips { 2 } else { *radix }.to_string()).collect());
        let steps = digits.iter().map(|(_, stride, xor, flips)| if *flips { format!("^{xor}") } else { stride.to_string() });
        // Flips need an offset of none of their bits.
        let lift = if digits.iter().any(|(_, _, _, flips)| *flips) { 0 } else { 100 };
        let layout = format!("{shape}:{} + {lift}", text(steps.collect()));
        let known = bitstride_lang::evaluate(&layout).and_then(|answer| answer.value.as_map());
        if known.is_ok() && digits.iter().all(|(_, stride, _, flips)| *flips || lift > 0 || *stride >= 0) {
            check_injective(&layout);
        }
    }
}
