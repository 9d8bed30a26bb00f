//! Moving packed words from one list of dims to another, by name.
//!
//! Law: the value of each dim of the source is the value of the dim of that name in the target, moved up by the given
//! bits; every other bit is 0.

use super::bits::low;
use super::layout::{Columns, Dim};
use crate::small::Small;

/// Where the bits of each dim go.
#[derive(Clone, Debug)]
pub(crate) struct Fields(Small<MovedBits, 5>);

/// The bits under the mask go up by a given number of places, where a word is a ring.
#[derive(Clone, Copy, Debug, Default)]
struct MovedBits {
    mask: u64,
    up: u32,
}

impl Fields {
    /// From the dims of `source` to those of `target`. `place` says for the dim of that name in the target how many
    /// bits up in it the value goes, or why it cannot; it is not called for a dim that the target lacks.
    ///
    /// # Errors
    /// What `missing` says of a dim that the target lacks, and what `place` says.
    pub(crate) fn between<E>(
        source: &[Dim],
        target: &[Dim],
        missing: impl Fn() -> E,
        place: impl Fn(Dim, Dim) -> Result<u32, E>,
    ) -> Result<Self, E> {
        let mut fields = Fields::none();
        let mut from = 0;
        for (at, dim) in source.iter().enumerate() {
            let (there, before) = find(target, *dim, at).ok_or_else(&missing)?;
            fields.push(from, dim.bits, before + place(*dim, there)?);
            from += dim.bits;
        }
        Ok(fields)
    }

    /// From the dims of `source` to those of `target` that are there, which are no narrower; the others are dropped.
    pub(crate) fn onto(source: &[Dim], target: &[Dim]) -> Self {
        let mut fields = Fields::none();
        let mut from = 0;
        for (at, dim) in source.iter().enumerate() {
            if let Some((_, to)) = find(target, *dim, at) {
                fields.push(from, dim.bits, to);
            }
            from += dim.bits;
        }
        fields
    }

    /// Drops every bit.
    pub(crate) fn none() -> Self {
        Fields(Small::new())
    }

    /// Moves some more bits, which may be none.
    #[inline]
    pub(crate) fn push(&mut self, from: u32, bits: u32, to: u32) {
        if bits == 0 {
            return;
        }
        let mask = low(bits).wrapping_shl(from);
        let up = to.wrapping_sub(from) % u64::BITS;
        match self.0.last_mut() {
            // Dims that stay together move together.
            Some(last) if last.up == up => last.mask |= mask,
            _ => self.0.push(MovedBits { mask, up }),
        }
    }

    /// One word of the source as a word of the target.
    #[inline]
    pub(crate) fn one(&self, word: u64) -> u64 {
        moved(&self.0, word)
    }

    /// Appends words of the source as words of the target.
    #[inline(always)]
    pub(crate) fn extend(&self, columns: &mut Columns, words: &[u64]) {
        let moves: &[MovedBits] = &self.0;
        columns.extend(words.iter().map(|word| moved(moves, *word)));
    }

    /// Words of the source as words of the target.
    pub(crate) fn apply(&self, words: &[u64]) -> Columns {
        let moves: &[MovedBits] = &self.0;
        words.iter().map(|word| moved(moves, *word)).collect()
    }
}

#[inline]
fn moved(moves: &[MovedBits], word: u64) -> u64 {
    moves.iter().fold(0, |moved, field| moved | (word & field.mask).rotate_left(field.up))
}

/// The dim of that name with the bits before it; it usually stands at the same position.
fn find(dims: &[Dim], wanted: Dim, at: usize) -> Option<(Dim, u32)> {
    let same = dims.get(at).filter(|dim| dim.name == wanted.name).map(|_| at);
    let at = same.or_else(|| dims.iter().position(|dim| dim.name == wanted.name))?;
    let before = dims.get(..at)?.iter().map(|dim| dim.bits).sum();
    Some((*dims.get(at)?, before))
}
