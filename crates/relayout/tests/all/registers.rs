//! Checks every exchange of two bits of an address, every order of a few, and every flip, on all machines, for all sizes of
//! units: what registers do for networks.
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

use bitstride::map::Map;
use bitstride_relayout::{Element, Isa, Machine, Plan};

use crate::common::{map, move_unit, noise};

/// The bits of an index of a unit: enough for two lines of the smallest units.
fn index_bits(bits: usize) -> usize {
    (1024 / bits).trailing_zeros().try_into().unwrap()
}

/// A tensor of bits, of which each goes to the given bit of the place, and a pattern that is xored.
fn layout(order: &[usize], swizzle: &str) -> Map {
    let text = |list: Vec<String>| list.join(",");
    let shape = text(order.iter().map(|_| "2".to_owned()).collect());
    let strides = text(order.iter().map(|to| (1usize << to).to_string()).collect());
    map(&format!("{swizzle}(({shape})):(({strides}))"))
}

/// Moves units by a permutation of the bits of their index, and by a swizzle of the destination.
fn check(order: &[usize], swizzle: [usize; 3], bits: usize) {
    let same: Vec<usize> = (0..order.len()).collect();
    let [flipped, base, shift] = swizzle;
    let text = if flipped == 0 { String::new() } else { format!("Sw<{flipped},{base},{shift}> o 0 o ") };
    let (from, to) = (layout(&same, ""), layout(order, &text));
    let element = Element::of_bits(bits.try_into().unwrap()).unwrap();
    let bytes = (bits << order.len()).div_ceil(8);
    let source = noise(bytes, 5);
    let mut wanted = vec![0u8; bytes];
    for index in 0..1usize << order.len() {
        let place = order.iter().enumerate().fold(0, |place, (at, to)| place | (index >> at & 1) << to);
        let place = place ^ (place >> (base + shift) & ((1 << flipped) - 1)) << base;
        move_unit(&source, index, &mut wanted, place, bits);
    }
    for isa in [Isa::Scalar, Isa::Neon, Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.is_supported()) {
        // One that makes rounds by itself, and one that makes them by unpack instructions.
        for machine in [Machine::XEON, Machine::EPYC_5] {
            let plan = Plan::for_machine(&from, &to, element, machine.with_isa(isa)).unwrap();
            let mut moved = vec![0; bytes];
            plan.run(&source, &mut moved).unwrap();
            assert!(moved == wanted, "{order:?}, {swizzle:?}, {bits} bits, {isa:?}\n{plan}");
        }
    }
}

const WIDTHS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

#[test]
fn two_bits_are_swapped() {
    for bits in WIDTHS {
        let count = index_bits(bits) + 2;
        for (one, other) in (1..count).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let mut order: Vec<usize> = (0..count).collect();
            order.swap(one, other);
            check(&order, [0; 3], bits);
        }
    }
}

/// All bits moved on by some, in order and in the opposite order, and all but the lowest ones.
#[test]
fn many_bits_are_moved() {
    for bits in WIDTHS {
        let count = index_bits(bits) + 2;
        for (by, fixed) in (1..count).flat_map(|by| [0, 1, 3].map(|fixed| (by, fixed))) {
            let rest = count - fixed.min(count - 1);
            let turned = |at: usize| count - rest + (at + by) % rest;
            let order: Vec<usize> = (0..count - rest).chain((0..rest).map(turned)).collect();
            check(&order, [0; 3], bits);
            let order: Vec<usize> = (0..count - rest).chain((0..rest).rev().map(turned)).collect();
            check(&order, [0; 3], bits);
        }
    }
}

#[test]
fn positions_are_flipped() {
    for bits in WIDTHS {
        let count = index_bits(bits) + 2;
        for (flipped, base) in (1..4).flat_map(|flipped| (0..count).map(move |base| (flipped, base))) {
            for shift in (flipped..count).filter(|shift| base + shift + flipped <= count) {
                let order: Vec<usize> = (0..count).collect();
                check(&order, [flipped, base, shift], bits);
                let reversed: Vec<usize> = (0..count).rev().collect();
                check(&reversed, [flipped, base, shift], bits);
            }
        }
    }
}
