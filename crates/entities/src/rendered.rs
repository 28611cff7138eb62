//! Cache for bytes that another crate renders from a value. The cache lives as long as the value,
//! so that it needs no key and no eviction. This module does not know what is rendered or how.

use std::{fmt, sync::OnceLock};

/// Bytes that are rendered from a value once. A clone starts empty, because the copy may be about
/// to change. Equality ignores the bytes.
#[derive(Default)]
pub struct Rendered(OnceLock<Box<[u8]>>);

impl Rendered {
    /// Returns the cached bytes; the first call creates them with `render`. All callers for one
    /// value must pass a `render` that returns the same bytes.
    pub fn get_or_init(&self, render: impl FnOnce() -> Vec<u8>) -> &[u8] {
        self.0.get_or_init(|| render().into_boxed_slice())
    }
}

impl Clone for Rendered {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Rendered {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Rendered {}

impl fmt::Debug for Rendered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.get().map(|bytes| bytes.len());
        f.debug_tuple("Rendered").field(&size).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_rendered_once_and_a_clone_starts_empty() {
        let rendered = Rendered::default();
        assert_eq!(rendered.get_or_init(|| vec![1]), [1]);
        assert_eq!(rendered.get_or_init(|| vec![2]), [1]);
        let copy = rendered.clone();
        assert_eq!(copy, rendered);
        assert_eq!(copy.get_or_init(|| vec![3]), [3]);
    }
}
