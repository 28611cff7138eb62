//! One's own account.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_ids::AccountId;
use siskin_policy::scopes::{ProfileOrReadAccounts, WriteAccounts};
use siskin_services::{
    Error as Domain,
    accounts::{
        self,
        profile::{self, Changes, NewField},
    },
};
use siskin_wire::account::render_own;

use crate::{
    Authorized, Result,
    params::{Form, Params, Value},
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
    refuse_what_comes_later(&params, &update)?;
    let changes = profile::prepare(&app.settings(), update.into())?;
    let instance = app.instance().clone();
    app.write(move |tx| profile::apply(tx, &instance, person.account, &changes)).await?;
    own(&app, person.account).await
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
            fields: update.fields_attributes.map(|fields| fields.into_iter().map(field).collect()),
            privacy: update.source.privacy.filter(|privacy| !privacy.is_empty()),
            sensitive: update.source.sensitive,
            language: update.source.language,
        }
    }
}

/// A client must hear that a part of its change is not possible here, not find out later.
fn refuse_what_comes_later(params: &Params, update: &Update) -> Result<(), Domain> {
    let sent = |name: &str| match params.get(name) {
        None | Some(Value::Null) => false,
        Some(Value::Text(text)) => !text.is_empty(),
        Some(_) => true,
    };
    let pictures = ["avatar", "header", "avatar_description", "header_description"];
    let attributes = update
        .attribution_domains
        .as_ref()
        .is_some_and(|domains| domains.iter().any(|domain| !domain.is_empty()));
    let quotes = update.source.quote_policy.as_deref().unwrap_or_default();
    if let Some(picture) = pictures.into_iter().find(|name| sent(name)) {
        Err(Domain::invalid(format!("{picture} cannot be changed on this server")))
    } else if attributes {
        Err(Domain::invalid("attribution_domains cannot be changed on this server"))
    } else if !matches!(quotes, "" | "nobody") {
        Err(Domain::invalid("Statuses of this server cannot be quoted"))
    } else {
        Ok(())
    }
}
