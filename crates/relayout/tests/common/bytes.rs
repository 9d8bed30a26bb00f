//! Noise to move and units as bits: a file of its own for tests that need no more.

/// Bytes that look random, others for each seed.
pub(crate) fn noise(length: usize, seed: usize) -> Vec<u8> {
    (0..length).map(|n| (n.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 7).to_le_bytes()[0]).collect()
}

/// One unit of a buffer, as bits.
pub(crate) fn unit(buffer: &[u8], at: usize, bits: usize) -> Vec<bool> {
    (at * bits..(at + 1) * bits).map(|n| buffer[n / 8] >> (n % 8) & 1 == 1).collect()
}
