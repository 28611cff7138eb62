//! A bounded cache of recently used values.

use std::{hash::Hash, sync::Arc};

use rustc_hash::FxHashMap;

/// Cache of values up to a number of bytes. Evicts approximately the least recently used values. It
/// uses two generations, so that neither a lookup nor an insertion has to maintain an order.
#[derive(Debug)]
pub struct Recent<K, V> {
    /// Entries that were used or added since the last change of generations.
    young: FxHashMap<K, Entry<V>>,
    old: FxHashMap<K, Entry<V>>,
    /// Size of the young entries in bytes.
    size: usize,
    /// Maximum size of the young entries in bytes.
    max_bytes: usize,
}

#[derive(Debug)]
struct Entry<V> {
    value: Arc<V>,
    /// Size of the value in bytes.
    memory: usize,
}

/// Overhead of an entry besides its value, in bytes.
const ENTRY: usize = 128;

impl<K: Eq + Hash, V> Recent<K, V> {
    /// Creates an empty cache of at most `max_bytes` bytes.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        let (young, old) = (FxHashMap::default(), FxHashMap::default());
        Self { young, old, size: 0, max_bytes: max_bytes / 2 }
    }

    /// Returns the value with this key and marks it as used.
    pub fn get(&mut self, key: &K) -> Option<Arc<V>> {
        if let Some(entry) = self.young.get(key) {
            return Some(Arc::clone(&entry.value));
        }
        let (key, entry) = self.old.remove_entry(key)?;
        let value = Arc::clone(&entry.value);
        self.put(key, entry);
        Some(value)
    }

    /// Inserts or replaces the value with this key. `memory` is its size in bytes.
    pub fn insert(&mut self, key: K, value: Arc<V>, memory: usize) {
        self.remove(&key);
        self.put(key, Entry { value, memory: memory + ENTRY });
    }

    /// Removes the value with this key.
    pub fn remove(&mut self, key: &K) {
        self.old.remove(key);
        if let Some(entry) = self.young.remove(key) {
            self.size -= entry.memory;
        }
    }

    /// Adds an entry that is in neither generation.
    fn put(&mut self, key: K, entry: Entry<V>) {
        if self.size + entry.memory > self.max_bytes {
            self.old = std::mem::take(&mut self.young);
            self.size = 0;
        }
        self.size += entry.memory;
        self.young.insert(key, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache for 100 values of size 0 in each generation.
    fn cache() -> Recent<usize, usize> {
        Recent::new(200 * ENTRY)
    }

    #[test]
    fn unused_values_are_evicted() {
        let mut recent = cache();
        for key in 0..1000 {
            recent.insert(key, Arc::new(key), 0);
            assert_eq!(recent.get(&0).as_deref(), Some(&0), "{key}");
        }
        assert!(recent.get(&1).is_none());
        assert_eq!(recent.get(&999).as_deref(), Some(&999));
        assert!(recent.young.len() <= 100 && recent.old.len() <= 100);
    }

    #[test]
    fn removed_and_replaced_values_free_their_memory() {
        let mut recent = cache();
        recent.insert(1, Arc::new(1), 50);
        recent.insert(1, Arc::new(2), 20);
        assert_eq!((recent.get(&1).as_deref(), recent.size), (Some(&2), ENTRY + 20));
        recent.remove(&1);
        assert!(recent.get(&1).is_none());
        assert_eq!(recent.size, 0);
        recent.insert(2, Arc::new(2), 0);
        for key in 10..110 {
            recent.insert(key, Arc::new(key), 0);
        }
        assert!(recent.old.contains_key(&2));
        recent.insert(2, Arc::new(3), 0);
        assert_eq!(recent.get(&2).as_deref(), Some(&3));
    }

    #[test]
    fn an_oversized_value_is_cached_alone() {
        let mut recent = cache();
        recent.insert(1, Arc::new(1), 1 << 30);
        assert!(recent.get(&1).is_some());
        recent.insert(2, Arc::new(2), 0);
        recent.insert(3, Arc::new(3), 1 << 30);
        assert!(recent.get(&1).is_none());
    }
}
