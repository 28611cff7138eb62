//! Profile of the caller in its editable form.

use serde::Serialize;
use siskin_entities as view;
use siskin_ids::AccountId;

use crate::{
    account::{Field, render_field},
    urls::Urls,
};

/// Profile with all texts as typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent field of the interface")]
pub struct Profile {
    pub id: AccountId,
    pub display_name: String,
    pub note: String,
    pub fields: Vec<Field>,
    /// URL of the avatar. It and the other image URLs are null if the placeholder is shown.
    pub avatar: Option<String>,
    pub avatar_static: Option<String>,
    pub avatar_description: String,
    pub header: Option<String>,
    pub header_static: Option<String>,
    pub header_description: String,
    pub locked: bool,
    pub bot: bool,
    pub hide_collections: bool,
    pub discoverable: Option<bool>,
    pub indexable: bool,
    pub show_media: bool,
    pub show_media_replies: bool,
    pub show_featured: bool,
    pub attribution_domains: Vec<String>,
}

/// Renders the profile of a local account.
#[must_use]
pub fn render(account: &view::Account, urls: &Urls) -> Profile {
    let (avatar, header) = (account.avatar.as_ref(), account.header.as_ref());
    Profile {
        id: account.id,
        display_name: account.display_name.clone(),
        note: account.note.clone(),
        fields: account.fields.iter().map(|field| render_field(field, &field.value)).collect(),
        avatar: avatar.map(|picture| urls.avatar(Some(picture))),
        avatar_static: avatar.map(|picture| urls.avatar_still(Some(picture))),
        avatar_description: account.avatar_description.clone(),
        header: header.map(|picture| urls.header(Some(picture))),
        header_static: header.map(|picture| urls.header_still(Some(picture))),
        header_description: account.header_description.clone(),
        locked: account.locked,
        bot: account.bot,
        hide_collections: account.hide_collections,
        discoverable: account.discoverable,
        indexable: account.indexable,
        show_media: account.show_media,
        show_media_replies: account.show_media_replies,
        show_featured: account.show_featured,
        attribution_domains: account.attribution_domains.clone(),
    }
}
