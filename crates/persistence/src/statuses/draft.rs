//! The two stored forms of a draft: columns of `statuses` when it is published, and one JSON text
//! in `scheduled_statuses.draft` until then. A new field of a draft is added here only.

use std::time::Duration;

use diesel::Insertable;
use serde::{Deserialize, Serialize};
use siskin_entities::{StatusDraft, Visibility, polls::Definition};
use siskin_ids::{AccountId, StatusId};
use siskin_text::ContentType;

use crate::{Error, Result, schema::statuses};

/// The columns of a status that come from its draft.
#[derive(Insertable)]
// Every INSERT has the same columns, so that the statement can be cached.
#[diesel(table_name = statuses, treat_none_as_default_value = false)]
pub(super) struct DraftColumns<'a> {
    text: &'a str,
    content_type: i16,
    spoiler_text: &'a str,
    visibility: i16,
    sensitive: bool,
    language: Option<&'a str>,
}

impl<'a> DraftColumns<'a> {
    /// Returns the columns of a published draft.
    pub(super) fn of(draft: &'a StatusDraft) -> Self {
        Self {
            text: &draft.text,
            content_type: draft.content_type.number(),
            spoiler_text: &draft.spoiler_text,
            visibility: draft.visibility.number(),
            sensitive: draft.sensitive,
            language: draft.language.as_deref(),
        }
    }

    /// Returns the columns of a reblog, which has no text.
    pub(super) const fn of_reblog(visibility: Visibility) -> Self {
        Self {
            text: "",
            content_type: ContentType::Plain.number(),
            spoiler_text: "",
            visibility: visibility.number(),
            sensitive: false,
            language: None,
        }
    }
}

/// A draft as JSON. Rows of older versions stay as they are, so new fields need a default, and
/// fields are never renamed. Numbers mean the same as in `statuses`.
#[derive(Debug, Serialize, Deserialize)]
struct StoredDraft {
    text: String,
    spoiler_text: String,
    content_type: i16,
    visibility: i16,
    sensitive: bool,
    language: Option<String>,
    in_reply_to_id: Option<StatusId>,
    poll: Option<StoredPoll>,
    allowed_mentions: Option<Vec<AccountId>>,
}

/// The poll of a draft as JSON. The same rules hold.
#[derive(Debug, Serialize, Deserialize)]
struct StoredPoll {
    options: Vec<String>,
    /// Seconds.
    expires_in: u64,
    #[serde(default)]
    multiple: bool,
    #[serde(default)]
    hide_totals: bool,
}

/// Serialises a draft for `scheduled_statuses.draft`.
///
/// # Errors
/// None in practice, because all keys are texts.
pub(crate) fn to_json(draft: &StatusDraft) -> Result<String> {
    let stored = StoredDraft {
        text: draft.text.clone(),
        spoiler_text: draft.spoiler_text.clone(),
        content_type: draft.content_type.number(),
        visibility: draft.visibility.number(),
        sensitive: draft.sensitive,
        language: draft.language.clone(),
        in_reply_to_id: draft.in_reply_to,
        poll: draft.poll.as_ref().map(|poll| StoredPoll {
            options: poll.options().to_vec(),
            expires_in: poll.duration().as_secs(),
            multiple: poll.multiple(),
            hide_totals: poll.hides_totals(),
        }),
        allowed_mentions: draft.allowed_mentions.clone(),
    };
    serde_json::to_string(&stored).map_err(|_| DAMAGED)
}

/// Parses a stored draft.
///
/// # Errors
/// [`Error::Damaged`] if it was not written by [`to_json`] of this or an older version.
pub(crate) fn from_json(json: &str) -> Result<StatusDraft> {
    let stored: StoredDraft = serde_json::from_str(json).map_err(|_| DAMAGED)?;
    Ok(StatusDraft {
        text: stored.text,
        spoiler_text: stored.spoiler_text,
        content_type: ContentType::from_number(stored.content_type),
        visibility: Visibility::from_number(stored.visibility),
        sensitive: stored.sensitive,
        language: stored.language,
        in_reply_to: stored.in_reply_to_id,
        poll: stored.poll.map(|poll| {
            let duration = Duration::from_secs(poll.expires_in);
            Definition::new_unchecked(poll.options, duration, poll.multiple, poll.hide_totals)
        }),
        allowed_mentions: stored.allowed_mentions,
    })
}

const DAMAGED: Error = Error::Damaged("scheduled_statuses.draft");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_round_trip_through_json() {
        let titles = vec!["\"yes\"".to_owned(), "no\n".to_owned()];
        let full = StatusDraft {
            text: "\"a\"\n\\b\u{1F426}".to_owned(),
            spoiler_text: "{}".to_owned(),
            content_type: ContentType::Html,
            visibility: Visibility::Private,
            sensitive: true,
            language: Some("de".to_owned()),
            in_reply_to: Some(StatusId::new(i64::MAX)),
            poll: Some(Definition::new_unchecked(titles, Duration::from_secs(300), false, true)),
            allowed_mentions: Some(vec![AccountId::new(1), AccountId::new(i64::MAX)]),
        };
        for draft in [full, StatusDraft::default()] {
            assert_eq!(from_json(&to_json(&draft).unwrap()).unwrap(), draft);
        }
    }

    /// Texts that the first version wrote. Do not change them: such rows exist.
    #[test]
    fn drafts_of_the_first_version_are_read() {
        let bare = r#"{"text":"x","spoiler_text":"","content_type":0,"visibility":0,
            "sensitive":false,"language":null,"in_reply_to_id":null,"poll":null,
            "allowed_mentions":null}"#;
        let expected = StatusDraft { text: "x".to_owned(), ..StatusDraft::default() };
        assert_eq!(from_json(bare).unwrap(), expected);

        let full = r#"{"text":"x","spoiler_text":"y","content_type":1,"visibility":3,
            "sensitive":true,"language":"en","in_reply_to_id":"7",
            "poll":{"options":["a","b"],"expires_in":300},"allowed_mentions":["8"]}"#;
        let options = vec!["a".to_owned(), "b".to_owned()];
        let expected = StatusDraft {
            text: "x".to_owned(),
            spoiler_text: "y".to_owned(),
            content_type: ContentType::Markdown,
            visibility: Visibility::Direct,
            sensitive: true,
            language: Some("en".to_owned()),
            in_reply_to: Some(StatusId::new(7)),
            poll: Some(Definition::new_unchecked(options, Duration::from_secs(300), false, false)),
            allowed_mentions: Some(vec![AccountId::new(8)]),
        };
        assert_eq!(from_json(full).unwrap(), expected);
    }

    #[test]
    fn other_texts_are_damaged() {
        for text in ["", "{}", "null", r#"{"text":"x"}"#] {
            assert!(matches!(from_json(text), Err(Error::Damaged(_))), "{text}");
        }
    }
}
