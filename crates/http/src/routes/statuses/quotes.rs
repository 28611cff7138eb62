//! Quotes of a status: their list, their withdrawal, and who may quote.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::FilterContext;
use siskin_policy::{
    limits::STATUS_PAGE,
    scopes::{ReadStatuses, WriteStatuses},
};
use siskin_services::statuses;

use super::{actions::response, status_id};
use crate::{
    Authorized, Result,
    limits::{self, Budget, Subject},
    paging::{PageQuery, Previous},
    params::{Form, chosen},
    status_responses,
};

pub(super) async fn list(
    app: Data<App>,
    person: Authorized<ReadStatuses>,
    id: Path<String>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (id, now, page) = (status_id(&id)?, app.now(), page.request(STATUS_PAGE)?);
    let viewer = person.account;
    let page = app.read(move |conn| statuses::quotes(conn, viewer, id, now, page)).await?;
    let page = app.marked(Some(viewer), FilterContext::Thread, page).await?;
    Ok(status_responses::statuses(&app, &request, &page, Previous::SinceId))
}

pub(super) async fn revoke(
    app: Data<App>,
    person: Authorized<WriteStatuses>,
    ids: Path<(String, String)>,
) -> Result<HttpResponse> {
    let (id, quote) = ids.into_inner();
    let (id, quote, account) = (status_id(&id)?, status_id(&quote)?, person.account);
    let status = app.write(move |tx| statuses::revoke_quote(tx, account, id, quote)).await?;
    response(&app, account, status).await
}

#[derive(Debug, Deserialize)]
pub(super) struct PolicyForm {
    quote_approval_policy: Option<String>,
}

pub(super) async fn set_policy(
    app: Data<App>,
    person: Authorized<WriteStatuses>,
    id: Path<String>,
    request: HttpRequest,
    Form(form): Form<PolicyForm>,
) -> Result<HttpResponse> {
    limits::spend(&request, Budget::Edit, Subject::Account(person.account))?;
    let (id, account) = (status_id(&id)?, person.account);
    let chosen = chosen(form.quote_approval_policy);
    let status =
        app.write(move |tx| statuses::set_quote_policy(tx, account, id, chosen.as_deref())).await?;
    response(&app, account, status).await
}
