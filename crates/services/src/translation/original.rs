//! A status taken apart into the texts that are sent, and put together again from those that came
//! back.

use siskin_entities::{
    CustomEmoji, StatusBody, Translation,
    translation::{LanguagePair, TranslatedPoll},
};
use siskin_ids::{MediaId, PollId};
use siskin_text::{Sheltered, html_to_text, is_blank};

use super::Answered;
use crate::secrets;

/// The words of a status that are to be translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    pair: LanguagePair,
    /// The language that its author named.
    language: Option<String>,
    content: Sheltered,
    spoiler: Sheltered,
    poll: Option<(PollId, Vec<Sheltered>)>,
    descriptions: Vec<(MediaId, Sheltered)>,
}

impl Original {
    /// The words of `body`, to be had by way of `pair`.
    #[must_use]
    pub fn new(body: &StatusBody, pair: LanguagePair) -> Self {
        let text = |text: &str, emojis: &[CustomEmoji]| {
            Sheltered::of_text(text, |name| names(emojis, name))
        };
        let poll = body.poll.as_ref().map(|poll| {
            let options = poll.options.iter().map(|option| text(&option.title, &poll.emojis));
            (poll.id, options.collect())
        });
        let described = body.attachments.iter().filter(|media| !media.description.is_empty());
        Self {
            pair,
            language: body.language.clone(),
            content: Sheltered::of_html(&body.content, |name| names(&body.emojis, name)),
            spoiler: text(&body.spoiler_text, &body.emojis),
            poll,
            descriptions: described
                .map(|media| (media.id, text(&media.description, &[])))
                .collect(),
        }
    }

    /// The languages that it goes from and into.
    #[must_use]
    pub const fn pair(&self) -> &LanguagePair {
        &self.pair
    }

    /// What is sent, as HTML; empty where there are no words at all.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.pieces().filter(|piece| piece.has_words()).map(|it| it.html().to_owned()).collect()
    }

    /// What an answer of `provider` is kept under: the same for the same words, whoever wrote them.
    #[must_use]
    pub fn key(&self, provider: &str) -> String {
        let LanguagePair { source, target } = &self.pair;
        let mut words = vec![provider.to_owned(), source.clone().unwrap_or_default()];
        words.push(target.clone());
        words.extend(self.texts());
        // With their lengths, so that no two lists are one text.
        let parts = words.iter().map(|word| format!("{}:{word}", word.len()));
        secrets::hash(&parts.collect::<String>())
    }

    /// The status in the other language, cleaned; None where the answer is not that of these texts.
    #[must_use]
    pub fn translated(&self, answered: &Answered, provider: &str) -> Option<Translation> {
        let mut came = answered.texts.iter();
        let mut next = |piece: &Sheltered| {
            if piece.has_words() {
                // Nothing at all is no translation of words.
                let came = came.next().filter(|text| !is_blank(&html_to_text(text)))?;
                piece.restore(came)
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
        came.next().is_none().then(|| Translation {
            content,
            spoiler_text,
            poll,
            descriptions,
            source: self.language.clone().or_else(|| answered.detected.clone()),
            target: self.pair.target.clone(),
            provider: provider.to_owned(),
        })
    }

    fn pieces(&self) -> impl Iterator<Item = &Sheltered> {
        let options = self.poll.iter().flat_map(|(_, options)| options);
        let descriptions = self.descriptions.iter().map(|(_, description)| description);
        [&self.content, &self.spoiler].into_iter().chain(options).chain(descriptions)
    }
}

fn names(emojis: &[CustomEmoji], name: &str) -> bool {
    emojis.iter().any(|emoji| emoji.shortcode == name)
}
