//! `/api/v1/admin/trends`: everything that trends or would trend, and its review.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use siskin_app::App;
use siskin_entities::{FilterContext, Review};
use siskin_policy::{
    limits::{STATUS_PAGE, TREND_PAGE},
    roles::ManageTaxonomies,
    scopes::{AdminRead, AdminWrite},
};
use siskin_services::trends::{self, review};
use siskin_wire::{tag, trend};

use crate::{
    Result, Staff,
    paging::offset::{self, OffsetQuery},
    params::{Form, record_id},
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
        .route("/api/v1/admin/trends/tags/{id}/approve", web::post().to(review_tag::<Approve>))
        .route("/api/v1/admin/trends/tags/{id}/reject", web::post().to(review_tag::<Reject>))
        .route("/api/v1/admin/trends/links", web::get().to(links))
        .route("/api/v1/admin/trends/links/{id}/approve", web::post().to(review_link::<Approve>))
        .route("/api/v1/admin/trends/links/{id}/reject", web::post().to(review_link::<Reject>))
        .route("/api/v1/admin/trends/statuses", web::get().to(statuses))
        .route(
            "/api/v1/admin/trends/statuses/{id}/approve",
            web::post().to(review_status::<Approve>),
        )
        .route(
            "/api/v1/admin/trends/statuses/{id}/reject",
            web::post().to(review_status::<Reject>),
        );
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

/// What a path does with an entry.
trait Outcome {
    /// The result that is stored.
    const REVIEW: Review;
}

/// Lets an entry trend.
struct Approve;

impl Outcome for Approve {
    const REVIEW: Review = Review::Approved;
}

/// Keeps an entry from trending.
struct Reject;

impl Outcome for Reject {
    const REVIEW: Review = Review::Rejected;
}

async fn review_tag<O: Outcome>(
    app: Data<App>,
    staff: Reviewer,
    id: Path<String>,
) -> Result<HttpResponse> {
    let (id, actor) = (record_id(&id)?, staff.actor());
    let (now, settings, account) = (app.now(), app.settings(), staff.account());
    app.write(move |tx| review::review_tag(tx, actor, id, O::REVIEW)).await?;
    let tag = app.read(move |conn| review::tag(conn, &settings, account, id, now)).await?;
    Ok(HttpResponse::Ok().json(tag::render_for_staff(&tag, app.urls())))
}

async fn review_link<O: Outcome>(
    app: Data<App>,
    staff: Reviewer,
    id: Path<String>,
) -> Result<HttpResponse> {
    let (id, actor) = (record_id(&id)?, staff.actor());
    let (now, settings) = (app.now(), app.settings());
    let known = settings.clone();
    app.write(move |tx| review::review_link(tx, actor, &known, id, O::REVIEW)).await?;
    let link = app.read(move |conn| review::link(conn, &settings, id, now)).await?;
    Ok(HttpResponse::Ok().json(trend::render_for_staff(&link, app.urls())))
}

async fn review_status<O: Outcome>(
    app: Data<App>,
    staff: Reviewer,
    id: Path<String>,
) -> Result<HttpResponse> {
    let (id, actor) = (record_id(&id)?, staff.actor());
    let account = Some(staff.account());
    app.write(move |tx| review::review_status(tx, actor, id, O::REVIEW)).await?;
    let status = app.read(move |conn| review::status(conn, account, id)).await?;
    let status = app.marked(account, FilterContext::Public, status).await?;
    Ok(status_responses::status(&app, &status))
}
