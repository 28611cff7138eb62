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
    feeds::FeedPage,
    timelines::{self, Origin, TagRequest, TimelineFilter},
};

use crate::{
    Authorized, Optional, Result,
    paging::{PageQuery, Previous},
    params::Form,
    status_responses,
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/timelines/home", web::get().to(home))
        .route("/api/v1/timelines/link", web::get().to(link))
        .route("/api/v1/timelines/list/{list_id}", web::get().to(list))
        .route("/api/v1/timelines/public", web::get().to(public))
        .route("/api/v1/timelines/tag/{hashtag}", web::get().to(tag));
}

async fn home(
    app: Data<App>,
    caller: Authorized<ReadStatuses>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (now, page) = (app.now(), page.request(STATUS_PAGE)?);
    let own = app.read(move |conn| timelines::home(conn, caller.account, now, page)).await?;
    response(&app, &request, caller.account, own).await
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
    response(&app, &request, owner.account, own).await
}

/// Returns a page of the home or a list timeline. The status is 206 while its feed is being
/// rebuilt, although the page itself is complete.
async fn response(
    app: &App,
    request: &HttpRequest,
    caller: AccountId,
    own: FeedPage,
) -> Result<HttpResponse> {
    app.maintain_feed(own.feed);
    let page = app.marked(Some(caller), FilterContext::Home, own.page).await?;
    let mut response = status_responses::statuses(app, request, &page, Previous::MinId);
    if own.feed.is_regenerating() {
        response.head_mut().status = StatusCode::PARTIAL_CONTENT;
    }
    Ok(response)
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
    fn filter(&self) -> TimelineFilter {
        let origin = match (self.local, self.remote) {
            (true, _) => Origin::Local,
            (false, true) => Origin::Remote,
            (false, false) => Origin::Anywhere,
        };
        TimelineFilter { origin, only_media: self.only_media }
    }
}

async fn public(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
    Form(filter): Form<NarrowingQuery>,
) -> Result<HttpResponse> {
    let (now, page) = (app.now(), page.request(STATUS_PAGE)?);
    let (filter, feeds) = (filter.filter(), Feeds::of(&app.settings()));
    let caller = viewer.account;
    let page =
        app.read(move |conn| timelines::public(conn, feeds, caller, filter, now, page)).await?;
    let page = app.marked(viewer.account, FilterContext::Public, page).await?;
    Ok(status_responses::statuses(&app, &request, &page, Previous::MinId))
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
    Form(filter): Form<NarrowingQuery>,
    Form(tags): Form<TagQuery>,
) -> Result<HttpResponse> {
    let (now, page) = (app.now(), page.request(STATUS_PAGE)?);
    let params = TagRequest {
        name: name.into_inner(),
        any: tags.any,
        all: tags.all,
        none: tags.none,
        filter: filter.filter(),
    };
    let (feeds, caller) = (Feeds::of(&app.settings()), viewer.account);
    let page =
        app.read(move |conn| timelines::tag(conn, feeds, caller, &params, now, page)).await?;
    let page = app.marked(viewer.account, FilterContext::Public, page).await?;
    Ok(status_responses::statuses(&app, &request, &page, Previous::MinId))
}

#[derive(Debug, Deserialize)]
struct LinkQuery {
    url: String,
}

/// Returns the statuses that link to a page. A page that does not trend has no timeline (404).
async fn link(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
    Form(LinkQuery { url }): Form<LinkQuery>,
) -> Result<HttpResponse> {
    let (now, settings, page) = (app.now(), app.settings(), page.request(STATUS_PAGE)?);
    let caller = viewer.account;
    let page =
        app.read(move |conn| timelines::link(conn, &settings, caller, &url, now, page)).await?;
    let page = app.marked(viewer.account, FilterContext::Public, page).await?;
    Ok(status_responses::statuses(&app, &request, &page, Previous::MinId))
}
