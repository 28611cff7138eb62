//! What can be changed of one's own profile: the same wherever it is sent.

use std::sync::Arc;

use actix_web::web::Bytes;
use serde::Deserialize;
use siskin_app::{App, Uploads};
use siskin_entities::Account;
use siskin_ids::AccountId;
use siskin_services::{
    Error as Domain,
    accounts::profile::{self, Changes, NewField},
};

use crate::{Result, params::Params};

/// Changes the profile and returns the account as it is then.
pub(super) async fn apply(
    app: &App,
    account: AccountId,
    params: &Params,
    form: ProfileForm,
) -> Result<Arc<Account>> {
    refuse_what_comes_later(&form)?;
    let changes = profile::prepare(&app.settings(), form.into())?;
    let uploads = Uploads { avatar: file(params, "avatar")?, header: file(params, "header")? };
    Ok(app.change_profile(account, changes, uploads).await?)
}

/// The bytes of an upload. Text in its place, such as a `data:` address, is none.
fn file(params: &Params, name: &str) -> Result<Option<Bytes>> {
    let file = params.file(name).map_err(|error| Domain::invalid(error.to_string()))?;
    Ok(file.map(|file| file.content.clone()))
}

#[derive(Debug, Deserialize)]
pub(super) struct ProfileForm {
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
    show_media: Option<bool>,
    show_media_replies: Option<bool>,
    show_featured: Option<bool>,
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

impl From<ProfileForm> for Changes {
    fn from(form: ProfileForm) -> Self {
        let field = |field: FieldForm| NewField { name: field.name, value: field.value };
        Self {
            display_name: form.display_name,
            note: form.note,
            locked: form.locked,
            bot: form.bot,
            discoverable: form.discoverable,
            indexable: form.indexable,
            hide_collections: form.hide_collections,
            avatar_description: form.avatar_description,
            header_description: form.header_description,
            show_media: form.show_media,
            show_media_replies: form.show_media_replies,
            show_featured: form.show_featured,
            attribution_domains: form.attribution_domains,
            fields: form.fields_attributes.map(|fields| fields.into_iter().map(field).collect()),
            privacy: form.source.privacy.filter(|privacy| !privacy.is_empty()),
            sensitive: form.source.sensitive,
            language: form.source.language,
            // The interface has no name for it; it is chosen on a page.
            content_type: None,
        }
    }
}

/// A client must hear that a part of its change is not possible here, not find out later.
fn refuse_what_comes_later(form: &ProfileForm) -> Result<(), Domain> {
    match form.source.quote_policy.as_deref() {
        None | Some("" | "nobody") => Ok(()),
        Some(_) => Err(Domain::invalid("Statuses of this server cannot be quoted")),
    }
}
