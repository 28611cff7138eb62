//! Streaming clients: WebSockets and server-sent events.

use std::{collections::VecDeque, time::Duration};

use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::Method;
use serde_json::{Value, json};
use siskin_persistence::{Conn, events};
use tokio::{
    io::AsyncWriteExt as _,
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{
        Error, Message,
        client::IntoClientRequest as _,
        handshake::client::Response as Handshake,
        http::{HeaderValue, Request},
        protocol::{
            CloseFrame,
            frame::{
                Frame,
                coding::{Data, OpCode},
            },
        },
    },
};

use super::{Client, TestApp, id};

/// Timeout that tolerates a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Path for WebSockets.
pub const SOCKETS: &str = "/api/v1/streaming";

/// An open WebSocket.
pub struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// Frames that came before the response to a command, and are still to be read.
    early: VecDeque<Value>,
    pub handshake: Handshake,
}

impl TestApp {
    /// Opens a WebSocket with these headers in addition to those of the handshake.
    ///
    /// # Errors
    /// The status of the response if it is not 101.
    pub async fn socket(
        &self,
        query: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Socket, u16> {
        let url = format!("ws://{}{SOCKETS}?{query}", self.streaming().address);
        let mut request: Request<()> = url.into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
        }
        match connect_async(request).await {
            Ok((stream, handshake)) => Ok(Socket { stream, early: VecDeque::new(), handshake }),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(other) => panic!("{other}"),
        }
    }

    /// Waits until all events so far are delivered, so that a new subscriber does not get them.
    pub async fn wait_until_delivered(&self) {
        let positions =
            |conn: &mut Conn| Ok((events::any_waiting(conn)?, events::last_position(conn)?));
        loop {
            let (waiting, last) = self.app().read(positions).await.unwrap();
            if !waiting && self.streaming().app.stream_position() == last {
                return;
            }
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Opens a WebSocket with the client's token that subscribes to a stream from now on, as
    /// `stream=NAME…` names it.
    pub async fn listen(&self, client: &Client, query: &str) -> Socket {
        self.wait_until_delivered().await;
        let bearer = format!("Bearer {}", client.token().unwrap());
        self.socket(query, &[("authorization", &bearer)]).await.unwrap()
    }
}

impl Socket {
    /// Sends a command.
    pub async fn command(&mut self, command: Value) {
        self.stream.send(Message::text(command.to_string())).await.unwrap();
    }

    /// Sends raw bytes, bypassing the protocol.
    pub async fn raw(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).await.unwrap();
    }

    /// Sends a frame with these bytes.
    pub async fn frame(&mut self, kind: Data, bytes: &'static [u8]) {
        let frame = Frame::message(bytes, OpCode::Data(kind), true);
        self.stream.send(Message::Frame(frame)).await.unwrap();
    }

    /// Subscribes and waits until that is done, by a second command for an unknown stream: it is
    /// refused afterwards.
    pub async fn subscribe(&mut self, mut command: Value) {
        command["type"] = "subscribe".into();
        self.command(command).await;
        self.command(json!({ "type": "subscribe", "stream": "done?" })).await;
        loop {
            let frame = self.read_frame().await;
            if frame["error"] == "Unknown stream type" {
                return;
            }
            // Resumed events may arrive before or after the refusal.
            self.early.push_back(frame);
        }
    }

    /// Returns the next frame.
    pub async fn next(&mut self) -> Value {
        match self.early.pop_front() {
            Some(frame) => frame,
            None => self.read_frame().await,
        }
    }

    async fn read_frame(&mut self) -> Value {
        match self.message().await {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    /// Returns the name of the next event and its payload. Only events that have none may lack it.
    pub async fn event(&mut self) -> (String, Value) {
        let frame = self.next().await;
        let name = frame["event"].as_str().unwrap_or_else(|| panic!("{frame}")).to_owned();
        (name, payload(&frame))
    }

    /// Skips frames until the next event with this name and returns its payload.
    pub async fn until(&mut self, name: &str) -> Value {
        loop {
            let (event, payload) = self.event().await;
            if event == name {
                return payload;
            }
        }
    }

    /// Waits until the server closes the socket and returns its close frame.
    pub async fn closed(&mut self) -> Option<CloseFrame> {
        loop {
            match self.message().await {
                Message::Close(frame) => return frame,
                Message::Text(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    async fn message(&mut self) -> Message {
        loop {
            let next = timeout(TIMEOUT, self.stream.next()).await.expect("no event arrived");
            match next.expect("the connection ended").unwrap() {
                Message::Ping(_) | Message::Pong(_) => {}
                message => return message,
            }
        }
    }
}

/// Returns the payload of an event: JSON in a string, or a bare id.
fn payload(frame: &Value) -> Value {
    let event = frame["event"].as_str().unwrap();
    assert!(frame["id"].as_str().unwrap().parse::<i64>().is_ok(), "{frame}");
    if matches!(event, "filters_changed" | "gap") {
        assert_eq!(frame.get("payload"), None, "{frame}");
        return Value::Null;
    }
    let payload = frame["payload"].as_str().unwrap_or_else(|| panic!("{frame}"));
    assert!(!payload.is_empty() && payload != "null", "{frame}");
    if matches!(event, "delete" | "announcement.delete") {
        payload.into()
    } else {
        serde_json::from_str(payload).unwrap()
    }
}

/// An open stream of server-sent events.
pub struct Events {
    response: reqwest::Response,
    read: String,
}

/// A server-sent event.
#[derive(Debug, PartialEq, Eq)]
pub struct Event {
    pub name: String,
    pub data: String,
    pub id: i64,
}

impl Client {
    /// Opens a stream below `/api/v1/streaming/`.
    pub async fn events(&self, path: &str) -> Events {
        self.events_since(path, None).await
    }

    /// Does the same as a browser that reconnects after the event `last`.
    pub async fn events_since(&self, path: &str, last: Option<&str>) -> Events {
        let header = last.map(|last| ("last-event-id", last));
        self.events_with(path, header.as_slice()).await
    }

    /// Opens a stream with these headers.
    pub async fn events_with(&self, path: &str, headers: &[(&str, &str)]) -> Events {
        let mut request = self
            .request(Method::GET, &self.stream(&format!("{SOCKETS}/{path}")))
            .header("accept", "text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Events { response, read: String::new() }
    }

    /// Returns the status of a refused stream.
    pub async fn events_refused(&self, path: &str) -> u16 {
        let stream = self.stream(&format!("{SOCKETS}/{path}"));
        let response = self.request(Method::GET, &stream).send().await.unwrap();
        response.status().as_u16()
    }
}

impl Events {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name).map(|value| value.to_str().unwrap())
    }

    /// Returns the text up to the next empty line. `None` at the end.
    pub async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.read.split_once("\n\n") {
                let block = block.to_owned();
                self.read = rest.to_owned();
                return Some(block);
            }
            let chunk = timeout(TIMEOUT, self.response.chunk()).await.expect("no event arrived");
            let chunk = chunk.ok().flatten()?;
            self.read.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// Returns the next event, and skips comments and bare ids.
    pub async fn next(&mut self) -> Event {
        loop {
            let block = self.block().await.expect("the stream ended");
            let field = |name: &str| {
                let line = block.lines().find_map(|line| line.strip_prefix(name));
                line.map(str::to_owned)
            };
            if let Some(name) = field("event: ") {
                let (data, id) = (field("data: ").unwrap(), field("id: ").unwrap());
                return Event { name, data, id: id.parse().unwrap() };
            }
        }
    }

    /// Waits for the end of the stream.
    pub async fn ended(&mut self) {
        while self.block().await.is_some() {}
    }
}

impl Event {
    /// Returns the id of the status or notification in the event.
    pub fn entity(&self) -> String {
        id(&serde_json::from_str(&self.data).unwrap())
    }
}
