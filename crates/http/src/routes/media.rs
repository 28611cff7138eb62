//! Stored media files.
//!
//! Each request checks in one statement whether the file is still served
//! (`persistence::files::audience`), so a deleted file is gone once the deletion is answered.
//!
//! The file name tells the format of the content, and only formats of media are served. A response
//! can therefore never be a page or a script, even if the upload was one or the folder contains
//! one.

use actix_web::{
    HttpRequest, HttpResponse,
    body::SizedStream,
    http::{
        StatusCode,
        header::{
            ACCEPT_RANGES, CACHE_CONTROL, CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
            ETAG, IF_NONE_MATCH, IF_RANGE, RANGE,
        },
    },
    web::{self, Bytes},
};
use futures_util::{Stream, stream};
use siskin_app::App;
use siskin_media::{FileName, Media};
use siskin_services::{
    Error as Domain,
    media::{self, Audience},
};

use crate::{
    Result,
    ranges::{Part, part},
    table::Table,
};

/// Cache control for public files: a name belongs to one content for ever.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// Cache control for files of private and direct statuses, which caches must not store.
const NEVER: &str = "private, no-store";
/// Content security policy. A file that is opened by itself is shown as an image, without any
/// rights.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";
pub(super) fn configure(table: &mut Table) {
    table.route("/media/{name}", web::get().to(show));
}

async fn show(
    request: HttpRequest,
    app: web::Data<App>,
    name: web::Path<String>,
) -> Result<HttpResponse> {
    let name: FileName = name.parse().map_err(|_| Domain::NotFound)?;
    // An upload that has not been processed yet is not served.
    let media_type = name.file_type().media_type().ok_or(Domain::NotFound)?;
    let requested_name = name.to_string();
    let audience = app.read(move |conn| media::audience(conn, &requested_name)).await?;
    let audience = audience.ok_or(Domain::NotFound)?;
    let size = app.media().storage().size(&name).await.map_err(unreadable)?;
    let size = size.ok_or(Domain::NotFound)?;
    let tag = format!("\"{}\"", &name.as_str()[..32]);
    let head = |status| head(status, media_type, &tag, audience);
    if header(&request, IF_NONE_MATCH).is_some_and(|known| contains_tag(known, &tag)) {
        return Ok(head(StatusCode::NOT_MODIFIED).finish());
    }
    // A range of a newer version is of no use to a client that holds an older one.
    let ranges = header(&request, IF_RANGE).is_none_or(|known| known == tag);
    let range = header(&request, RANGE).filter(|_| ranges);
    Ok(match part(range, size) {
        Part::Whole => body(head(StatusCode::OK), &app, name, 0, size),
        Part::Some { start, end } => {
            let mut head = head(StatusCode::PARTIAL_CONTENT);
            head.insert_header((CONTENT_RANGE, format!("bytes {start}-{}/{size}", end - 1)));
            body(head, &app, name, start, end)
        }
        Part::None => HttpResponse::RangeNotSatisfiable()
            .insert_header((CONTENT_RANGE, format!("bytes */{size}")))
            .finish(),
    })
}

fn header(request: &HttpRequest, name: actix_web::http::header::HeaderName) -> Option<&str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

/// Returns `true` if a list of entity tags has this one (RFC 9110, 13.1.2).
fn contains_tag(list: &str, tag: &str) -> bool {
    list.split(',')
        .map(|known| known.trim().trim_start_matches("W/"))
        .any(|known| known == tag || known == "*")
}

fn head(
    status: StatusCode,
    media_type: &'static str,
    tag: &str,
    audience: Audience,
) -> actix_web::HttpResponseBuilder {
    let cache_control = match audience {
        Audience::Everyone => FOR_EVER,
        Audience::Few => NEVER,
    };
    let mut head = HttpResponse::build(status);
    head.insert_header((CONTENT_TYPE, media_type))
        .insert_header((CACHE_CONTROL, cache_control))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((ACCEPT_RANGES, "bytes"))
        .insert_header(("Cross-Origin-Resource-Policy", "cross-origin"))
        .insert_header((ETAG, tag));
    head
}

fn body(
    mut head: actix_web::HttpResponseBuilder,
    app: &App,
    name: FileName,
    start: u64,
    end: u64,
) -> HttpResponse {
    head.body(SizedStream::new(end - start, chunks(app.media().clone(), name, start, end)))
}

/// Returns the bytes of a file from `start` to `end` in chunks, each read when the client is ready
/// for it.
pub(super) fn chunks(
    media: Media,
    name: FileName,
    start: u64,
    end: u64,
) -> impl Stream<Item = std::io::Result<Bytes>> + 'static {
    stream::unfold((media, name, start), move |(media, name, start)| async move {
        if start >= end {
            return None;
        }
        let next = end.min(start + media.storage().chunk());
        let read = media.storage().read(&name, start..next).await;
        if let Err(error) = &read {
            log::error!("a file ended early: file={name} at={start} error={error}");
        }
        // The body ends after an error.
        let rest = if read.is_ok() { next } else { end };
        Some((read.map(Bytes::from), (media, name, rest)))
    })
}

fn unreadable(error: std::io::Error) -> Domain {
    log::error!("cannot read a file: {error}");
    Domain::Unreachable(Box::new(error))
}
