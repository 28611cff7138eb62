//! The JSON form of a draft, which `scheduled_statuses.draft` contains until it is published.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{QuotePolicy, StatusDraft, Visibility, polls::Definition};
use siskin_ids::{AccountId, StatusId};

use super::source::StoredSource;
use crate::{Error, Result};

/// A draft as JSON. Rows of older versions stay as they are, so new fields need a default, and
/// fields are never renamed. Numbers mean the same as in `statuses`.
#[derive(Debug, Serialize, Deserialize)]
struct StoredDraft<'a> {
    #[serde(flatten)]
    source: StoredSource<'a>,
    visibility: i16,
    in_reply_to_id: Option<StatusId>,
    poll: Option<StoredPoll>,
    allowed_mentions: Option<Vec<AccountId>>,
    #[serde(default)]
    quote_of_id: Option<StatusId>,
    #[serde(default)]
    quote_policy: Option<i16>,
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
        source: StoredSource::from(&draft.source),
        visibility: draft.visibility.number(),
        in_reply_to_id: draft.in_reply_to,
        poll: draft.poll.as_ref().map(|poll| StoredPoll {
            options: poll.options().to_vec(),
            expires_in: poll.duration().as_secs(),
            multiple: poll.multiple(),
            hide_totals: poll.hides_totals(),
        }),
        allowed_mentions: draft.allowed_mentions.clone(),
        quote_of_id: draft.quote_of,
        quote_policy: draft.quote_policy.map(QuotePolicy::number),
    };
    serde_json::to_string(&stored).map_err(|_| DAMAGED)
}

/// Parses a stored draft.
///
/// # Errors
/// [`Error::Damaged`] if it was not written by [`to_json`] of this or an older version.
pub(crate) fn from_json(json: &str) -> Result<StatusDraft> {
    let stored: StoredDraft<'_> = serde_json::from_str(json).map_err(|_| DAMAGED)?;
    Ok(StatusDraft {
        source: stored.source.into(),
        visibility: Visibility::from_number(stored.visibility),
        in_reply_to: stored.in_reply_to_id,
        poll: stored.poll.map(|poll| {
            let duration = Duration::from_secs(poll.expires_in);
            Definition::new_unchecked(poll.options, duration, poll.multiple, poll.hide_totals)
        }),
        allowed_mentions: stored.allowed_mentions,
        quote_of: stored.quote_of_id,
        quote_policy: stored.quote_policy.map(QuotePolicy::from_number),
    })
}

const DAMAGED: Error = Error::Damaged("scheduled_statuses.draft");

#[cfg(test)]
mod tests {
    use siskin_entities::{ContentType, StatusSource};

    use super::*;

    #[test]
    fn drafts_round_trip_through_json() {
        let titles = vec!["\"yes\"".to_owned(), "no\n".to_owned()];
        let full = StatusDraft {
            source: StatusSource {
                spoiler_text: "{}".to_owned(),
                content_type: ContentType::Html,
                sensitive: true,
                language: Some("de".to_owned()),
                ..StatusSource::new("\"a\"\n\\b\u{1F426}")
            },
            visibility: Visibility::Private,
            in_reply_to: Some(StatusId::new(i64::MAX)),
            poll: Some(Definition::new_unchecked(titles, Duration::from_secs(300), false, true)),
            allowed_mentions: Some(vec![AccountId::new(1), AccountId::new(i64::MAX)]),
            quote_of: Some(StatusId::new(9)),
            quote_policy: Some(QuotePolicy::Followers),
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
        let source = StatusSource::new("x");
        let expected = StatusDraft { source, ..StatusDraft::default() };
        assert_eq!(from_json(bare).unwrap(), expected);

        let full = r#"{"text":"x","spoiler_text":"y","content_type":1,"visibility":3,
            "sensitive":true,"language":"en","in_reply_to_id":"7",
            "poll":{"options":["a","b"],"expires_in":300},"allowed_mentions":["8"]}"#;
        let options = vec!["a".to_owned(), "b".to_owned()];
        let expected = StatusDraft {
            source: StatusSource {
                spoiler_text: "y".to_owned(),
                content_type: ContentType::Markdown,
                sensitive: true,
                language: Some("en".to_owned()),
                ..StatusSource::new("x")
            },
            visibility: Visibility::Direct,
            in_reply_to: Some(StatusId::new(7)),
            poll: Some(Definition::new_unchecked(options, Duration::from_secs(300), false, false)),
            allowed_mentions: Some(vec![AccountId::new(8)]),
            ..StatusDraft::default()
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
