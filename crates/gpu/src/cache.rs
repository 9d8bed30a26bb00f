//! What was made once in a process and is shared, by what it was made of.
//!
//! Law: a value is made by one thread at a time, and nobody waits for the making of another key's.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use bitstride::Error;

/// More values are not kept: the cache is emptied, and those that are in use live on.
const MAX_VALUES: usize = 1 << 12;

/// A value, once it was made.
type Slot<V> = Arc<Mutex<Option<V>>>;

/// Shared values by their keys.
pub(crate) struct Cache<K, V>(Mutex<Option<HashMap<K, Slot<V>>>>);

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    pub(crate) const fn new() -> Self {
        Cache(Mutex::new(None))
    }

    /// The value of a key; made where there is none yet.
    ///
    /// # Errors
    /// As the making failed; the next question tries again.
    pub(crate) fn get(&self, key: K, make: impl FnOnce() -> Result<V, Error>) -> Result<V, Error> {
        let slot = {
            let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let values = values.get_or_insert_default();
            if values.len() >= MAX_VALUES {
                values.clear();
            }
            values.entry(key).or_default().clone()
        };
        let mut value = slot.lock().unwrap_or_else(PoisonError::into_inner);
        match &*value {
            Some(value) => Ok(value.clone()),
            None => Ok(value.insert(make()?).clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "that is how a test fails")]

    use super::*;

    #[test]
    fn a_value_is_made_once() {
        let cache = Cache::new();
        let mut made = 0;
        for key in [1, 2, 1, 1, 2] {
            let value = cache.get(key, || {
                made += 1;
                Ok(key * 10)
            });
            assert_eq!(value.unwrap(), key * 10);
        }
        assert_eq!(made, 2);
        assert!(cache.get(3, || Err(Error::overflow("a test"))).is_err());
        assert_eq!(cache.get(3, || Ok(30)).unwrap(), 30);
        (0..MAX_VALUES).for_each(|key| drop(cache.get(key, || Ok(0))));
        assert_eq!(cache.get(1, || Ok(7)).unwrap(), 7);
    }
}
