//! Updates profiles and the posting defaults of users.

use diesel::prelude::*;
use siskin_entities::{Field, Picture, QuotePolicy, Visibility};
use siskin_ids::AccountId;
use siskin_text::ContentType;

use crate::{
    Result, Tx,
    schema::{accounts, users},
};

use super::{domains_to_text, fields_to_json, listing, terms};

/// A complete profile as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent choice of the owner")]
pub struct Profile {
    pub display_name: String,
    /// The text as typed.
    pub note: String,
    /// Sanitised HTML.
    pub note_html: String,
    pub fields: Vec<Field>,
    /// Folded text in which the account search looks.
    pub search_text: String,
    pub locked: bool,
    pub bot: bool,
    pub discoverable: Option<bool>,
    pub indexable: bool,
    pub hide_collections: bool,
    pub avatar: Option<Picture>,
    pub avatar_description: String,
    pub header: Option<Picture>,
    pub header_description: String,
    pub show_media: bool,
    pub show_media_replies: bool,
    pub show_featured: bool,
    pub attribution_domains: Vec<String>,
}

/// Defaults for new statuses of a user, used where the request does not set a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDefaults {
    pub privacy: Visibility,
    pub sensitive: bool,
    pub language: Option<String>,
    pub content_type: ContentType,
    pub quote_policy: QuotePolicy,
}

/// Replaces an account's profile.
pub fn update_profile(tx: &mut Tx<'_>, account: AccountId, profile: &Profile) -> Result<()> {
    diesel::update(accounts::table.find(account))
        .set((
            (
                accounts::display_name.eq(&profile.display_name),
                accounts::note.eq(&profile.note),
                accounts::note_html.eq(&profile.note_html),
                accounts::fields.eq(fields_to_json(&profile.fields)?),
                accounts::search_text.eq(&profile.search_text),
                accounts::locked.eq(profile.locked),
            ),
            (
                accounts::bot.eq(profile.bot),
                accounts::discoverable.eq(profile.discoverable),
                accounts::indexable.eq(profile.indexable),
                accounts::hide_collections.eq(profile.hide_collections),
                accounts::show_media.eq(profile.show_media),
                accounts::show_media_replies.eq(profile.show_media_replies),
                accounts::show_featured.eq(profile.show_featured),
                accounts::attribution_domains.eq(domains_to_text(&profile.attribution_domains)),
                accounts::version.eq(accounts::version + 1),
                accounts::updated_at.eq(tx.now().unix_ms()),
            ),
            (
                accounts::avatar_file.eq(file(&profile.avatar)),
                accounts::avatar_still_file.eq(still_file(&profile.avatar)),
                accounts::avatar_description.eq(&profile.avatar_description),
                accounts::header_file.eq(file(&profile.header)),
                accounts::header_still_file.eq(still_file(&profile.header)),
                accounts::header_description.eq(&profile.header_description),
            ),
        ))
        .execute(&mut **tx)?;
    terms::refresh(tx, account)?;
    listing::refresh(tx, account)
}

/// Replaces the profile fields of an account.
pub fn update_fields(tx: &mut Tx<'_>, account: AccountId, fields: &[Field]) -> Result<()> {
    diesel::update(accounts::table.find(account))
        .set((
            accounts::fields.eq(fields_to_json(fields)?),
            accounts::version.eq(accounts::version + 1),
            accounts::updated_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

fn file(picture: &Option<Picture>) -> Option<&str> {
    picture.as_ref().map(|picture| &*picture.file)
}

fn still_file(picture: &Option<Picture>) -> Option<&str> {
    picture.as_ref().and_then(|picture| picture.still.as_deref())
}

/// Replaces the defaults for new statuses of a user.
pub fn update_user_defaults(
    tx: &mut Tx<'_>,
    account: AccountId,
    defaults: &UserDefaults,
) -> Result<()> {
    diesel::update(users::table.find(account))
        .set((
            users::default_privacy.eq(defaults.privacy.number()),
            users::default_sensitive.eq(defaults.sensitive),
            users::default_language.eq(&defaults.language),
            users::default_content_type.eq(defaults.content_type.number()),
            users::default_quote_policy.eq(defaults.quote_policy.number()),
            users::updated_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}
