//! Whether a status matches a query.

use siskin_text::{SearchWord, contains_phrase, html_to_text, search_words};

use super::{Condition, Property, StatusQuery};
use crate::{
    card::CardKind,
    media::MediaKind,
    status::{StatusBody, StatusSnapshot},
};

impl<T> Condition<T> {
    /// Returns `true` if the condition holds for a status that `has` it or not.
    fn holds(&self, has: impl FnOnce(&T) -> bool) -> bool {
        has(&self.of) != self.is_negated
    }
}

impl StatusQuery {
    /// Returns `true` if the status matches. A phrase must be in one text: the content warning, the
    /// content, an option of the poll or the description of an attachment.
    ///
    /// Does not check authors, whose handles only the server can resolve, whether the status is a
    /// reply, because its viewer may not know that, and the scope. The index decides these.
    #[must_use]
    pub fn matches(&self, status: &StatusBody) -> bool {
        self.periods.iter().all(|one| one.holds(|period| period.contains(status.created_at)))
            && self.languages.iter().all(|one| {
                one.holds(|code| status.source.language.as_deref() == Some(code.as_str()))
            })
            && self
                .properties
                .iter()
                .filter(|one| one.of != Property::Reply)
                .all(|one| one.holds(|property| has(status, *property)))
            && self.matches_text(status)
    }

    fn matches_text(&self, status: &StatusBody) -> bool {
        if self.phrases.is_empty() {
            return true;
        }
        let texts = texts(status);
        let is_in_text =
            |phrase: &Vec<SearchWord>| texts.iter().any(|text| contains_phrase(text, phrase));
        self.phrases.iter().all(|one| one.holds(is_in_text))
    }
}

/// Returns the words of each text of a status that a search reads.
fn texts(status: &StatusBody) -> Vec<Vec<SearchWord>> {
    let mut texts = vec![
        search_words(&status.source.spoiler_text),
        search_words(&html_to_text(&status.content)),
    ];
    let options = status.poll.iter().flat_map(|poll| &poll.options);
    texts.extend(options.map(|option| search_words(&option.title)));
    texts.extend(status.attachments.iter().map(|media| search_words(&media.description)));
    texts
}

fn has(status: &StatusSnapshot, property: Property) -> bool {
    let has_kind =
        |kinds: &[MediaKind]| status.attachments.iter().any(|media| kinds.contains(&media.kind));
    match property {
        Property::Media => !status.attachments.is_empty(),
        Property::Image => has_kind(&[MediaKind::Image]),
        Property::Video => has_kind(&[MediaKind::Video, MediaKind::Gifv]),
        Property::Audio => has_kind(&[MediaKind::Audio]),
        Property::Poll => status.has_poll,
        Property::Link => has_link(&status.content),
        Property::Embed => status
            .card
            .as_ref()
            .is_some_and(|card| matches!(card.kind, CardKind::Video | CardKind::Rich)),
        Property::Sensitive => status.source.sensitive,
        Property::Reply => false,
    }
}

/// Returns `true` if sanitised HTML has a link that is neither a mention nor a hashtag.
#[must_use]
pub fn has_link(content: &str) -> bool {
    let tags = content.split("<a ").skip(1).map(|tag| tag.split('>').next().unwrap_or_default());
    tags.into_iter().any(|tag| !tag.contains("mention"))
}
