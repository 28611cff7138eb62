//! A client of streams: a WebSocket that is not ours.

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

/// An open WebSocket. Dropped, the line ends without a word.
pub struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

/// Something that is told.
#[derive(Debug, Deserialize)]
pub struct Frame {
    /// Its place among all that happened.
    #[serde(deserialize_with = "decimal")]
    pub id: i64,
    pub event: String,
    #[serde(default)]
    pub payload: String,
}

impl Frame {
    /// The status or notification that it brings.
    pub fn entity(&self) -> Value {
        serde_json::from_str(&self.payload).unwrap_or_else(|_| panic!("no entity: {self:?}"))
    }
}

fn decimal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

impl Socket {
    /// Opens a socket at `HOST:PORT` with this query, and these headers beside those of the
    /// handshake.
    ///
    /// # Errors
    /// Where nobody answers, or with a status that is not 101.
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

    /// The same as the bearer of a token.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub async fn open_as(token: &str, address: &str, query: &str) -> Result<Self, Error> {
        Self::open(address, query, &[("authorization", &format!("Bearer {token}"))]).await
    }

    /// What is told next; None once the line has ended.
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
