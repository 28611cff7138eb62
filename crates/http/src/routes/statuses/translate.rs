//! Translations of statuses.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::ReadStatuses;
use siskin_text::language;
use siskin_wire::translation;

use super::status_id;
use crate::{
    Authorized, Result, languages,
    limits::{self, Budget, Subject},
    params::Form,
};

/// Target language if the request, the account and the settings name none.
const FALLBACK: &str = "en";

#[derive(Debug, Deserialize)]
pub(super) struct TranslateParams {
    lang: Option<String>,
}

/// Translates a status. It requires an account: an application can be registered without one, and
/// each translation costs the operator money.
pub(super) async fn translate(
    app: Data<App>,
    viewer: Authorized<ReadStatuses>,
    id: Path<String>,
    request: HttpRequest,
    Form(params): Form<TranslateParams>,
) -> Result<HttpResponse> {
    let id = status_id(&id)?;
    limits::spend(&request, Budget::Translate, Subject::Account(viewer.account))?;
    let mut accepted = languages::accepted(request.headers()).into_iter();
    let accepted = accepted.find(|code| language::normalise(code).is_some());
    let own = app.settings().languages.split(',').find_map(language::normalise);
    let target = |locale: Option<String>| {
        let params = params.lang.filter(|code| !code.trim().is_empty()).or(locale);
        params.unwrap_or_else(|| accepted.or(own).unwrap_or(FALLBACK).to_owned())
    };
    let translated = app.translate(Some(viewer.account), id, target).await?;
    Ok(HttpResponse::Ok().json(translation::render(&translated)))
}
