//! What a filter would mark. Not of the interface that others have, but of ours
//! (`docs/openapi/filters-preview.yaml`).

use serde::Serialize;
use siskin_entities::{
    Timestamp,
    filters::{self as view, Part},
};

use crate::{
    status::{self, Status},
    urls::Urls,
};

/// What a filter would mark of the newest statuses of the home timeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FilterPreview {
    /// How many were looked at.
    pub statuses_count: usize,
    /// The newest first.
    pub matches: Vec<FilterPreviewMatch>,
}

/// A status that it would mark.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FilterPreviewMatch {
    pub status: Status,
    pub texts: Vec<FilterPreviewText>,
}

/// A text of the status that has a keyword.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilterPreviewText {
    /// `spoiler_text`, `content`, `poll_option` or `description`.
    pub part: &'static str,
    /// Which option of the poll or attachment, the first being 0; null of the others.
    pub index: Option<usize>,
    /// Without markup.
    pub text: String,
    pub spans: Vec<FilterPreviewSpan>,
}

/// Where a keyword stands in the text, in Unicode code points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilterPreviewSpan {
    /// As typed.
    pub keyword: String,
    pub start: usize,
    /// After its last code point.
    pub end: usize,
}

/// A preview as the reader of the statuses sees it at `now`; `words` are the keywords that were
/// compiled for it.
#[must_use]
pub fn render(
    preview: &view::Preview,
    words: &[String],
    urls: &Urls,
    now: Timestamp,
) -> FilterPreview {
    let one = |one: &view::PreviewMatch| FilterPreviewMatch {
        status: status::render(&one.status, urls, now),
        texts: one.texts.iter().map(|text| render_text(text, words)).collect(),
    };
    FilterPreview {
        statuses_count: preview.looked_at,
        matches: preview.matches.iter().map(one).collect(),
    }
}

fn render_text(matched: &view::MatchedText, words: &[String]) -> FilterPreviewText {
    let (part, index) = match matched.part {
        Part::SpoilerText => ("spoiler_text", None),
        Part::Content => ("content", None),
        Part::PollOption(index) => ("poll_option", Some(index)),
        Part::Description(index) => ("description", Some(index)),
    };
    let span = |span: &view::CharSpan| FilterPreviewSpan {
        keyword: words.get(span.keyword).cloned().unwrap_or_default(),
        start: span.start,
        end: span.end,
    };
    FilterPreviewText {
        part,
        index,
        text: matched.text.clone(),
        spans: matched.spans.iter().map(span).collect(),
    }
}
