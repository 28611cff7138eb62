//! `/api/v1/timelines`.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{Feeds, FilterContext};
use siskin_ids::AccountId;
use siskin_policy::{
    limits::STATUS_PAGE,
    scopes::{ReadLists, ReadStatuses},
};
use siskin_services::{
    feeds::OwnPage,
    timelines::{self, Narrowing, Origin, TagRequest},
};

use crate::{
    Authorized, Optional, Result, paging::PageQuery, params::Form, status_answers, table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/timelines/home", web::get().to(home))
        .route("/api/v1/timelines/list/{list_id}", web::get().to(list))
        .route("/api/v1/timelines/public", web::get().to(public))
        .route("/api/v1/timelines/tag/{hashtag}", web::get().to(tag));
}

async fn home(
    app: Data<App>,
    reader: Authorized<ReadStatuses>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (now, page) = (app.now(), page.request(STATUS_PAGE)?);
    let own = app.read(move |conn| timelines::home(conn, reader.account, now, page)).await?;
    answer(&app, &request, reader.account, own).await
}

/// Returns the timeline of a list. For every account but its owner the list does not exist (404),
/// so that ids reveal nothing.
async fn list(
    app: Data<App>,
    owner: Authorized<ReadLists>,
    id: Path<String>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (now, page) = (app.now(), page.request(STATUS_PAGE)?);
    let own = app.read(move |conn| timelines::list(conn, owner.account, &id, now, page)).await?;
    answer(&app, &request, owner.account, own).await
}

/// Returns a page of the home or a list timeline. The status is 206 while its feed is being
/// rebuilt, although the page itself is complete.
async fn answer(
    app: &App,
    request: &HttpRequest,
    reader: AccountId,
    own: OwnPage,
) -> Result<HttpResponse> {
    app.tend_feed(own.feed);
    let page = app.marked(Some(reader), FilterContext::Home, own.page).await?;
    let mut answer = status_answers::statuses(app, request, &page);
    if own.feed.is_regenerating() {
        answer.head_mut().status = StatusCode::PARTIAL_CONTENT;
    }
    Ok(answer)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NarrowingQuery {
    local: bool,
    remote: bool,
    only_media: bool,
}

impl NarrowingQuery {
    /// Converts the parameters. If both are given, `local` wins.
    fn narrowing(&self) -> Narrowing {
        let origin = match (self.local, self.remote) {
            (true, _) => Origin::Local,
            (false, true) => Origin::Remote,
            (false, false) => Origin::Anywhere,
        };
        Narrowing { origin, only_media: self.only_media }
    }
}

async fn public(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
    Form(narrowing): Form<NarrowingQuery>,
) -> Result<HttpResponse> {
    let (now, page) = (app.now(), page.request(STATUS_PAGE)?);
    let (narrowing, feeds) = (narrowing.narrowing(), Feeds::of(&app.settings()));
    let reader = viewer.account;
    let page =
        app.read(move |conn| timelines::public(conn, feeds, reader, narrowing, now, page)).await?;
    let page = app.marked(viewer.account, FilterContext::Public, page).await?;
    Ok(status_answers::statuses(&app, &request, &page))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TagQuery {
    any: Vec<String>,
    all: Vec<String>,
    none: Vec<String>,
}

async fn tag(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    name: Path<String>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
    Form(narrowing): Form<NarrowingQuery>,
    Form(tags): Form<TagQuery>,
) -> Result<HttpResponse> {
    let (now, page) = (app.now(), page.request(STATUS_PAGE)?);
    let asked = TagRequest {
        name: name.into_inner(),
        any: tags.any,
        all: tags.all,
        none: tags.none,
        narrowing: narrowing.narrowing(),
    };
    let (feeds, reader) = (Feeds::of(&app.settings()), viewer.account);
    let page = app.read(move |conn| timelines::tag(conn, feeds, reader, &asked, now, page)).await?;
    let page = app.marked(viewer.account, FilterContext::Public, page).await?;
    Ok(status_answers::statuses(&app, &request, &page))
}
