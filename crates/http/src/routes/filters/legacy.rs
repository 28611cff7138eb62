//! API version 1: each keyword is a filter.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_persistence::Tx;
use siskin_policy::scopes::{ReadFilters, WriteFilters};
use siskin_services::{
    Error as Domain,
    filters::{self, LegacyDraft},
};
use siskin_wire::filter;

use super::forms::expiry;
use crate::{
    Authorized, Result,
    params::{Form, Patch},
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LegacyForm {
    phrase: Patch<String>,
    context: Patch<Vec<String>>,
    irreversible: Patch<bool>,
    whole_word: Patch<bool>,
    expires_in: Patch<i64>,
}

impl LegacyForm {
    fn draft(self) -> Result<LegacyDraft, Domain> {
        Ok(LegacyDraft {
            phrase: self.phrase.or_default(),
            contexts: self.context.or_default(),
            irreversible: self.irreversible.or_default(),
            whole_word: self.whole_word.or_default(),
            expiry: expiry(self.expires_in)?,
        })
    }
}

pub(super) async fn list(app: Data<App>, owner: Authorized<ReadFilters>) -> Result<HttpResponse> {
    let own = app.read(move |conn| filters::list_legacy(conn, owner.account)).await?;
    let own: Vec<_> = own.iter().map(filter::render_v1).collect();
    Ok(HttpResponse::Ok().json(own))
}

pub(super) async fn create(
    app: Data<App>,
    owner: Authorized<WriteFilters>,
    Form(form): Form<LegacyForm>,
) -> Result<HttpResponse> {
    let new = filters::prepare_new_legacy(form.draft()?)?;
    let create = move |tx: &mut Tx<'_>, owner| filters::create_legacy(tx, owner, &new);
    let created = app.change_filters(owner.account, create).await?;
    Ok(HttpResponse::Ok().json(filter::render_v1(&created)))
}

pub(super) async fn show(
    app: Data<App>,
    owner: Authorized<ReadFilters>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let found = app.read(move |conn| filters::find_legacy(conn, owner.account, &id)).await?;
    Ok(HttpResponse::Ok().json(filter::render_v1(&found)))
}

pub(super) async fn change(
    app: Data<App>,
    owner: Authorized<WriteFilters>,
    id: Path<String>,
    Form(form): Form<LegacyForm>,
) -> Result<HttpResponse> {
    let prepared = filters::prepare_legacy(form.draft()?)?;
    let change = move |tx: &mut Tx<'_>, owner| filters::change_legacy(tx, owner, &id, &prepared);
    let changed = app.change_filters(owner.account, change).await?;
    Ok(HttpResponse::Ok().json(filter::render_v1(&changed)))
}
