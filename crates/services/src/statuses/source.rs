//! What the author typed, in new statuses and in edits: its checks and its defaults.

use siskin_entities::StatusSource;
use siskin_text::{self as text, ContentType, TextLimit, language};

use crate::{Error, Result};

/// The source of a status as a client sends it. For `text`, `language` and `content_type`, `None`
/// keeps the value that the status has before, and `Some(None)` clears it. The other two are always
/// replaced. Before a new status, all values are empty.
#[derive(Debug, Clone, Default)]
pub struct SourceParams {
    pub text: Option<String>,
    /// Empty if there is no content warning, even if there was one before.
    pub spoiler_text: String,
    /// `None` uses the author's default for a new status, and counts as `false` for an edit.
    pub sensitive: Option<bool>,
    /// In any form that clients send; an unknown one counts as `None`.
    pub language: Option<Option<String>>,
    /// Media type of the text. `Some(None)` uses the author's default, and so does `None` for a new
    /// status.
    pub content_type: Option<Option<String>>,
}

impl SourceParams {
    /// Builds the parameters of a text without a content warning.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Parses the content type.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an unknown one.
    pub(super) fn content_type(&self) -> Result<Option<Option<ContentType>>> {
        let parsed = |name: &Option<String>| name.as_deref().map(str::parse).transpose();
        let content_type = self.content_type.as_ref().map(parsed).transpose();
        content_type.map_err(|_| Error::validation("Content type is not included in the list"))
    }

    /// Returns the source of a status that had the source `before`. `usual` is the author's default
    /// content type.
    ///
    /// # Errors
    /// [`Error::Invalid`] for texts that are blank or too long, and for an unknown content type.
    pub(super) fn applied_to(
        &self,
        before: &StatusSource,
        usual: ContentType,
        limit: TextLimit,
        has_media: bool,
    ) -> Result<StatusSource> {
        let text = self.text.as_ref().unwrap_or(&before.text).clone();
        let (text, spoiler_text) = normalise_texts(text, self.spoiler_text.clone(), has_media)?;
        if !limit.fits_status(&text, &spoiler_text) {
            return Err(too_long(limit));
        }
        let content_type = self.content_type()?.map(|named| named.unwrap_or(usual));
        let language = match &self.language {
            Some(None) => None,
            Some(Some(code)) => normalise_language(code).or_else(|| before.language.clone()),
            None => before.language.clone(),
        };
        Ok(StatusSource {
            text,
            content_type: content_type.unwrap_or(before.content_type),
            spoiler_text,
            sensitive: self.sensitive.unwrap_or_default(),
            language,
        })
    }
}

/// Returns the language that a code means, or `None` if it is unknown.
pub(super) fn normalise_language(code: &str) -> Option<String> {
    language::normalise(code).map(str::to_owned)
}

/// Normalises text and content warning. If there is only a content warning and no media, it becomes
/// the text.
pub(super) fn normalise_texts(
    text: String,
    spoiler_text: String,
    has_media: bool,
) -> Result<(String, String)> {
    match (text::is_blank(&text), text::is_blank(&spoiler_text)) {
        (false, false) => Ok((text, spoiler_text)),
        (false, true) => Ok((text, String::new())),
        (true, false) if has_media => Ok((String::new(), spoiler_text)),
        (true, true) if has_media => Ok((String::new(), String::new())),
        (true, false) => Ok((spoiler_text, String::new())),
        (true, true) => Err(Error::validation("Text can't be blank")),
    }
}

pub(super) fn too_long(limit: TextLimit) -> Error {
    let most = limit.characters();
    Error::validation(format!("Text character limit of {most} exceeded"))
}
