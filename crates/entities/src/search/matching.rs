//! Whether a status matches a query.

use siskin_text::{SearchWord, contains_phrase, html_to_text, search_words, without_quote_link};

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

/// Returns `true` if sanitised HTML has a link that is neither a mention nor a hashtag, nor the link
/// above the text of a quote.
#[must_use]
pub fn has_link(content: &str) -> bool {
    let tags = without_quote_link(content).split("<a ").skip(1);
    let mut tags = tags.map(|tag| tag.split('>').next().unwrap_or_default());
    let is_name = |tag: &str| MENTION_CLASSES.iter().any(|class| tag.contains(class));
    tags.any(|tag| !is_name(tag))
}

/// Classes of mentions and hashtags, as the renderer writes them.
const MENTION_CLASSES: [&str; 2] = ["class=\"u-url mention\"", "class=\"mention hashtag\""];

#[cfg(test)]
mod tests {
    use super::has_link;

    #[test]
    fn only_links_that_the_author_wrote_count() {
        let mention = r#"<a href="https://a.example/@b" class="u-url mention">@<span>b</span></a>"#;
        let tag = r#"<a href="https://a.example/tags/x" class="mention hashtag" rel="tag">#x</a>"#;
        let quote = siskin_text::render_quote_link("https://a.example/@b/1");
        for content in ["<p>x</p>", mention, tag, &format!("{quote}<p>See {mention}</p>")] {
            assert!(!has_link(content), "{content}");
        }
        let link = r#"<a href="https://a.example/mention" rel="nofollow noopener">x</a>"#;
        for content in [link, &format!("{quote}<p>{tag} {link}</p>")] {
            assert!(has_link(content), "{content}");
        }
    }
}
