//! Drafts of statuses, and the checks that need no database.

use std::{borrow::Cow, mem::take};

use siskin_entities::{
    ScheduledStatus, Settings, StatusDraft, StatusSource, Visibility, polls::Definition,
};
use siskin_ids::{ApplicationId, MediaId, StatusId};
use siskin_persistence::statuses::Author;
use siskin_text::{self as text, ContentType, TextLimit, Token, language};

use super::{
    quotes,
    source::{SourceParams, normalise_language, normalise_texts, too_long},
};
use crate::{Error, Result, attachments};

/// Clients display only one of them.
pub(super) const POLL_OR_MEDIA: &str = "A post has either attachments or a poll";

/// Status as typed.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    pub source: SourceParams,
    /// `None` uses the author's default.
    pub visibility: Option<String>,
    pub in_reply_to_id: Option<String>,
    /// Ids of the attachments, in order.
    pub media_ids: Vec<String>,
    pub application: Option<ApplicationId>,
    pub poll: Option<Definition>,
    /// Ids of the only accounts that it may mention; `None` if there is no such limit.
    pub allowed_mentions: Option<Vec<String>>,
    pub quoted_status_id: Option<String>,
    /// `None` uses the author's default.
    pub quote_policy: Option<String>,
}

/// Status that passed all checks that need no database.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Without the author's defaults.
    pub(super) draft: StatusDraft,
    left_out: LeftOut,
    /// As plain text if no content type was given.
    parsed_text: ParsedText,
    pub(super) media: Vec<MediaId>,
    pub(super) application: Option<ApplicationId>,
    /// Whether its links get a preview.
    pub(super) link_previews: bool,
    limit: TextLimit,
}

/// Fields of a draft that the client left out, so that they take the author's default.
#[derive(Debug, Clone, Copy, Default)]
struct LeftOut {
    content_type: bool,
    visibility: bool,
    sensitive: bool,
}

/// Checks a draft and parses its text.
///
/// # Errors
/// [`Error::Invalid`] for a text that is blank or too long, for too many attachments, for an
/// unknown visibility, content type and quote policy; [`Error::NotFound`] for an invalid id of the
/// status to reply to or to quote.
pub fn prepare(settings: &Settings, draft: Draft) -> Result<Prepared> {
    let media = attachments::media_ids(&draft.media_ids)?;
    require_one_of(draft.poll.as_ref(), &media)?;
    let limit = TextLimit::from(settings.limits_status_chars);
    let (typed, empty) = (&draft.source, StatusSource::default());
    let source = typed.applied_to(&empty, ContentType::default(), limit, !media.is_empty())?;
    let visibility = draft.visibility.map(|name| name.parse::<Visibility>()).transpose();
    let in_reply_to = draft.in_reply_to_id.map(|id| id.parse::<StatusId>()).transpose();
    let quote_of = draft.quoted_status_id.map(|id| id.parse::<StatusId>()).transpose();
    let parsed_text = ParsedText::of(&source.text, source.content_type, limit)?;
    let visibility =
        visibility.map_err(|_| Error::validation("Visibility is not included in the list"))?;
    let allowed_mentions = draft.allowed_mentions;
    Ok(Prepared {
        parsed_text,
        left_out: LeftOut {
            content_type: !matches!(typed.content_type, Some(Some(_))),
            visibility: visibility.is_none(),
            sensitive: typed.sensitive.is_none(),
        },
        draft: StatusDraft {
            source,
            visibility: visibility.unwrap_or_default(),
            in_reply_to: in_reply_to.map_err(|_| Error::NotFound)?,
            quote_of: quote_of.map_err(|_| Error::NotFound)?,
            quote_policy: draft.quote_policy.as_deref().map(quotes::policy).transpose()?,
            poll: draft.poll,
            // Invalid ids allow no account.
            allowed_mentions: allowed_mentions
                .map(|ids| ids.iter().filter_map(|id| id.parse().ok()).collect()),
        },
        media,
        application: draft.application,
        link_previews: settings.link_previews,
        limit,
    })
}

/// Parses a scheduled status with these attachments. Does not check its length, which was within
/// the limit when it was written, even if the limit has changed since.
///
/// # Errors
/// [`Error::Invalid`] if it is empty without other attachments, and for attachments together with a
/// poll.
pub(super) fn prepare_scheduled(
    scheduled: &ScheduledStatus,
    media: Vec<MediaId>,
) -> Result<Prepared> {
    let mut draft = scheduled.draft.clone();
    require_one_of(draft.poll.as_ref(), &media)?;
    let StatusSource { text, spoiler_text, content_type, language, .. } = &mut draft.source;
    (*text, *spoiler_text) = normalise_texts(take(text), take(spoiler_text), !media.is_empty())?;
    *language = language.as_deref().and_then(normalise_language);
    let limit = TextLimit::of(usize::MAX);
    Ok(Prepared {
        parsed_text: ParsedText::of(text, *content_type, limit)?,
        draft,
        left_out: LeftOut::default(),
        media,
        application: scheduled.application,
        // The job that fetches the page checks the setting again.
        link_previews: true,
        limit,
    })
}

fn require_one_of(poll: Option<&Definition>, media: &[MediaId]) -> Result<()> {
    if poll.is_some() && !media.is_empty() {
        return Err(Error::validation(POLL_OR_MEDIA));
    }
    Ok(())
}

/// Parsed text in its content type.
#[derive(Debug, Clone)]
pub(super) struct ParsedText {
    pub(super) content_type: ContentType,
    pub(super) tokens: Vec<Token>,
    /// Detected from the text.
    pub(super) language: Option<&'static str>,
}

impl ParsedText {
    /// Parses a text in this content type.
    ///
    /// # Errors
    /// [`Error::Invalid`] for markup without text, and for links with a total length above the
    /// limit.
    pub(super) fn of(text: &str, content_type: ContentType, limit: TextLimit) -> Result<Self> {
        let tokens = text::parse_as(text, content_type);
        if tokens.is_empty() && !text::is_blank(text) {
            return Err(Error::validation("Text can't be blank"));
        }
        if !limit.fits_links(&tokens) {
            return Err(too_long(limit));
        }
        Ok(Self { content_type, language: language::detect(&tokens), tokens })
    }
}

impl Prepared {
    /// Returns the parsed text. Parses it again if the author's default content type, which is
    /// known only now, differs from the assumed one.
    pub(super) fn parsed_text(&self, author: &Author) -> Result<Cow<'_, ParsedText>> {
        let content_type = match self.left_out.content_type {
            true => author.default_content_type,
            false => self.draft.source.content_type,
        };
        if content_type == self.parsed_text.content_type {
            return Ok(Cow::Borrowed(&self.parsed_text));
        }
        ParsedText::of(&self.draft.source.text, content_type, self.limit).map(Cow::Owned)
    }

    /// Returns the draft with the author's defaults. The language is `None` if neither the draft
    /// nor the author names one; it is then detected from the text.
    pub(super) fn with_defaults(&self, author: &Author) -> StatusDraft {
        let mut draft = self.draft.clone();
        if self.left_out.content_type {
            draft.source.content_type = author.default_content_type;
        }
        if self.left_out.visibility {
            draft.visibility = author.default_privacy;
        }
        if self.left_out.sensitive {
            draft.source.sensitive = author.default_sensitive;
        }
        draft.quote_policy = Some(draft.quote_policy.unwrap_or(author.default_quote_policy));
        let language = draft.source.language.take();
        draft.source.language = language.or_else(|| author.default_language.clone());
        draft
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(text: &str, spoiler_text: &str) -> Draft {
        let spoiler_text = spoiler_text.to_owned();
        let source = SourceParams { spoiler_text, ..SourceParams::new(text) };
        Draft { source, ..Draft::default() }
    }

    fn draft_of(text: &str, content_type: &str) -> Draft {
        let mut draft = draft(text, "");
        draft.source.content_type = Some(Some(content_type.to_owned()));
        draft
    }

    fn prepared(draft: Draft) -> Result<Prepared> {
        prepare(&Settings::default(), draft)
    }

    fn error(draft: Draft) -> String {
        prepared(draft).unwrap_err().to_string()
    }

    #[test]
    fn a_status_needs_visible_text() {
        for blank in [" \n", "\u{200B}", "\u{FEFF}\u{2060}", "\u{3164}"] {
            assert_eq!(error(draft(blank, blank)), "Validation failed: Text can't be blank");
        }
        let warned = prepared(draft("", "spoilers")).unwrap();
        assert_eq!(warned.draft.source, StatusSource::new("spoilers"));
    }

    #[test]
    fn a_status_is_at_most_as_long_as_the_operator_allows() {
        assert!(prepared(draft(&"x".repeat(490), &"y".repeat(10))).is_ok());
        assert_eq!(
            error(draft(&"x".repeat(491), &"y".repeat(10))),
            "Validation failed: Text character limit of 500 exceeded"
        );
        let longer = Settings { limits_status_chars: 1000, ..Settings::default() };
        assert!(prepare(&longer, draft(&"x".repeat(1000), "")).is_ok());
    }

    #[test]
    fn texts_with_few_characters_still_have_a_size_limit() {
        let too_long = "Validation failed: Text character limit of 500 exceeded";
        for text in [
            format!("https://x.example/{}", "&".repeat(1_900_000)),
            format!("a{}", "\u{301}".repeat(900_000)),
            format!("<a href=\"https://x.example/{}\">x</a>", "x".repeat(5000)),
            format!("[x](https://x.example/{})", "x".repeat(5000)),
        ] {
            assert_eq!(error(draft(&text, "")), too_long);
            assert_eq!(error(draft("x", &text)), too_long);
        }
        assert!(prepared(draft(&"👩‍👩‍👧‍👦".repeat(500), "")).is_ok());
        // One address that occurs many times in the HTML.
        let text = format!("{}\n\n[x]: https://x.example/{}", "[x]".repeat(100), "y".repeat(1000));
        assert_eq!(error(draft_of(&text, "text/markdown")), too_long);
    }

    #[test]
    fn an_unknown_visibility_and_an_invalid_parent_id_are_refused() {
        let limited = Draft { visibility: Some("limited".to_owned()), ..draft("x", "") };
        assert_eq!(error(limited), "Validation failed: Visibility is not included in the list");
        let reply = Draft { in_reply_to_id: Some("abc".to_owned()), ..draft("x", "") };
        assert!(matches!(prepared(reply), Err(Error::NotFound)));
    }

    #[test]
    fn unknown_content_types_are_refused() {
        let written = |text: &str, kind: &str| prepared(draft_of(text, kind));
        assert_eq!(
            written("*x*", "text/html").unwrap().parsed_text.content_type,
            ContentType::Html
        );
        assert_eq!(
            written("x", "text/rtf").unwrap_err().to_string(),
            "Validation failed: Content type is not included in the list"
        );
        let nothing = written("<!-- nothing -->", "text/html").unwrap_err().to_string();
        assert_eq!(nothing, "Validation failed: Text can't be blank");
    }

    #[test]
    fn an_unknown_language_counts_as_none() {
        let in_language = |code: &str| {
            let mut draft = draft("x", "");
            draft.source.language = Some(Some(code.to_owned()));
            prepared(draft).unwrap().draft.source.language
        };
        assert_eq!(in_language("de-CH").as_deref(), Some("de"));
        assert_eq!(in_language("xx"), None);
    }
}
