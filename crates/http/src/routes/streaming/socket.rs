//! WebSockets: one connection carries many streams, which the client subscribes to and unsubscribes
//! from.

use std::{cell::Cell, io::ErrorKind, pin::Pin, rc::Rc, time::Duration};

use actix_web::{
    FromRequest, HttpRequest, HttpResponse, dev,
    http::header::UPGRADE,
    rt,
    web::{Data, Payload},
};
use actix_ws::{
    AggregatedMessage, AggregatedMessageStream, CloseCode, CloseReason, ProtocolError,
    Session as Socket,
};
use futures_util::{Stream, StreamExt as _};
use serde::Deserialize;
use siskin_app::{App, SubscribeError};
use siskin_ids::AccountId;
use siskin_policy::scopes::Scopes;
use siskin_services::Error as Domain;
use siskin_streaming::{Delivery, End, Session, SessionEvent, StreamParams};
use siskin_wire::streaming::{Command, Frame, StreamError};
use tokio::time::{Interval, MissedTickBehavior, interval, timeout};

use super::{
    failure,
    frames::{Breach, Frames},
    refusal, since,
};
use crate::{Error, Result, StreamListener, middleware::is_head_request, params::Form};

/// Interval between two pings.
const HEARTBEAT: Duration = Duration::from_secs(30);
/// Number of unanswered pings after which the client counts as gone.
const MAX_UNANSWERED_PINGS: u32 = 2;
/// Maximum length of a command, in bytes.
const MAX_COMMAND_BYTES: usize = 4096;
/// Maximum time to send the close frame: a client that does not read must not delay the end.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

const NO_SOCKET: &str = "A WebSocket handshake is expected here";
const NO_COMMAND: &str = "A command must be a JSON object with type and stream";
const UNKNOWN_COMMAND: &str = "The type of a command must be subscribe or unsubscribe";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Query {
    /// Stream to subscribe to from the beginning.
    stream: Option<String>,
    tag: Option<String>,
    list: Option<String>,
    since: Option<String>,
}

pub(super) async fn open(
    app: Data<App>,
    listener: StreamListener,
    request: HttpRequest,
    Form(query): Form<Query>,
    payload: Payload,
) -> Result<HttpResponse> {
    if !request.headers().contains_key(UPGRADE) || is_head_request(&request) {
        return Err(malformed(NO_SOCKET));
    }
    let since = since::parse(query.since.as_deref())?;
    let requested = query.stream.filter(|stream| !stream.is_empty()).map(|stream| StreamParams {
        stream,
        tag: query.tag,
        list: query.list,
    });
    let subscription = requested
        .map(|requested| requested.parse(&listener.scopes))
        .transpose()
        .map_err(refusal)?;
    let session = app.open_stream(listener.subscriber()).await?;
    if let Some(subscription) = subscription {
        app.listen(session.id(), listener.account, subscription, since).await.map_err(failure)?;
    }
    let protocols: Vec<&str> = listener.protocol.as_deref().into_iter().collect();
    let (frames, breach) = Frames::check(payload.into_inner(), MAX_COMMAND_BYTES as u64);
    let mut frames = dev::Payload::from(Box::pin(frames) as Pin<Box<dyn Stream<Item = _>>>);
    let frames = Payload::from_request(&request, &mut frames).await;
    let frames = frames.map_err(|_| malformed(NO_SOCKET))?;
    let (reply, socket, messages) = actix_ws::handle_with_protocols(&request, frames, &protocols)
        .map_err(|_| malformed(NO_SOCKET))?;
    let messages = messages
        .max_frame_size(MAX_COMMAND_BYTES)
        .aggregate_continuations()
        .max_continuation_size(MAX_COMMAND_BYTES);
    let StreamListener { account, scopes, .. } = listener;
    rt::spawn(
        Open { app, account, scopes, session, socket, breach, unanswered_pings: 0 }.run(messages),
    );
    Ok(reply)
}

fn malformed(why: &str) -> Error {
    Error::from(Domain::Malformed(why.to_owned()))
}

/// An open socket.
struct Open {
    app: Data<App>,
    account: AccountId,
    scopes: Scopes,
    session: Session,
    socket: Socket,
    /// The reason why the client's frames were refused, if they were.
    breach: Rc<Cell<Option<Breach>>>,
    /// Number of pings since the client last sent anything.
    unanswered_pings: u32,
}

/// The reason why a socket ends.
enum Closing {
    /// The client is gone.
    Lost,
    For(CloseReason),
}

impl Closing {
    fn code(code: CloseCode, why: &str) -> Self {
        Self::For(CloseReason { code, description: Some(why.to_owned()) })
    }

    fn for_breach(breach: Breach) -> Self {
        match breach {
            Breach::TooLong => Self::code(CloseCode::Size, "Too long"),
            Breach::Reserved => Self::code(CloseCode::Protocol, "No extension was negotiated"),
            Breach::TooFast => Self::code(CloseCode::Policy, "Too many commands"),
        }
    }

    fn for_end(end: End) -> Self {
        match end {
            End::TooSlow => {
                Self::code(CloseCode::Policy, "The client does not read events in time")
            }
            End::AccessEnded => Self::code(CloseCode::Policy, "The access token is invalid"),
            End::NetworkBlocked => {
                Self::code(CloseCode::Policy, "Your network has no access to this server")
            }
            End::Stopping => Self::code(CloseCode::Restart, "The server is stopping"),
        }
    }
}

type SocketResult<T = ()> = Result<T, Closing>;

impl Open {
    async fn run(mut self, mut messages: AggregatedMessageStream) {
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        heartbeat.reset();
        let closing = loop {
            if let Err(closing) = self.step(&mut messages, &mut heartbeat).await {
                break closing;
            }
        };
        let Self { session, socket, .. } = self;
        // The session leaves the hub first, because the close frame may take time.
        drop(session);
        if let Closing::For(reason) = closing {
            let _ = timeout(CLOSE_TIMEOUT, socket.close(Some(reason))).await;
        }
    }

    async fn step(
        &mut self,
        messages: &mut AggregatedMessageStream,
        heartbeat: &mut Interval,
    ) -> SocketResult {
        tokio::select! {
            received = self.session.next() => match received {
                SessionEvent::Message(delivery) => self.send(frame(&delivery)).await,
                SessionEvent::End(end) => Err(Closing::for_end(end)),
            },
            message = messages.next() => {
                let message = message.ok_or(Closing::Lost)?;
                self.unanswered_pings = 0;
                self.reply(message).await
            },
            _ = heartbeat.tick() => self.ping().await,
        }
    }

    async fn ping(&mut self) -> SocketResult {
        if self.unanswered_pings >= MAX_UNANSWERED_PINGS {
            return Err(Closing::code(CloseCode::Away, "The client does not respond"));
        }
        self.unanswered_pings += 1;
        let mut end = self.session.end();
        tokio::select! {
            end = end.wait() => Err(Closing::for_end(end)),
            sent = self.socket.ping(b"") => sent.map_err(|_| Closing::Lost),
        }
    }

    /// Sends a text. It waits for a slow client, but not beyond the end of the session.
    async fn send(&mut self, text: String) -> SocketResult {
        let mut end = self.session.end();
        tokio::select! {
            end = end.wait() => Err(Closing::for_end(end)),
            sent = self.socket.text(text) => sent.map_err(|_| Closing::Lost),
        }
    }

    async fn reply(&mut self, message: Result<AggregatedMessage, ProtocolError>) -> SocketResult {
        if let Some(breach) = self.breach.get() {
            return Err(Closing::for_breach(breach));
        }
        match message {
            Ok(AggregatedMessage::Text(text)) => self.execute(&text).await,
            Ok(AggregatedMessage::Ping(bytes)) => {
                self.socket.pong(&bytes).await.map_err(|_| Closing::Lost)
            }
            Ok(AggregatedMessage::Pong(_)) => Ok(()),
            Ok(AggregatedMessage::Binary(_)) => {
                Err(Closing::code(CloseCode::Unsupported, "Commands must be text"))
            }
            Ok(AggregatedMessage::Close(_)) => Err(Closing::For(CloseCode::Normal.into())),
            Err(ProtocolError::Overflow) => Err(Closing::code(CloseCode::Size, "Too long")),
            Err(ProtocolError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                Err(Closing::code(CloseCode::Invalid, "Commands must be UTF-8"))
            }
            Err(ProtocolError::Io(_)) => Err(Closing::Lost),
            Err(_) => Err(Closing::For(CloseCode::Protocol.into())),
        }
    }

    async fn execute(&mut self, text: &str) -> SocketResult {
        // serde would also read the fields from an array.
        let object = Some(text).filter(|text| text.trim_start().starts_with('{'));
        let command = object.and_then(|text| serde_json::from_str::<Command>(text).ok());
        let Some(command) = command else {
            return self.refuse(NO_COMMAND, 400).await;
        };
        let requested =
            StreamParams { stream: command.stream, tag: command.tag, list: command.list };
        match command.kind.as_str() {
            "subscribe" => self.subscribe(&requested, command.since.as_deref()).await,
            "unsubscribe" => match requested.parse(&self.scopes) {
                Ok(subscription) => {
                    self.app.stop_listening(self.session.id(), &subscription.stream);
                    Ok(())
                }
                Err(refused) => self.refuse(refused.as_str(), refused.status()).await,
            },
            _ => self.refuse(UNKNOWN_COMMAND, 400).await,
        }
    }

    async fn subscribe(&mut self, requested: &StreamParams, since: Option<&str>) -> SocketResult {
        match self.try_to_subscribe(requested, since).await {
            Ok(()) => Ok(()),
            Err(SubscribeError::Refused(refused)) => {
                self.refuse(refused.as_str(), refused.status()).await
            }
            Err(SubscribeError::Failed(error)) => {
                let error = Error::from(error);
                let status = actix_web::ResponseError::status_code(&error).as_u16();
                self.refuse(&error.logged(), status).await
            }
        }
    }

    async fn try_to_subscribe(
        &self,
        requested: &StreamParams,
        since: Option<&str>,
    ) -> Result<(), SubscribeError> {
        let subscription = requested.parse(&self.scopes).map_err(SubscribeError::Refused)?;
        let since = since::parse(since).map_err(Error::into_domain)?;
        self.app.listen(self.session.id(), self.account, subscription, since).await
    }

    async fn refuse(&mut self, error: &str, status: u16) -> SocketResult {
        let text = serde_json::to_string(&StreamError { error: error.into(), status });
        self.send(text.expect("a struct of a string and a number can be serialized as JSON")).await
    }
}

fn frame(delivery: &Delivery) -> String {
    let message = &delivery.message;
    Frame {
        stream: &delivery.names,
        event: message.event,
        payload: message.quoted(Frame::quote),
        id: message.id,
    }
    .to_text()
}
