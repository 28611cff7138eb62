//! Fuzzing of request parameters: query, form, JSON and multipart.

use std::pin::Pin;

use actix_web::{
    FromRequest as _, dev::Payload, error::PayloadError, http::header::CONTENT_TYPE, rt::Runtime,
    test::TestRequest, web::Bytes,
};
use futures_util::{Stream, stream};
use serde::Deserialize;
use siskin_fuzz::{Target, run};
use siskin_http::params::{Error, Limits, Params};

#[path = "requests/tree.rs"]
mod tree;

use tree::Tree;

const FRAGMENTS: &[&[u8]] = &[
    b"a", b"b=", b"=", b"&", b"&&", b";", b"+", b"%", b"%20", b"%5B", b"%5D", b"%5b%5d", b"%00",
    b"%FF", b"%C3%A9", b"%C3", b"%u00e9", b"%zz", b"[", b"]", b"[]", b"[][]", b"a[b]", b"a[]=1", b"a[b][][c]=2",
    b"a[0][x]=3", b"a[1][x]=4", b"a[-1]=5", b"a[99999999999999999999]=6", b"a[b]=7&a=8", b"poll[options][]=x",
    b"status=", b"fields_attributes[0][name]=n", b"source[privacy]=p", b"media_ids[]=1", b"access_token=t",
    b"{", b"}", b"{\"a\":", b"\"", b":", b",", b"[1,", b"null", b"true", b"false", b"1e999", b"-0", b"1.5",
    b"123456789012345678901234567890", b"\"\\ud800\"", b"\"\\u0000\"", b"\"\\uD83D\\uDE00\"", b"\\", b"\"a\":1,", b"\"a\":{\"b\":[{\"c\":null}]}",
    b"\xED\xA0\x80", b"\xFF\xFE", "é".as_bytes(), "\u{301}".as_bytes(), "\u{FEFF}".as_bytes(), b"\0", b" ", b"\t", b"\n", b"\r\n", b"\r\n\r\n",
    b"--x", b"--x\r\n", b"--x--", b"--x--\r\n", b"\r\n--x\r\n", b"Content-Disposition: form-data; name=\"a\"\r\n\r\n",
    b"--x\r\nContent-Disposition: form-data; name=\"a[b][]\"\r\n\r\n1\r\n",
    b"--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"../../x.png\"\r\nContent-Type: image/png\r\n\r\nGIF\r\n",
    b"; filename=\"\"", b"; filename*=UTF-8''%e2%82", b"Content-Type: ", b"Content-Type: text/plain; charset=x\r\n",
    b"Content-Transfer-Encoding: base64\r\n", b"name=\"", b"name=a[", b"boundary=",
];

/// Small limits, which inputs of some hundred bytes exceed.
const NARROW: Limits = Limits { text: 300, file: 200, multipart: 500, values: 40, depth: 6 };

/// Content types of a body, selected by the first byte of an input.
const CONTENT_TYPES: [Option<&str>; 7] = [
    Some("application/x-www-form-urlencoded"),
    Some("application/json"),
    Some("multipart/form-data; boundary=x"),
    None,
    Some("application/activity+json; charset=utf-8"),
    Some("multipart/form-data"),
    Some("text/plain"),
];

fn check(input: &[u8]) -> Vec<u64> {
    let (first, body) = input.split_first().unwrap_or((&0, input));
    let way = usize::from(*first) % CONTENT_TYPES.len();
    let limits = if first / 128 == 0 { Limits::default() } else { NARROW };
    let read = read(CONTENT_TYPES[way], body, limits, body.len().max(1));
    // The result must not depend on the chunks in which the body arrives, nor on repetition.
    let piece = 1 + usize::from(*first) % 13;
    assert_eq!(read_in_pieces(CONTENT_TYPES[way], body, limits, piece), outcome(&read));
    if let Ok(query) = std::str::from_utf8(body) {
        check_query(query);
    }
    if way == 1 {
        check_json(body, &read);
    }
    let kind = u64::try_from(way).unwrap_or_default();
    match read {
        Ok(params) => check_tree(body, &params, limits).map(|shape| shape * 16 + kind).collect(),
        Err(error) => vec![u64::MAX - 16 * error_kind(&error) - kind],
    }
}

/// Returns the parameters of a `POST` request with a body in chunks of `piece` bytes.
fn read(
    content_type: Option<&str>,
    body: &[u8],
    limits: Limits,
    piece: usize,
) -> Result<Params, Error> {
    let mut request = TestRequest::post().uri("/").app_data(limits);
    if let Some(content_type) = content_type {
        request = request.insert_header((CONTENT_TYPE, content_type));
    }
    let chunks: Vec<Result<Bytes, PayloadError>> =
        body.chunks(piece).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
    let chunks: Pin<Box<dyn Stream<Item = _>>> = Box::pin(stream::iter(chunks));
    let mut payload = Payload::from(chunks);
    let request = request.to_http_request();
    // The whole body is available, so the future never waits.
    poll(Params::from_request(&request, &mut payload))
}

/// Runs a future that does not wait for long.
fn poll<T>(reading: impl Future<Output = T>) -> T {
    thread_local! {
        static RUNTIME: Runtime = Runtime::new().expect("a runtime");
    }
    RUNTIME.with(|runtime| runtime.block_on(reading))
}

fn read_in_pieces(
    content_type: Option<&str>,
    body: &[u8],
    limits: Limits,
    piece: usize,
) -> Result<Params, &'static str> {
    outcome(&read(content_type, body, limits, piece))
}

/// The limit that a body exceeds first may depend on its chunks. That it exceeds one does not.
fn outcome(read: &Result<Params, Error>) -> Result<Params, &'static str> {
    read.clone().map_err(|_| "refused")
}

/// Checks that a query gives the same parameters as a form with the same bytes. The form comes from
/// an anonymous client, so it may be refused for a size that is allowed for the query.
fn check_query(query: &str) {
    let as_form = read(CONTENT_TYPES[0], query.as_bytes(), Limits::default(), 1 << 20);
    if !matches!(as_form, Err(Error::TooMany | Error::TooLarge { .. })) {
        assert_eq!(Params::from_query(query), as_form);
    }
}

/// Checks that everything accepted as JSON is valid JSON, perhaps after a byte order mark.
fn check_json(body: &[u8], read: &Result<Params, Error>) {
    let body = body.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(body);
    let is_json = serde_json::from_slice::<serde_json::Value>(body).is_ok();
    let is_empty = body.trim_ascii().is_empty();
    assert!(read.is_err() || is_json || is_empty, "{read:?}");
}

/// Checks that the parameters are within the limits, contain no NUL, and can be decoded as any
/// type.
fn check_tree(body: &[u8], params: &Params, limits: Limits) -> impl Iterator<Item = u64> + use<> {
    let tree: Tree = params.decode().unwrap_or_default();
    assert!(tree.depth <= limits.depth + 1 && tree.values <= limits.values + 1, "{tree:?}");
    assert!(tree.values <= body.len() + 1, "{tree:?}");
    assert!(!tree.has_nul);
    let _ = params.decode::<AnyParams>().map_err(|error| error.to_string());
    let _ = params.file("f").map_err(|error| error.to_string());
    tree.shapes.into_iter()
}

fn error_kind(error: &Error) -> u64 {
    assert!(!error.to_string().is_empty());
    match error {
        Error::Malformed { .. } => 1,
        Error::TooMany => 2,
        Error::TooLarge { .. } => 3,
        _ => 4,
    }
}

/// Fields of all types that routes use.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only the parsing is tested")]
struct AnyParams {
    a: Option<Inner>,
    b: Option<bool>,
    status: Option<String>,
    media_ids: Option<Vec<String>>,
    fields_attributes: Option<Vec<Inner>>,
    poll: Option<Inner>,
    limit: Option<i64>,
    source: Option<std::collections::BTreeMap<String, Vec<f64>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Inner {
    b: Vec<Inner>,
    c: Option<u8>,
    x: Option<String>,
    name: String,
    options: Vec<String>,
    kind: Option<Kind>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    A,
    B,
}

#[test]
fn any_request_is_parsed_or_refused() {
    run(&Target { name: "requests", fragments: FRAGMENTS, check });
}
