//! The texts of a status, as its readers see them.

use std::{
    borrow::Cow,
    iter::{once, once_with},
};

use siskin_text::html_to_text;

use crate::status::StatusBody;

/// What a text of a status is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The content warning.
    SpoilerText,
    /// The words themselves.
    Content,
    /// The option at this position of its poll.
    PollOption(usize),
    /// The description of the attachment at this position.
    Description(usize),
}

/// All texts of a status that are not empty, in the order in which they are read. Its content comes
/// without markup: a line break for each line, an empty line between paragraphs.
pub fn texts(body: &StatusBody) -> impl Iterator<Item = (Part, Cow<'_, str>)> {
    let warning = once((Part::SpoilerText, Cow::Borrowed(body.spoiler_text.as_str())));
    let content = once_with(|| (Part::Content, Cow::Owned(html_to_text(&body.content))));
    let options = body.poll.iter().flat_map(|poll| poll.options.iter().enumerate());
    let options =
        options.map(|(at, option)| (Part::PollOption(at), Cow::Borrowed(option.title.as_str())));
    let media = body.attachments.iter().enumerate();
    let descriptions =
        media.map(|(at, media)| (Part::Description(at), Cow::Borrowed(media.description.as_str())));
    let all = warning.chain(content).chain(options).chain(descriptions);
    all.filter(|(_, text)| !text.is_empty())
}
