//! Server-sent events: one stream for each request.

use std::{convert::Infallible, fmt::Write as _, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{CACHE_CONTROL, HeaderName},
    web::{Bytes, Data},
};
use futures_util::stream;
use serde::Deserialize;
use siskin_app::App;
use siskin_streaming::{Delivery, Session, SessionEvent, StreamParams};
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::{failure, refusal, since};
use crate::{Result, StreamListener, middleware::is_head_request, params::Form};

/// Interval between two comments, which keep proxies from closing an idle connection.
const HEARTBEAT: Duration = Duration::from_secs(15);
const THUMP: &str = ":thump\n\n";
/// Text for an event without payload, as other servers send it: browsers ignore events without
/// data.
const NO_PAYLOAD: &str = "undefined";
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Query {
    only_media: bool,
    tag: Option<String>,
    list: Option<String>,
    since: Option<String>,
}

macro_rules! streams {
    ($($handler:ident: $stream:expr;)+) => { $(
        pub(super) async fn $handler(
            app: Data<App>,
            listener: StreamListener,
            request: HttpRequest,
            Form(query): Form<Query>,
        ) -> Result<HttpResponse> {
            let stream: fn(&Query) -> &'static str = $stream;
            open(&app, &listener, &request, stream(&query), query).await
        }
    )+ };
}

streams! {
    user: |_| "user";
    notifications: |_| "user:notification";
    public: |query| if query.only_media { "public:media" } else { "public" };
    local: |query| if query.only_media { "public:local:media" } else { "public:local" };
    remote: |query| if query.only_media { "public:remote:media" } else { "public:remote" };
    hashtag: |_| "hashtag";
    local_hashtag: |_| "hashtag:local";
    list: |_| "list";
    direct: |_| "direct";
}

async fn open(
    app: &App,
    listener: &StreamListener,
    request: &HttpRequest,
    stream: &str,
    query: Query,
) -> Result<HttpResponse> {
    let since = since::parse(last_event(request).or(query.since.as_deref()))?;
    let requested = StreamParams { stream: stream.to_owned(), tag: query.tag, list: query.list };
    let subscription = requested.parse(&listener.scopes).map_err(refusal)?;
    let session = app.open_stream(listener.subscriber()).await?;
    let position = app.stream_position();
    app.listen(session.id(), listener.account, subscription, since).await.map_err(failure)?;
    let mut response = HttpResponse::Ok();
    response
        .content_type("text/event-stream")
        .insert_header((CACHE_CONTROL, "private, no-store"))
        // A client that loses the connection before the first event knows where to resume. It is
        // not sent as an event with only an id: clients close a stream at an event without a name.
        .insert_header((LAST_EVENT_ID, since.unwrap_or(position)))
        // nginx would buffer the stream.
        .insert_header((HeaderName::from_static("x-accel-buffering"), "no"));
    // A HEAD request has no body, so the session ends here.
    Ok(if is_head_request(request) {
        response.streaming(stream::empty::<Result<Bytes, Infallible>>())
    } else {
        response.streaming(body(session))
    })
}

/// Returns the header in which browsers send the id of their last event.
fn last_event(request: &HttpRequest) -> Option<&str> {
    let header = request.headers().get(LAST_EVENT_ID)?;
    header.to_str().ok().filter(|id| !id.is_empty())
}

/// An open stream: a first comment, then events and heartbeats.
struct Open {
    is_new: bool,
    session: Session,
    heartbeat: Interval,
}

fn body(session: Session) -> impl stream::Stream<Item = Result<Bytes, Infallible>> {
    let mut heartbeat = interval(HEARTBEAT);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    heartbeat.reset();
    let open = Open { is_new: true, session, heartbeat };
    stream::unfold(open, async |mut open| {
        let text = open.next().await?;
        Some((Ok(Bytes::from(text)), open))
    })
}

impl Open {
    /// Returns the next text to send, or `None` at the end.
    async fn next(&mut self) -> Option<String> {
        if std::mem::take(&mut self.is_new) {
            return Some(THUMP.to_owned());
        }
        tokio::select! {
            received = self.session.next() => match received {
                SessionEvent::Message(delivery) => Some(event(&delivery)),
                SessionEvent::End(_) => None,
            },
            _ = self.heartbeat.tick() => Some(THUMP.to_owned()),
        }
    }
}

fn event(delivery: &Delivery) -> String {
    let message = &delivery.message;
    let mut text = format!("event: {}\n", message.event);
    // The JSON written here has no line breaks. A text with some would become several lines.
    for line in message.payload.as_deref().unwrap_or(NO_PAYLOAD).lines() {
        let _ = writeln!(text, "data: {line}");
    }
    let _ = write!(text, "id: {}\n\n", message.id);
    text
}

#[cfg(test)]
mod tests {
    use siskin_policy::scopes::{Scope, Scopes};
    use siskin_streaming::{Hub, Message, SessionOwner};
    use std::sync::Arc;

    use super::*;

    #[test]
    fn an_event_has_a_name_data_and_an_id() {
        let requested = StreamParams { stream: "user".to_owned(), ..StreamParams::default() };
        let names = requested.parse(&Scopes::from(Scope::Read)).unwrap().names;
        let subscriber = SessionOwner {
            account: siskin_ids::AccountId::new(1),
            token: siskin_ids::TokenId::new(1),
            application: None,
            address: None,
        };
        let session = Arc::new(Hub::new(0)).join(subscriber, 1).unwrap().id();
        let rendered = |event, payload: Option<&str>| {
            let message = Arc::new(Message::new(7, event, payload.map(str::to_owned)));
            super::event(&Delivery { session, names: Arc::clone(&names), message })
        };
        assert_eq!(rendered("delete", Some("12")), "event: delete\ndata: 12\nid: 7\n\n");
        assert_eq!(
            rendered("filters_changed", None),
            "event: filters_changed\ndata: undefined\nid: 7\n\n"
        );
    }
}
