//! Guesses of how many candidates a page loads and does not show.

use std::{
    fmt,
    hash::BuildHasher as _,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering::Relaxed},
    },
};

use rustc_hash::FxBuildHasher;
use siskin_ids::AccountId;

/// Number of cached guesses. Two kinds of pages with the same slot share their guess, which may then
/// be wrong.
const SLOTS: usize = 4096;

/// The guesses of one store.
pub(crate) struct HiddenGuesses(Arc<[AtomicU8]>);

impl Default for HiddenGuesses {
    fn default() -> Self {
        Self((0..SLOTS).map(|_| AtomicU8::new(0)).collect())
    }
}

/// Guess of how many of the candidates that a page loads are hidden from its viewer: as many as the
/// last time. The page loads this many more at once. A wrong guess costs time, never content.
#[derive(Clone, Default)]
pub struct HiddenGuess {
    /// `None` outside the transactions of a store: nothing is guessed.
    place: Option<(Arc<[AtomicU8]>, usize)>,
}

impl HiddenGuesses {
    /// Returns the guess for a viewer and a kind of page. `kind` is any number that differs between
    /// the kinds.
    pub(super) fn of(&self, viewer: Option<AccountId>, kind: i64) -> HiddenGuess {
        let hash = FxBuildHasher.hash_one((viewer, kind));
        // The upper bits of this hash are the good ones.
        let slot = (hash >> 32) as usize % SLOTS;
        HiddenGuess { place: Some((Arc::clone(&self.0), slot)) }
    }
}

impl HiddenGuess {
    /// Builds a guess that belongs to no store, for tests of pages.
    #[must_use]
    pub fn new(hidden: u8) -> Self {
        Self { place: Some((Arc::from([AtomicU8::new(hidden)]), 0)) }
    }

    /// Returns the number of candidates; 0 if nothing is known yet.
    #[must_use]
    pub fn get(&self) -> usize {
        self.slot().map_or(0, |slot| usize::from(slot.load(Relaxed)))
    }

    /// Notes how many candidates were hidden this time. Numbers above 255 count as 255.
    pub fn set(&self, hidden: usize) {
        if let Some(slot) = self.slot() {
            slot.store(u8::try_from(hidden).unwrap_or(u8::MAX), Relaxed);
        }
    }

    fn slot(&self) -> Option<&AtomicU8> {
        self.place.as_ref().map(|(slots, slot)| &slots[*slot])
    }
}

impl fmt::Debug for HiddenGuess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HiddenGuess").field(&self.get()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_is_stored_for_its_viewer_and_page() {
        let guesses = HiddenGuesses::default();
        let guess = |viewer: i64, kind| guesses.of(Some(AccountId::new(viewer)), kind);
        guess(1, 0).set(3);
        assert_eq!((guess(1, 0).get(), guess(2, 0).get(), guess(1, 1).get()), (3, 0, 0));
        guess(1, 0).set(1000);
        assert_eq!(guess(1, 0).get(), 255);
        assert_eq!(HiddenGuess::default().get(), 0);
    }
}
