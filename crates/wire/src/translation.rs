//! Translated statuses, and the supported languages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use siskin_entities::{
    self as view,
    translation::{Languages, UNDETERMINED},
};
use siskin_ids::{MediaId, PollId};

/// Translated texts of a status.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Translation {
    /// Content as HTML.
    pub content: String,
    /// Translated content warning; empty if there is none.
    #[serde(default)]
    pub spoiler_text: String,
    /// Code of the target language.
    #[serde(default)]
    pub language: String,
    /// Null if the status has no poll.
    pub poll: Option<TranslationPoll>,
    /// Translated descriptions of the attachments that have one.
    #[serde(default)]
    pub media_attachments: Vec<TranslationAttachment>,
    /// Code of the source language; `und` if it is unknown.
    #[serde(default)]
    pub detected_source_language: String,
    /// Name of the translation service.
    pub provider: String,
}

/// Translated poll.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct TranslationPoll {
    /// Id of the poll.
    pub id: PollId,
    /// Options in their order.
    pub options: Vec<TranslationPollOption>,
}

/// Translated option of a poll.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct TranslationPollOption {
    /// Translated title.
    pub title: String,
}

/// Translated description of an attachment.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct TranslationAttachment {
    /// Id of the attachment.
    pub id: MediaId,
    /// Translated description.
    pub description: String,
}

/// Renders a translation.
#[must_use]
pub fn render(translation: &view::Translation) -> Translation {
    let option = |title: &String| TranslationPollOption { title: title.clone() };
    let attachment = |(id, description): &(MediaId, String)| TranslationAttachment {
        id: *id,
        description: description.clone(),
    };
    Translation {
        content: translation.content.clone(),
        spoiler_text: translation.spoiler_text.clone(),
        language: translation.target.clone(),
        poll: translation.poll.as_ref().map(|poll| TranslationPoll {
            id: poll.id,
            options: poll.options.iter().map(option).collect(),
        }),
        media_attachments: translation.descriptions.iter().map(attachment).collect(),
        detected_source_language: translation
            .source
            .clone()
            .unwrap_or_else(|| UNDETERMINED.to_owned()),
        provider: translation.provider.clone(),
    }
}

/// Renders the source languages with their target languages.
#[must_use]
pub fn render_languages(languages: &Languages) -> BTreeMap<&str, Vec<&str>> {
    languages.by_source().map(|(source, targets)| (source, targets.collect())).collect()
}
