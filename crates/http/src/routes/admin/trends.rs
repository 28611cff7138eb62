//! `/api/v1/admin/trends`: everything that trends or would trend, and its review.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use siskin_app::App;
use siskin_entities::{Actor, FilterContext, Review};
use siskin_ids::{PreviewCardId, StatusId, TagId};
use siskin_policy::{
    limits::{STATUS_PAGE, TREND_PAGE},
    roles::ManageTaxonomies,
    scopes::{AdminRead, AdminWrite},
};
use siskin_services::{
    Error as Domain,
    trends::{self, review},
};
use siskin_wire::{tag, trend};

use crate::{
    Result, Staff,
    paging::offset::{self, OffsetQuery},
    params::Form,
    status_responses,
    table::Table,
};

/// A caller who may read what trends.
type Reader = Staff<AdminRead, ManageTaxonomies>;
/// A caller who may review what trends.
type Reviewer = Staff<AdminWrite, ManageTaxonomies>;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/trends/tags", web::get().to(tags))
        .route("/api/v1/admin/trends/tags/{id}/approve", web::post().to(approve_tag))
        .route("/api/v1/admin/trends/tags/{id}/reject", web::post().to(reject_tag))
        .route("/api/v1/admin/trends/links", web::get().to(links))
        .route("/api/v1/admin/trends/links/{id}/approve", web::post().to(approve_link))
        .route("/api/v1/admin/trends/links/{id}/reject", web::post().to(reject_link))
        .route("/api/v1/admin/trends/statuses", web::get().to(statuses))
        .route("/api/v1/admin/trends/statuses/{id}/approve", web::post().to(approve_status))
        .route("/api/v1/admin/trends/statuses/{id}/reject", web::post().to(reject_status));
}

async fn tags(
    app: Data<App>,
    staff: Reader,
    request: HttpRequest,
    Form(query): Form<OffsetQuery>,
) -> Result<HttpResponse> {
    let (now, settings, page) = (app.now(), app.settings(), query.page(TREND_PAGE)?);
    let account = staff.account();
    let found = app.read(move |conn| trends::all_tags(conn, &settings, account, page, now)).await?;
    let render = |one: &_| tag::render_for_staff(one, app.urls());
    Ok(offset::response(&request, app.urls(), page, &found, render))
}

async fn links(
    app: Data<App>,
    _: Reader,
    request: HttpRequest,
    Form(query): Form<OffsetQuery>,
) -> Result<HttpResponse> {
    let (now, settings, page) = (app.now(), app.settings(), query.page(TREND_PAGE)?);
    let found = app.read(move |conn| trends::all_links(conn, &settings, page, now)).await?;
    let render = |one: &_| trend::render_for_staff(one, app.urls());
    Ok(offset::response(&request, app.urls(), page, &found, render))
}

async fn statuses(
    app: Data<App>,
    staff: Reader,
    request: HttpRequest,
    Form(query): Form<OffsetQuery>,
) -> Result<HttpResponse> {
    let (now, page, account) = (app.now(), query.page(STATUS_PAGE)?, staff.account());
    let found = app.read(move |conn| trends::all_statuses(conn, account, page, now)).await?;
    let has_more = found.has_more;
    let found = app.marked(Some(account), FilterContext::Public, found.items).await?;
    let response = status_responses::find_many(&app, &found);
    Ok(offset::with_links(response, &request, app.urls(), page, has_more))
}

async fn approve_tag(app: Data<App>, staff: Reviewer, id: Path<String>) -> Result<HttpResponse> {
    review_tag(&app, staff, &id, Review::Approved).await
}

async fn reject_tag(app: Data<App>, staff: Reviewer, id: Path<String>) -> Result<HttpResponse> {
    review_tag(&app, staff, &id, Review::Rejected).await
}

async fn review_tag(app: &App, staff: Reviewer, id: &str, result: Review) -> Result<HttpResponse> {
    let id: TagId = id.parse().map_err(|_| Domain::NotFound)?;
    let (now, settings, account) = (app.now(), app.settings(), staff.account());
    let actor = Actor::Staff(account);
    app.write(move |tx| review::review_tag(tx, actor, id, result)).await?;
    let tag = app.read(move |conn| review::tag(conn, &settings, account, id, now)).await?;
    Ok(HttpResponse::Ok().json(tag::render_for_staff(&tag, app.urls())))
}

async fn approve_link(app: Data<App>, staff: Reviewer, id: Path<String>) -> Result<HttpResponse> {
    review_link(&app, &staff, &id, Review::Approved).await
}

async fn reject_link(app: Data<App>, staff: Reviewer, id: Path<String>) -> Result<HttpResponse> {
    review_link(&app, &staff, &id, Review::Rejected).await
}

async fn review_link(
    app: &App,
    staff: &Reviewer,
    id: &str,
    result: Review,
) -> Result<HttpResponse> {
    let id: PreviewCardId = id.parse().map_err(|_| Domain::NotFound)?;
    let (now, settings, actor) = (app.now(), app.settings(), Actor::Staff(staff.account()));
    let known = settings.clone();
    app.write(move |tx| review::review_link(tx, actor, &known, id, result)).await?;
    let link = app.read(move |conn| review::link(conn, &settings, id, now)).await?;
    Ok(HttpResponse::Ok().json(trend::render_for_staff(&link, app.urls())))
}

async fn approve_status(app: Data<App>, staff: Reviewer, id: Path<String>) -> Result<HttpResponse> {
    review_status(&app, staff, &id, Review::Approved).await
}

async fn reject_status(app: Data<App>, staff: Reviewer, id: Path<String>) -> Result<HttpResponse> {
    review_status(&app, staff, &id, Review::Rejected).await
}

async fn review_status(
    app: &App,
    staff: Reviewer,
    id: &str,
    result: Review,
) -> Result<HttpResponse> {
    let id: StatusId = id.parse().map_err(|_| Domain::NotFound)?;
    let (account, actor) = (Some(staff.account()), Actor::Staff(staff.account()));
    app.write(move |tx| review::review_status(tx, actor, id, result)).await?;
    let status = app.read(move |conn| review::status(conn, account, id)).await?;
    let status = app.marked(account, FilterContext::Public, status).await?;
    Ok(status_responses::status(app, &status))
}
