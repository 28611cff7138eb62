//! Streams of this process: receives events, resolves them to deliveries, and queues these for the
//! sessions.
//!
//! One batch of events is delivered at a time. A resumed stream first catches up on missed events
//! from the table, in its own task. It joins the live streams between two batches. So it receives
//! every event exactly once.

use std::{sync::Arc, time::Duration};

use siskin_entities::Feeds;
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    events::{self, Access, DomainEvent, Event},
    lists, tokens,
};
use siskin_services::{Error, Result};
use siskin_streaming::{
    Audience, Delivery, End, Hub, JoinError, Listener, Message, Refused, ResolveContext, Session,
    SessionId, SessionOwner, Stream, Subscription, SubscriptionId, resolve,
};
use tokio::{
    sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore},
    time::sleep,
};

use crate::{App, bus, workers::log_error};

/// Number of events that are resolved together.
const BATCH_SIZE: usize = 64;
/// Number of missed events that a resumed stream reads at once.
const MISSED_BATCH_SIZE: u32 = 50;
/// If a resumed stream has missed at most this many events, it takes the turn. It delivers them
/// while no other events are delivered, and then becomes live.
const JOIN_THRESHOLD: i64 = 20;
/// Maximum number of streams that catch up at the same time. So a client that resumes many streams
/// does not occupy all database connections.
const MAX_REPLAYS: usize = 2;
const AFTER_ERROR: Duration = Duration::from_secs(1);
/// Interval between checks whether a session has room in its queue again, or whether this process
/// has reached the position of a resumed stream.
const FULL_QUEUE_PAUSE: Duration = Duration::from_millis(20);

const TOO_MANY: &str = "Too many streams are open";

/// State of the streams of an instance.
pub(crate) struct Streams {
    pub(crate) hub: Arc<Hub>,
    /// Locked while events are delivered, so that only one task delivers at a time.
    turn: Arc<Mutex<()>>,
    /// Permits for streams that read missed events.
    replays: Arc<Semaphore>,
}

impl Streams {
    pub(crate) fn new(position: i64) -> Self {
        Self {
            hub: Arc::new(Hub::new(position)),
            turn: Arc::default(),
            replays: Arc::new(Semaphore::new(MAX_REPLAYS)),
        }
    }
}

/// Reason why a subscription failed.
#[derive(Debug)]
pub enum SubscribeError {
    /// The stream does not exist, or is not available to the listener.
    Refused(Refused),
    /// Any other error.
    Failed(Error),
}

impl From<Error> for SubscribeError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<JoinError> for SubscribeError {
    fn from(error: JoinError) -> Self {
        Self::Failed(join_error(error))
    }
}

fn join_error(error: JoinError) -> Error {
    match error {
        JoinError::TooMany => Error::TooMany(TOO_MANY.to_owned()),
        JoinError::Ended => {
            Error::Unreachable("the server is stopping, or the stream has ended".into())
        }
    }
}

impl App {
    /// Opens a session without subscriptions for an authenticated caller.
    ///
    /// # Errors
    /// [`Error::TooMany`] if the account has the maximum number of sessions;
    /// [`Error::Unauthenticated`] if the token ended meanwhile; [`Error::Forbidden`] if the network
    /// of the client lost its access meanwhile; [`Error::Unreachable`] if the server is shutting
    /// down.
    pub async fn open_stream(&self, owner: SessionOwner) -> Result<Session> {
        let most = usize::try_from(self.settings().streams_connections).unwrap_or(usize::MAX);
        let session = self.inner.streams.hub.join(owner, most).map_err(join_error)?;
        // The token may have ended after it was checked, before the hub knew the session.
        if self.read(move |conn| Ok(tokens::still_valid(conn, &[owner.token])?)).await?.is_empty() {
            return Err(Error::Unauthenticated("The access token is invalid".to_owned()));
        }
        if owner.address.is_some_and(|address| self.has_no_access(address)) {
            return Err(Error::forbidden("Your network has no access to this server"));
        }
        Ok(session)
    }

    /// Subscribes a session of `account` to a stream: from now on, or from the first event after
    /// `since`. Does nothing if the session is already subscribed.
    ///
    /// # Errors
    /// [`SubscribeError::Refused`] if the stream is a list that `account` does not own, otherwise
    /// [`SubscribeError::Failed`].
    pub async fn listen(
        &self,
        session: SessionId,
        account: AccountId,
        subscription: Subscription,
        since: Option<i64>,
    ) -> Result<(), SubscribeError> {
        if let Stream::List(list) = subscription.stream {
            let is_owner = move |conn: &mut Conn| Ok(lists::find(conn, account, list)?.is_some());
            if !self.read(is_owner).await? {
                return Err(SubscribeError::Refused(Refused::NoSuchList));
            }
        }
        let hub = &self.inner.streams.hub;
        let subscribed = hub.subscribe(session, &subscription, since.is_none())?;
        if let Some((id, last_received)) = subscribed.zip(since) {
            let app = self.clone();
            let catching_up = CatchingUp { app, session, account, id, subscription, last_received };
            tokio::spawn(catching_up.run());
        }
        Ok(())
    }

    /// Ends the subscription of a session to a stream.
    pub fn stop_listening(&self, session: SessionId, stream: &Stream) {
        self.inner.streams.hub.unsubscribe(session, stream);
    }

    /// Position of the last event that was delivered to streams.
    #[must_use]
    pub fn stream_position(&self) -> i64 {
        self.inner.streams.hub.position()
    }

    /// Number of open streams.
    #[must_use]
    pub fn open_streams(&self) -> usize {
        self.inner.streams.hub.sessions()
    }

    /// Ends all streams and accepts no new ones.
    pub fn close_streams(&self) {
        self.inner.streams.hub.stop();
    }

    async fn resolve(
        &self,
        events: Vec<Arc<Event>>,
        audience: Arc<Audience>,
    ) -> Result<Vec<Delivery>> {
        let (app, changes) = (self.clone(), self.filter_changes());
        self.read(move |conn| {
            let filters = |conn: &mut Conn, account| app.filters_in(conn, account, changes);
            let feeds = Feeds::of(&app.settings());
            let context =
                ResolveContext { urls: app.urls(), now: app.now(), feeds, filters: &filters };
            resolve(conn, context, &events, &audience)
        })
        .await
    }

    async fn turn(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.inner.streams.turn).lock_owned().await
    }
}

/// Delivers events until the instance stops.
pub(crate) async fn run(app: App, mut subscription: bus::Subscription) {
    loop {
        match subscription.next_some(BATCH_SIZE).await {
            Ok(Some(events)) => {
                if app.unless_stopped(deliver_batch(&app, events)).await.is_none() {
                    return;
                }
            }
            Ok(None) => return,
            Err(error) => {
                log_error("cannot load events for the streams, retrying later", &error);
                if app.unless_stopped(sleep(AFTER_ERROR)).await.is_none() {
                    return;
                }
            }
        }
    }
}

/// Delivers a batch of events. Retries until it succeeds.
async fn deliver_batch(app: &App, events: Vec<Arc<Event>>) {
    let Some(position) = events.last().map(|event| event.position) else { return };
    let hub = &app.inner.streams.hub;
    let _turn = app.turn().await;
    loop {
        match try_resolve(app, &events).await {
            Ok(deliveries) => return hub.deliver(deliveries, position),
            Err(error) => log_error("cannot load events for the streams, retrying later", &error),
        }
        sleep(AFTER_ERROR).await;
    }
}

async fn try_resolve(app: &App, events: &[Arc<Event>]) -> Result<Vec<Delivery>> {
    for event in events {
        if let Some(DomainEvent::AccessEnded(access)) = DomainEvent::of(event) {
            end_revoked_sessions(app, access).await?;
        }
    }
    let audience = app.inner.streams.hub.audience();
    if audience.is_empty() {
        return Ok(Vec::new());
    }
    app.resolve(events.to_vec(), audience).await
}

async fn end_revoked_sessions(app: &App, access: Access) -> Result<()> {
    let hub = &app.inner.streams.hub;
    let affected_sessions = hub.affected_sessions(access);
    if affected_sessions.is_empty() {
        return Ok(());
    }
    let tokens: Vec<_> = affected_sessions.iter().map(|(_, token)| *token).collect();
    let still_valid = app.read(move |conn| Ok(tokens::still_valid(conn, &tokens)?)).await?;
    for (session, token) in affected_sessions {
        if !still_valid.contains(&token) {
            hub.end(session, End::AccessEnded);
        }
    }
    Ok(())
}

/// Resumed stream while it catches up on missed events.
struct CatchingUp {
    app: App,
    session: SessionId,
    account: AccountId,
    id: SubscriptionId,
    subscription: Subscription,
    /// Position of the last event that it received.
    last_received: i64,
}

impl CatchingUp {
    async fn run(mut self) {
        let app = self.app.clone();
        let work = async {
            while let Err(error) = self.catch_up().await {
                log_error("cannot load missed events for a stream, retrying later", &error);
                sleep(AFTER_ERROR).await;
            }
        };
        // If the instance stops, the stream ends too.
        let _ = app.unless_stopped(work).await;
    }

    async fn catch_up(&mut self) -> Result<()> {
        if self.last_received > self.app.read(|conn| Ok(events::last_position(conn)?)).await? {
            return self.deliver_gap().await;
        }
        while self.is_waiting() {
            let left = self.app.stream_position() - self.last_received;
            if left < 0 {
                // The stream got that event from another process, which was ahead of this one.
                sleep(FULL_QUEUE_PAUSE).await;
            } else if left <= JOIN_THRESHOLD {
                return self.join_live().await;
            } else {
                let permit = self.acquire_permit().await;
                if !self.is_waiting() {
                    return Ok(());
                }
                let missed = self.missed().await?;
                drop(permit);
                let Some(missed) = missed else { return self.deliver_gap().await };
                self.enqueue(missed).await;
            }
        }
        Ok(())
    }

    /// Delivers the last missed events while no other events are delivered, then makes the stream
    /// live.
    async fn join_live(&mut self) -> Result<()> {
        // This order matters: a task that holds the turn never waits for a permit to read.
        let _permit = self.acquire_permit().await;
        if !self.is_waiting() {
            return Ok(());
        }
        let _turn = self.app.turn().await;
        let hub = Arc::clone(&self.app.inner.streams.hub);
        while self.is_waiting() && self.last_received < hub.position() {
            match self.missed().await? {
                Some(missed) if self.is_waiting() => {
                    missed.into_iter().for_each(|delivery| hub.enqueue(delivery));
                }
                Some(_) => return Ok(()),
                None => {
                    hub.enqueue(self.gap());
                    break;
                }
            }
        }
        hub.go_live(self.session, self.id);
        Ok(())
    }

    /// Waits for a permit to read missed events.
    async fn acquire_permit(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        Arc::clone(&self.app.inner.streams.replays).acquire_owned().await.ok()
    }

    async fn deliver_gap(&self) -> Result<()> {
        let _turn = self.app.turn().await;
        let hub = &self.app.inner.streams.hub;
        if self.is_waiting() {
            hub.enqueue(self.gap());
            hub.go_live(self.session, self.id);
        }
        Ok(())
    }

    /// Returns the `gap` message: events were missed and cannot be delivered.
    fn gap(&self) -> Delivery {
        let id = self.app.stream_position();
        let message = Arc::new(Message::new(id, "gap", None));
        Delivery { session: self.session, names: Arc::clone(&self.subscription.names), message }
    }

    /// Returns the deliveries for the next events that live streams have already received. Returns
    /// `None` if the event table no longer contains them.
    async fn missed(&mut self) -> Result<Option<Vec<Delivery>>> {
        let (last_received, position) = (self.last_received, self.app.stream_position());
        let missed = self
            .app
            .read(move |conn| Ok(events::since(conn, last_received, MISSED_BATCH_SIZE)?))
            .await?;
        let missed: Vec<Arc<Event>> =
            missed.into_iter().filter(|event| event.position <= position).map(Arc::new).collect();
        let (Some(first), Some(last)) = (missed.first(), missed.last()) else { return Ok(None) };
        if first.position != last_received + 1 {
            return Ok(None);
        }
        let reached = last.position;
        let listener = Listener::new(self.session, self.account, &self.subscription);
        let audience = Arc::new(Audience::of(vec![listener]));
        let deliveries = self.app.resolve(missed, audience).await?;
        self.last_received = reached;
        Ok(Some(deliveries))
    }

    /// Queues deliveries. Waits for room as long as the subscription exists.
    async fn enqueue(&self, deliveries: Vec<Delivery>) {
        let hub = &self.app.inner.streams.hub;
        for delivery in deliveries {
            while self.is_waiting() && !hub.enqueue_missed(delivery.clone()) {
                sleep(FULL_QUEUE_PAUSE).await;
            }
        }
    }

    fn is_waiting(&self) -> bool {
        self.app.inner.streams.hub.is_waiting(self.session, self.id)
    }
}
