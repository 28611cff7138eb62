//! The register of open connections: it limits them for each address and chooses the one to close
//! for a new one.

use std::{
    collections::HashMap,
    fmt,
    net::IpAddr,
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Waker},
    time::{Duration, Instant},
};

use futures_util::task::AtomicWaker;

/// Minimum time that a connection must have waited for its client in the middle of a request before
/// it may be closed for another.
const MIN_WAIT: Duration = Duration::from_secs(2);
/// Bytes of unsent responses above which slow clients get less time.
const PRESSURE_BYTES: usize = 64 << 20;
/// Maximum number of bytes of unsent responses, over all connections.
const MAX_UNSENT_BYTES: usize = 128 << 20;
/// Responses up to this size, in bytes, are sent even if there is no room.
const SMALL_RESPONSE_BYTES: usize = 256 << 10;

/// Limits on the number of open connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Limit for the process.
    pub total: usize,
    /// Limit for one address, streams excluded. For a client behind a trusted proxy it limits the
    /// requests in progress.
    pub per_address: usize,
}

/// All open connections of the process.
pub(crate) struct Connections {
    limits: ConnectionLimits,
    open: Mutex<Open>,
    /// Bytes of responses that wait for their clients.
    unsent_bytes: AtomicUsize,
}

#[derive(Default)]
struct Open {
    /// Connections by peer address. The key `None` stands for trusted proxies, which have no limit.
    connections: HashMap<Option<IpAddr>, Vec<Arc<Connection>>>,
    total: usize,
    /// Number of requests in progress that came through a trusted proxy, by the client address.
    forwarded: HashMap<IpAddr, usize>,
}

/// One open connection, in the parts that other threads use.
pub(crate) struct Connection {
    peer: Option<IpAddr>,
    /// Number of requests that are not answered yet.
    in_progress: AtomicU32,
    /// Time since which the server waits for the client, in milliseconds of [`now`]. 0 if it does
    /// not wait.
    waiting_since: AtomicU64,
    is_stream: AtomicBool,
    /// `true` if a request has begun and nothing has been sent since.
    is_unanswered: AtomicBool,
    is_closing: AtomicBool,
    /// Address of the client of the last request. `None` if no IP block may close the connection.
    client: Mutex<Option<IpAddr>>,
    task: AtomicWaker,
}

/// Returns the milliseconds since the first call in this process, at least 1.
fn now() -> u64 {
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(STARTED.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1)
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("peer", &self.peer).finish_non_exhaustive()
    }
}

impl Connections {
    pub(crate) fn new(limits: ConnectionLimits) -> Self {
        Self { limits, open: Mutex::default(), unsent_bytes: AtomicUsize::new(0) }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a new connection from `peer`, which is `None` for a trusted proxy. If the address
    /// or the process has reached its limit, the connection that has waited longest for its client
    /// is closed instead.
    ///
    /// Returns `None` if there is no such connection; the new one is then refused.
    pub(super) fn admit(&self, peer: Option<IpAddr>) -> Option<Arc<Connection>> {
        let mut open = self.open();
        if peer.is_some() {
            let of_address = open.connections.get(&peer).map_or(&[][..], Vec::as_slice);
            let counted = of_address.iter().filter(|connection| connection.is_counted()).count();
            if counted >= self.limits.per_address && !close_longest_waiting(of_address) {
                return None;
            }
        }
        if open.total >= self.limits.total {
            let largest = open.connections.values().max_by_key(|connections| connections.len());
            if !largest.is_some_and(|connections| close_longest_waiting(connections)) {
                return None;
            }
        }
        let connection = Arc::new(Connection::new(peer));
        open.connections.entry(peer).or_default().push(Arc::clone(&connection));
        open.total += 1;
        Some(connection)
    }

    /// Removes a closed connection.
    pub(super) fn remove(&self, connection: &Arc<Connection>) {
        let mut open = self.open();
        let Some(of_address) = open.connections.get_mut(&connection.peer) else { return };
        let Some(at) = of_address.iter().position(|other| Arc::ptr_eq(other, connection)) else {
            return;
        };
        of_address.swap_remove(at);
        if of_address.is_empty() {
            open.connections.remove(&connection.peer);
        }
        open.total -= 1;
    }

    /// Counts a request that a trusted proxy forwards for `client`. Returns `false` if that address
    /// already has the maximum number of requests in progress.
    pub(super) fn forward(&self, client: IpAddr) -> bool {
        let mut open = self.open();
        let count = open.forwarded.entry(client).or_default();
        let fits = *count < self.limits.per_address;
        if fits {
            *count += 1;
        }
        fits
    }

    /// Reverses the count of [`forward`](Self::forward).
    pub(super) fn forwarded(&self, client: IpAddr) {
        let mut open = self.open();
        let Some(count) = open.forwarded.get_mut(&client) else { return };
        *count -= 1;
        if *count == 0 {
            open.forwarded.remove(&client);
        }
    }

    /// Closes connections in the middle of a request of a client that is blocked. Streams are ended by
    /// their sessions. On the other connections nothing happens, and their next request is refused.
    pub(crate) fn close_blocked(&self, is_blocked: impl Fn(IpAddr) -> bool) {
        let open = self.open();
        let all = open.connections.values().flatten();
        let counted = all.filter(|connection| connection.is_counted());
        let busy = counted.filter(|connection| connection.in_progress.load(Ordering::Relaxed) > 0);
        for connection in busy {
            if connection.client().is_some_and(&is_blocked) {
                connection.close();
            }
        }
    }

    /// Reserves room for a response of `bytes` bytes until [`release`](Self::release). Returns
    /// `false` if there is none.
    pub(super) fn reserve(&self, bytes: usize) -> bool {
        let before = self.unsent_bytes.fetch_add(bytes, Ordering::Relaxed);
        let fits =
            bytes <= SMALL_RESPONSE_BYTES || before.saturating_add(bytes) <= MAX_UNSENT_BYTES;
        if !fits {
            self.release(bytes);
        }
        fits
    }

    pub(super) fn release(&self, bytes: usize) {
        self.unsent_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Returns `true` if so much response data waits that slow clients get less time.
    pub(super) fn is_under_pressure(&self) -> bool {
        self.unsent_bytes.load(Ordering::Relaxed) > PRESSURE_BYTES
    }
}

/// Closes the connection that has waited longest for its client: first one without a request, else
/// one in the middle of a request. Returns `false` if all are busy.
fn close_longest_waiting(connections: &[Arc<Connection>]) -> bool {
    let waiting =
        connections.iter().filter_map(|connection| Some((connection.rank()?, connection)));
    let longest = waiting.min_by_key(|(rank, _)| *rank);
    longest.map(|(_, connection)| connection.close()).is_some()
}

impl Connection {
    fn new(peer: Option<IpAddr>) -> Self {
        Self {
            peer,
            in_progress: AtomicU32::new(0),
            waiting_since: AtomicU64::new(now()),
            is_stream: AtomicBool::new(false),
            is_unanswered: AtomicBool::new(false),
            is_closing: AtomicBool::new(false),
            client: Mutex::default(),
            task: AtomicWaker::new(),
        }
    }

    /// Returns `true` if the connection counts towards the limits. Streams have limits of their
    /// own, for each account.
    fn is_counted(&self) -> bool {
        !self.is_stream.load(Ordering::Relaxed) && !self.is_closing()
    }

    /// Returns the order in which connections are closed for others. `None` if the server does not
    /// wait for the client, or if a request has not waited long enough.
    fn rank(&self) -> Option<(bool, u64)> {
        let since = self.waiting_since.load(Ordering::Relaxed);
        let is_busy = self.in_progress.load(Ordering::Relaxed) > 0;
        let is_early = is_busy && now().saturating_sub(since) < MIN_WAIT.as_millis() as u64;
        let may_close = since > 0 && self.is_counted() && !is_early;
        may_close.then_some((is_busy, since))
    }

    fn close(&self) {
        self.is_closing.store(true, Ordering::Release);
        self.task.wake();
    }

    /// Returns `true` once the connection has to close for another.
    pub(super) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Acquire)
    }

    /// Registers the task that drives the connection, to be woken when the connection has to close.
    pub(super) fn register_task(&self, context: &Context<'_>) {
        let waker: &Waker = context.waker();
        self.task.register(waker);
    }

    /// Returns how long the connection has had no request in progress. `None` while it has one.
    pub(super) fn idle(&self) -> Option<Duration> {
        let since = self.waiting_since.load(Ordering::Relaxed);
        let is_idle = since > 0 && self.in_progress.load(Ordering::Relaxed) == 0;
        is_idle.then(|| Duration::from_millis(now().saturating_sub(since)))
    }

    /// Records that a request has begun.
    pub(super) fn begin(&self) {
        self.in_progress.fetch_add(1, Ordering::Relaxed);
        self.is_unanswered.store(true, Ordering::Relaxed);
        self.stops_waiting();
    }

    /// Records the client of the request that has begun.
    pub(crate) fn serve(&self, client: Option<IpAddr>) {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = client;
    }

    fn client(&self) -> Option<IpAddr> {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a request is answered, except for bytes that its client has not read yet.
    pub(super) fn end(&self) {
        if self.in_progress.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.waiting_since.store(now(), Ordering::Relaxed);
        }
    }

    /// Records that the server waits for the client from now on: it sends a body or reads a
    /// response.
    pub(crate) fn waits(&self) {
        let _ = self.waiting_since.compare_exchange(0, now(), Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Records that the server no longer waits for the client. Does nothing between requests.
    pub(crate) fn stops_waiting(&self) {
        if self.in_progress.load(Ordering::Relaxed) > 0 {
            self.waiting_since.store(0, Ordering::Relaxed);
        }
    }

    /// Records that the connection has become a stream of events.
    pub(super) fn mark_as_stream(&self) {
        self.is_stream.store(true, Ordering::Relaxed);
    }

    /// Records that a part of a response was sent.
    pub(super) fn mark_answered(&self) {
        self.is_unanswered.store(false, Ordering::Relaxed);
    }

    /// Returns `true` if a request has begun and nothing has been sent since.
    pub(super) fn is_unanswered(&self) -> bool {
        self.is_unanswered.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    /// Sets the moment since which the connection waits.
    fn since(connection: &Connection, moment: u64) {
        connection.waiting_since.store(moment, Ordering::Relaxed);
    }

    fn register(total: usize, per_address: usize) -> Connections {
        Connections::new(ConnectionLimits { total, per_address })
    }

    #[test]
    fn the_longest_idle_connection_of_an_address_is_closed_for_a_new_one() {
        let register = register(100, 3);
        let [first, second, third] = [3, 1, 2].map(|moment| {
            let connection = register.admit(address(1)).unwrap();
            since(&connection, moment);
            connection
        });
        let other = register.admit(address(2)).unwrap();
        let fourth = register.admit(address(1)).unwrap();
        assert!(second.is_closing());
        assert!([&first, &third, &other, &fourth].iter().all(|open| !open.is_closing()));
        since(&fourth, 4);
        // A connection that is closing no longer counts.
        register.admit(address(1)).unwrap();
        assert!(third.is_closing());
        assert!(!first.is_closing());
    }

    #[test]
    fn busy_connections_are_closed_last_and_never_while_they_work() {
        let register = register(100, 3);
        let [working, reading, idle] = [0; 3].map(|_| register.admit(address(1)).unwrap());
        working.begin();
        reading.begin();
        reading.waits();
        let new = register.admit(address(1)).unwrap();
        assert!(idle.is_closing());
        new.begin();
        // The server waits for one client, in the middle of a request, and has not waited long
        // enough.
        assert!(register.admit(address(1)).is_none());
        since(&reading, 1);
        std::thread::sleep(MIN_WAIT);
        assert!(register.admit(address(1)).is_some());
        assert!(reading.is_closing() && !working.is_closing() && !new.is_closing());
    }

    #[test]
    fn streams_and_proxies_do_not_count() {
        let register = register(100, 2);
        for _ in 0..5 {
            let stream = register.admit(address(1)).unwrap();
            stream.begin();
            stream.mark_as_stream();
        }
        for _ in 0..5 {
            register.admit(None).unwrap().begin();
        }
        for _ in 0..2 {
            register.admit(address(1)).unwrap().begin();
        }
        assert!(register.admit(address(1)).is_none());
    }

    #[test]
    fn a_full_process_closes_a_connection_of_the_busiest_address() {
        let register = register(3, 9);
        let [first, _second] = [0; 2].map(|_| register.admit(address(1)).unwrap());
        since(&first, 1);
        let other = register.admit(address(2)).unwrap();
        register.admit(address(3)).unwrap();
        assert!(first.is_closing() && !other.is_closing());
        register.remove(&first);
        assert_eq!(register.open().total, 3);
    }

    #[test]
    fn requests_of_blocked_clients_end() {
        let register = register(100, 9);
        let serving = |client| {
            let connection = register.admit(None).unwrap();
            connection.begin();
            connection.serve(client);
            connection
        };
        let [blocked, other, exempt] = [address(1), address(2), None].map(serving);
        let [idle, stream] = [0; 2].map(|_| serving(address(1)));
        idle.end();
        stream.mark_as_stream();
        register.close_blocked(|client| Some(client) == address(1));
        assert!(blocked.is_closing());
        assert!([other, exempt, idle, stream].iter().all(|open| !open.is_closing()));
    }

    #[test]
    fn closed_connections_free_their_place() {
        let register = register(100, 2);
        let connections = [0; 2].map(|_| register.admit(address(1)).unwrap());
        connections.iter().for_each(|connection| connection.begin());
        assert!(register.admit(address(1)).is_none());
        register.remove(&connections[0]);
        register.remove(&connections[0]);
        assert!(register.admit(address(1)).is_some());
    }

    #[test]
    fn requests_of_a_client_behind_a_proxy_are_limited() {
        let register = register(100, 2);
        let client = address(1).unwrap();
        assert!(register.forward(client) && register.forward(client));
        assert!(!register.forward(client));
        assert!(register.forward(address(2).unwrap()));
        register.forwarded(client);
        assert!(register.forward(client));
    }

    #[test]
    fn large_responses_need_room_and_small_ones_do_not() {
        let register = register(1, 1);
        assert!(register.reserve(MAX_UNSENT_BYTES));
        assert!(register.is_under_pressure());
        assert!(!register.reserve(SMALL_RESPONSE_BYTES + 1));
        assert!(register.reserve(SMALL_RESPONSE_BYTES));
        register.release(MAX_UNSENT_BYTES);
        assert!(!register.is_under_pressure());
        assert!(register.reserve(SMALL_RESPONSE_BYTES + 1));
    }
}
