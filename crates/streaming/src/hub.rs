//! Who is connected, and what waits for them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use siskin_ids::{AccountId, ApplicationId, TokenId};
use siskin_persistence::events::Access;
use tokio::sync::{mpsc, watch};

use crate::{Audience, Delivery, End, Listener, Session, SessionId, Stream, Subscription};

/// So much may wait for a session before it counts as too slow: some twenty seconds of a busy server.
const QUEUE: usize = 1024;
/// What a replay leaves free for news that come meanwhile.
const RESERVE: usize = QUEUE / 2;
/// No socket listens to more.
const MOST_SUBSCRIPTIONS: usize = 100;

/// Whom a session is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Who {
    pub account: AccountId,
    pub token: TokenId,
    pub application: Option<ApplicationId>,
}

/// One subscription of a session: another one to the same stream is another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SubscriptionId(u64);

/// Why a session, or a subscription of it, was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinError {
    /// The account, or the socket, has as many as it may.
    TooMany,
    /// The server is about to end, or the session has ended.
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
    /// Up to where events were delivered.
    position: i64,
    stopped: bool,
    /// Made anew when somebody comes or goes.
    audience: Option<Arc<Audience>>,
}

#[derive(Debug)]
struct Connected {
    who: Who,
    queue: mpsc::Sender<Delivery>,
    end: watch::Sender<Option<End>>,
    subscriptions: Vec<Held>,
}

#[derive(Debug)]
struct Held {
    id: SubscriptionId,
    subscription: Subscription,
    /// Not while it is told what it missed.
    live: bool,
}

impl Hub {
    /// A hub to which everything up to `position` is the past.
    #[must_use]
    pub fn new(position: i64) -> Self {
        Self { inner: Mutex::new(Inner { position, ..Inner::default() }) }
    }

    /// A session that listens to nothing yet, unless the account has `most` already.
    ///
    /// # Errors
    /// As [`JoinError`] says.
    pub fn join(self: &Arc<Self>, who: Who, most: usize) -> Result<Session, JoinError> {
        let mut inner = self.lock();
        if inner.stopped {
            return Err(JoinError::Ended);
        }
        let open = inner.sessions.values().filter(|other| other.who.account == who.account);
        if open.count() >= most {
            return Err(JoinError::TooMany);
        }
        let id = SessionId(inner.next);
        inner.next += 1;
        let (sender, queue) = mpsc::channel(QUEUE);
        let (ended, end) = watch::channel(None);
        let connected = Connected { who, queue: sender, end: ended, subscriptions: Vec::new() };
        inner.sessions.insert(id, connected);
        Ok(Session { id, hub: Arc::clone(self), queue, end })
    }

    /// Has a session listen to a stream: from now on, or once it [was told](Self::go_live) what it
    /// missed. None where it does so already.
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
        let is_same = |held: &Held| held.subscription.stream == subscription.stream;
        if session.subscriptions.iter().any(is_same) {
            return Ok(None);
        }
        if session.subscriptions.len() >= MOST_SUBSCRIPTIONS {
            return Err(JoinError::TooMany);
        }
        let subscription = subscription.clone();
        session.subscriptions.push(Held { id: number, subscription, live });
        inner.next += 1;
        inner.audience = None;
        Ok(Some(number))
    }

    /// Has a session listen to a stream no more.
    pub fn unsubscribe(&self, id: SessionId, stream: &Stream) {
        let mut inner = self.lock();
        if let Some(session) = inner.sessions.get_mut(&id) {
            session.subscriptions.retain(|held| held.subscription.stream != *stream);
            inner.audience = None;
        }
    }

    /// Has a subscription that was told everything up to [`Self::position`] hear what comes. False
    /// where it is no more.
    pub fn go_live(&self, id: SessionId, subscription: SubscriptionId) -> bool {
        let mut inner = self.lock();
        let held = inner.sessions.get_mut(&id).and_then(|session| {
            session.subscriptions.iter_mut().find(|held| held.id == subscription)
        });
        let found = held.map(|held| held.live = true).is_some();
        inner.audience = None;
        found
    }

    /// Whether a subscription is still there and waits to be told what it missed.
    #[must_use]
    pub fn is_waiting(&self, id: SessionId, subscription: SubscriptionId) -> bool {
        let inner = self.lock();
        inner.sessions.get(&id).is_some_and(|session| {
            let is_it = |held: &Held| !held.live && held.id == subscription;
            session.subscriptions.iter().any(is_it)
        })
    }

    /// Those who listen now.
    #[must_use]
    pub fn audience(&self) -> Arc<Audience> {
        let mut inner = self.lock();
        if let Some(audience) = &inner.audience {
            return Arc::clone(audience);
        }
        let listeners = inner.sessions.iter().flat_map(|(id, session)| {
            let live = session.subscriptions.iter().filter(|held| held.live);
            live.map(|held| Listener::new(*id, session.who.account, &held.subscription))
        });
        let audience = Arc::new(Audience::of(listeners.collect()));
        inner.audience = Some(Arc::clone(&audience));
        audience
    }

    /// Up to where events were delivered.
    #[must_use]
    pub fn position(&self) -> i64 {
        self.lock().position
    }

    /// How many sessions there are.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.lock().sessions.len()
    }

    /// Hands out what was resolved of the events up to `position`. Whoever has no room for it is
    /// dropped.
    pub fn deliver(&self, deliveries: Vec<Delivery>, position: i64) {
        let mut inner = self.lock();
        for delivery in deliveries {
            inner.hand_out(delivery);
        }
        inner.position = position;
    }

    /// Hands something out to its session, which is dropped where there is no room for it.
    pub fn hand_out(&self, delivery: Delivery) {
        self.lock().hand_out(delivery);
    }

    /// Hands something out to a session that is told what it missed: false where there is no room
    /// for it now.
    pub fn hand_out_missed(&self, delivery: Delivery) -> bool {
        let mut inner = self.lock();
        let room = inner.sessions.get(&delivery.session).map(|session| session.queue.capacity());
        match room {
            Some(room) if room <= RESERVE => return false,
            Some(_) => inner.hand_out(delivery),
            None => {}
        }
        true
    }

    /// The sessions whose tokens are to be looked at again.
    #[must_use]
    pub fn bearers(&self, access: Access) -> Vec<(SessionId, TokenId)> {
        let is_meant = |who: &Who| match access {
            Access::Token(token) => who.token == token,
            Access::Account(account) => who.account == account,
            Access::Application(application) => who.application == Some(application),
        };
        let inner = self.lock();
        let meant = inner.sessions.iter().filter(|(_, session)| is_meant(&session.who));
        meant.map(|(id, session)| (*id, session.who.token)).collect()
    }

    /// Ends a session.
    pub fn end(&self, id: SessionId, why: End) {
        self.lock().end(id, why);
    }

    /// Ends all sessions; there will be no others.
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
    fn hand_out(&mut self, delivery: Delivery) {
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
