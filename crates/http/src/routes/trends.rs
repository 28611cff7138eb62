//! `/api/v1/trends`: trending hashtags, links and statuses.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data},
};
use siskin_app::App;
use siskin_entities::FilterContext;
use siskin_policy::{
    limits::{STATUS_PAGE, TREND_PAGE},
    scopes::ReadStatuses,
};
use siskin_services::trends;
use siskin_wire::{tag, trend};

use crate::{
    Optional, Result,
    paging::offset::{self, OffsetQuery},
    params::Form,
    status_responses,
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        // The former name of the list of hashtags.
        .route("/api/v1/trends", web::get().to(tags))
        .route("/api/v1/trends/tags", web::get().to(tags))
        .route("/api/v1/trends/links", web::get().to(links))
        .route("/api/v1/trends/statuses", web::get().to(statuses));
}

async fn tags(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    request: HttpRequest,
    Form(query): Form<OffsetQuery>,
) -> Result<HttpResponse> {
    let (now, settings, page) = (app.now(), app.settings(), query.page(TREND_PAGE)?);
    let found =
        app.read(move |conn| trends::tags(conn, &settings, viewer.account, page, now)).await?;
    Ok(offset::response(&request, app.urls(), page, &found, |one| tag::render(one, app.urls())))
}

async fn links(
    app: Data<App>,
    _: Optional<ReadStatuses>,
    request: HttpRequest,
    Form(query): Form<OffsetQuery>,
) -> Result<HttpResponse> {
    let (now, settings, page) = (app.now(), app.settings(), query.page(TREND_PAGE)?);
    let found = app.read(move |conn| trends::links(conn, &settings, page, now)).await?;
    Ok(offset::response(&request, app.urls(), page, &found, |one| trend::render(one, app.urls())))
}

async fn statuses(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    request: HttpRequest,
    Form(query): Form<OffsetQuery>,
) -> Result<HttpResponse> {
    let (now, settings, page) = (app.now(), app.settings(), query.page(STATUS_PAGE)?);
    let caller = viewer.account;
    let found = app.read(move |conn| trends::statuses(conn, &settings, caller, page, now)).await?;
    let has_more = found.has_more;
    let found = app.marked(caller, FilterContext::Public, found.items).await?;
    let response = status_responses::find_many(&app, &found);
    Ok(offset::with_links(response, &request, app.urls(), page, has_more))
}
