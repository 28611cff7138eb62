//! Preview of a filter. This is an extension of Siskin, not part of Mastodon's API
//! (`docs/openapi/filters-preview.yaml`).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities::{
    Timestamp,
    filters::{self as view, Part},
};

use crate::{
    status::{self, Status},
    urls::Urls,
};

/// Matches of a filter among the newest statuses of the home timeline.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct FilterPreview {
    /// Number of statuses that were searched.
    pub statuses_count: usize,
    /// Newest first.
    pub matches: Vec<FilterPreviewMatch>,
}

/// Status that the filter matches.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct FilterPreviewMatch {
    /// The status.
    pub status: Status,
    /// Texts of the status that contain a keyword; at least one.
    pub texts: Vec<FilterPreviewText>,
}

/// Text of the status that contains a keyword.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct FilterPreviewText {
    /// `spoiler_text`, `content`, `poll_option` or `description`.
    pub part: Cow<'static, str>,
    /// Index of the poll option or attachment, starting at 0; null for other parts.
    pub index: Option<usize>,
    /// Plain text.
    pub text: String,
    /// Positions of the keywords, sorted by their end.
    pub spans: Vec<FilterPreviewSpan>,
}

/// Position of a keyword in the text, in Unicode code points.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct FilterPreviewSpan {
    /// Keyword as typed.
    pub keyword: String,
    /// First code point, counted from 0.
    pub start: usize,
    /// Exclusive end.
    pub end: usize,
}

/// Renders a preview for the viewer of the statuses at `now`. `keywords` are the compiled keywords.
#[must_use]
pub fn render(
    preview: &view::Preview,
    keywords: &[String],
    urls: &Urls,
    now: Timestamp,
) -> FilterPreview {
    let one = |one: &view::PreviewMatch| FilterPreviewMatch {
        status: status::render(&one.status, urls, now),
        texts: one.texts.iter().map(|text| render_text(text, keywords)).collect(),
    };
    FilterPreview {
        statuses_count: preview.searched,
        matches: preview.matches.iter().map(one).collect(),
    }
}

fn render_text(matched: &view::MatchedText, keywords: &[String]) -> FilterPreviewText {
    let (part, index) = match matched.part {
        Part::SpoilerText => ("spoiler_text", None),
        Part::Content => ("content", None),
        Part::PollOption(index) => ("poll_option", Some(index)),
        Part::Description(index) => ("description", Some(index)),
    };
    let span = |span: &view::CharSpan| FilterPreviewSpan {
        keyword: keywords.get(span.keyword).cloned().unwrap_or_default(),
        start: span.start,
        end: span.end,
    };
    FilterPreviewText {
        part: part.into(),
        index,
        text: matched.text.clone(),
        spans: matched.spans.iter().map(span).collect(),
    }
}
