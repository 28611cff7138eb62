//! Values with what other code computes from them once: bytes, and a derived value. Both live as
//! long as the value, so that they need no cache key and no eviction. This module does not know what
//! is computed or how.

use std::{fmt, ops::Deref, sync::OnceLock};

/// Value with bytes that are rendered from it once, and a `D` that is derived from it once. A clone
/// starts without both, because the copy may be about to change. Equality compares the values only.
///
/// ```
/// use siskin_entities::Rendered;
///
/// let mut value: Rendered<i32> = Rendered::new(7);
/// assert_eq!(value.get_or_render(|number| number.to_string().into_bytes()), b"7");
/// assert_eq!(value.get_or_render(|_| unreachable!("the bytes are there")), b"7");
/// *value.get_mut() += 1;
/// assert_eq!(value.get_or_render(|number| number.to_string().into_bytes()), b"8");
/// ```
pub struct Rendered<T, D = ()> {
    value: T,
    bytes: OnceLock<Box<[u8]>>,
    derived: OnceLock<D>,
}

impl<T, D> Rendered<T, D> {
    /// Wraps a value from which nothing is computed yet.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self { value, bytes: OnceLock::new(), derived: OnceLock::new() }
    }

    /// Returns the bytes; the first call creates them with `render`. All callers for one value must
    /// pass a `render` that returns the same bytes.
    pub fn get_or_render(&self, render: impl FnOnce(&T) -> Vec<u8>) -> &[u8] {
        self.bytes.get_or_init(|| render(&self.value).into_boxed_slice())
    }

    /// Returns the derived form; the first call creates it with `derive`. All callers for one value
    /// must pass the same `derive`.
    pub fn get_or_derive(&self, derive: impl FnOnce(&T) -> D) -> &D {
        self.derived.get_or_init(|| derive(&self.value))
    }

    /// Returns the value for changes and drops what was computed from it.
    pub fn get_mut(&mut self) -> &mut T {
        (self.bytes, self.derived) = (OnceLock::new(), OnceLock::new());
        &mut self.value
    }

    /// Returns the value alone.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T, D> Deref for Rendered<T, D> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T, D> From<T> for Rendered<T, D> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Clone, D> Clone for Rendered<T, D> {
    fn clone(&self) -> Self {
        Self::new(self.value.clone())
    }
}

impl<T: PartialEq, D> PartialEq for Rendered<T, D> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq, D> Eq for Rendered<T, D> {}

impl<T: fmt::Debug, D> fmt::Debug for Rendered<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_rendered_once_and_a_clone_starts_empty() {
        let rendered: Rendered<u8, u8> = Rendered::new(5);
        assert_eq!(rendered.get_or_render(|value| vec![*value]), [5]);
        assert_eq!(rendered.get_or_render(|_| vec![2]), [5]);
        assert_eq!(rendered.get_or_derive(|value| value + 1), &6);
        let copy = rendered.clone();
        assert_eq!(copy, rendered);
        assert_eq!(copy.get_or_render(|_| vec![3]), [3]);
        assert_eq!(copy.get_or_derive(|_| 9), &9);
    }

    #[test]
    fn a_changed_value_is_rendered_and_derived_again() {
        let mut rendered = Rendered::new(5);
        assert_eq!(rendered.get_or_render(|value| vec![*value]), [5]);
        assert_eq!((rendered.get_or_derive(|value| value + 1), *rendered), (&6, 5));
        *rendered.get_mut() = 6;
        assert_eq!(rendered.get_or_render(|value| vec![*value]), [6]);
        assert_eq!(rendered.get_or_derive(|value| value + 1), &7);
        assert_eq!(rendered.into_inner(), 6);
    }
}
