//! Rows of stored accounts; private to this crate.

use diesel::prelude::*;
use serde::{Deserialize, Serialize};
use siskin_entities::{AccountSnapshot, AccountState, Field, Picture, Protocol, Role, Timestamp};
use siskin_ids::{AccountId, RoleId};

use crate::{
    Error, Result,
    schema::{accounts, roles},
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = accounts)]
pub(crate) struct AccountRow {
    id: AccountId,
    username: String,
    domain: Option<String>,
    display_name: String,
    note: String,
    note_html: String,
    fields: String,
    avatar_file: Option<String>,
    avatar_still_file: Option<String>,
    avatar_description: String,
    header_file: Option<String>,
    header_still_file: Option<String>,
    header_description: String,
    locked: bool,
    bot: bool,
    discoverable: Option<bool>,
    indexable: bool,
    hide_collections: bool,
    show_media: bool,
    show_media_replies: bool,
    show_featured: bool,
    attribution_domains: String,
    memorial: bool,
    uri: String,
    url: Option<String>,
    protocol: String,
    suspended_at: Option<i64>,
    silenced_at: Option<i64>,
    reachable: bool,
    sensitized_at: Option<i64>,
    created_at: i64,
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = roles)]
pub(crate) struct RoleRow {
    id: RoleId,
    name: String,
    color: String,
    permissions: i64,
    position: i32,
    highlighted: bool,
}

impl From<RoleRow> for Role {
    fn from(row: RoleRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            color: row.color,
            permissions: row.permissions,
            position: row.position,
            highlighted: row.highlighted,
        }
    }
}

/// One profile field inside the JSON column `fields`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FieldRow {
    name: String,
    value: String,
    value_html: String,
    verified_at: Option<i64>,
}

impl From<FieldRow> for Field {
    fn from(row: FieldRow) -> Self {
        Self {
            name: row.name,
            value: row.value,
            value_html: row.value_html,
            verified_at: row.verified_at.map(Timestamp::from_unix_ms),
        }
    }
}

/// Serialises profile fields to the stored JSON.
pub(crate) fn fields_to_json(fields: &[Field]) -> Result<String> {
    let rows: Vec<FieldRow> = fields
        .iter()
        .map(|field| FieldRow {
            name: field.name.clone(),
            value: field.value.clone(),
            value_html: field.value_html.clone(),
            verified_at: field.verified_at.map(Timestamp::unix_ms),
        })
        .collect();
    serde_json::to_string(&rows).map_err(|_| Error::Damaged("accounts.fields"))
}

fn picture(file: Option<String>, still: Option<String>) -> Option<Picture> {
    file.map(|file| Picture { file, still })
}

/// Joins domains to one text with commas. No domain contains a comma.
pub(crate) fn domains_to_text(domains: &[String]) -> String {
    domains.join(",")
}

fn domains_from_text(text: &str) -> Vec<String> {
    text.split(',').filter(|domain| !domain.is_empty()).map(str::to_owned).collect()
}

impl AccountRow {
    /// Builds the snapshot without custom emojis. The caller loads the emojis of a whole batch at
    /// once.
    pub(crate) fn into_snapshot(self, role: Option<RoleRow>) -> Result<AccountSnapshot> {
        let fields: Vec<FieldRow> =
            serde_json::from_str(&self.fields).map_err(|_| Error::Damaged("accounts.fields"))?;
        Ok(AccountSnapshot {
            id: self.id,
            username: self.username,
            domain: self.domain,
            display_name: self.display_name,
            note: self.note,
            note_html: self.note_html,
            fields: fields.into_iter().map(Field::from).collect(),
            avatar: picture(self.avatar_file, self.avatar_still_file),
            avatar_description: self.avatar_description,
            header: picture(self.header_file, self.header_still_file),
            header_description: self.header_description,
            emojis: Vec::new(),
            locked: self.locked,
            bot: self.bot,
            discoverable: self.discoverable,
            indexable: self.indexable,
            hide_collections: self.hide_collections,
            show_media: self.show_media,
            show_media_replies: self.show_media_replies,
            show_featured: self.show_featured,
            attribution_domains: domains_from_text(&self.attribution_domains),
            memorial: self.memorial,
            uri: self.uri,
            url: self.url,
            protocol: Protocol::from_name(&self.protocol)
                .ok_or(Error::Damaged("accounts.protocol"))?,
            state: AccountState {
                suspended: self.suspended_at.is_some(),
                silenced: self.silenced_at.is_some(),
                reachable: self.reachable,
            },
            sensitized: self.sensitized_at.is_some(),
            created_at: Timestamp::from_unix_ms(self.created_at),
            role: role.map(Role::from),
        })
    }
}
