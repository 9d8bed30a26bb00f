//! [`BitMap`]: a map over F2 of the bits of an offset.
//!
//! Law: `apply` is linear, `apply(a ^ b) = apply(a) ^ apply(b)`.

use crate::error::Error;
use crate::linear::bits::ones;
use crate::map::{Axis, Direction, Map, Stage};

/// A map over F2 of the bits of an offset: what each bit comes to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BitMap(Vec<u64>);

impl BitMap {
    /// The map that takes bit `i` to `columns[i]`.
    pub fn of(columns: Vec<u64>) -> Self {
        BitMap(columns)
    }

    /// Where an offset comes to.
    pub fn apply(&self, offset: u64) -> u64 {
        ones(offset).fold(0, |sum, bit| sum ^ self.0.get(bit).copied().unwrap_or(0))
    }

    /// What each bit comes to, the lowest first.
    pub fn columns(&self) -> &[u64] {
        &self.0
    }

    /// The memory of a tile after it: a map of the same elements.
    ///
    /// # Errors
    /// As [`Map::then`].
    pub fn after(&self, tile: &Map) -> Result<Map, Error> {
        let bits = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        let xor = Stage::Xor { at: 0, ins: vec![bits], outs: vec![bits], columns: self.0.clone(), flip: 0 };
        let axis = Axis::offset(1_i64.checked_shl(bits).unwrap_or(i64::MAX));
        tile.from_elements()?.then(&Map::new(vec![axis], vec![xor], vec![axis], Direction::ToPlace)?)
    }
}
