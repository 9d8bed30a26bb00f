//! Moving packed words from one list of dims to another, by name.
//!
//! Law: the value of each dim of the source is the value of the dim of that name in the target, moved up by the bits
//! asked for; every other bit is 0.

use super::bits::low;
use super::layout::{Columns, Dim};
use crate::small::Small;

/// Where the bits of each dim go.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    moves: Small<Field, 5>,
    /// Whether every bit stays where it is.
    still: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Field {
    from: u32,
    mask: u64,
    to: u32,
}

impl Fields {
    /// From the dims of `source` to those of `target`. `place` says for the dim of that name in the target how many
    /// bits up in it the value goes, or why it cannot; it is not asked for a dim that the target lacks.
    ///
    /// # Errors
    /// What `missing` says of a dim that the target lacks, and what `place` says.
    pub(crate) fn between<E>(
        source: &[Dim],
        target: &[Dim],
        missing: impl Fn() -> E,
        place: impl Fn(Dim, Dim) -> Result<u32, E>,
    ) -> Result<Self, E> {
        let mut fields = Fields { moves: Small::new(), still: true };
        let mut from = 0;
        for (at, dim) in source.iter().enumerate() {
            let (there, before) = find(target, *dim, at).ok_or_else(&missing)?;
            let to = before + place(*dim, there)?;
            fields.push(from, dim.bits, to);
            fields.still &= from == to || dim.bits == 0;
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
        Fields { moves: Small::new(), still: false }
    }

    /// Moves some more bits.
    pub(crate) fn push(&mut self, from: u32, bits: u32, to: u32) {
        // A dim of one value has no bits, and could start where the word ends.
        if bits > 0 {
            self.moves.push(Field { from, mask: low(bits), to });
        }
    }

    /// One word of the source as a word of the target.
    #[inline]
    pub(crate) fn one(&self, word: u64) -> u64 {
        if self.still {
            return word;
        }
        self.moves.iter().fold(0, |moved, field| moved | (word >> field.from & field.mask) << field.to)
    }

    /// Appends words of the source as words of the target.
    #[inline]
    pub(crate) fn extend(&self, columns: &mut Columns, words: &[u64]) {
        if self.still {
            return columns.extend_from_slice(words);
        }
        let moves: &[Field] = &self.moves;
        for word in words {
            columns.push(moves.iter().fold(0, |moved, field| moved | (word >> field.from & field.mask) << field.to));
        }
    }

    /// Words of the source as words of the target.
    pub(crate) fn apply(&self, words: &[u64]) -> Columns {
        let mut columns = Columns::new();
        self.extend(&mut columns, words);
        columns
    }
}

/// The dim of that name with the bits before it; it usually stands at the same position.
fn find(dims: &[Dim], wanted: Dim, at: usize) -> Option<(Dim, u32)> {
    let same = dims.get(at).filter(|dim| dim.name == wanted.name).map(|_| at);
    let at = same.or_else(|| dims.iter().position(|dim| dim.name == wanted.name))?;
    let before = dims.get(..at)?.iter().map(|dim| dim.bits).sum();
    Some((*dims.get(at)?, before))
}
