//! [`PadUnits`]: pads units that are no power of two as they are read.
//!
//! A pixel of three bytes becomes four bytes, one of them unused. Vectors of padded units are exchanged as any others
//! and packed afterwards (`pack.rs`). Law: unit `n` of a vector begins at byte `n * filled`, and is unit `n` of the run
//! that is read.

use super::LINE;

/// How the units of a vector are padded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PadUnits {
    /// Which bytes are read, from where the first unit begins: those of the units of a vector.
    pub(super) read: u64,
    /// For each byte of a vector, which of them it is; those that fill up are any.
    pub(super) positions: [u8; LINE],
}

impl PadUnits {
    /// Units of the given size, each padded to a power of two, at most a line.
    pub(crate) fn of(unit: usize, filled: usize) -> Self {
        let mut positions = [0; LINE];
        for (byte, position) in (0u8..).zip(&mut positions) {
            let (own, at) = (usize::from(byte) / filled, usize::from(byte) % filled);
            *position = (own * unit + at.min(unit - 1)).to_le_bytes()[0];
        }
        PadUnits { read: u64::MAX >> (LINE - LINE / filled * unit), positions }
    }
}
