//! Splits a status into the texts to translate, and rebuilds it from the translated ones.

use siskin_entities::{
    CustomEmoji, StatusBody, Translation,
    translation::{LanguagePair, TranslatedPoll},
};
use siskin_ids::{MediaId, PollId};
use siskin_text::{ProtectedText, html_to_text, is_blank};

use super::TranslatedTexts;
use crate::secrets;

/// Texts of a status that are to be translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    pair: LanguagePair,
    /// Language that the author chose.
    language: Option<String>,
    content: ProtectedText,
    spoiler: ProtectedText,
    poll: Option<(PollId, Vec<ProtectedText>)>,
    descriptions: Vec<(MediaId, ProtectedText)>,
}

impl Original {
    /// Collects the texts of `body` for a translation by `pair`.
    #[must_use]
    pub fn new(body: &StatusBody, pair: LanguagePair) -> Self {
        let text = |text: &str, emojis: &[CustomEmoji]| {
            ProtectedText::of_text(text, |name| is_shortcode(emojis, name))
        };
        let poll = body.poll.as_ref().map(|poll| {
            let options = poll.options.iter().map(|option| text(&option.title, &poll.emojis));
            (poll.id, options.collect())
        });
        let described = body.attachments.iter().filter(|media| !media.description.is_empty());
        Self {
            pair,
            language: body.source.language.clone(),
            content: ProtectedText::of_html(&body.content, |name| is_shortcode(&body.emojis, name)),
            spoiler: text(&body.source.spoiler_text, &body.emojis),
            poll,
            descriptions: described
                .map(|media| (media.id, text(&media.description, &[])))
                .collect(),
        }
    }

    /// Returns the source and target language.
    #[must_use]
    pub const fn pair(&self) -> &LanguagePair {
        &self.pair
    }

    /// Returns the texts to send, as HTML. Empty if the status contains no words.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.pieces().filter(|piece| piece.has_text()).map(|it| it.html().to_owned()).collect()
    }

    /// Returns the cache key for a response of `provider`. It is the same for the same texts,
    /// independent of the author.
    #[must_use]
    pub fn key(&self, provider: &str) -> String {
        let LanguagePair { source, target } = &self.pair;
        let mut fields = vec![provider.to_owned(), source.clone().unwrap_or_default()];
        fields.push(target.clone());
        fields.extend(self.texts());
        // Includes the lengths, so that different lists never form the same string.
        let parts = fields.iter().map(|word| format!("{}:{word}", word.len()));
        secrets::hash(&parts.collect::<String>())
    }

    /// Returns the translated and sanitised status. Returns `None` if the response does not match
    /// these texts.
    #[must_use]
    pub fn translated(&self, answered: &TranslatedTexts, provider: &str) -> Option<Translation> {
        let mut received = answered.texts.iter();
        let mut next = |piece: &ProtectedText| {
            if piece.has_text() {
                // An empty text is no valid translation of words.
                let received = received.next().filter(|text| !is_blank(&html_to_text(text)))?;
                piece.restore(received)
            } else {
                Some(piece.original().to_owned())
            }
        };
        let content = next(&self.content)?;
        let spoiler_text = next(&self.spoiler)?;
        let poll = match &self.poll {
            None => None,
            Some((id, options)) => {
                let options = options.iter().map(&mut next).collect::<Option<_>>()?;
                Some(TranslatedPoll { id: *id, options })
            }
        };
        let descriptions = self.descriptions.iter();
        let descriptions =
            descriptions.map(|(id, text)| Some((*id, next(text)?))).collect::<Option<_>>()?;
        received.next().is_none().then(|| Translation {
            content,
            spoiler_text,
            poll,
            descriptions,
            source: self.language.clone().or_else(|| answered.detected.clone()),
            target: self.pair.target.clone(),
            provider: provider.to_owned(),
        })
    }

    fn pieces(&self) -> impl Iterator<Item = &ProtectedText> {
        let options = self.poll.iter().flat_map(|(_, options)| options);
        let descriptions = self.descriptions.iter().map(|(_, description)| description);
        [&self.content, &self.spoiler].into_iter().chain(options).chain(descriptions)
    }
}

fn is_shortcode(emojis: &[CustomEmoji], name: &str) -> bool {
    emojis.iter().any(|emoji| emoji.shortcode == name)
}
