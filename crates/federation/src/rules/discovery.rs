//! Rules 9 and 15: nothing leads to requests without end.

use std::collections::HashSet;

use super::Refusal;
use crate::address::Uri;

/// Requests that one activity may cause.
pub const MAX_ACTIVITY_FETCHES: usize = 20;
/// Requests that one job for a thread may cause.
pub const MAX_THREAD_FETCHES: usize = 50;
/// New hosts below one [family](crate::address::Domain::family) of domains in an hour.
pub const MAX_NEW_HOSTS_AN_HOUR: usize = 10;
/// New accounts of one host in a minute.
pub const MAX_NEW_ACCOUNTS_A_MINUTE: usize = 30;
/// Parents that are followed upwards from a reply.
pub const MAX_PARENTS: usize = 100;
/// Quotes that are followed from a status.
pub const MAX_QUOTES: usize = 2;
/// Pages of a collection that are read.
pub const MAX_COLLECTION_PAGES: usize = 10;

/// Requests that one cause may still lead to, with everything that follows from them
/// (CVE-2022-46405).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchBudget {
    left: usize,
}

impl FetchBudget {
    /// Creates the budget of an activity or of a search.
    #[must_use]
    pub const fn of_activity() -> Self {
        Self { left: MAX_ACTIVITY_FETCHES }
    }

    /// Creates the budget of a job for a thread.
    #[must_use]
    pub const fn of_thread() -> Self {
        Self { left: MAX_THREAD_FETCHES }
    }

    /// Returns the number of requests that are left.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.left
    }

    /// Takes one request off the budget.
    ///
    /// # Errors
    /// Returns [`Refusal::TooManyFetches`] if none is left.
    pub const fn spend(&mut self) -> Result<(), Refusal> {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Refusal::TooManyFetches),
        }
    }
}

/// Walk through the pages of a collection: all of the origin of the collection, none twice, and at
/// most a number of them. A collection cannot lead to other servers, to itself or without end.
#[derive(Debug, Clone)]
pub struct PageWalk {
    collection: Uri,
    seen: HashSet<Uri>,
    left: usize,
}

impl PageWalk {
    /// Begins a walk of at most [`MAX_COLLECTION_PAGES`].
    #[must_use]
    pub fn new(collection: Uri) -> Self {
        Self::with_pages(collection, MAX_COLLECTION_PAGES)
    }

    /// Begins a walk of at most `pages`.
    #[must_use]
    pub fn with_pages(collection: Uri, pages: usize) -> Self {
        let seen = HashSet::from([collection.clone()]);
        Self { collection, seen, left: pages }
    }

    /// Counts a page before it is asked for.
    ///
    /// # Errors
    /// Returns the reason if the walk ends before this page.
    pub fn enter(&mut self, page: &Uri) -> Result<(), Refusal> {
        if !page.has_origin_of(&self.collection) {
            return Err(Refusal::ForeignPage);
        }
        if self.left == 0 {
            return Err(Refusal::TooManyPages);
        }
        if !self.seen.insert(page.without_fragment()) {
            return Err(Refusal::RepeatedPage);
        }
        self.left -= 1;
        Ok(())
    }
}
