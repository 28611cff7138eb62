//! Translated statuses, and the supported languages.

use std::collections::BTreeMap;

use serde::Serialize;
use siskin_entities::{
    self as view,
    translation::{Languages, UNDETERMINED},
};
use siskin_ids::{MediaId, PollId};

/// Translated texts of a status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Translation {
    /// Content as HTML.
    pub content: String,
    pub spoiler_text: String,
    pub language: String,
    pub poll: Option<TranslationPoll>,
    pub media_attachments: Vec<TranslationAttachment>,
    pub detected_source_language: String,
    pub provider: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TranslationPoll {
    pub id: PollId,
    pub options: Vec<TranslationPollOption>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TranslationPollOption {
    pub title: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TranslationAttachment {
    pub id: MediaId,
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
