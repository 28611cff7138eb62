//! Texts of a status that filters search.

use std::{
    borrow::Cow,
    iter::{empty, once, once_with},
};

use siskin_ids::StatusId;
use siskin_text::html_to_text;

use super::FoldedText;
use crate::status::{Status, StatusBody, StatusSnapshot};

/// Kind and position of a text in a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The content warning.
    SpoilerText,
    /// The content of the status.
    Content,
    /// The title of the poll option at this index.
    PollOption(usize),
    /// The description of the attachment at this index.
    Description(usize),
}

/// Object that filters can match: its texts, and the ids under which filters may list it.
pub trait Filterable {
    /// Returns the ids of the object. They are empty if filters cannot list it.
    fn ids(&self) -> impl Iterator<Item = StatusId>;

    /// Returns the non-empty plain texts of the object in reading order.
    fn texts(&self) -> impl Iterator<Item = (Part, Cow<'_, str>)>;

    /// Calls `search` for each of the [`texts`](Self::texts), folded.
    fn for_each_folded_text(&self, search: &mut dyn FnMut(&FoldedText<'_>)) {
        self.texts().for_each(|(_, text)| search(&FoldedText::new(text)));
    }
}

/// Searches the displayed status. The ids are those of the status and of the status that it
/// reblogs.
impl Filterable for Status {
    fn ids(&self) -> impl Iterator<Item = StatusId> {
        once(self.body.id).chain(self.reblog.iter().map(|reblogged| reblogged.id))
    }

    fn texts(&self) -> impl Iterator<Item = (Part, Cow<'_, str>)> {
        self.displayed().texts()
    }

    fn for_each_folded_text(&self, search: &mut dyn FnMut(&FoldedText<'_>)) {
        self.displayed().for_each_folded_text(search);
    }
}

/// Searches a status that is no reblog, or is displayed by one, or is quoted. What it quotes is
/// searched by itself.
impl Filterable for StatusBody {
    fn ids(&self) -> impl Iterator<Item = StatusId> {
        once(self.id)
    }

    fn texts(&self) -> impl Iterator<Item = (Part, Cow<'_, str>)> {
        texts(self)
    }

    fn for_each_folded_text(&self, search: &mut dyn FnMut(&FoldedText<'_>)) {
        let folded = self.snapshot.get_or_derive(FoldedTexts::of);
        folded.above_poll.iter().for_each(&mut *search);
        poll_options(self).for_each(|(_, title)| search(&FoldedText::new(title)));
        folded.below_poll.iter().for_each(search);
    }
}

/// The texts of a snapshot, folded. They are the same for every viewer, so a status is folded once
/// and not for each viewer with filters.
#[derive(Debug)]
pub struct FoldedTexts {
    /// Content warning and content.
    above_poll: Box<[FoldedText<'static>]>,
    /// Descriptions of the attachments.
    below_poll: Box<[FoldedText<'static>]>,
}

impl FoldedTexts {
    fn of(snapshot: &StatusSnapshot) -> Self {
        Self {
            above_poll: folded(warning_and_content(snapshot)),
            below_poll: folded(descriptions(snapshot)),
        }
    }
}

fn folded<'t>(texts: impl Iterator<Item = PartText<'t>>) -> Box<[FoldedText<'static>]> {
    let texts = texts.filter(|(_, text)| !text.is_empty());
    texts.map(|(_, text)| FoldedText::new(text.into_owned())).collect()
}

/// Searches a plain text without an id.
impl Filterable for str {
    fn ids(&self) -> impl Iterator<Item = StatusId> {
        empty()
    }

    fn texts(&self) -> impl Iterator<Item = (Part, Cow<'_, str>)> {
        once((Part::Content, Cow::Borrowed(self))).filter(|(_, text)| !text.is_empty())
    }
}

/// Parts of an object of another program that filters search, such as a message or a status that a
/// client received. The default has no part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchedTexts<'t> {
    /// Ids under which filters may list the object: its own id, and that of the status that it
    /// reblogs.
    pub ids: Vec<StatusId>,
    /// Content warning or subject, as plain text; empty if there is none.
    pub spoiler_text: &'t str,
    /// Content as HTML; empty if there is none.
    pub html: &'t str,
    /// Content as plain text, in addition to `html`; empty if there is none.
    pub text: &'t str,
    /// Titles of the options of a poll, as plain text.
    pub poll_options: Vec<&'t str>,
    /// Descriptions (alternative texts) of the attachments, as plain text.
    pub descriptions: Vec<&'t str>,
}

impl<'t> SearchedTexts<'t> {
    /// Returns the non-empty texts like [`Filterable::texts`], for as long as the parts live.
    pub fn into_texts(self) -> impl Iterator<Item = (Part, Cow<'t, str>)> {
        let warning = once((Part::SpoilerText, Cow::Borrowed(self.spoiler_text)));
        let html = once_with(move || (Part::Content, Cow::Owned(html_to_text(self.html))));
        let text = once((Part::Content, Cow::Borrowed(self.text)));
        let options = self.poll_options.into_iter().enumerate();
        let options = options.map(|(at, title)| (Part::PollOption(at), Cow::Borrowed(title)));
        let media = self.descriptions.into_iter().enumerate();
        let media = media.map(|(at, text)| (Part::Description(at), Cow::Borrowed(text)));
        let all = warning.chain(html).chain(text).chain(options).chain(media);
        all.filter(|(_, text)| !text.is_empty())
    }
}

impl Filterable for SearchedTexts<'_> {
    fn ids(&self) -> impl Iterator<Item = StatusId> {
        self.ids.iter().copied()
    }

    fn texts(&self) -> impl Iterator<Item = (Part, Cow<'_, str>)> {
        self.clone().into_texts()
    }
}

/// Text with its kind and position.
type PartText<'t> = (Part, Cow<'t, str>);

/// Returns all non-empty texts of a status in reading order. The content is converted to plain
/// text: one line break per line, an empty line between paragraphs.
pub fn texts(body: &StatusBody) -> impl Iterator<Item = (Part, Cow<'_, str>)> {
    let all = warning_and_content(body).chain(poll_options(body)).chain(descriptions(body));
    all.filter(|(_, text)| !text.is_empty())
}

fn warning_and_content(snapshot: &StatusSnapshot) -> impl Iterator<Item = PartText<'_>> {
    let warning = once((Part::SpoilerText, Cow::Borrowed(snapshot.source.spoiler_text.as_str())));
    warning.chain(once_with(|| (Part::Content, Cow::Owned(html_to_text(&snapshot.content)))))
}

/// Votes change the poll without a new snapshot, so it is not part of one.
fn poll_options(body: &StatusBody) -> impl Iterator<Item = PartText<'_>> {
    let options = body.poll.iter().flat_map(|poll| poll.options.iter().enumerate());
    options.map(|(at, option)| (Part::PollOption(at), Cow::Borrowed(option.title.as_str())))
}

fn descriptions(snapshot: &StatusSnapshot) -> impl Iterator<Item = PartText<'_>> {
    let media = snapshot.attachments.iter().enumerate();
    media.map(|(at, media)| (Part::Description(at), Cow::Borrowed(media.description.as_str())))
}
