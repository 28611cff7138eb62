//! The extractors: reads a request once and hands out what it says.

use std::{fmt, future::Future, path::PathBuf, pin::Pin, time::Duration};

use actix_web::{
    FromRequest, HttpMessage as _, HttpRequest,
    dev::Payload,
    http::header::{CONTENT_LENGTH, CONTENT_TYPE, UPGRADE},
    web::{Bytes, BytesMut},
};
use futures_util::{
    FutureExt as _, StreamExt as _,
    future::{self, LocalBoxFuture, Shared},
    stream,
};
use serde::de::DeserializeOwned;
use tokio::{sync::mpsc, time::timeout};

use super::{Desk, Error, Limits, Map, Params, Place, Value, json, multipart, urlencoded};
use crate::{
    admission::{self, Asked},
    wording,
};

/// How long a body may stall: a line that is down for a moment is forgiven, and nobody keeps a
/// connection by promising more than they send.
const STALL: Duration = Duration::from_secs(30);

/// A route's own struct, read from the request by the rules of [`crate::params`].
#[derive(Debug, Clone, Copy)]
pub struct Form<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for Form<T> {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (params, request) = (Params::from_request(request, payload), request.clone());
        Box::pin(async move {
            let read = params.await.and_then(|params| params.decode());
            if read.is_err() {
                admission::decided(&request).await;
            }
            read.map(Self)
        })
    }
}

/// The reading of a request's body, kept with the request: extractors run at the same time, and
/// the body can be taken only once.
struct Reading(Shared<LocalBoxFuture<'static, Result<Params, Error>>>);

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reading")
    }
}

impl FromRequest for Params {
    type Error = Error;
    type Future = Shared<LocalBoxFuture<'static, Result<Self, Error>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if let Some(reading) = request.extensions().get::<Reading>() {
            return reading.0.clone();
        }
        // Not the request itself, which is going to hold this reading. Whoever takes it as it is
        // asks who calls before.
        let asked = Asked::of(request);
        // What follows the head of a handshake are frames: there is no body, and no end of it.
        let body = if opens_socket(request) { Payload::None } else { payload.take() };
        let read = Request::of(request).read(body);
        let reading = async move {
            let read = read.await;
            if let (Err(_), Some(asked)) = (&read, asked) {
                asked.granted().await;
            }
            read
        };
        let reading = reading.boxed_local().shared();
        request.extensions_mut().insert(Reading(reading.clone()));
        reading
    }
}

/// Whether a request is the handshake of a WebSocket.
fn opens_socket(request: &HttpRequest) -> bool {
    let protocol = request.headers().get(UPGRADE).and_then(|value| value.to_str().ok());
    protocol.is_some_and(|protocol| protocol.eq_ignore_ascii_case("websocket"))
}

/// What has to be known of a request to read its parameters.
struct Request {
    query: String,
    encoding: Encoding,
    length: Option<usize>,
    limits: Limits,
    /// Where files go, or that there is no such place now; None keeps them in memory.
    place: Option<Result<Place, Error>>,
}

/// How the body is written.
#[derive(Debug, PartialEq, Eq)]
enum Encoding {
    Form,
    Json,
    Multipart {
        boundary: String,
    },
    /// A multipart body whose parts cannot be told apart.
    Unbounded,
    /// No content type, or one that carries no parameters.
    Unknown,
}

impl Encoding {
    fn of(content_type: Option<&str>) -> Self {
        let content_type = content_type.unwrap_or_default();
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        match essence.to_ascii_lowercase().as_str() {
            "application/x-www-form-urlencoded" => Self::Form,
            "multipart/form-data" => multer::parse_boundary(content_type)
                .map_or(Self::Unbounded, |boundary| Self::Multipart { boundary }),
            json if json == "application/json" || json.ends_with("+json") => Self::Json,
            _ => Self::Unknown,
        }
    }
}

impl Request {
    fn of(request: &HttpRequest) -> Self {
        let limits = request.app_data::<Limits>().copied().unwrap_or_default();
        let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
        Self {
            query: request.query_string().to_owned(),
            encoding: Encoding::of(header(CONTENT_TYPE)),
            length: header(CONTENT_LENGTH).and_then(|length| length.parse().ok()),
            limits,
            place: request.app_data::<Desk>().and_then(|desk| desk.place(request, limits)),
        }
    }

    async fn read(self, payload: Payload) -> Result<Params, Error> {
        let query = urlencoded::read(self.query.as_bytes(), self.limits)?;
        let body = self.body(payload).await?;
        if let Some(Value::Text(lang)) = body.get(wording::PARAMETER) {
            wording::ask_for(lang);
        }
        Ok(Params::from(query).overlaid(Params::from(body)))
    }

    async fn body(self, payload: Payload) -> Result<Map, Error> {
        let place = self.place.transpose()?;
        let limits = place.as_ref().map_or(self.limits, |place| place.limits);
        let desk = place.map(|place| place.folder);
        let limit = match self.encoding {
            Encoding::Multipart { .. } => limits.multipart,
            _ => limits.text,
        };
        if self.length.is_some_and(|length| length > limit) {
            return Err(Error::TooLarge { limit });
        }
        if let Encoding::Multipart { boundary } = self.encoding {
            return read_multipart(payload, boundary, limits, desk).await;
        }
        let body = collect(payload, limit).await?;
        match self.encoding {
            Encoding::Json => json::read(&body, limits),
            Encoding::Unknown if looks_like_json(&body) => json::read(&body, limits),
            Encoding::Unbounded if !body.is_empty() => {
                Err(Error::malformed("the multipart body has no boundary"))
            }
            _ => urlencoded::read(&body, limits),
        }
    }
}

fn looks_like_json(body: &[u8]) -> bool {
    matches!(body.trim_ascii_start().first(), Some(b'{' | b'['))
}

async fn collect(mut payload: Payload, limit: usize) -> Result<Bytes, Error> {
    let mut body = BytesMut::new();
    while let Some(chunk) = next_chunk(&mut payload).await {
        let chunk = chunk?;
        if chunk.len() > limit - body.len() {
            return Err(Error::TooLarge { limit });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// The next piece of a body, None at its end.
async fn next_chunk(payload: &mut Payload) -> Option<Result<Bytes, Error>> {
    match timeout(STALL, payload.next()).await {
        Ok(chunk) => chunk.map(|chunk| chunk.map_err(|_| Error::Interrupted)),
        Err(_) => Some(Err(Error::Stalled)),
    }
}

/// Reads parts while they arrive. The parser wants a stream that may move between threads, which
/// actix's is not, so the chunks pass through a channel. A body without a byte says nothing.
async fn read_multipart(
    mut payload: Payload,
    boundary: String,
    limits: Limits,
    desk: Option<PathBuf>,
) -> Result<Map, Error> {
    let (chunks, mut received) = mpsc::channel(4);
    let feed = async move {
        let mut empty = true;
        while let Some(chunk) = next_chunk(&mut payload).await {
            let last = chunk.is_err();
            empty &= chunk.as_ref().is_ok_and(Bytes::is_empty);
            if chunks.send(chunk).await.is_err() || last {
                break;
            }
        }
        empty
    };
    let body = stream::poll_fn(move |context| received.poll_recv(context));
    let (empty, read) = future::join(feed, multipart::read(body, boundary, limits, desk)).await;
    if empty { Ok(Map::new()) } else { read }
}

#[cfg(test)]
mod tests {
    use actix_web::{
        App, HttpResponse,
        http::{Method, StatusCode},
        test::{self, TestRequest},
        web,
    };
    use futures_util::Stream;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Post {
        status: String,
        #[serde(default)]
        media_ids: Vec<u64>,
    }

    async fn show(Form(post): Form<Post>) -> String {
        format!("{} {:?}", post.status, post.media_ids)
    }

    /// Two extractors of one request: both must see the body.
    async fn twice(params: Params, Form(post): Form<Post>) -> HttpResponse {
        HttpResponse::Ok().body(format!("{:?} {}", params.text("status"), post.status))
    }

    async fn ask(request: TestRequest) -> (StatusCode, String) {
        let limits = Limits { text: 100, multipart: 1000, ..Limits::default() };
        let app = test::init_service(
            App::new()
                .app_data(limits)
                .route("/show", web::route().to(show))
                .route("/twice", web::route().to(twice)),
        )
        .await;
        let response = test::call_service(&app, request.to_request()).await;
        let status = response.status();
        (status, String::from_utf8(test::read_body(response).await.to_vec()).unwrap())
    }

    fn multipart_body() -> String {
        let part = |name: &str, value: &str| {
            format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        format!("{}{}--b--", part("status", "x"), part("media_ids[]", "7"))
    }

    #[actix_web::test]
    async fn all_encodings_say_the_same_by_any_method() {
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let request = |uri: &str| TestRequest::with_uri(uri).method(method.clone());
            let body = |content_type: &str, body: &str| {
                let request = request("/show").set_payload(body.to_owned());
                if content_type.is_empty() {
                    request
                } else {
                    request.insert_header((CONTENT_TYPE, content_type))
                }
            };
            let json = r#" {"status":"x","media_ids":["7"]}"#;
            for request in [
                request("/show?status=x&media_ids[]=7"),
                body("application/x-www-form-urlencoded", "status=x&media_ids%5B%5D=7"),
                body("application/json; charset=utf-8", json),
                body("Application/Vnd.Api+JSON", json),
                body("multipart/form-data; boundary=b", &multipart_body()),
                body("", "status=x&media_ids[]=7"),
                body("", json),
                body("text/plain;charset=UTF-8", json),
            ] {
                assert_eq!(ask(request).await, (StatusCode::OK, "x [7]".to_owned()), "{method}");
            }
        }
    }

    #[actix_web::test]
    async fn two_extractors_share_one_reading() {
        for (content_type, body) in [
            ("application/x-www-form-urlencoded", "status=x".to_owned()),
            ("multipart/form-data; boundary=b", multipart_body()),
        ] {
            let request = TestRequest::post()
                .uri("/twice")
                .insert_header((CONTENT_TYPE, content_type))
                .set_payload(body);
            assert_eq!(ask(request).await, (StatusCode::OK, "Some(\"x\") x".to_owned()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stalls_is_given_up() {
        let begun = stream::iter([Ok(Bytes::from_static(b"status=he"))]);
        let mut payload = Payload::from(
            Box::pin(begun.chain(stream::pending())) as Pin<Box<dyn Stream<Item = _>>>
        );
        assert_eq!(next_chunk(&mut payload).await, Some(Ok(Bytes::from_static(b"status=he"))));
        assert_eq!(next_chunk(&mut payload).await, Some(Err(Error::Stalled)));
        assert_eq!(Error::Stalled.status(), StatusCode::REQUEST_TIMEOUT);
    }

    #[actix_web::test]
    async fn the_body_wins_over_the_query() {
        let request = TestRequest::post()
            .uri("/show?status=query&media_ids[]=1&media_ids[]=2")
            .set_payload("media_ids[]=3");
        assert_eq!(ask(request).await, (StatusCode::OK, "query [3]".to_owned()));
    }

    #[actix_web::test]
    async fn an_empty_body_of_any_type_says_nothing() {
        for content_type in
            ["multipart/form-data; boundary=b", "multipart/form-data", "application/json"]
        {
            let request = TestRequest::get()
                .uri("/show?status=q")
                .insert_header((CONTENT_TYPE, content_type));
            assert_eq!(ask(request).await, (StatusCode::OK, "q []".to_owned()), "{content_type}");
        }
    }

    #[actix_web::test]
    async fn faults_answer_json() {
        let body = |content_type: &str, body: String| {
            TestRequest::post()
                .uri("/show")
                .insert_header((CONTENT_TYPE, content_type))
                .set_payload(body)
        };
        for (request, status, error) in [
            (TestRequest::with_uri("/show"), StatusCode::BAD_REQUEST, "Missing parameter: status"),
            (
                TestRequest::with_uri("/show?status=x&media_ids[]=y"),
                StatusCode::UNPROCESSABLE_ENTITY,
                "Invalid parameter: media_ids[0] must be a whole number",
            ),
            (
                TestRequest::with_uri("/show?status=%ff"),
                StatusCode::BAD_REQUEST,
                "Malformed request: text is not UTF-8",
            ),
            (
                body("application/json", "{\"status\":".to_owned()),
                StatusCode::BAD_REQUEST,
                "Malformed request: the body is not JSON (line 1, column 10)",
            ),
            (
                body("multipart/form-data", "x".to_owned()),
                StatusCode::BAD_REQUEST,
                "Malformed request: the multipart body has no boundary",
            ),
            (
                body("multipart/form-data; boundary=b", "x".to_owned()),
                StatusCode::BAD_REQUEST,
                "Malformed request: the multipart body is broken",
            ),
            (
                body("application/json", " ".repeat(101)),
                StatusCode::PAYLOAD_TOO_LARGE,
                "Too large: at most 100 bytes are accepted",
            ),
            (
                body("multipart/form-data; boundary=b", "x".repeat(1001)),
                StatusCode::PAYLOAD_TOO_LARGE,
                "Too large: at most 1000 bytes are accepted",
            ),
        ] {
            assert_eq!(ask(request).await, (status, format!("{{\"error\":\"{error}\"}}")));
        }
    }
}
