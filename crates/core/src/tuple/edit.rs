//! Editing the top-level entries of a tuple: select, take, group, append, prepend, replace, insert, remove.
//!
//! Each is the list operation of its name on the entries; a bare leaf counts as the tuple of itself, as in CuTe.

use super::{Tuple, no_mode};
use crate::error::{Code, Error};

impl<T: Clone + Default> Tuple<T> {
    /// The entries at the given positions, in that order.
    ///
    /// # Errors
    /// [`Code::NoMode`].
    pub fn select(&self, positions: &[usize]) -> Result<Self, Error> {
        let entries: Result<Vec<_>, _> = positions.iter().map(|&at| self.entry(at)).collect();
        Ok(Tuple::of(&entries?))
    }

    /// The entries `begin..end`.
    ///
    /// # Errors
    /// [`Code::NoMode`] when the range is not within the rank.
    pub fn take(&self, begin: usize, end: usize) -> Result<Self, Error> {
        let entries = self.entries();
        let part = entries.get(begin..end).ok_or_else(|| outside(begin, end, self.rank()))?;
        Ok(Tuple::of(part))
    }

    /// The entries `begin..end` made one entry.
    ///
    /// # Errors
    /// [`Code::NoMode`] when the range is not within the rank.
    pub fn group(&self, begin: usize, end: usize) -> Result<Self, Error> {
        let mut entries = self.entries();
        let part = entries.get(begin..end).ok_or_else(|| outside(begin, end, self.rank()))?;
        let grouped = Tuple::of(part);
        entries.splice(begin..end, [grouped]);
        Ok(Tuple::of(&entries))
    }

    /// With one more entry at the end.
    #[must_use]
    pub fn append(&self, entry: &Self) -> Self {
        let mut entries = self.entries();
        entries.push(entry.clone());
        Tuple::of(&entries)
    }

    /// With one more entry at the front.
    #[must_use]
    pub fn prepend(&self, entry: &Self) -> Self {
        let mut entries = self.entries();
        entries.insert(0, entry.clone());
        Tuple::of(&entries)
    }

    /// With the entry at a position replaced.
    ///
    /// # Errors
    /// [`Code::NoMode`].
    pub fn replace(&self, position: usize, entry: &Self) -> Result<Self, Error> {
        let mut entries = self.entries();
        let rank = entries.len();
        *entries.get_mut(position).ok_or_else(|| no_mode(position, rank))? = entry.clone();
        Ok(if self.is_leaf() { entry.clone() } else { Tuple::of(&entries) })
    }

    /// With an entry inserted before a position, which may be the rank.
    ///
    /// # Errors
    /// [`Code::NoMode`].
    pub fn insert(&self, position: usize, entry: &Self) -> Result<Self, Error> {
        let mut entries = self.entries();
        if position > entries.len() {
            return Err(no_mode(position, entries.len()));
        }
        entries.insert(position, entry.clone());
        Ok(Tuple::of(&entries))
    }

    /// Without the entry at a position.
    ///
    /// # Errors
    /// [`Code::NoMode`].
    pub fn remove(&self, position: usize) -> Result<Self, Error> {
        let mut entries = self.entries();
        if position >= entries.len() {
            return Err(no_mode(position, entries.len()));
        }
        entries.remove(position);
        Ok(Tuple::of(&entries))
    }
}

#[cold]
fn outside(begin: usize, end: usize, rank: usize) -> Error {
    error!(Code::NoMode, "the range {begin}..{end} is not within the rank {rank}", [begin, end, rank])
}
