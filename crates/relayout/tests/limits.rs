//! Checks the sizes that a plan reports: exact ends, and errors for what no memory holds.
#![allow(clippy::panic, clippy::unwrap_used, reason = "that is how a test fails")]

#[path = "common/layout.rs"]
mod layout;

use bitstride::Code;
use bitstride_relayout::{Element, Plan};
use layout::map;
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

/// A pair that no kernel moves is planned by its digits, whatever its size.
#[test]
fn what_is_slow_has_any_size() {
    let (from, to) = ("Sw<1,0,1> o 0 o (3,1000000000):(1,3)", "(3,1000000000):(1,3)");
    let plan = Plan::new(&map(from), &map(to), Element::of_bits(8).unwrap()).unwrap();
    assert!(plan.slow().is_some_and(|why| why.contains("carry")), "{plan}");
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
