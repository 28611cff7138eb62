//! Preview of a filter that is not saved yet.

use super::{ContainsStatuses, Keywords, Part, texts};
use crate::status::Status;

/// Matches of a filter among some statuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Number of statuses that were searched.
    pub searched: usize,
    /// Matching statuses, in the order in which they were searched.
    pub matches: Vec<PreviewMatch>,
}

/// Status that the filter matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewMatch {
    /// The status.
    pub status: Status,
    /// Texts of the status that contain a keyword; at least one.
    pub texts: Vec<MatchedText>,
}

/// Text of a status with the positions of keywords in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedText {
    /// Kind and position of the text.
    pub part: Part,
    /// Plain text that the spans refer to.
    pub text: String,
    /// Positions of the keywords, sorted by their end.
    pub spans: Vec<CharSpan>,
}

/// Position of a keyword, in characters (code points) from the start of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharSpan {
    /// Index of the keyword among the compiled keywords.
    pub keyword: usize,
    /// First character, counted from 0.
    pub start: usize,
    /// Exclusive end.
    pub end: usize,
}

impl Preview {
    /// Searches `statuses` for these keywords and returns at most `limit` spans per text.
    #[must_use]
    pub fn of(keywords: &Keywords, statuses: Vec<Status>, limit: usize) -> Self {
        let searched = statuses.len();
        let matches = statuses.into_iter().filter_map(|status| {
            let texts: Vec<MatchedText> = texts(status.displayed())
                .filter_map(|(part, text)| matched(keywords, part, &text, limit))
                .collect();
            (!texts.is_empty()).then_some(PreviewMatch { status, texts })
        });
        Self { searched, matches: matches.collect() }
    }
}

fn matched(keywords: &Keywords, part: Part, text: &str, limit: usize) -> Option<MatchedText> {
    let characters = |end: usize| text[..end].chars().count();
    let spans: Vec<CharSpan> = keywords
        .spans(text, limit)
        .into_iter()
        .map(|span| CharSpan {
            keyword: span.keyword,
            start: characters(span.range.start),
            end: characters(span.range.end),
        })
        .collect();
    (!spans.is_empty()).then(|| MatchedText { part, text: text.to_owned(), spans })
}

impl ContainsStatuses for Preview {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        self.matches.iter_mut().for_each(|one| visit(&mut one.status));
    }

    fn statuses(&self) -> usize {
        self.matches.len()
    }
}
