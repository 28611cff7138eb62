//! Snapshot of the current listeners: which account listens to which stream.

use std::sync::Arc;

use siskin_ids::{AccountId, ListId};
use siskin_persistence::sorted_unique;

use crate::{SessionId, Stream, Subscription};

/// One subscription of a session, with its account and stream.
#[derive(Debug, Clone)]
pub struct Listener {
    pub session: SessionId,
    pub account: AccountId,
    pub stream: Stream,
    pub names: Arc<[String]>,
}

impl Listener {
    /// Builds the listener for a subscription of a session of `account`.
    #[must_use]
    pub fn new(session: SessionId, account: AccountId, subscription: &Subscription) -> Self {
        Self {
            session,
            account,
            stream: subscription.stream.clone(),
            names: Arc::clone(&subscription.names),
        }
    }
}

/// Set of listeners.
#[derive(Debug, Clone, Default)]
pub struct Audience {
    listeners: Vec<Listener>,
    /// Accounts that listen to their own home or notifications. Sorted, without duplicates.
    account_ids: Vec<AccountId>,
    lists: Vec<ListId>,
}

impl Audience {
    /// Builds the audience of these listeners.
    #[must_use]
    pub fn of(listeners: Vec<Listener>) -> Self {
        let is_personal = |stream: &Stream| matches!(stream, Stream::User | Stream::Notifications);
        let personal = listeners.iter().filter(|listener| is_personal(&listener.stream));
        let account_ids = sorted_unique(personal.map(|listener| listener.account));
        let lists = sorted_unique(listeners.iter().filter_map(|listener| match listener.stream {
            Stream::List(id) => Some(id),
            _ => None,
        }));
        Self { listeners, account_ids, lists }
    }

    /// Returns `true` if there are no listeners.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listeners.is_empty()
    }

    pub(crate) fn listeners(&self) -> &[Listener] {
        &self.listeners
    }

    /// Accounts that listen to their own home or notifications.
    pub(crate) fn account_ids(&self) -> &[AccountId] {
        &self.account_ids
    }

    pub(crate) fn lists(&self) -> &[ListId] {
        &self.lists
    }

    /// Returns the listeners that satisfy `predicate`.
    pub(crate) fn matching<'a>(
        &'a self,
        predicate: impl Fn(&Listener) -> bool + 'a,
    ) -> impl Iterator<Item = &'a Listener> + 'a {
        self.listeners.iter().filter(move |listener| predicate(listener))
    }
}
