//! What the tests share: layouts from text, noise to move, units as bits, random pairs.
#![allow(clippy::panic, reason = "that is how a test fails")]

use std::ops::Range;

use bitstride::map::Map;
use bitstride_lang::evaluate;
use proptest::prelude::*;

/// Bytes that look random, others for each seed.
pub(crate) fn noise(length: usize, seed: usize) -> Vec<u8> {
    (0..length).map(|n| (n.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 7).to_le_bytes()[0]).collect()
}

/// One unit of a buffer, as bits.
pub(crate) fn unit(buffer: &[u8], at: usize, bits: usize) -> Vec<bool> {
    (at * bits..(at + 1) * bits).map(|n| buffer[n / 8] >> (n % 8) & 1 == 1).collect()
}

/// Moves one unit from a place of one buffer to a place of another: whole bytes, or a part of one.
pub(crate) fn move_unit(source: &[u8], from: usize, destination: &mut [u8], to: usize, bits: usize) {
    if bits >= 8 {
        let bytes = bits / 8;
        destination[to * bytes..][..bytes].copy_from_slice(&source[from * bytes..][..bytes]);
    } else {
        let [(byte, low), (target, up)] = [from, to].map(|unit| (unit * bits / 8, unit * bits % 8));
        let mask = (1u8 << bits) - 1;
        destination[target] = destination[target] & !(mask << up) | (source[byte] >> low & mask) << up;
    }
}

/// A layout, read from the language.
pub(crate) fn map(text: &str) -> Map {
    let answer = evaluate(text).unwrap_or_else(|why| panic!("{text}: {why}"));
    answer.value.as_map().unwrap_or_else(|why| panic!("{text}: {why}"))
}

/// Numbers as a tuple has them, without its brackets.
pub(crate) fn list<T: ToString>(list: &[T]) -> String {
    list.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// A shape and two orders of its dims, each dim with padding behind it.
pub(crate) fn permuted<P>(extents: Range<i64>, pad: P) -> impl Strategy<Value = (String, String)>
where
    P: Strategy<Value = i64> + Clone,
{
    prop::collection::vec(extents, 1..5).prop_flat_map(move |shape| {
        let rank = shape.len();
        let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
        let side = (order, prop::collection::vec(pad.clone(), rank));
        (Just(shape), side.clone(), side).prop_map(|(shape, one, two)| {
            let text = |(order, pads): (Vec<usize>, Vec<i64>)| {
                let mut strides = vec![0; shape.len()];
                let mut next = 1;
                for at in order {
                    strides[at] = next;
                    next *= shape[at] + pads[at];
                }
                format!("({}):({})", list(&shape), list(&strides))
            };
            (text(one), text(two))
        })
    })
}
