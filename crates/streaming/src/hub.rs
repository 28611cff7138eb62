//! Registry of connected sessions and their delivery queues.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use siskin_ids::{AccountId, ApplicationId, TokenId};
use siskin_persistence::events::Access;
use tokio::sync::{mpsc, watch};

use crate::{Audience, Delivery, End, Listener, Session, SessionId, Stream, Subscription};

/// Maximum number of deliveries in the queue of a session. A session with a full queue is too slow.
/// This is about twenty seconds of events on a busy server.
const QUEUE_CAPACITY: usize = 1024;
/// Queue places that a replay leaves free for live events that arrive meanwhile.
const RESERVED_CAPACITY: usize = QUEUE_CAPACITY / 2;
/// Maximum number of subscriptions of one session.
const MAX_SUBSCRIPTIONS: usize = 100;

/// Account, token, application and address of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionOwner {
    pub account: AccountId,
    pub token: TokenId,
    pub application: Option<ApplicationId>,
    /// Address of the client. `None` if no block of a network may end the session.
    pub address: Option<IpAddr>,
}

/// Identifies one subscription of a session. A second subscription to the same stream has a new id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SubscriptionId(u64);

/// Reason why a session or a subscription was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinError {
    /// The account has the maximum number of sessions, or the session that of subscriptions.
    TooMany,
    /// The server is shutting down, or the session has ended.
    Ended,
}

/// All sessions of this process.
#[derive(Debug, Default)]
pub struct Hub {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    next: u64,
    sessions: HashMap<SessionId, Connected>,
    /// Position of the last event that was delivered.
    position: i64,
    stopped: bool,
    /// Cached audience. Rebuilt after a session or a subscription was added or removed.
    audience: Option<Arc<Audience>>,
}

#[derive(Debug)]
struct Connected {
    owner: SessionOwner,
    queue: mpsc::Sender<Delivery>,
    end: watch::Sender<Option<End>>,
    subscriptions: Vec<SubscriptionEntry>,
}

#[derive(Debug)]
struct SubscriptionEntry {
    id: SubscriptionId,
    subscription: Subscription,
    /// `false` while the subscription is still catching up on missed events.
    live: bool,
}

impl Hub {
    /// Creates a hub that treats every event up to `position` as already delivered.
    #[must_use]
    pub fn new(position: i64) -> Self {
        Self { inner: Mutex::new(Inner { position, ..Inner::default() }) }
    }

    /// Opens a session without subscriptions, unless the account already has `most` sessions.
    ///
    /// # Errors
    /// As [`JoinError`] says.
    pub fn join(self: &Arc<Self>, owner: SessionOwner, most: usize) -> Result<Session, JoinError> {
        let mut inner = self.lock();
        if inner.stopped {
            return Err(JoinError::Ended);
        }
        let open = inner.sessions.values().filter(|other| other.owner.account == owner.account);
        if open.count() >= most {
            return Err(JoinError::TooMany);
        }
        let id = SessionId(inner.next);
        inner.next += 1;
        let (sender, queue) = mpsc::channel(QUEUE_CAPACITY);
        let (ended, end) = watch::channel(None);
        let connected = Connected { owner, queue: sender, end: ended, subscriptions: Vec::new() };
        inner.sessions.insert(id, connected);
        Ok(Session { id, hub: Arc::clone(self), queue, end })
    }

    /// Subscribes a session to a stream. With `live`, the session receives events from now on.
    /// Otherwise it receives them after [`Self::go_live`], once it has caught up. Returns `None` if
    /// the session is already subscribed to the stream.
    ///
    /// # Errors
    /// As [`JoinError`] says.
    pub fn subscribe(
        &self,
        id: SessionId,
        subscription: &Subscription,
        live: bool,
    ) -> Result<Option<SubscriptionId>, JoinError> {
        let mut inner = self.lock();
        let number = SubscriptionId(inner.next);
        let session = inner.sessions.get_mut(&id).ok_or(JoinError::Ended)?;
        let is_same = |entry: &SubscriptionEntry| entry.subscription.stream == subscription.stream;
        if session.subscriptions.iter().any(is_same) {
            return Ok(None);
        }
        if session.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            return Err(JoinError::TooMany);
        }
        let subscription = subscription.clone();
        session.subscriptions.push(SubscriptionEntry { id: number, subscription, live });
        inner.next += 1;
        inner.audience = None;
        Ok(Some(number))
    }

    /// Ends the subscription of a session to a stream.
    pub fn unsubscribe(&self, id: SessionId, stream: &Stream) {
        let mut inner = self.lock();
        if let Some(session) = inner.sessions.get_mut(&id) {
            session.subscriptions.retain(|entry| entry.subscription.stream != *stream);
            inner.audience = None;
        }
    }

    /// Makes a subscription live that has received everything up to [`Self::position`]. Returns
    /// `false` if the subscription no longer exists.
    pub fn go_live(&self, id: SessionId, subscription: SubscriptionId) -> bool {
        let mut inner = self.lock();
        let entry = inner.sessions.get_mut(&id).and_then(|session| {
            session.subscriptions.iter_mut().find(|entry| entry.id == subscription)
        });
        let found = entry.map(|entry| entry.live = true).is_some();
        inner.audience = None;
        found
    }

    /// Returns `true` if the subscription still exists and is still catching up.
    #[must_use]
    pub fn is_waiting(&self, id: SessionId, subscription: SubscriptionId) -> bool {
        let inner = self.lock();
        inner.sessions.get(&id).is_some_and(|session| {
            let is_it = |entry: &SubscriptionEntry| !entry.live && entry.id == subscription;
            session.subscriptions.iter().any(is_it)
        })
    }

    /// Returns the live listeners.
    #[must_use]
    pub fn audience(&self) -> Arc<Audience> {
        let mut inner = self.lock();
        if let Some(audience) = &inner.audience {
            return Arc::clone(audience);
        }
        let listeners = inner.sessions.iter().flat_map(|(id, session)| {
            let live = session.subscriptions.iter().filter(|entry| entry.live);
            live.map(|entry| Listener::new(*id, session.owner.account, &entry.subscription))
        });
        let audience = Arc::new(Audience::of(listeners.collect()));
        inner.audience = Some(Arc::clone(&audience));
        audience
    }

    /// Position of the last event that was delivered.
    #[must_use]
    pub fn position(&self) -> i64 {
        self.lock().position
    }

    /// Number of open sessions.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.lock().sessions.len()
    }

    /// Queues the deliveries that were resolved from the events up to `position`. Drops sessions
    /// that have no room left in their queue.
    pub fn deliver(&self, deliveries: Vec<Delivery>, position: i64) {
        let mut inner = self.lock();
        for delivery in deliveries {
            inner.enqueue(delivery);
        }
        inner.position = position;
    }

    /// Queues one delivery for its session. Drops the session if its queue is full.
    pub fn enqueue(&self, delivery: Delivery) {
        self.lock().enqueue(delivery);
    }

    /// Queues one missed event for a session that is catching up. Returns `false` if there is no
    /// room for it now.
    pub fn enqueue_missed(&self, delivery: Delivery) -> bool {
        let mut inner = self.lock();
        let room = inner.sessions.get(&delivery.session).map(|session| session.queue.capacity());
        match room {
            Some(room) if room <= RESERVED_CAPACITY => return false,
            Some(_) => inner.enqueue(delivery),
            None => {}
        }
        true
    }

    /// Returns the sessions with tokens that the ended access may concern, so they have to be
    /// checked again.
    #[must_use]
    pub fn affected_sessions(&self, access: Access) -> Vec<(SessionId, TokenId)> {
        let is_affected = |owner: &SessionOwner| match access {
            Access::Token(token) => owner.token == token,
            Access::Account(account) => owner.account == account,
            Access::Application(application) => owner.application == Some(application),
        };
        let inner = self.lock();
        let affected = inner.sessions.iter().filter(|(_, session)| is_affected(&session.owner));
        affected.map(|(id, session)| (*id, session.owner.token)).collect()
    }

    /// Ends the sessions of all clients with an address that is blocked.
    pub fn end_blocked(&self, is_blocked: impl Fn(IpAddr) -> bool) {
        let mut inner = self.lock();
        let is_affected = |session: &Connected| session.owner.address.is_some_and(&is_blocked);
        let affected = inner.sessions.iter().filter(|(_, session)| is_affected(session));
        let affected: Vec<SessionId> = affected.map(|(id, _)| *id).collect();
        for id in affected {
            inner.end(id, End::NetworkBlocked);
        }
    }

    /// Ends a session.
    pub fn end(&self, id: SessionId, why: End) {
        self.lock().end(id, why);
    }

    /// Ends all sessions and accepts no new ones.
    pub fn stop(&self) {
        let mut inner = self.lock();
        inner.stopped = true;
        let ids: Vec<SessionId> = inner.sessions.keys().copied().collect();
        for id in ids {
            inner.end(id, End::Stopping);
        }
    }

    pub(crate) fn leave(&self, id: SessionId) {
        let mut inner = self.lock();
        if inner.sessions.remove(&id).is_some() {
            inner.audience = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn enqueue(&mut self, delivery: Delivery) {
        let id = delivery.session;
        let Some(session) = self.sessions.get(&id) else { return };
        if session.queue.try_send(delivery).is_err() {
            self.end(id, End::TooSlow);
        }
    }

    fn end(&mut self, id: SessionId, why: End) {
        if let Some(session) = self.sessions.remove(&id) {
            session.end.send_replace(Some(why));
            self.audience = None;
        }
    }
}

#[cfg(test)]
mod tests;
