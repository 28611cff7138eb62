//! Guesses of how many candidates a page needs, and how many of them it does not show.

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
pub(crate) struct PageGuesses(Arc<[AtomicU8]>);

impl Default for PageGuesses {
    fn default() -> Self {
        Self((0..SLOTS).map(|_| AtomicU8::new(0)).collect())
    }
}

/// Guess of a number that a page of a viewer needs, such as how many of its candidates are hidden
/// from the viewer: as many as the last time. A wrong guess costs time, never content.
#[derive(Clone, Default)]
pub struct PageGuess {
    /// `None` outside the transactions of a store: nothing is guessed.
    place: Option<(Arc<[AtomicU8]>, usize)>,
}

impl PageGuesses {
    /// Returns the guess for a viewer and a kind of page. `kind` is any number that differs between
    /// the kinds.
    pub(super) fn of(&self, viewer: Option<AccountId>, kind: i64) -> PageGuess {
        let hash = FxBuildHasher.hash_one((viewer, kind));
        // The upper bits of this hash are the good ones.
        let slot = (hash >> 32) as usize % SLOTS;
        PageGuess { place: Some((Arc::clone(&self.0), slot)) }
    }
}

impl PageGuess {
    /// Builds a guess that belongs to no store, for tests of pages.
    #[must_use]
    pub fn new(number: u8) -> Self {
        Self { place: Some((Arc::from([AtomicU8::new(number)]), 0)) }
    }

    /// Returns the number; 0 if nothing is known yet.
    #[must_use]
    pub fn get(&self) -> usize {
        self.slot().map_or(0, |slot| usize::from(slot.load(Relaxed)))
    }

    /// Notes the number of this time. Numbers above 255 count as 255.
    pub fn set(&self, number: usize) {
        if let Some(slot) = self.slot() {
            slot.store(u8::try_from(number).unwrap_or(u8::MAX), Relaxed);
        }
    }

    fn slot(&self) -> Option<&AtomicU8> {
        self.place.as_ref().map(|(slots, slot)| &slots[*slot])
    }
}

impl fmt::Debug for PageGuess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PageGuess").field(&self.get()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_is_stored_for_its_viewer_and_page() {
        let guesses = PageGuesses::default();
        let guess = |viewer: i64, kind| guesses.of(Some(AccountId::new(viewer)), kind);
        guess(1, 0).set(3);
        assert_eq!((guess(1, 0).get(), guess(2, 0).get(), guess(1, 1).get()), (3, 0, 0));
        guess(1, 0).set(1000);
        assert_eq!(guess(1, 0).get(), 255);
        assert_eq!(PageGuess::default().get(), 0);
    }
}
