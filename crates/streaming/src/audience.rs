//! Who listens to what, for a moment.

use std::sync::Arc;

use siskin_ids::{AccountId, ListId};

use crate::{SessionId, Stream, Subscription};

/// Somebody who listens to a stream.
#[derive(Debug, Clone)]
pub struct Listener {
    pub session: SessionId,
    pub account: AccountId,
    pub stream: Stream,
    pub names: Arc<[String]>,
}

impl Listener {
    /// This subscription of a session of an account.
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

/// Those who listen.
#[derive(Debug, Clone, Default)]
pub struct Audience {
    listeners: Vec<Listener>,
    /// Whose home and notifications are listened to, each once.
    people: Vec<AccountId>,
    lists: Vec<ListId>,
}

impl Audience {
    /// These listeners.
    #[must_use]
    pub fn of(listeners: Vec<Listener>) -> Self {
        let is_personal = |stream: &Stream| matches!(stream, Stream::User | Stream::Notifications);
        let personal = listeners.iter().filter(|listener| is_personal(&listener.stream));
        let people = each_once(personal.map(|listener| listener.account));
        let lists = each_once(listeners.iter().filter_map(|listener| match listener.stream {
            Stream::List(id) => Some(id),
            _ => None,
        }));
        Self { listeners, people, lists }
    }

    /// Whether nobody listens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listeners.is_empty()
    }

    pub(crate) fn listeners(&self) -> &[Listener] {
        &self.listeners
    }

    /// Those who listen to what is theirs alone.
    pub(crate) fn people(&self) -> &[AccountId] {
        &self.people
    }

    pub(crate) fn lists(&self) -> &[ListId] {
        &self.lists
    }

    /// Those among the listeners whom the condition names.
    pub(crate) fn those<'a>(
        &'a self,
        wanted: impl Fn(&Listener) -> bool + 'a,
    ) -> impl Iterator<Item = &'a Listener> + 'a {
        self.listeners.iter().filter(move |listener| wanted(listener))
    }
}

/// Ascending, without repetition.
pub(crate) fn each_once<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort_unstable();
    items.dedup();
    items
}
