//! `/settings/export`: the data of a person as files, also for disabled and suspended people. Lists
//! are written while they are read. The file with all statuses, and the archive of everything, are
//! written by jobs.

use std::io;

use actix_web::{
    HttpRequest, HttpResponse,
    body::SizedStream,
    http::{StatusCode, header::CONTENT_DISPOSITION},
    web::{self, Bytes, Path},
};
use askama::Template;
use futures_util::{Stream, StreamExt as _, stream};
use siskin_app::App;
use siskin_entities::{Export, ExportKind, ExportPart, Timestamp};
use siskin_ids::{AccountId, ExportId, SessionId};
use siskin_media::FileName;
use siskin_services::{
    Error as Domain,
    exports::{self, ExportedList, Overview, Position, archives},
};

use super::{
    Done,
    proof::{self, Proof},
};
use crate::{
    browser::{Browser, Holder, PostedHolder},
    limits::{self, Budget, Subject},
    pages::{Frame, Moment, PageError, PageForm, Problem, see_other, show},
    params::record_id,
    routes::media::chunks,
    table::Table,
};

const PAGE: &str = "/settings/export";
/// Name of the file with all statuses.
const POSTS: &str = "posts.jsonl";
/// Name of the archive.
const ARCHIVE: &str = "archive.tar.gz";
const NOT_FRESH: &str = "Confirm who you are before the download, on the page with your data";

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(show_page))
        .route("/settings/export/posts", web::post().to(request_posts))
        .route("/settings/export/posts/{id}", web::get().to(download_posts))
        .route("/settings/export/archives", web::post().to(request_archive))
        .route("/settings/export/archives/{id}", web::get().to(download_archive))
        .route("/settings/export/{list}", web::get().to(download_list));
}

#[derive(Template)]
#[template(path = "export.html")]
struct ExportPage {
    frame: Frame,
    done: Option<&'static str>,
    problem: Option<String>,
    lists: Vec<ListItem>,
    exports: Vec<ExportItem>,
    /// Time at which the person can request the next export. `None` if it is possible now.
    next: Option<Moment>,
    archives: Vec<ExportItem>,
    /// Time at which the person can request the next archive. `None` if it is possible now.
    next_archive: Option<Moment>,
    /// Whether the person showed a short time ago who it is, and may download files.
    is_fresh: bool,
    proof: Proof,
}

impl ExportPage {
    /// Returns `true` if the person must confirm who they are before they can download a file.
    fn needs_proof(&self) -> bool {
        let mut files = self.exports.iter().chain(&self.archives);
        !self.is_fresh && files.any(|file| file.is_ready)
    }
}

struct ListItem {
    file: &'static str,
    words: &'static str,
}

struct ExportItem {
    id: ExportId,
    requested: Moment,
    expires: Moment,
    is_ready: bool,
    statuses: i64,
    size: String,
}

impl ExportItem {
    fn of(export: &Export, now: Timestamp) -> Self {
        Self {
            id: export.id,
            requested: Moment::of(export.created_at, now),
            expires: Moment::of(export.expires_at, now),
            is_ready: export.is_ready(now),
            statuses: export.statuses,
            size: size(export.bytes),
        }
    }
}

const fn words(list: ExportedList) -> &'static str {
    match list {
        ExportedList::Follows => "Accounts that you follow",
        ExportedList::Lists => "Lists and their members",
        ExportedList::Blocks => "Accounts that you block",
        ExportedList::Mutes => "Accounts that you mute",
        ExportedList::DomainBlocks => "Servers that you block",
        ExportedList::Bookmarks => "Bookmarks",
    }
}

/// Returns a number of bytes for people: `812 bytes`, `1.4 MB`.
fn size(bytes: i64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let bytes = u64::try_from(bytes).unwrap_or_default();
    if bytes < 1000 {
        return format!("{bytes} bytes");
    }
    // Tenths of the unit. Each unit is a thousand times the one before.
    let (mut tenths, mut unit) = (bytes / 100, UNITS[0]);
    for larger in UNITS.into_iter().skip(1) {
        if tenths >= 10_000 {
            (tenths, unit) = (tenths / 1000, larger);
        }
    }
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}

async fn show_page(
    request: HttpRequest,
    app: web::Data<App>,
    holder: Holder,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let page = page(&request, &app, &holder.browser, holder.account).await?;
    let done = match done.done.as_deref() {
        Some("requested") => Some("Your posts are being collected. Load this page again later."),
        Some("archive") => Some("Your archive is being made. You get an email when it is ready."),
        _ => None,
    };
    Ok(show(StatusCode::OK, &ExportPage { done, ..page })?)
}

async fn request_posts(
    request: HttpRequest,
    app: web::Data<App>,
    form: PostedHolder,
) -> Result<HttpResponse, PageError> {
    let account = form.account;
    let requested = app.write(move |tx| exports::request(tx, account)).await;
    answer(&request, &app, &form, requested, "requested").await
}

async fn request_archive(
    request: HttpRequest,
    app: web::Data<App>,
    form: PostedHolder,
) -> Result<HttpResponse, PageError> {
    let account = form.account;
    let requested = app.write(move |tx| archives::request(tx, account)).await;
    answer(&request, &app, &form, requested, "archive").await
}

/// Redirects to the page, or shows it with the problem.
async fn answer(
    request: &HttpRequest,
    app: &App,
    form: &PostedHolder,
    requested: Result<ExportId, Domain>,
    done: &str,
) -> Result<HttpResponse, PageError> {
    match requested {
        Ok(_) => Ok(see_other(&app.urls().page(&format!("{PAGE}?done={done}")))),
        Err(error) => {
            let problem = Problem::of(error)?;
            let page = page(request, app, &form.posted.browser, form.account).await?;
            Ok(show(problem.status, &ExportPage { problem: Some(problem.words), ..page })?)
        }
    }
}

async fn page(
    request: &HttpRequest,
    app: &App,
    browser: &Browser,
    account: AccountId,
) -> Result<ExportPage, PageError> {
    let now = app.now();
    let (_, session) = browser.session().ok_or(Domain::NotFound)?;
    let (posts, archives) = app
        .read(move |conn| {
            let posts = exports::overview(conn, account, ExportKind::Posts, now)?;
            Ok((posts, exports::overview(conn, account, ExportKind::Archive, now)?))
        })
        .await?;
    let is_fresh = may_download(request, app, (account, session)).await?;
    let items = |found: &Overview| -> Vec<ExportItem> {
        found.exports.iter().map(|export| ExportItem::of(export, now)).collect()
    };
    let lists =
        ExportedList::ALL.map(|list| ListItem { file: list.file_name(), words: words(list) });
    Ok(ExportPage {
        frame: Frame::of(app, browser, "Your data"),
        done: None,
        problem: None,
        lists: lists.into(),
        exports: items(&posts),
        next: posts.next_request.map(|at| Moment::of(at, now)),
        archives: items(&archives),
        next_archive: archives.next_request.map(|at| Moment::of(at, now)),
        is_fresh,
        proof: Proof::of(request, app, (account, session), PAGE).await?,
    })
}

/// Returns `true` if the person of this session showed a short time ago who it is: by the sign-in
/// here, or by another one at a provider.
async fn may_download(
    request: &HttpRequest,
    app: &App,
    person: (AccountId, SessionId),
) -> crate::Result<bool> {
    let ((_, session), now) = (person, app.now());
    let is_fresh = app.read(move |conn| exports::may_download(conn, session, now)).await?;
    Ok(is_fresh || proof::is_given(request, app, person).await?)
}

async fn download_posts(
    request: HttpRequest,
    app: web::Data<App>,
    holder: Holder,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let parts = parts(&request, &app, &holder, ExportKind::Posts, &id).await?;
    download(&app, parts, "application/x-ndjson", POSTS)
}

async fn download_archive(
    request: HttpRequest,
    app: web::Data<App>,
    holder: Holder,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let parts = parts(&request, &app, &holder, ExportKind::Archive, &id).await?;
    download(&app, parts, "application/gzip", ARCHIVE)
}

/// Returns the parts of a file of the person, who must have shown a short time ago who it is: all
/// these files contain direct messages.
async fn parts(
    request: &HttpRequest,
    app: &App,
    holder: &Holder,
    kind: ExportKind,
    id: &str,
) -> Result<Vec<ExportPart>, PageError> {
    let (id, account, now): (ExportId, _, _) = (record_id(id)?, holder.account, app.now());
    let (_, session) = holder.browser.session().ok_or(Domain::NotFound)?;
    limits::spend(request, Budget::Export, Subject::Account(account))?;
    let (_, parts) = app.read(move |conn| exports::find(conn, account, kind, id, now)).await?;
    if may_download(request, app, (account, session)).await? {
        Ok(parts)
    } else {
        Err(Domain::forbidden(NOT_FRESH).into())
    }
}

/// Sends the parts of a file one after the other.
fn download(
    app: &App,
    parts: Vec<ExportPart>,
    content_type: &'static str,
    name: &str,
) -> Result<HttpResponse, PageError> {
    let mut files: Vec<(FileName, u64)> = Vec::with_capacity(parts.len());
    for part in parts {
        let name: FileName = part.file.parse().map_err(Domain::internal)?;
        files.push((name, u64::try_from(part.bytes).unwrap_or_default()));
    }
    let bytes: u64 = files.iter().map(|(_, bytes)| bytes).sum();
    let media = app.media().clone();
    let contents =
        stream::iter(files).flat_map(move |(name, bytes)| chunks(media.clone(), name, 0, bytes));
    Ok(HttpResponse::Ok()
        .content_type(content_type)
        .insert_header((CONTENT_DISPOSITION, attachment(name)))
        .body(SizedStream::new(bytes, contents)))
}

async fn download_list(
    request: HttpRequest,
    app: web::Data<App>,
    holder: Holder,
    list: Path<String>,
) -> Result<HttpResponse, PageError> {
    let list = ExportedList::ALL.into_iter().find(|one| one.file_name() == list.as_str());
    let list = list.ok_or(Domain::NotFound)?;
    limits::spend(&request, Budget::Export, Subject::Account(holder.account))?;
    let header = stream::iter([Ok(Bytes::from(list.header()?))]);
    let app = App::clone(&app);
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, attachment(list.file_name())))
        .streaming(header.chain(lines(app, holder.account, list))))
}

fn attachment(name: &str) -> String {
    format!("attachment; filename=\"{name}\"")
}

/// Returns the lines of a list in chunks. Each is read when the client is ready for it.
fn lines(
    app: App,
    account: AccountId,
    list: ExportedList,
) -> impl Stream<Item = io::Result<Bytes>> + 'static {
    stream::unfold((app, Some(Position::default())), move |(app, at)| async move {
        let at = at?;
        let (domain, now) = (app.urls().domain().to_owned(), app.now());
        let read = app.read(move |conn| list.lines(conn, account, &domain, now, at)).await;
        Some(match read {
            Ok(chunk) => (Ok(Bytes::from(chunk.text)), (app, chunk.next)),
            // The body ends after an error.
            Err(error) => {
                log::error!("an exported list ended early: {error}");
                (Err(io::Error::other("the list cannot be read")), (app, None))
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_for_people() {
        for (bytes, text) in [
            (-1, "0 bytes"),
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1000, "1.0 kB"),
            (1_450, "1.4 kB"),
            (999_999, "999.9 kB"),
            (1_000_000, "1.0 MB"),
            (4_200_000_000, "4.2 GB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }
}
