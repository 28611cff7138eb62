//! Texts of a status that filters search.

use std::{
    borrow::Cow,
    iter::{once, once_with},
};

use siskin_text::html_to_text;

use crate::status::StatusBody;

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

/// Returns all non-empty texts of a status in reading order. The content is converted to plain
/// text: one line break per line, an empty line between paragraphs.
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
