//! `/api/v2/notifications/policy` and `/api/v1/notifications/requests`: what happens to
//! notifications by senders that the recipient may not know.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{FilterContext, PolicyAction, PolicyRule};
use siskin_ids::{AccountId, NotificationRequestId};
use siskin_policy::{
    limits::ACCOUNT_PAGE,
    scopes::{ReadNotifications, WriteNotifications},
};
use siskin_services::{
    Error as Domain,
    notifications::{self, Decision},
};
use siskin_wire::{
    empty::Empty,
    notification_policy::{Merged, render},
};
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
        .route("/api/v2/notifications/policy", web::get().to(show))
        .route("/api/v2/notifications/policy", web::patch().to(update))
        .route("/api/v2/notifications/policy", web::put().to(update))
        .route("/api/v1/notifications/requests", web::get().to(requests))
        .route("/api/v1/notifications/requests/merged", web::get().to(merged))
        .route("/api/v1/notifications/requests/accept", web::post().to(accept_all))
        .route("/api/v1/notifications/requests/dismiss", web::post().to(dismiss_all))
        .route("/api/v1/notifications/requests/{id}", web::get().to(request))
        .route("/api/v1/notifications/requests/{id}/accept", web::post().to(accept))
        .route("/api/v1/notifications/requests/{id}/dismiss", web::post().to(dismiss));
}

/// Maximum number of requests that one call decides.
const MAX_IDS: u64 = 1000;

async fn show(app: web::Data<App>, viewer: Authorized<ReadNotifications>) -> Result<HttpResponse> {
    with_pending(&app, viewer.account).await
}

async fn with_pending(app: &App, account: AccountId) -> Result<HttpResponse> {
    let now = app.now();
    let read = app.read(move |conn| {
        let pending = notifications::pending(conn, account, now)?;
        Ok((notifications::policy(conn, account)?, pending))
    });
    let (policy, pending) = read.await?;
    Ok(HttpResponse::Ok().json(render(&policy, pending)))
}

#[derive(Debug, Deserialize)]
struct Update {
    for_not_following: Option<String>,
    for_not_followers: Option<String>,
    for_new_accounts: Option<String>,
    for_private_mentions: Option<String>,
    for_limited_accounts: Option<String>,
}

impl Update {
    fn actions(&self) -> Result<Vec<(PolicyRule, PolicyAction)>, Domain> {
        let named = |rule| match rule {
            PolicyRule::NotFollowing => &self.for_not_following,
            PolicyRule::NotFollowers => &self.for_not_followers,
            PolicyRule::NewAccounts => &self.for_new_accounts,
            PolicyRule::PrivateMentions => &self.for_private_mentions,
            PolicyRule::LimitedAccounts => &self.for_limited_accounts,
        };
        let sent = PolicyRule::ALL.into_iter().filter_map(|rule| {
            let name = named(rule).as_deref().filter(|name| !name.is_empty())?;
            Some((rule, name))
        });
        sent.map(|(rule, name)| Ok((rule, notifications::parse_action(rule, name)?))).collect()
    }
}

async fn update(
    app: web::Data<App>,
    viewer: Authorized<WriteNotifications>,
    Form(update): Form<Update>,
) -> Result<HttpResponse> {
    let actions = update.actions()?;
    app.write(move |tx| notifications::set_policy(tx, viewer.account, &actions)).await?;
    with_pending(&app, viewer.account).await
}

async fn requests(
    app: web::Data<App>,
    viewer: Authorized<ReadNotifications>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (page, now) = (page.request(ACCOUNT_PAGE)?, app.now());
    let page =
        app.read(move |conn| notifications::requests(conn, viewer.account, now, page)).await?;
    let page = app.marked(Some(viewer.account), FilterContext::Notifications, page).await?;
    Ok(status_responses::notification_requests(&app, &request, &page))
}

async fn request(
    app: web::Data<App>,
    viewer: Authorized<ReadNotifications>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    let (id, now) = (id_of(&id)?, app.now());
    let found =
        app.read(move |conn| notifications::find_request(conn, viewer.account, id, now)).await?;
    let found = app.marked(Some(viewer.account), FilterContext::Notifications, found).await?;
    Ok(status_responses::notification_request(&app, &found))
}

/// Answers that no acceptance is in progress: the response to an acceptance is sent after its
/// notifications have moved.
async fn merged(_viewer: Authorized<ReadNotifications>) -> Result<HttpResponse> {
    Ok(HttpResponse::Ok().json(Merged { merged: true }))
}

async fn accept(
    app: web::Data<App>,
    viewer: Authorized<WriteNotifications>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    decide_one(&app, viewer.account, &id, Decision::Accept).await
}

async fn dismiss(
    app: web::Data<App>,
    viewer: Authorized<WriteNotifications>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    decide_one(&app, viewer.account, &id, Decision::Dismiss).await
}

async fn decide_one(
    app: &App,
    account: AccountId,
    id: &str,
    decision: Decision,
) -> Result<HttpResponse> {
    let id = id_of(id)?;
    app.read(move |conn| notifications::check_request(conn, account, id)).await?;
    decide(app, account, vec![id], decision).await
}

#[derive(Debug, Deserialize, Validate)]
struct Ids {
    #[serde(default)]
    #[validate(length(max = MAX_IDS))]
    id: Vec<String>,
}

impl Ids {
    /// Returns the ids. A text that is no id is ignored like an unknown id.
    fn parsed(&self) -> Vec<NotificationRequestId> {
        self.id.iter().filter_map(|id| id.parse().ok()).collect()
    }
}

async fn accept_all(
    app: web::Data<App>,
    viewer: Authorized<WriteNotifications>,
    Checked(ids): Checked<Ids>,
) -> Result<HttpResponse> {
    decide(&app, viewer.account, ids.parsed(), Decision::Accept).await
}

async fn dismiss_all(
    app: web::Data<App>,
    viewer: Authorized<WriteNotifications>,
    Checked(ids): Checked<Ids>,
) -> Result<HttpResponse> {
    decide(&app, viewer.account, ids.parsed(), Decision::Dismiss).await
}

async fn decide(
    app: &App,
    account: AccountId,
    ids: Vec<NotificationRequestId>,
    decision: Decision,
) -> Result<HttpResponse> {
    let ids: Arc<[NotificationRequestId]> = ids.into();
    loop {
        let ids = Arc::clone(&ids);
        let more = app.write(move |tx| notifications::decide_some(tx, account, &ids, decision));
        if !more.await? {
            return Ok(HttpResponse::Ok().json(Empty {}));
        }
    }
}

fn id_of(text: &str) -> Result<NotificationRequestId, Domain> {
    text.parse().map_err(|_| Domain::NotFound)
}
