//! What a filter would do that is not kept yet.

use super::{HoldsStatuses, Keywords, Part, texts};
use crate::status::Status;

/// What a filter would mark among some statuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// How many were looked at.
    pub looked_at: usize,
    /// Those that it would mark, in the order in which they were looked at.
    pub matches: Vec<PreviewMatch>,
}

/// A status that a filter would mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewMatch {
    pub status: Status,
    /// Those of its texts that have a keyword; at least one.
    pub texts: Vec<MatchedText>,
}

/// A text of a status, and where keywords stand in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedText {
    pub part: Part,
    /// What the spans count in: without markup.
    pub text: String,
    pub spans: Vec<CharSpan>,
}

/// Where a keyword stands, in characters (code points) from the beginning of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharSpan {
    /// Its position among the keywords that were compiled.
    pub keyword: usize,
    pub start: usize,
    /// After its last character.
    pub end: usize,
}

impl Preview {
    /// What these keywords would mark among `statuses`, with at most `most` places in one text.
    #[must_use]
    pub fn of(keywords: &Keywords, statuses: Vec<Status>, most: usize) -> Self {
        let looked_at = statuses.len();
        let matches = statuses.into_iter().filter_map(|status| {
            let texts: Vec<MatchedText> = texts(status.shown())
                .filter_map(|(part, text)| matched(keywords, part, &text, most))
                .collect();
            (!texts.is_empty()).then_some(PreviewMatch { status, texts })
        });
        Self { looked_at, matches: matches.collect() }
    }
}

fn matched(keywords: &Keywords, part: Part, text: &str, most: usize) -> Option<MatchedText> {
    let characters = |end: usize| text[..end].chars().count();
    let spans: Vec<CharSpan> = keywords
        .spans(text, most)
        .into_iter()
        .map(|span| CharSpan {
            keyword: span.keyword,
            start: characters(span.range.start),
            end: characters(span.range.end),
        })
        .collect();
    (!spans.is_empty()).then(|| MatchedText { part, text: text.to_owned(), spans })
}

impl HoldsStatuses for Preview {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        self.matches.iter_mut().for_each(|one| visit(&mut one.status));
    }

    fn statuses(&self) -> usize {
        self.matches.len()
    }
}
