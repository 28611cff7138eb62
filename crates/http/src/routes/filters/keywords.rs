//! Keywords of filters.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_ids::{AccountId, FilterId};
use siskin_persistence::Tx;
use siskin_policy::scopes::{ReadFilters, WriteFilters};
use siskin_services::{
    Error as Domain,
    filters::{self, WHOLE_WORD},
};
use siskin_wire::{empty::Empty, filter};

use crate::{
    Authorized, Result,
    params::{Form, Patch},
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct KeywordForm {
    keyword: Patch<String>,
    whole_word: Patch<bool>,
}

pub(super) async fn list(
    app: Data<App>,
    owner: Authorized<ReadFilters>,
    filter_id: Path<String>,
) -> Result<HttpResponse> {
    let found = app.read(move |conn| filters::find(conn, owner.account, &filter_id)).await?;
    Ok(HttpResponse::Ok().json(filter::render_keywords(&found.keywords)))
}

pub(super) async fn add(
    app: Data<App>,
    owner: Authorized<WriteFilters>,
    filter_id: Path<String>,
    Form(form): Form<KeywordForm>,
) -> Result<HttpResponse> {
    add_to(&app, owner.account, filter_id.into_inner(), form).await
}

/// Adds a keyword to a filter. The last id of the path is ignored: the keyword gets a new id.
pub(super) async fn add_by_id(
    app: Data<App>,
    owner: Authorized<WriteFilters>,
    ids: Path<(String, String)>,
    Form(form): Form<KeywordForm>,
) -> Result<HttpResponse> {
    let (filter_id, _) = ids.into_inner();
    add_to(&app, owner.account, filter_id, form).await
}

async fn add_to(
    app: &App,
    owner: AccountId,
    filter_id: String,
    form: KeywordForm,
) -> Result<HttpResponse> {
    // A missing filter takes precedence over errors in the keyword.
    filter_id.parse::<FilterId>().map_err(|_| Domain::NotFound)?;
    let whole_word = form.whole_word.or_cleared(WHOLE_WORD);
    let new = filters::prepare_keyword(form.keyword.or_default(), whole_word)?;
    let add = move |tx: &mut Tx<'_>, owner| filters::add_keyword(tx, owner, &filter_id, &new);
    let added = app.change_filters(owner, add).await?;
    Ok(HttpResponse::Ok().json(filter::render_keyword(&added)))
}

pub(super) async fn show(
    app: Data<App>,
    owner: Authorized<ReadFilters>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let found = app.read(move |conn| filters::find_keyword(conn, owner.account, &id)).await?;
    Ok(HttpResponse::Ok().json(filter::render_keyword(&found)))
}

pub(super) async fn change(
    app: Data<App>,
    owner: Authorized<WriteFilters>,
    id: Path<String>,
    Form(form): Form<KeywordForm>,
) -> Result<HttpResponse> {
    let keyword = form.keyword.or_default();
    let whole_word = form.whole_word.or_cleared(WHOLE_WORD);
    let change = move |tx: &mut Tx<'_>, owner| {
        filters::change_keyword(tx, owner, &id, keyword.as_deref(), whole_word)
    };
    let changed = app.change_filters(owner.account, change).await?;
    Ok(HttpResponse::Ok().json(filter::render_keyword(&changed)))
}

pub(super) async fn remove(
    app: Data<App>,
    owner: Authorized<WriteFilters>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let remove = move |tx: &mut Tx<'_>, owner| filters::remove_keyword(tx, owner, &id);
    app.change_filters(owner.account, remove).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
