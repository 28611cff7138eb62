//! `/api/v1/notifications`, and below it in modules: groups, policies
//! and requests.

mod groups;
mod policy;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::FilterContext;
use siskin_ids::NotificationId;
use siskin_policy::{
    limits::{ACCOUNT_PAGE, UNREAD_COUNT},
    scopes::{ReadNotifications, WriteNotifications},
};
use siskin_services::{Error as Domain, notifications};
use siskin_wire::{count::Count, empty::Empty};
use validator::Validate;

use crate::{
    Authorized, Result,
    paging::PageQuery,
    params::{Checked, Form},
    status_responses,
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        // Paths without an id come before those with one.
        .configure(policy::configure)
        .configure(groups::configure)
        .route("/api/v1/notifications", web::get().to(list))
        .route("/api/v1/notifications/clear", web::post().to(clear))
        .route("/api/v1/notifications/unread_count", web::get().to(unread_count))
        .route("/api/v1/notifications/{id}", web::get().to(show))
        .route("/api/v1/notifications/{id}/dismiss", web::post().to(dismiss));
}

/// Maximum number of notification types in one request. The API has fewer than a quarter as many.
const MAX_NAMES: u64 = 100;

#[derive(Debug, Deserialize, Validate)]
struct Filter {
    #[serde(default)]
    #[validate(length(max = MAX_NAMES))]
    types: Vec<String>,
    #[serde(default)]
    #[validate(length(max = MAX_NAMES))]
    exclude_types: Vec<String>,
    account_id: Option<String>,
    #[serde(default)]
    include_filtered: bool,
}

impl Filter {
    fn query(self) -> notifications::Query {
        notifications::Query {
            types: self.types,
            exclude_types: self.exclude_types,
            account: self.account_id,
            with_filtered: self.include_filtered,
        }
    }
}

async fn list(
    app: web::Data<App>,
    viewer: Authorized<ReadNotifications>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
    Checked(filter): Checked<Filter>,
) -> Result<HttpResponse> {
    let query = filter.query();
    let page = page.request(ACCOUNT_PAGE)?;
    let now = app.now();
    let page =
        app.read(move |conn| notifications::list(conn, viewer.account, &query, now, page)).await?;
    let page = app.marked(Some(viewer.account), FilterContext::Notifications, page).await?;
    Ok(status_responses::notifications(&app, &request, &page))
}

async fn unread_count(
    app: web::Data<App>,
    viewer: Authorized<ReadNotifications>,
    Form(page): Form<PageQuery>,
    Checked(filter): Checked<Filter>,
) -> Result<HttpResponse> {
    let query = filter.query();
    let (now, limit) = (app.now(), page.request(UNREAD_COUNT)?.limit);
    let count = app
        .read(move |conn| notifications::unread(conn, viewer.account, &query, now, limit))
        .await?;
    Ok(HttpResponse::Ok().json(Count { count }))
}

async fn show(
    app: web::Data<App>,
    viewer: Authorized<ReadNotifications>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    let id = id_of(&id)?;
    let now = app.now();
    let found = app.read(move |conn| notifications::find(conn, viewer.account, id, now)).await?;
    let found = app.marked(Some(viewer.account), FilterContext::Notifications, found).await?;
    Ok(status_responses::notification(&app, &found))
}

async fn clear(
    app: web::Data<App>,
    viewer: Authorized<WriteNotifications>,
) -> Result<HttpResponse> {
    while app.write(move |tx| notifications::clear_some(tx, viewer.account)).await? {}
    Ok(HttpResponse::Ok().json(Empty {}))
}

async fn dismiss(
    app: web::Data<App>,
    viewer: Authorized<WriteNotifications>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    let id = id_of(&id)?;
    app.write(move |tx| notifications::dismiss(tx, viewer.account, id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

fn id_of(text: &str) -> Result<NotificationId, Domain> {
    text.parse().map_err(|_| Domain::NotFound)
}
