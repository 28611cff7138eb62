//! One's own account.

use actix_web::{HttpResponse, web, web::Bytes};
use serde::Deserialize;
use siskin_app::{App, Uploads};
use siskin_ids::AccountId;
use siskin_policy::scopes::{ProfileOrReadAccounts, WriteAccounts};
use siskin_services::{
    Error as Domain,
    accounts::{
        self,
        profile::{self, Changes, NewField, Place},
    },
};
use siskin_wire::account::render_own;

use crate::{
    Authorized, Result,
    params::{Form, Params},
};

pub(super) async fn verify(
    app: web::Data<App>,
    person: Authorized<ProfileOrReadAccounts>,
) -> Result<HttpResponse> {
    own(&app, person.account).await
}

pub(super) async fn update(
    app: web::Data<App>,
    person: Authorized<WriteAccounts>,
    params: Params,
    Form(update): Form<Update>,
) -> Result<HttpResponse> {
    refuse_what_comes_later(&update)?;
    let changes = profile::prepare(&app.settings(), update.into())?;
    let uploads = Uploads { avatar: file(&params, "avatar")?, header: file(&params, "header")? };
    app.change_profile(person.account, changes, uploads).await?;
    own(&app, person.account).await
}

/// The bytes of an upload. Text in its place, such as a `data:` address, is none.
fn file(params: &Params, name: &str) -> Result<Option<Bytes>> {
    let file = params.file(name).map_err(|error| Domain::invalid(error.to_string()))?;
    Ok(file.map(|file| file.content.clone()))
}

pub(super) async fn remove_avatar(
    app: web::Data<App>,
    person: Authorized<WriteAccounts>,
) -> Result<HttpResponse> {
    remove(&app, person.account, Place::Avatar).await
}

pub(super) async fn remove_header(
    app: web::Data<App>,
    person: Authorized<WriteAccounts>,
) -> Result<HttpResponse> {
    remove(&app, person.account, Place::Header).await
}

async fn remove(app: &App, account: AccountId, place: Place) -> Result<HttpResponse> {
    app.write(move |tx| profile::remove_picture(tx, account, place)).await?;
    own(app, account).await
}

async fn own(app: &App, account: AccountId) -> Result<HttpResponse> {
    let (account, credentials) = app.read(move |conn| accounts::own(conn, account)).await?;
    Ok(HttpResponse::Ok().json(render_own(&account, &credentials, app.urls())))
}

#[derive(Debug, Deserialize)]
pub(super) struct Update {
    display_name: Option<String>,
    note: Option<String>,
    locked: Option<bool>,
    bot: Option<bool>,
    discoverable: Option<bool>,
    indexable: Option<bool>,
    hide_collections: Option<bool>,
    avatar_description: Option<String>,
    header_description: Option<String>,
    fields_attributes: Option<Vec<FieldForm>>,
    attribution_domains: Option<Vec<String>>,
    #[serde(default)]
    source: SourceForm,
}

#[derive(Debug, Deserialize)]
struct FieldForm {
    #[serde(default)]
    name: String,
    #[serde(default)]
    value: String,
}

#[derive(Debug, Default, Deserialize)]
struct SourceForm {
    privacy: Option<String>,
    sensitive: Option<bool>,
    language: Option<String>,
    quote_policy: Option<String>,
}

impl From<Update> for Changes {
    fn from(update: Update) -> Self {
        let field = |field: FieldForm| NewField { name: field.name, value: field.value };
        Self {
            display_name: update.display_name,
            note: update.note,
            locked: update.locked,
            bot: update.bot,
            discoverable: update.discoverable,
            indexable: update.indexable,
            hide_collections: update.hide_collections,
            avatar_description: update.avatar_description,
            header_description: update.header_description,
            fields: update.fields_attributes.map(|fields| fields.into_iter().map(field).collect()),
            privacy: update.source.privacy.filter(|privacy| !privacy.is_empty()),
            sensitive: update.source.sensitive,
            language: update.source.language,
        }
    }
}

/// A client must hear that a part of its change is not possible here, not find out later.
fn refuse_what_comes_later(update: &Update) -> Result<(), Domain> {
    let attributes = update
        .attribution_domains
        .as_ref()
        .is_some_and(|domains| domains.iter().any(|domain| !domain.is_empty()));
    let quotes = update.source.quote_policy.as_deref().unwrap_or_default();
    if attributes {
        Err(Domain::invalid("attribution_domains cannot be changed on this server"))
    } else if !matches!(quotes, "" | "nobody") {
        Err(Domain::invalid("Statuses of this server cannot be quoted"))
    } else {
        Ok(())
    }
}
