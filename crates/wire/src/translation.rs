//! Statuses in other languages, and which languages there are.

use std::collections::BTreeMap;

use serde::Serialize;
use siskin_entities::{
    self as view,
    translation::{Languages, UNDETERMINED},
};
use siskin_ids::{MediaId, PollId};

/// The words of a status in another language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Translation {
    /// HTML.
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

/// A status in another language.
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

/// Each language with those that it can be translated into.
#[must_use]
pub fn render_languages(languages: &Languages) -> BTreeMap<&str, Vec<&str>> {
    languages.by_source().map(|(source, targets)| (source, targets.collect())).collect()
}
