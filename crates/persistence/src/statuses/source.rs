//! The stored form of what an author typed: columns of `statuses`, and keys of the JSON in
//! `scheduled_statuses.draft`. A new field of [`StatusSource`] is added here only.

use std::borrow::Cow;

use diesel::prelude::*;
use serde::{Deserialize, Serialize};
use siskin_entities::StatusSource;
use siskin_text::ContentType;

use crate::schema::statuses;

/// The columns, for new statuses, edits and reads. In the JSON, fields are never renamed, and a new
/// one needs `#[serde(default)]`, because older rows lack it.
#[derive(Debug, Insertable, AsChangeset, Queryable, Selectable, Serialize, Deserialize)]
// A missing language is written as NULL. So an edit can clear it, and every INSERT has the same
// columns, so that its statement can be cached.
#[diesel(table_name = statuses, treat_none_as_default_value = false, treat_none_as_null = true)]
pub(super) struct StoredSource<'a> {
    text: Cow<'a, str>,
    content_type: i16,
    pub(super) spoiler_text: Cow<'a, str>,
    sensitive: bool,
    language: Option<Cow<'a, str>>,
}

impl<'a> From<&'a StatusSource> for StoredSource<'a> {
    fn from(source: &'a StatusSource) -> Self {
        Self {
            text: Cow::from(&source.text),
            content_type: source.content_type.number(),
            spoiler_text: Cow::from(&source.spoiler_text),
            sensitive: source.sensitive,
            language: source.language.as_ref().map(Cow::from),
        }
    }
}

impl From<StoredSource<'_>> for StatusSource {
    fn from(stored: StoredSource<'_>) -> Self {
        Self {
            text: stored.text.into_owned(),
            content_type: ContentType::from_number(stored.content_type),
            spoiler_text: stored.spoiler_text.into_owned(),
            sensitive: stored.sensitive,
            language: stored.language.map(Cow::into_owned),
        }
    }
}
