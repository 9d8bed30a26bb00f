//! What the tests of plans and of what is built on them share: layouts from text, noise to move, units as bits, random pairs.

mod layout;
mod pairs;

pub(crate) use layout::map;
pub(crate) use pairs::{list, permuted};

/// Bytes that look random, others for each seed.
pub(crate) fn noise(length: usize, seed: usize) -> Vec<u8> {
    (0..length).map(|n| (n.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 7).to_le_bytes()[0]).collect()
}

/// One unit of a buffer, as bits.
pub(crate) fn unit(buffer: &[u8], at: usize, bits: usize) -> Vec<bool> {
    (at * bits..(at + 1) * bits).map(|n| buffer[n / 8] >> (n % 8) & 1 == 1).collect()
}
