//! Suggestions of accounts to follow.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::Suggestion;
use siskin_ids::AccountId;
use siskin_policy::{limits::ACCOUNT_PAGE, scopes::Read};
use siskin_services::suggestions::{self, Picks};
use siskin_wire::{account, empty::Empty, suggestion};

use crate::{Authorized, Result, paging, params::Form, table::Table};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/suggestions", web::get().to(accounts))
        .route("/api/v1/suggestions/{account_id}", web::delete().to(dismiss))
        .route("/api/v2/suggestions", web::get().to(list));
}

#[derive(Debug, Deserialize)]
struct SuggestionsParams {
    limit: Option<String>,
}

async fn list(
    app: web::Data<App>,
    viewer: Authorized<Read>,
    Form(params): Form<SuggestionsParams>,
) -> Result<HttpResponse> {
    let found = suggested(&app, viewer.account, &params).await?;
    Ok(paging::list(&found, |one| suggestion::render(one, app.urls())))
}

/// Serves the older version, which has no reasons.
async fn accounts(
    app: web::Data<App>,
    viewer: Authorized<Read>,
    Form(params): Form<SuggestionsParams>,
) -> Result<HttpResponse> {
    let found = suggested(&app, viewer.account, &params).await?;
    Ok(paging::list(&found, |one| account::render(&one.account, app.urls())))
}

async fn suggested(
    app: &App,
    viewer: AccountId,
    params: &SuggestionsParams,
) -> Result<Vec<Suggestion>> {
    let limit = params.limit.as_deref().and_then(|limit| limit.trim().parse().ok());
    let limit = usize::try_from(ACCOUNT_PAGE.clamp(limit)).unwrap_or(0);
    let (picks, now) = (Picks::read(&app.settings(), app.urls()), app.now());
    Ok(app.read(move |conn| suggestions::list(conn, &picks, viewer, now, limit)).await?)
}

async fn dismiss(
    app: web::Data<App>,
    viewer: Authorized<Read>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    app.write(move |tx| suggestions::dismiss(tx, viewer.account, &id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
