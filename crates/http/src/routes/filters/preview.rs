//! `/api/v2/filters/preview`, an extension of this server: see `docs/openapi/filters-preview.yaml`.

use actix_web::{HttpResponse, web::Data};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::FilterContext;
use siskin_policy::{
    limits::STATUS_PAGE,
    scopes::{ReadFilters, ReadStatuses},
};
use siskin_services::filters;

use super::forms::FilterForm;
use crate::{Authorized, Result, params::Form, status_responses};

#[derive(Debug, Deserialize)]
pub(super) struct PreviewParams {
    limit: Option<i64>,
}

pub(super) async fn preview(
    app: Data<App>,
    owner: Authorized<ReadFilters>,
    Form(form): Form<FilterForm>,
    Form(PreviewParams { limit }): Form<PreviewParams>,
) -> Result<HttpResponse> {
    // The preview shows statuses of the home timeline, so it needs their scope, too.
    owner.and::<ReadStatuses>()?;
    let prepared = filters::prepare_preview(form.draft()?)?;
    let phrases = prepared.phrases().to_vec();
    let (account, now, limit) = (owner.account, app.now(), STATUS_PAGE.clamp(limit));
    let read = app.read(move |conn| filters::preview(conn, account, &prepared, now, limit));
    let shown = app.marked(Some(account), FilterContext::Home, read.await?).await?;
    Ok(status_responses::filter_preview(&app, &shown, &phrases))
}
