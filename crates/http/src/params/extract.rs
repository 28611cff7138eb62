//! The extractors: they read a request once and share its parameters.

use std::{
    cell::RefCell, fmt, future::Future, net::IpAddr, path::PathBuf, pin::Pin, rc::Rc, sync::Arc,
};

use actix_web::{
    FromRequest, HttpMessage as _, HttpRequest,
    dev::Payload,
    http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, UPGRADE},
    web::{Bytes, BytesMut, Data},
};
use futures_util::{
    FutureExt as _, StreamExt as _,
    future::{self, LocalBoxFuture, Shared},
    stream,
};
use serde::de::DeserializeOwned;
use siskin_ids::AccountId;
use tokio::{sync::mpsc, time::timeout_at};

use super::{
    Bodies, Error, Limits, Map, Params, UploadPolicy, UploadTarget, Value,
    bodies::{Deadlines, Memory},
    json, multipart, urlencoded,
};
use crate::{
    address,
    admission::{self, PendingAuthorization},
    connections::Connection,
    limits::Subject,
    wording,
};

/// A route's own struct, decoded from the request by the rules of [`crate::params`].
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
                admission::wait_until_admitted(&request).await;
            }
            read.map(Self)
        })
    }
}

/// The reading of a request's body, stored with the request. Extractors run concurrently, and the
/// body can be taken only once.
struct Reading {
    params: Shared<LocalBoxFuture<'static, Result<Params, Error>>>,
    /// Accounts for the memory of the body as long as the request lasts.
    _memory: Rc<RefCell<Option<Memory>>>,
}

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
            return reading.params.clone();
        }
        // Holds the authorization, not the request: the request will hold this reading. A handler
        // that takes both must name the caller first.
        let pending = PendingAuthorization::of(request);
        // Frames follow the head of a WebSocket handshake: there is no body, and no end of it.
        let body = if is_socket_handshake(request) { Payload::None } else { payload.take() };
        let (read, memory) = (Request::of(request), Rc::<RefCell<Option<Memory>>>::default());
        let memory_slot = Rc::clone(&memory);
        let reading = async move {
            // The body of a refused caller is not read.
            let caller = match pending {
                Some(pending) => pending.granted().await,
                None => None,
            };
            let mut memory = read.memory(caller);
            let params = read.read(body, caller.is_some(), &mut memory).await;
            memory_slot.replace(Some(memory));
            params
        };
        let params = reading.boxed_local().shared();
        request.extensions_mut().insert(Reading { params: params.clone(), _memory: memory });
        params
    }
}

/// Returns `true` if a request is the handshake of a WebSocket.
fn is_socket_handshake(request: &HttpRequest) -> bool {
    let protocol = request.headers().get(UPGRADE).and_then(|value| value.to_str().ok());
    protocol.is_some_and(|protocol| protocol.eq_ignore_ascii_case("websocket"))
}

/// The facts about a request that are needed to read its parameters.
struct Request {
    query: String,
    encoding: Encoding,
    length: Option<usize>,
    /// `true` if the body is not compressed: nothing here decompresses.
    is_uncompressed: bool,
    limits: Limits,
    /// Directory for files, or the error that it is unavailable. `None` refuses files.
    target: Option<Result<UploadTarget, Error>>,
    address: IpAddr,
    bodies: Option<Data<Bodies>>,
    connection: Option<Arc<Connection>>,
}

/// The encoding of a body.
#[derive(Debug, PartialEq, Eq)]
enum Encoding {
    Form,
    Json,
    Multipart {
        boundary: String,
    },
    /// A multipart body without a boundary, so that its parts cannot be separated.
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
            is_uncompressed: request.headers().get_all(CONTENT_ENCODING).all(is_identity),
            limits,
            target: request
                .app_data::<UploadPolicy>()
                .and_then(|staging_dir| staging_dir.target(request, limits)),
            address: address::of(request),
            bodies: request.app_data().cloned(),
            connection: request.conn_data().cloned(),
        }
    }

    fn memory(&self, caller: Option<AccountId>) -> Memory {
        let subject = caller.map_or_else(|| Subject::address(self.address), Subject::Account);
        Memory::of(self.bodies.clone(), subject)
    }

    async fn read(
        mut self,
        payload: Payload,
        is_known: bool,
        memory: &mut Memory,
    ) -> Result<Params, Error> {
        if !is_known {
            (self.limits, self.target) = (self.limits.anonymous(), None);
        }
        let query = urlencoded::read(self.query.as_bytes(), self.limits)?;
        let connection = self.connection.take();
        let waits = connection.as_deref().filter(|_| !matches!(payload, Payload::None));
        waits.inspect(|connection| connection.waits());
        let body = self.body(payload, memory).await;
        waits.inspect(|connection| connection.stops_waiting());
        let body = body?;
        if let Some(Value::Text(lang)) = body.get(wording::PARAMETER) {
            wording::set_current_language(lang);
        }
        Ok(Params::from(query).overlaid(Params::from(body)))
    }

    async fn body(self, payload: Payload, memory: &mut Memory) -> Result<Map, Error> {
        let target = self.target.transpose()?;
        let limits = target.as_ref().map_or(self.limits, |target| target.limits);
        let staging_dir = target.map(|target| target.folder);
        let limit = match self.encoding {
            Encoding::Multipart { .. } => limits.multipart,
            _ => limits.text,
        };
        if !self.is_uncompressed && !matches!(payload, Payload::None) {
            return Err(Error::Encoded);
        }
        if self.length.is_some_and(|length| length > limit) {
            return Err(Error::TooLarge { limit });
        }
        let body = Body { payload, deadlines: Deadlines::begin(staging_dir.is_some()) };
        if let Encoding::Multipart { boundary } = self.encoding {
            return read_multipart(body, boundary, limits, staging_dir, memory).await;
        }
        let body = collect(body, limit, memory).await?;
        match self.encoding {
            Encoding::Json => json::read(&body, limits),
            Encoding::Unknown if begins_like_json(&body) => json::read(&body, limits),
            Encoding::Unbounded if !body.is_empty() => {
                Err(Error::malformed("the multipart body has no boundary"))
            }
            _ => urlencoded::read(&body, limits),
        }
    }
}

/// Returns `true` if a `Content-Encoding` leaves the body unchanged.
fn is_identity(encoding: &HeaderValue) -> bool {
    let encoding = encoding.as_bytes().trim_ascii();
    encoding.is_empty() || encoding.eq_ignore_ascii_case(b"identity")
}

fn begins_like_json(body: &[u8]) -> bool {
    matches!(json::without_byte_order_mark(body).trim_ascii_start().first(), Some(b'{' | b'['))
}

/// The body of a request while it arrives.
struct Body {
    payload: Payload,
    deadlines: Deadlines,
}

impl Body {
    /// Returns the next piece, or `None` at the end.
    async fn next(&mut self) -> Option<Result<Bytes, Error>> {
        let chunk = match timeout_at(self.deadlines.deadline(), self.payload.next()).await {
            Ok(chunk) => chunk?.map_err(|_| Error::Interrupted),
            Err(_) => Err(Error::Stalled),
        };
        self.deadlines.add(chunk.as_ref().map_or(0, Bytes::len));
        Some(chunk)
    }
}

async fn collect(mut body: Body, limit: usize, memory: &mut Memory) -> Result<Bytes, Error> {
    let mut collected = BytesMut::new();
    while let Some(chunk) = body.next().await {
        let chunk = chunk?;
        if chunk.len() > limit - collected.len() {
            return Err(Error::TooLarge { limit });
        }
        memory.grow(chunk.len())?;
        collected.extend_from_slice(&chunk);
    }
    Ok(collected.freeze())
}

/// Reads the parts of a multipart body while they arrive. The parser needs a stream that is `Send`,
/// which actix's is not, so the chunks pass through a channel. A body without a byte has no
/// parameters.
async fn read_multipart(
    mut body: Body,
    boundary: String,
    limits: Limits,
    staging_dir: Option<PathBuf>,
    memory: &mut Memory,
) -> Result<Map, Error> {
    let (chunks, mut received) = mpsc::channel(4);
    let feed = async move {
        let mut empty = true;
        loop {
            // A form that is refused by its beginning is not read to its end.
            let next = tokio::select! {
                next = body.next() => next,
                () = chunks.closed() => None,
            };
            let Some(chunk) = next else { break };
            let last = chunk.is_err();
            empty &= chunk.as_ref().is_ok_and(Bytes::is_empty);
            if chunks.send(chunk).await.is_err() || last {
                break;
            }
        }
        empty
    };
    let body = stream::poll_fn(move |context| received.poll_recv(context));
    let read = multipart::read(body, boundary, limits, staging_dir, memory);
    let (empty, read) = future::join(feed, read).await;
    if empty { Ok(Map::new()) } else { read }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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

    /// Uses two extractors for one request: both must see the body.
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
    async fn all_encodings_are_equivalent_with_any_method() {
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
    async fn two_extractors_share_one_body() {
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
    async fn a_stalled_body_times_out() {
        let begun = stream::iter([Ok(Bytes::from_static(b"status=he"))]);
        let payload = Payload::from(
            Box::pin(begun.chain(stream::pending())) as Pin<Box<dyn Stream<Item = _>>>
        );
        let mut body = Body { payload, deadlines: Deadlines::begin(false) };
        assert_eq!(body.next().await, Some(Ok(Bytes::from_static(b"status=he"))));
        assert_eq!(body.next().await, Some(Err(Error::Stalled)));
        assert_eq!(Error::Stalled.status(), StatusCode::REQUEST_TIMEOUT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_times_out() {
        let drops = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Some((Ok(Bytes::from_static(b"x")), ()))
        });
        let payload = Payload::from(Box::pin(drops) as Pin<Box<dyn Stream<Item = _>>>);
        let mut body = Body { payload, deadlines: Deadlines::begin(false) };
        let begun = tokio::time::Instant::now();
        while let Some(Ok(_)) = body.next().await {}
        assert!(begun.elapsed() < Duration::from_secs(32), "{:?}", begun.elapsed());
    }

    #[actix_web::test]
    async fn the_body_wins_over_the_query() {
        let request = TestRequest::post()
            .uri("/show?status=query&media_ids[]=1&media_ids[]=2")
            .set_payload("media_ids[]=3");
        assert_eq!(ask(request).await, (StatusCode::OK, "query [3]".to_owned()));
    }

    #[actix_web::test]
    async fn an_empty_body_of_any_type_has_no_parameters() {
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
    async fn errors_are_returned_as_json() {
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
