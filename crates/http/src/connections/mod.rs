//! The connections of the process: how many may be open, from which addresses, and how long the
//! server waits for the client of each.

mod register;
mod response;
mod timed_connection;

use std::{future::ready, io, net::TcpListener, sync::Arc, time::Duration};

use actix_http::{HttpService, error::DispatchError};
use actix_service::{IntoServiceFactory as _, ServiceFactoryExt as _, map_config};
use actix_web::{
    App, Error as ActixError,
    dev::{AppConfig, Server, fn_service},
    middleware::from_fn,
    rt::net::TcpStream,
};

pub use register::ConnectionLimits;
pub(crate) use register::{Connection, Connections};
pub(crate) use response::{RequestInProgress, track_response};

use self::timed_connection::TimedConnection;
use crate::{Serving, apply_middleware};

/// Time that a connection stays open between two requests. It is longer than the usual 60 s of
/// reverse proxies, so that a proxy never sends a request on a connection that is being closed.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// Maximum time for the head of a request to arrive. Long enough for a network that stalls for a
/// while.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Time during which the rest of a refused body is read, so that its client sees the response.
const LINGER: Duration = Duration::from_secs(1);

/// Serves the connections of `listener` with `workers` threads, until the server is stopped.
///
/// # Errors
/// If the listener cannot be used.
pub fn listen(serving: &Serving, listener: TcpListener, workers: usize) -> io::Result<Server> {
    let builder = Server::build().workers(workers).disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let serving = serving.clone();
    let builder = builder.listen("siskin", listener, move || {
        let (stopping, routes, admission) = (stopping.clone(), serving.clone(), serving.clone());
        let app = App::new()
            .wrap(from_fn(apply_middleware))
            .configure(move |config| routes.configure(config))
            .into_factory()
            .map_err(|error: ActixError| error.error_response());
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .keep_alive(KEEP_ALIVE)
            .client_request_timeout(HEAD_TIMEOUT)
            .client_disconnect_timeout(LINGER)
            .on_connect_ext(|timed_connection: &TimedConnection, data| {
                data.insert(Arc::clone(timed_connection.connection()));
            })
            .h1(map_config(app, |()| AppConfig::default()));
        fn_service(move |stream: TcpStream| ready(admit(&admission, stream))).and_then(http)
    })?;
    Ok(builder.run())
}

/// Admits a connection if there is room for it.
fn admit(
    serving: &Serving,
    stream: TcpStream,
) -> Result<(TimedConnection, Option<std::net::SocketAddr>), DispatchError> {
    let peer = stream.peer_addr().ok();
    // A long response is sent in pieces. Otherwise the kernel would hold the last piece back until
    // the client acknowledges the one before, which takes up to 40 ms. Failing to is no harm.
    let _ = stream.set_nodelay(true);
    let connections = serving.connections();
    let admitted = connections.admit(serving.attempt_key(peer));
    let connection =
        admitted.ok_or_else(|| DispatchError::Io(io::ErrorKind::ConnectionRefused.into()))?;
    Ok((TimedConnection::new(stream, Arc::clone(connections), connection), peer))
}
