//! Room for what somebody makes of a value: it lasts as long as the value itself, so that it needs
//! neither a name nor a place of its own. What is made, and how, is not known here.

use std::{fmt, sync::OnceLock};

/// Bytes that are made of a value once. A copy of the value begins without them, as it may be about
/// to change, and they are no part of what it is equal to.
#[derive(Default)]
pub struct Rendered(OnceLock<Box<[u8]>>);

impl Rendered {
    /// What `make` makes of the value: of the first call, ever since. Whoever calls this for one
    /// value makes the same each time.
    pub fn get_or_make(&self, make: impl FnOnce() -> Vec<u8>) -> &[u8] {
        self.0.get_or_init(|| make().into_boxed_slice())
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
    fn it_is_made_once_and_a_copy_begins_anew() {
        let rendered = Rendered::default();
        assert_eq!(rendered.get_or_make(|| vec![1]), [1]);
        assert_eq!(rendered.get_or_make(|| vec![2]), [1]);
        let copy = rendered.clone();
        assert_eq!(copy, rendered);
        assert_eq!(copy.get_or_make(|| vec![3]), [3]);
    }
}
