//! A short list that lives where it is declared: up to `N` entries inline, more on the heap.
//!
//! Layouts have two to eight leaves in nearly all uses; keeping those inline is what makes an operation cost tens of
//! nanoseconds instead of a call to the allocator. Law: it reads like the `Vec` of the same pushes.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// A list with room for `N` entries inline.
#[derive(Clone)]
pub struct Small<T, const N: usize>(Store<T, N>);

#[derive(Clone)]
enum Store<T, const N: usize> {
    Inline { length: usize, room: [T; N] },
    Heap(Vec<T>),
}

impl<T: Clone + Default, const N: usize> Small<T, N> {
    /// The empty list.
    #[inline]
    pub fn new() -> Self {
        Small(Store::Inline { length: 0, room: std::array::from_fn(|_| T::default()) })
    }

    /// A list of `length` default entries.
    #[inline]
    pub fn defaults(length: usize) -> Self {
        if length > N {
            return Small(Store::Heap(vec![T::default(); length]));
        }
        let Small(mut store) = Small::new();
        if let Store::Inline { length: filled, .. } = &mut store {
            *filled = length;
        }
        Small(store)
    }

    /// A list of the entries of a slice.
    #[inline]
    pub fn from_slice(entries: &[T]) -> Self {
        let mut list = Small::new();
        list.extend_from_slice(entries);
        list
    }

    /// Appends one entry.
    #[inline]
    pub fn push(&mut self, entry: T) {
        match &mut self.0 {
            Store::Inline { length, room } => {
                if let Some(place) = room.get_mut(*length) {
                    *place = entry;
                    *length += 1;
                } else {
                    self.spill(entry);
                }
            }
            Store::Heap(entries) => entries.push(entry),
        }
    }

    #[cold]
    fn spill(&mut self, entry: T) {
        let mut entries = self.to_vec();
        entries.push(entry);
        self.0 = Store::Heap(entries);
    }

    #[cold]
    fn spill_all(&mut self, entry: T, rest: impl Iterator<Item = T>) {
        self.push(entry);
        rest.for_each(|entry| self.push(entry));
    }

    /// Appends all entries of a slice.
    #[inline]
    pub fn extend_from_slice(&mut self, entries: &[T]) {
        if let Store::Inline { length, room } = &mut self.0
            && let Some(places) = room.get_mut(*length..*length + entries.len())
        {
            places.clone_from_slice(entries);
            *length += entries.len();
            return;
        }
        for entry in entries {
            self.push(entry.clone());
        }
    }

    /// Inserts an entry before a position, which may be the end.
    pub fn insert(&mut self, at: usize, entry: T) {
        self.push(entry);
        if let Some(tail) = self.get_mut(at..) {
            tail.rotate_right(1);
        }
    }

    /// Removes the last entry and returns it.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        match &mut self.0 {
            Store::Inline { length, room } => {
                *length = length.checked_sub(1)?;
                room.get_mut(*length).map(std::mem::take)
            }
            Store::Heap(entries) => entries.pop(),
        }
    }
}

impl<T: Clone + Default, const N: usize> Default for Small<T, N> {
    fn default() -> Self {
        Small::new()
    }
}

impl<T, const N: usize> Deref for Small<T, N> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Store::Inline { length, room } => room.get(..*length).unwrap_or(&[]),
            Store::Heap(entries) => entries,
        }
    }
}

impl<T, const N: usize> DerefMut for Small<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Store::Inline { length, room } => room.get_mut(..*length).unwrap_or(&mut []),
            Store::Heap(entries) => entries,
        }
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Small<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq, const N: usize> Eq for Small<T, N> {}

impl<T: Hash, const N: usize> Hash for Small<T, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for Small<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Clone + Default, const N: usize> FromIterator<T> for Small<T, N> {
    #[inline]
    fn from_iter<It: IntoIterator<Item = T>>(entries: It) -> Self {
        let mut list = Small::new();
        list.extend(entries);
        list
    }
}

impl<T: Clone + Default, const N: usize> Extend<T> for Small<T, N> {
    #[inline]
    fn extend<It: IntoIterator<Item = T>>(&mut self, entries: It) {
        let mut entries = entries.into_iter();
        if let Store::Inline { length, room } = &mut self.0 {
            let mut filled = *length;
            for (place, entry) in room.get_mut(filled..).unwrap_or_default().iter_mut().zip(&mut entries) {
                *place = entry;
                filled += 1;
            }
            *length = filled;
        }
        if let Some(entry) = entries.next() {
            self.spill_all(entry, entries);
        }
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a Small<T, N> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::Small;

    #[test]
    fn reads_like_a_vec_across_the_spill() {
        let mut list = Small::<i64, 4>::new();
        let mut vec = Vec::new();
        for n in 0..11 {
            list.push(n);
            vec.push(n);
            assert_eq!(&*list, &vec[..]);
        }
        while let Some(n) = vec.pop() {
            assert_eq!(list.pop(), Some(n));
            assert_eq!(&*list, &vec[..]);
        }
        assert_eq!(list.pop(), None);
        for length in [0, 4, 5] {
            assert_eq!(*Small::<i64, 4>::defaults(length), vec![0; length]);
        }
        for n in 0..11 {
            list.insert(list.len() / 2, n);
            vec.insert(vec.len() / 2, n);
            assert_eq!(&*list, &vec[..]);
        }
    }
}
