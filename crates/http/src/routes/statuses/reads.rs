//! Reading a status, its thread, the accounts that reacted to it, and the statuses of a profile.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::FilterContext;
use siskin_policy::{
    limits::{ACCOUNT_PAGE, STATUS_PAGE},
    scopes::ReadStatuses,
};
use siskin_services::statuses::{self, ProfileRequest};
use siskin_wire::source;

use super::{account_id, status_id};
use crate::{
    AnyToken, Optional, Result, account_responses,
    paging::{PageQuery, Previous},
    params::Form,
    status_responses,
};

pub(super) async fn show(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let id = status_id(&id)?;
    let status = app.read(move |conn| statuses::find(conn, viewer.account, id)).await?;
    let status = app.marked(viewer.account, FilterContext::Thread, status).await?;
    Ok(status_responses::status(&app, &status))
}

#[derive(Debug, Deserialize)]
pub(super) struct StatusesParams {
    #[serde(default)]
    id: Vec<String>,
}

pub(super) async fn find_many(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    Form(StatusesParams { id }): Form<StatusesParams>,
) -> Result<HttpResponse> {
    let statuses = app.read(move |conn| statuses::find_many(conn, viewer.account, &id)).await?;
    let statuses = app.marked(viewer.account, FilterContext::Thread, statuses).await?;
    Ok(status_responses::find_many(&app, &statuses))
}

pub(super) async fn context(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let (id, now) = (status_id(&id)?, app.now());
    let thread = app.read(move |conn| statuses::context(conn, viewer.account, id, now)).await?;
    let thread = app.marked(viewer.account, FilterContext::Thread, thread).await?;
    Ok(status_responses::thread(&app, &thread))
}

/// Returns the source text of a status, for editing. Applications without an account may read it,
/// too.
pub(super) async fn source(
    app: Data<App>,
    viewer: AnyToken<ReadStatuses>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let user = viewer.caller.user;
    user.map_or(Ok(()), |user| user.state.require_active())?;
    let (id, viewer) = (status_id(&id)?, user.map(|user| user.account));
    let status = app.read(move |conn| statuses::find(conn, viewer, id)).await?;
    Ok(HttpResponse::Ok().json(source::render(&status)))
}

pub(super) async fn favourited_by(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    id: Path<String>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (id, now, page) = (status_id(&id)?, app.now(), page.request(ACCOUNT_PAGE)?);
    let page =
        app.read(move |conn| statuses::favourited_by(conn, viewer.account, id, now, page)).await?;
    Ok(account_responses::accounts(&app, &request, &page))
}

pub(super) async fn reblogged_by(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    id: Path<String>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (id, now, page) = (status_id(&id)?, app.now(), page.request(ACCOUNT_PAGE)?);
    let page =
        app.read(move |conn| statuses::reblogged_by(conn, viewer.account, id, now, page)).await?;
    Ok(account_responses::accounts(&app, &request, &page))
}

#[derive(Debug, Deserialize)]
#[serde(default)]
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a parameter of its own")]
pub(super) struct ProfileQuery {
    exclude_replies: bool,
    exclude_reblogs: bool,
    only_media: bool,
    pinned: bool,
    tagged: Option<String>,
}

pub(super) async fn of_account(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    id: Path<String>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
    Form(params): Form<ProfileQuery>,
) -> Result<HttpResponse> {
    let (id, now, page) = (account_id(&id)?, app.now(), page.request(STATUS_PAGE)?);
    let params = ProfileRequest {
        exclude_replies: params.exclude_replies,
        exclude_reblogs: params.exclude_reblogs,
        only_media: params.only_media,
        pinned: params.pinned,
        tagged: params.tagged.filter(|name| !name.is_empty()),
    };
    let page = app
        .read(move |conn| statuses::of_account(conn, viewer.account, id, &params, now, page))
        .await?;
    let page = app.marked(viewer.account, FilterContext::Account, page).await?;
    Ok(status_responses::statuses(&app, &request, &page, Previous::MinId))
}
