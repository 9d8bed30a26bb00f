//! Checks that slabs fit, and that all of them together do what the plan does, which moves each unit once.
#![allow(clippy::panic, clippy::unwrap_used, reason = "that is how a test fails")]

use crate::common::{map, noise, permuted};
use bitstride::Code;
use bitstride_relayout::{Element, Plan};
use proptest::prelude::*;

fn plan(from: &str, to: &str, bits: u32) -> Plan {
    Plan::new(&map(from), &map(to), Element::of_bits(bits).unwrap())
        .unwrap_or_else(|why| panic!("{from} -> {to}: {why}"))
}

/// Runs the slabs of a pair one after the other, each between bytes of its own, as a GPU has them; how many there are.
fn check(from: &str, to: &str, bits: u32, bytes: usize) -> Result<usize, Code> {
    let plan = plan(from, to, bits);
    let slabs = plan.slabs(bytes).map_err(|why| why.code())?;
    let source = noise(plan.source_bytes(), 1);
    let before = noise(plan.destination_bytes(), 77);
    let (mut ours, mut theirs) = (before.clone(), before);
    plan.run(&source, &mut theirs).unwrap();
    let (mut units, name) = (0, format!("{from} -> {to}, {bits} bits, {bytes} bytes"));
    for slab in &slabs {
        let [read, written] = slab.bytes.clone();
        assert!(read.len() + written.len() <= bytes, "{name}: {slab:?}");
        let own = Plan::new(&slab.maps[0], &slab.maps[1], slab.unit).unwrap();
        assert!(own.source_bytes() <= read.len() && own.destination_bytes() <= written.len(), "{name}: {slab:?}");
        // What a whole slab writes does not depend on what was there.
        let mut part = if slab.is_whole { noise(written.len(), 5) } else { ours[written.clone()].to_vec() };
        own.run(&source[read], &mut part).unwrap();
        ours[written].copy_from_slice(&part);
        units += own.elements() * slab.unit.bits();
    }
    assert_eq!(units, plan.elements() * plan.element().bits(), "{name}");
    assert!(ours == theirs, "{name}");
    Ok(slabs.len())
}

#[test]
fn known_pairs() {
    for (from, to, bits, bytes, count) in [
        ("(8,64,64):(4096,64,1)", "(8,64,64):(4096,1,64)", 8, 1 << 14, 4),
        ("(8,64,64):(4096,64,1)", "(8,64,64):(4096,1,64)", 8, 1 << 20, 1),
        ("(7,60,50):(3000,50,1)", "(7,60,50):(3000,1,60)", 24, 40_000, 4),
        ("(7,61,51):(3111,51,1)", "(7,61,51):(3200,1,62)", 4, 4_000, 7),
        ("(6,5,4,64):(1280,256,64,1)", "(6,5,4,64):(1280,64,320,1)", 16, 6_000, 6),
        ("f32[100,300]{1,0}", "f32[100,300]{1,0:T(8,128)}", 32, 60_000, 12),
        ("(16,(64,64)):(4096,(1,64))", "Sw<3,3,3> o 0 o (16,(64,64)):(4096,(64,1))", 16, 40_000, 8),
        ("Sw<3,3,3> o 512 o (64,64):(64,1)", "(64,64):(64,1)", 16, 6_000, 4),
        ("(9,100):(-100,1) + 800", "(9,100):(100,-1) + 99", 8, 600, 5),
        ("(0,4):(4,1)", "(0,4):(1,4)", 32, 64, 0),
        ("1:0", "1:0", 8, 2, 1),
    ] {
        assert_eq!(check(from, to, bits, bytes), Ok(count), "{from} -> {to}");
    }
}

#[test]
fn what_no_part_is_small_of_is_refused() {
    for (from, to, bits, bytes, words) in [
        ("(1024,1024):(1024,1)", "(1024,1024):(1,1024)", 32, 1 << 20, "no axis is the outermost on both sides"),
        ("(64,64):(64,1)", "(64,64):(64,1)", 32, 1, "a unit needs more"),
        ("((3,4),2):((4,1),12)", "((4,3),2):((3,1),12)", 32, 64, "cut an axis differently"),
        ("(33,40):(40,1)", "Sw<2,3,3> o (33,40):(40,1)", 16, 64, "no common digits"),
    ] {
        let why = plan(from, to, bits).slabs(bytes).unwrap_err();
        assert_eq!(why.code(), Code::TooLarge);
        assert!(why.message().contains(words) && why.message().contains(&format!("{bytes} bytes of memory")), "{why}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
    #[test]
    fn random_pairs(
        (from, to) in permuted(1..12, 0i64..3),
        bits in prop::sample::select(vec![1u32, 4, 8, 16, 24, 64]),
        bytes in 16usize..4000,
    ) {
        let made = check(&from, &to, bits, bytes);
        prop_assert!(!matches!(made, Err(code) if code != Code::TooLarge));
    }
}
