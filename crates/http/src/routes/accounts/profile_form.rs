//! The editable part of the own profile, shared by all routes that accept it.

use std::sync::Arc;

use actix_web::web::Bytes;
use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde::Deserialize;
use siskin_app::{App, Uploads};
use siskin_entities::{Account, QuotePolicy, Visibility};
use siskin_ids::AccountId;
use siskin_services::{
    Error as Domain,
    accounts::profile::{self, Changes, NewField},
};

use crate::{
    Result,
    params::{Params, Patch, Value, chosen},
    pictures,
};

/// Changes the profile and returns the updated account.
pub(super) async fn apply(
    app: &App,
    account: AccountId,
    params: &Params,
    form: ProfileForm,
) -> Result<Arc<Account>> {
    let mut changes = Changes::from(form);
    changes.removes_avatar = params.get("avatar") == Some(&Value::Null);
    changes.removes_header = params.get("header") == Some(&Value::Null);
    let changes = profile::prepare(&app.settings(), changes)?;
    let _permit = pictures::acquire_permit().await?;
    let (avatar, header) = (file(params, "avatar").await?, file(params, "header").await?);
    let uploads = Uploads { avatar, header };
    Ok(app.change_profile(account, changes, uploads).await?)
}

/// Returns the bytes of an upload: a file, or a text with a `data:` URL.
async fn file(params: &Params, name: &str) -> Result<Option<Bytes>> {
    if let Some(text) = chosen(params.text(name)) {
        let bytes =
            data_uri(text).ok_or_else(|| Domain::invalid(format!("{name} {INVALID_PICTURE}")))?;
        return Ok(Some(bytes));
    }
    let file = params.file(name).map_err(|error| Domain::invalid(error.to_string()))?;
    let Some(file) = file else { return Ok(None) };
    Ok(Some(file.read().await.map_err(Domain::internal)?))
}

const INVALID_PICTURE: &str = "must be an uploaded file or a data: address in Base64";

/// Decodes a `data:` URL with Base64 content. It ignores the claimed media type: pictures are
/// recognised by their content.
fn data_uri(text: &str) -> Option<Bytes> {
    let (scheme, rest) = text.split_at_checked("data:".len())?;
    let (head, content) = rest.split_once(',')?;
    let (_, encoding) = head.rsplit_once(';')?;
    let is_base64 = scheme.eq_ignore_ascii_case("data:") && encoding.eq_ignore_ascii_case("base64");
    let decoded = is_base64.then(|| BASE64.decode(content.trim()))?;
    decoded.ok().map(Bytes::from)
}

/// Base64 with or without the `=` at the end, because programs write both.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ProfileForm {
    display_name: Patch<String>,
    note: Patch<String>,
    locked: Patch<bool>,
    bot: Patch<bool>,
    discoverable: Patch<bool>,
    indexable: Patch<bool>,
    hide_collections: Patch<bool>,
    avatar_description: Patch<String>,
    header_description: Patch<String>,
    fields_attributes: Patch<Vec<FieldForm>>,
    show_media: Patch<bool>,
    show_media_replies: Patch<bool>,
    show_featured: Patch<bool>,
    attribution_domains: Patch<Vec<String>>,
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
#[serde(default)]
struct SourceForm {
    privacy: Patch<String>,
    sensitive: Patch<bool>,
    language: Patch<String>,
    quote_policy: Patch<String>,
}

impl From<ProfileForm> for Changes {
    fn from(form: ProfileForm) -> Self {
        let field = |field: FieldForm| NewField { name: field.name, value: field.value };
        let fields = form.fields_attributes.or_default();
        let privacy = form.source.privacy.or_cleared(Visibility::Public.as_str().to_owned());
        let usual = QuotePolicy::default().as_str().to_owned();
        let quote_policy = form.source.quote_policy.or_cleared(usual);
        Self {
            display_name: form.display_name.or_default(),
            note: form.note.or_default(),
            locked: form.locked.or_default(),
            bot: form.bot.or_default(),
            discoverable: form.discoverable.into_options(),
            indexable: form.indexable.or_default(),
            hide_collections: form.hide_collections.or_default(),
            avatar_description: form.avatar_description.or_default(),
            header_description: form.header_description.or_default(),
            show_media: form.show_media.or_cleared(true),
            show_media_replies: form.show_media_replies.or_cleared(true),
            show_featured: form.show_featured.or_cleared(true),
            attribution_domains: form.attribution_domains.or_default(),
            fields: fields.map(|fields| fields.into_iter().map(field).collect()),
            privacy: chosen(privacy),
            sensitive: form.source.sensitive.or_default(),
            language: form.source.language.or_default(),
            quote_policy: chosen(quote_policy),
            // The API has no name for this field; it is edited on a page.
            content_type: None,
            removes_avatar: false,
            removes_header: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_urls_are_accepted_in_base64_only() {
        let read = |text: &str| data_uri(text).map(|bytes| bytes.to_vec());
        assert_eq!(read("data:image/png;base64,aGV5IQ==").unwrap(), b"hey!");
        assert_eq!(read("DATA:image/png;name=a;BASE64,aGV5IQ").unwrap(), b"hey!");
        assert_eq!(read("data:;base64,").unwrap(), b"");
        for text in [
            "data:image/png,hey!",
            "data:image/png;base64",
            "data:image/png;base64,a*b",
            "https://a.example/a;base64,aGV5IQ==",
            "é",
            "",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
