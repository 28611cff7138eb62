//! Profile of the caller in its editable form.

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::AccountId;

use crate::{
    account::{Field, render_field},
    urls::Urls,
};

/// Profile with all texts as typed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent field of the interface")]
pub struct Profile {
    /// Id of the account.
    pub id: AccountId,
    /// Display name.
    pub display_name: String,
    /// Biography.
    pub note: String,
    /// Rows of the table.
    pub fields: Vec<Field>,
    /// URL of the avatar. It and the other image URLs are null if the placeholder is shown.
    pub avatar: Option<String>,
    /// URL of the avatar without animation.
    pub avatar_static: Option<String>,
    /// Alternative text of the avatar; may be empty.
    pub avatar_description: String,
    /// URL of the header.
    pub header: Option<String>,
    /// URL of the header without animation.
    pub header_static: Option<String>,
    /// Alternative text of the header; may be empty.
    pub header_description: String,
    /// Whether the owner approves follow requests manually.
    pub locked: bool,
    /// Whether the account is automated.
    pub bot: bool,
    /// Whether the lists of followers and followed accounts are hidden.
    pub hide_collections: bool,
    /// Whether the owner wants to be listed and suggested; null if they have not chosen.
    pub discoverable: Option<bool>,
    /// Whether the owner allows that public statuses are found by search.
    pub indexable: bool,
    /// Whether clients show the tab with media.
    pub show_media: bool,
    /// Whether the tab with media includes replies.
    pub show_media_replies: bool,
    /// Whether clients show the tab with featured content.
    pub show_featured: bool,
    /// Domains that may name the account as the author of articles.
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
