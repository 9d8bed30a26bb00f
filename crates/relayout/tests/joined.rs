//! [`Joined`]: one pass leaves what the plans leave one after the other, with the constants of each.
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

use bitstride::map::Map;
use bitstride_lang::evaluate;
use bitstride_relayout::{Element, Isa, Joined, Machine, Plan};

fn map(text: &str) -> Map {
    evaluate(text).unwrap().value.as_map().unwrap()
}

/// A part: its layouts on both sides, the bits of an element, and the mask.
type Part = (&'static str, &'static str, u32, u8);

/// Parts in one pass, if they are joined, against the places of each bit; with the widest instructions and with those that every
/// processor has.
fn check(parts: &[Part], bytes: usize) -> bool {
    let [widest, scalar] = [Isa::widest(), Isa::Scalar].map(|isa| check_with(isa, parts, bytes));
    assert_eq!(widest, scalar, "{parts:?}");
    widest
}

fn check_with(isa: Isa, parts: &[Part], bytes: usize) -> bool {
    let maps: Vec<[Map; 2]> = parts.iter().map(|(from, to, ..)| [map(from), map(to)]).collect();
    let plan = |(maps, (.., bits, _)): (&[Map; 2], &Part)| {
        let machine = Machine::detect().with_isa(isa);
        Plan::for_machine(&maps[0], &maps[1], Element::of_bits(*bits).unwrap(), machine).unwrap()
    };
    let plans: Vec<Plan> = maps.iter().zip(parts).map(plan).collect();
    let all: Vec<(&Plan, u8)> = plans.iter().zip(parts).map(|(plan, (.., mask))| (plan, *mask)).collect();
    let Some(joined) = Joined::new(&all) else { return false };
    let source: Vec<u8> = (0..bytes).map(|at| u8::try_from(at * 167 % 251).unwrap()).collect();
    // What no part writes stays.
    let mut moved = vec![0xa5; bytes];
    joined.run(&source, &mut moved).unwrap();
    let mut wanted = vec![0xa5u8; bytes];
    for ([from, to], (.., bits, mask)) in maps.iter().zip(parts) {
        let bits = i64::from(*bits);
        for flat in 0..from.size().unwrap() {
            let mut rest = flat;
            let mut point = Vec::new();
            for axis in from.domain() {
                point.push(rest % axis.extent);
                rest /= axis.extent;
            }
            let [from, to] = [from, to].map(|map| map.at(&point).unwrap().unwrap()[0] * bits);
            for bit in 0..bits {
                let [read, write] = [from + bit, to + bit].map(|bit| (usize::try_from(bit / 8).unwrap(), bit % 8));
                let flip = mask >> write.1 & 1;
                let value = (source[read.0] >> read.1 & 1) ^ flip;
                wanted[write.0] = wanted[write.0] & !(1 << write.1) | value << write.1;
            }
        }
    }
    assert!(moved == wanted, "{parts:?}");
    let short = joined.run(&source[..10], &mut moved).unwrap_err();
    assert_eq!(short.code().as_str(), "range");
    true
}

#[test]
fn one_pass_is_what_its_plans_leave() {
    // Blocks of 18 bytes: a scale and 16 bytes of pairs, in groups of 8 rows.
    let codes: Part =
        ("((8,2),(16,2,3)):((108,864),(2,1,36)) + 4", "((8,2),((8,2),2,3)):((16,864),((2,128),1,288)) + 32", 4, 0x88);
    let scales: Part = ("((8,2),3):((27,216),9)", "((8,2),3):((1,216),72)", 16, 0);
    assert!(check(&[codes, scales], 288 * 3));
    assert!(check(&[scales, codes], 288 * 3));
    // Four rows of 16 bytes in words of 4, in one row of 64 bytes; twice, so that eight places are transposed together.
    let words: Part = ("((4,4,2),5):((4,1,16),32)", "((4,4,2),5):((1,4,16),32)", 32, 0x11);
    assert!(check(&[words], 640));
    let apart: Part = ("((4,4),(2,5)):((4,1),(16,32))", "((4,4),(2,5)):((1,4),(20,40))", 32, 0x11);
    assert!(check(&[apart], 816));
    // One part with a constant; nibbles of bytes that another part shares, and of bytes that no other does.
    assert!(check(&[codes], 288 * 3));
    let low: Part = ("(16,4):(2,64)", "(16,4):(2,64)", 4, 0);
    let high: Part = ("(16,4):(2,64) + 1", "((4,4),4):((8,2),64) + 1", 4, 0xf0);
    assert!(check(&[low, high], 256));
    assert!(check(&[low], 256));
    // Backwards, so that steps are negative.
    let wide: Part = ("(4,8):(-16,2) + 48", "(4,8):(16,2)", 64, 0x11);
    assert!(check(&[wide, ("(4,8):(-64,8) + 196", "(4,8):(64,8) + 4", 16, 0)], 512));
}

/// Of one part, what lies nearest stays in the tile: a byte has as many loops around it as a hundred.
#[test]
fn a_tile_is_no_single_byte() {
    // Codes of Q4_0 of 64 rows of 16 blocks in eights, alone.
    let [from, to] =
        ["((8,8),(8,2,2,16)):((576,4608),(2,16,1,36)) + 4", "((8,8),(8,2,2,16)):((16,4608),(2,128,1,288)) + 32"];
    assert!(check(&[(from, to, 4, 0x88)], 18 * 1024));
    let plan = Plan::new(&map(from), &map(to), Element::of_bits(4).unwrap()).unwrap();
    let joined = format!("{:?}", Joined::new(&[(&plan, 0x88)]));
    assert!(joined.contains("operations: 16, tile_bytes: 128"), "{joined}");
}

/// What a kernel does better, or has no tiles of its own, is left to the plans.
#[test]
fn what_does_not_pay_is_not_joined() {
    // Long runs.
    assert!(!check(&[("(64,1024):(1024,1)", "(64,1024):(1024,1)", 8, 0), ("4:1", "4:1", 8, 0)], 1 << 16));
    // A transpose of nibbles.
    assert!(!check(&[("(64,64):(64,1)", "(64,64):(1,64)", 4, 0)], 2048));
    // A swizzle.
    assert!(!check(&[("Sw<2,2,2> o (16,16):(16,1)", "(16,16):(16,1)", 8, 1)], 256));
    // Tiles that meet within a byte.
    assert!(!check(&[("(8,5):(5,1)", "(8,5):(5,1)", 1, 1), ("8:1", "8:1", 1, 1)], 64));
}

#[test]
fn boxes_without_elements_move_nothing() {
    for (from, to) in
        [("(2,0):(1,2)", "(2,0):(2,1)"), ("(0,64):(4,16)", "(0,64):(1,16)"), ("(4,0):(4,16)", "(4,0):(1,16)")]
    {
        let plan = Plan::new(&map(from), &map(to), Element::of_bits(8).unwrap()).unwrap();
        for masks in [[0, 0], [0, 0x80]] {
            let Some(joined) = Joined::new(&masks.map(|mask| (&plan, mask))) else { continue };
            let mut moved = [0xa5; 16];
            joined.run(&[1; 16], &mut moved).unwrap();
            assert_eq!(moved, [0xa5; 16], "{from} to {to}");
        }
    }
}
