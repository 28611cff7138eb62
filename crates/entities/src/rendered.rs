//! Values with the bytes that another crate renders from them. The bytes live as long as the value,
//! so that they need no cache key and no eviction. This module does not know what is rendered or
//! how.

use std::{fmt, ops::Deref, sync::OnceLock};

/// Value with bytes that are rendered from it once. A clone starts without bytes, because the copy
/// may be about to change. Equality ignores the bytes.
///
/// ```
/// use siskin_entities::Rendered;
///
/// let mut value = Rendered::new(7);
/// assert_eq!(value.get_or_render(|number| number.to_string().into_bytes()), b"7");
/// assert_eq!(value.get_or_render(|_| unreachable!("the bytes are there")), b"7");
/// *value.get_mut() += 1;
/// assert_eq!(value.get_or_render(|number| number.to_string().into_bytes()), b"8");
/// ```
#[derive(Default)]
pub struct Rendered<T> {
    value: T,
    bytes: OnceLock<Box<[u8]>>,
}

impl<T> Rendered<T> {
    /// Wraps a value from which nothing is rendered yet.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self { value, bytes: OnceLock::new() }
    }

    /// Returns the bytes; the first call creates them with `render`. All callers for one value must
    /// pass a `render` that returns the same bytes.
    pub fn get_or_render(&self, render: impl FnOnce(&T) -> Vec<u8>) -> &[u8] {
        self.bytes.get_or_init(|| render(&self.value).into_boxed_slice())
    }

    /// Returns the value for changes and drops the bytes.
    pub fn get_mut(&mut self) -> &mut T {
        self.bytes = OnceLock::new();
        &mut self.value
    }

    /// Returns the value without the bytes.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for Rendered<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> From<T> for Rendered<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Clone> Clone for Rendered<T> {
    fn clone(&self) -> Self {
        Self::new(self.value.clone())
    }
}

impl<T: PartialEq> PartialEq for Rendered<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Rendered<T> {}

impl<T: fmt::Debug> fmt::Debug for Rendered<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_rendered_once_and_a_clone_starts_empty() {
        let rendered = Rendered::new(5);
        assert_eq!(rendered.get_or_render(|value| vec![*value]), [5]);
        assert_eq!(rendered.get_or_render(|_| vec![2]), [5]);
        let copy = rendered.clone();
        assert_eq!(copy, rendered);
        assert_eq!(copy.get_or_render(|_| vec![3]), [3]);
    }

    #[test]
    fn a_changed_value_is_rendered_again() {
        let mut rendered = Rendered::new(5);
        assert_eq!(rendered.get_or_render(|value| vec![*value]), [5]);
        *rendered.get_mut() = 6;
        assert_eq!(rendered.get_or_render(|value| vec![*value]), [6]);
        assert_eq!(rendered.into_inner(), 6);
    }
}
