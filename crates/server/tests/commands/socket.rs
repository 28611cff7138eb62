//! A streaming client: a WebSocket implementation that is independent of the server's.

use futures_util::StreamExt as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{
        Error, Message,
        client::IntoClientRequest as _,
        http::{HeaderValue, Request},
    },
};

/// An open WebSocket. When dropped, the connection ends without a close frame.
pub struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

/// An event that was delivered.
#[derive(Debug, Deserialize)]
pub struct Frame {
    /// Position of the event.
    #[serde(deserialize_with = "decimal")]
    pub id: i64,
    pub event: String,
    #[serde(default)]
    pub payload: String,
}

impl Frame {
    /// Returns the status or notification in the payload.
    pub fn entity(&self) -> Value {
        serde_json::from_str(&self.payload).unwrap_or_else(|_| panic!("not an entity: {self:?}"))
    }
}

fn decimal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

impl Socket {
    /// Opens a socket at `HOST:PORT` with this query, and with these headers in addition to those
    /// of the handshake.
    ///
    /// # Errors
    /// If the server does not answer, or its status is not 101.
    pub async fn open(
        address: &str,
        query: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, Error> {
        let url = format!("ws://{address}/api/v1/streaming?{query}");
        let mut request: Request<()> = url.into_client_request()?;
        for (name, value) in headers {
            request.headers_mut().insert(*name, HeaderValue::from_str(value)?);
        }
        Ok(Self(connect_async(request).await?.0))
    }

    /// Does the same with a token.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub async fn open_as(token: &str, address: &str, query: &str) -> Result<Self, Error> {
        Self::open(address, query, &[("authorization", &format!("Bearer {token}"))]).await
    }

    /// Returns the next event. `None` once the connection has ended.
    pub async fn next(&mut self) -> Option<Frame> {
        loop {
            match self.0.next().await?.ok()? {
                Message::Text(text) => {
                    let frame = serde_json::from_str(&text);
                    return Some(frame.unwrap_or_else(|why| panic!("{why}: {text}")));
                }
                Message::Ping(_) | Message::Pong(_) => {}
                Message::Close(_) => return None,
                other => panic!("{other:?}"),
            }
        }
    }
}
