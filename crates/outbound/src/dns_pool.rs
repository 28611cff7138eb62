//! Queries to the DNS servers of a resolver, of which some may be out of order.
//!
//! The pool of `hickory-resolver` ends a lookup if the fastest of several servers answers with an
//! error, or if one is silent and the response of another does not fit into a datagram. This pool
//! takes the answer of a server that works.

use std::{
    future::{Ready, ready},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::stream::{FuturesUnordered, StreamExt};
use hickory_resolver::{
    ConnectionProvider, PoolContext, Resolver, ResolverBuilder,
    config::{ConnectionConfig, NameServerConfig, ResolverConfig},
    net::{
        DnsError, DnsHandle, NetError, NoRecords,
        runtime::TokioRuntimeProvider,
        tcp::TcpClientStream,
        udp::UdpClientStream,
        xfer::{DnsRequestSender, DnsResponseStream, FirstAnswer},
    },
    proto::op::{DnsRequest, DnsResponse, ResponseCode},
};
use tokio::task::JoinSet;

/// Number of servers that get a query at the same time.
const ASKED_AT_ONCE: usize = 2;

/// DNS servers that are asked instead of each other. Clones share everything.
#[derive(Clone)]
pub(crate) struct DnsPool {
    inner: Arc<Inner>,
}

struct Inner {
    servers: Vec<SocketAddr>,
    /// Time for the response of a server, and for a connection to it.
    timeout: Duration,
    /// Position of the server that answered last. It is asked first.
    first: AtomicUsize,
    runtime: TokioRuntimeProvider,
}

impl DnsPool {
    pub(crate) fn new(servers: Vec<SocketAddr>, timeout: Duration) -> Self {
        let (first, runtime) = (AtomicUsize::new(0), TokioRuntimeProvider::default());
        Self { inner: Arc::new(Inner { servers, timeout, first, runtime }) }
    }

    /// Starts to build a resolver that asks these servers. It searches names in no other domains.
    pub(crate) fn into_resolver(self) -> ResolverBuilder<Self> {
        // For the resolver, the pool is one server. Nothing is sent to this address.
        let server = NameServerConfig::udp(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        Resolver::builder_with_config(ResolverConfig::from_name_servers(vec![server]), self)
    }
}

impl ConnectionProvider for DnsPool {
    type Conn = Self;
    type FutureConn = Ready<Result<Self, NetError>>;
    type RuntimeProvider = TokioRuntimeProvider;

    fn new_connection(
        &self,
        _: IpAddr,
        _: &ConnectionConfig,
        _: &PoolContext,
    ) -> Result<Self::FutureConn, NetError> {
        Ok(ready(Ok(self.clone())))
    }

    fn runtime_provider(&self) -> &TokioRuntimeProvider {
        &self.inner.runtime
    }
}

impl DnsHandle for DnsPool {
    type Response = DnsResponseStream;
    type Runtime = TokioRuntimeProvider;

    fn send(&self, request: DnsRequest) -> DnsResponseStream {
        let inner = Arc::clone(&self.inner);
        // Lookups of the same records wait for this together, and may belong to several runtimes.
        // A runtime that ends takes its task along, but no other lookup.
        let mut task = JoinSet::new();
        task.spawn(async move { inner.ask(&request).await });
        Box::pin(async move {
            let answer = task.join_next().await.and_then(Result::ok);
            answer.unwrap_or(Err(NetError::Timeout))
        })
        .into()
    }
}

impl Inner {
    /// Returns the first answer about the records. Without one, an error of a server says more than
    /// silence, and the resolver repeats the query only after silence.
    async fn ask(&self, request: &DnsRequest) -> Result<DnsResponse, NetError> {
        let mut servers: Vec<(usize, SocketAddr)> =
            self.servers.iter().copied().enumerate().collect();
        servers.rotate_left(self.first.load(Ordering::Relaxed));
        let mut failure = None;
        for some in servers.chunks(ASKED_AT_ONCE) {
            let ask = async |&(position, server): &(usize, SocketAddr)| {
                (position, self.ask_one(server, request).await)
            };
            let mut answers: FuturesUnordered<_> = some.iter().map(ask).collect();
            while let Some((position, answer)) = answers.next().await {
                let answer = match answer {
                    Ok(response) => Ok(response),
                    Err(Some(none)) if none.soa.is_some() || none.ns.is_some() => Err(none.into()),
                    Err(error) => {
                        failure = failure.or(error);
                        continue;
                    }
                };
                self.first.store(position, Ordering::Relaxed);
                return answer;
            }
        }
        Err(failure.map_or(NetError::Timeout, NetError::from))
    }

    /// Returns the records from a server. Without records, the error has the code of the response.
    /// It is `None` if there was no response.
    async fn ask_one(
        &self,
        server: SocketAddr,
        request: &DnsRequest,
    ) -> Result<DnsResponse, Option<NoRecords>> {
        let response = self.response(server, request).await.map_err(|_| None)?;
        DnsError::from_response(response).map_err(|error| {
            let code = match error {
                DnsError::NoRecordsFound(none) => return Some(none),
                DnsError::ResponseCode(code) => code,
                _ => ResponseCode::ServFail,
            };
            let query = request.queries.first().cloned().unwrap_or_default();
            Some(NoRecords::new(query, code))
        })
    }

    /// Sends a query by UDP, and again by TCP if the response does not fit into a datagram.
    async fn response(
        &self,
        server: SocketAddr,
        request: &DnsRequest,
    ) -> Result<DnsResponse, NetError> {
        let (timeout, runtime) = (self.timeout, self.runtime.clone());
        let udp = UdpClientStream::builder(server, runtime.clone()).with_timeout(Some(timeout));
        // The resolver repeats queries.
        let mut udp = udp.with_max_retries(0).build();
        let response = udp.send_message(request.clone()).first_answer().await?;
        if !response.truncation {
            return Ok(response);
        }
        let tcp = TcpClientStream::exchange(server, None, timeout, None, runtime).await?;
        tcp.send(request.clone()).first_answer().await
    }
}
