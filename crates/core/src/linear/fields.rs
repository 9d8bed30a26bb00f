//! Moving the values of dims from one packed word to another.
//!
//! Law: a word `w` moved by fields has, at each field's target, the bits that `w` has at its source, and 0 elsewhere.

use super::bits::low;
use super::layout::Dim;
use crate::small::Small;

/// Where each of some dims is in one packed word and goes in another.
pub(crate) struct Fields(Small<Field, 5>);

#[derive(Clone, Copy, Default)]
struct Field {
    from: u32,
    mask: u64,
    to: u32,
}

impl Fields {
    /// No dim moves.
    pub(crate) fn new() -> Self {
        Fields(Small::new())
    }

    /// From a word of `from` to one of `to`, by name; what `to` lacks is dropped. No dim of `to` may be narrower.
    pub(crate) fn between(from: &[Dim], to: &[Dim]) -> Self {
        let mut fields = Fields::new();
        let mut start = 0;
        for dim in from {
            let before: u32 = to.iter().take_while(|other| other.name != dim.name).map(|other| other.bits).sum();
            if to.iter().any(|other| other.name == dim.name) {
                fields.push(start, dim.bits, before);
            }
            start += dim.bits;
        }
        fields
    }

    /// Adds the move of some bits. A field of no bits may start at the end of the word, where no shift goes.
    pub(crate) fn push(&mut self, from: u32, bits: u32, to: u32) {
        if bits > 0 {
            self.0.push(Field { from, mask: low(bits), to });
        }
    }

    /// The word with the bits moved.
    #[inline]
    pub(crate) fn apply(&self, word: u64) -> u64 {
        self.0.iter().fold(0, |moved, field| moved | (word >> field.from & field.mask) << field.to)
    }
}
