//! `/api/v2/notifications`: groups of notifications.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{FilterContext, GroupKey};
use siskin_policy::{
    limits::{ACCOUNT_PAGE, UNREAD_COUNT},
    scopes::{ReadNotifications, ReadOrWriteNotifications, WriteNotifications},
};
use siskin_services::{
    Error as Domain,
    notifications::{self, GroupedKinds},
};
use siskin_wire::{account, count::Count, empty::Empty, notification_group::ExpandAccounts};
use validator::Validate;

use super::{Filter, MAX_NAMES};
use crate::{
    Authorized, Result,
    paging::{self, PageQuery},
    params::{Checked, Form},
    status_responses,
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v2/notifications", web::get().to(list))
        .route("/api/v2/notifications/unread_count", web::get().to(unread_count))
        .route("/api/v2/notifications/{group_key}", web::get().to(show))
        .route("/api/v2/notifications/{group_key}/accounts", web::get().to(accounts))
        .route("/api/v2/notifications/{group_key}/dismiss", web::post().to(dismiss));
}

#[derive(Debug, Deserialize, Validate)]
struct Grouping {
    #[serde(default)]
    #[validate(length(max = MAX_NAMES))]
    grouped_types: Vec<String>,
    expand_accounts: Option<String>,
}

impl Grouping {
    /// Returns which accounts the response contains as a whole.
    fn expand(&self) -> Result<ExpandAccounts, Domain> {
        match self.expand_accounts.as_deref().filter(|name| !name.is_empty()) {
            None => Ok(ExpandAccounts::default()),
            Some(name) => ExpandAccounts::from_name(name).ok_or_else(|| {
                Domain::invalid(
                    "Invalid parameter: expand_accounts must be full or partial_avatars",
                )
            }),
        }
    }
}

async fn list(
    app: web::Data<App>,
    viewer: Authorized<ReadNotifications>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
    Checked(filter): Checked<Filter>,
    Checked(grouping): Checked<Grouping>,
) -> Result<HttpResponse> {
    let (query, page, expand) = (filter.query(), page.request(ACCOUNT_PAGE)?, grouping.expand()?);
    let grouped = GroupedKinds::parse(&grouping.grouped_types);
    let now = app.now();
    let groups = app
        .read(move |conn| notifications::groups(conn, viewer.account, &query, &grouped, now, page))
        .await?;
    let groups = app.marked(Some(viewer.account), FilterContext::Notifications, groups).await?;
    Ok(status_responses::notification_groups(&app, &request, &groups, expand))
}

async fn unread_count(
    app: web::Data<App>,
    viewer: Authorized<ReadNotifications>,
    Form(page): Form<PageQuery>,
    Checked(filter): Checked<Filter>,
    Checked(grouping): Checked<Grouping>,
) -> Result<HttpResponse> {
    let (query, limit) = (filter.query(), page.request(UNREAD_COUNT)?.limit);
    let grouped = GroupedKinds::parse(&grouping.grouped_types);
    let now = app.now();
    let count = app
        .read(move |conn| {
            notifications::unread_groups(conn, viewer.account, &query, &grouped, now, limit)
        })
        .await?;
    Ok(HttpResponse::Ok().json(Count { count }))
}

async fn show(
    app: web::Data<App>,
    viewer: Authorized<ReadNotifications>,
    key: web::Path<String>,
) -> Result<HttpResponse> {
    let (key, now) = (key_of(&key)?, app.now());
    let group =
        app.read(move |conn| notifications::find_group(conn, viewer.account, key, now)).await?;
    let group = app.marked(Some(viewer.account), FilterContext::Notifications, group).await?;
    Ok(status_responses::notification_group(&app, &group))
}

async fn accounts(
    app: web::Data<App>,
    viewer: Authorized<ReadOrWriteNotifications>,
    key: web::Path<String>,
) -> Result<HttpResponse> {
    let (key, now) = (key_of(&key)?, app.now());
    let accounts = app
        .read(move |conn| notifications::accounts_of_group(conn, viewer.account, key, now))
        .await?;
    Ok(paging::list(&accounts, |account| account::render(account, app.urls())))
}

async fn dismiss(
    app: web::Data<App>,
    viewer: Authorized<WriteNotifications>,
    key: web::Path<String>,
) -> Result<HttpResponse> {
    let key = key_of(&key)?;
    while app.write(move |tx| notifications::dismiss_some_of_group(tx, viewer.account, key)).await?
    {
    }
    Ok(HttpResponse::Ok().json(Empty {}))
}

fn key_of(text: &str) -> Result<GroupKey, Domain> {
    text.parse().map_err(|_| Domain::NotFound)
}
