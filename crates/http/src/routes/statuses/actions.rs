//! Actions on statuses: the person's own and those of others.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{FilterContext, Status};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::Tx;
use siskin_policy::scopes::{
    WriteAccounts, WriteBookmarks, WriteFavourites, WriteMutes, WriteStatuses,
};
use siskin_services::{Error as Domain, statuses};

use super::status_id;
use crate::{
    Authorized, Result,
    limits::{self, Budget, Subject},
    params::Form,
    status_responses,
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DeleteParams {
    /// `true` if attachments are deleted at once instead of being kept for a redraft.
    delete_media: bool,
}

pub(super) async fn delete(
    request: HttpRequest,
    app: Data<App>,
    author: Authorized<WriteStatuses>,
    id: Path<String>,
    Form(params): Form<DeleteParams>,
) -> Result<HttpResponse> {
    limits::spend(&request, Budget::Delete, Subject::Account(author.account))?;
    let (id, and_media) = (status_id(&id)?, params.delete_media);
    let deleted = app.write(move |tx| statuses::delete(tx, author.account, id, and_media)).await?;
    let deleted = app.marked(Some(author.account), FilterContext::Thread, deleted).await?;
    Ok(status_responses::deleted(&app, &deleted))
}

pub(super) async fn favourite(
    app: Data<App>,
    person: Authorized<WriteFavourites>,
    id: Path<String>,
) -> Result<HttpResponse> {
    apply(app, person.account, &id, statuses::favourite).await
}

pub(super) async fn unfavourite(
    app: Data<App>,
    person: Authorized<WriteFavourites>,
    id: Path<String>,
) -> Result<HttpResponse> {
    undo(app, person.account, &id, statuses::unfavourite).await
}

pub(super) async fn bookmark(
    app: Data<App>,
    person: Authorized<WriteBookmarks>,
    id: Path<String>,
) -> Result<HttpResponse> {
    apply(app, person.account, &id, statuses::bookmark).await
}

pub(super) async fn unbookmark(
    app: Data<App>,
    person: Authorized<WriteBookmarks>,
    id: Path<String>,
) -> Result<HttpResponse> {
    undo(app, person.account, &id, statuses::unbookmark).await
}

pub(super) async fn pin(
    app: Data<App>,
    person: Authorized<WriteAccounts>,
    id: Path<String>,
) -> Result<HttpResponse> {
    apply(app, person.account, &id, statuses::pin).await
}

pub(super) async fn unpin(
    app: Data<App>,
    person: Authorized<WriteAccounts>,
    id: Path<String>,
) -> Result<HttpResponse> {
    apply(app, person.account, &id, statuses::unpin).await
}

pub(super) async fn mute(
    app: Data<App>,
    person: Authorized<WriteMutes>,
    id: Path<String>,
) -> Result<HttpResponse> {
    apply(app, person.account, &id, statuses::mute).await
}

pub(super) async fn unmute(
    app: Data<App>,
    person: Authorized<WriteMutes>,
    id: Path<String>,
) -> Result<HttpResponse> {
    undo(app, person.account, &id, statuses::unmute).await
}

#[derive(Debug, Deserialize)]
pub(super) struct ReblogForm {
    visibility: Option<String>,
}

pub(super) async fn reblog(
    app: Data<App>,
    person: Authorized<WriteStatuses>,
    id: Path<String>,
    Form(form): Form<ReblogForm>,
) -> Result<HttpResponse> {
    let visibility = form.visibility.as_deref().filter(|visibility| !visibility.is_empty());
    let params = statuses::prepare_reblog(status_id(&id)?, visibility, person.application)?;
    let urls = app.urls().clone();
    let reblog = app.write(move |tx| statuses::reblog(tx, &urls, person.account, &params)).await?;
    response(&app, person.account, reblog).await
}

pub(super) async fn unreblog(
    request: HttpRequest,
    app: Data<App>,
    person: Authorized<WriteStatuses>,
    id: Path<String>,
) -> Result<HttpResponse> {
    limits::spend(&request, Budget::Delete, Subject::Account(person.account))?;
    undo(app, person.account, &id, statuses::unreblog).await
}

/// Performs an action on a status and returns the status.
async fn apply(
    app: Data<App>,
    person: AccountId,
    id: &str,
    action: fn(&mut Tx<'_>, AccountId, StatusId) -> Result<Status, Domain>,
) -> Result<HttpResponse> {
    let id = status_id(id)?;
    let status = app.write(move |tx| action(tx, person, id)).await?;
    response(&app, person, status).await
}

/// Undoes an action. It succeeds even if the status is no longer visible to the person.
async fn undo(
    app: Data<App>,
    person: AccountId,
    id: &str,
    action: fn(&mut Tx<'_>, AccountId, StatusId) -> Result<Option<Status>, Domain>,
) -> Result<HttpResponse> {
    let id = status_id(id)?;
    let status = app.write(move |tx| action(tx, person, id)).await?;
    response(&app, person, status.ok_or(Domain::NotFound)?).await
}

pub(super) async fn response(app: &App, person: AccountId, status: Status) -> Result<HttpResponse> {
    let status = app.marked(Some(person), FilterContext::Thread, status).await?;
    Ok(status_responses::status(app, &status))
}
