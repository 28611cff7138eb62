//! Search for many keywords in one pass over a text.

use std::{borrow::Cow, ops::Range};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use siskin_text::{Caseless, is_word_character};

use super::set::TooLarge;

/// Compiled keywords. [`Keywords::compile`] describes the matching rules.
#[derive(Debug, Clone, Default)]
pub struct Keywords {
    /// `None` if there is nothing to search for.
    automaton: Option<AhoCorasick>,
    /// Index of the keyword for each pattern of the automaton. Empty keywords have no pattern: they
    /// never match, and the automaton would store each of them at every state, once per suffix.
    patterns: Vec<usize>,
    edges: Vec<Edges>,
}

/// Edges at which a keyword needs a word boundary.
#[derive(Debug, Clone, Copy)]
struct Edges {
    start: bool,
    end: bool,
}

/// Occurrence of a keyword.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Index of the keyword among the compiled ones.
    pub keyword: usize,
    /// Byte range of the text, at character boundaries.
    pub range: Range<usize>,
}

/// Possible occurrence of a keyword, before word boundaries are checked.
pub(super) struct Candidate {
    pub(super) keyword: usize,
    folded: Range<usize>,
}

/// Text in the form in which keywords are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedText<'t> {
    text: Cow<'t, str>,
    folded: Caseless,
}

impl<'t> FoldedText<'t> {
    /// Folds a plain text.
    #[must_use]
    pub fn new(text: impl Into<Cow<'t, str>>) -> Self {
        let text = text.into();
        Self { folded: Caseless::new(&text), text }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

impl Keywords {
    /// Compiles keywords; the flag says whether a keyword must be a whole word. Case is ignored.
    /// All characters are literal, and white space matches the same white space only (a space does
    /// not match a line break).
    ///
    /// If an edge of a whole-word keyword is a letter, mark, digit or connector, no such character
    /// may follow there. `cat` does not match in `category`, but `c++` matches in `c++11`. An empty
    /// keyword never matches.
    ///
    /// # Errors
    /// Returns [`TooLarge`] for several gigabytes of keywords.
    pub fn compile<'k>(
        keywords: impl IntoIterator<Item = (&'k str, bool)>,
    ) -> Result<Self, TooLarge> {
        let (mut patterns, mut folded, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        for (at, (keyword, whole_word)) in keywords.into_iter().enumerate() {
            let is_word = |c: Option<char>| whole_word && c.is_some_and(is_word_character);
            let (start, end) = (is_word(keyword.chars().next()), is_word(keyword.chars().last()));
            edges.push(Edges { start, end });
            if !keyword.is_empty() {
                patterns.push(at);
                folded.push(Caseless::new(keyword));
            }
        }
        if patterns.is_empty() {
            return Ok(Self { edges, ..Self::default() });
        }
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::Standard)
            .build(folded.iter().map(Caseless::as_str))
            .map_err(|_| TooLarge)?;
        Ok(Self { automaton: Some(automaton), patterns, edges })
    }

    /// Returns the number of keywords.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Returns `true` if there are no keywords.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Returns the approximate memory use in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.automaton.as_ref().map_or(0, AhoCorasick::memory_usage)
            + self.patterns.len() * size_of::<usize>()
            + self.edges.len() * size_of::<Edges>()
    }

    /// Returns at most `limit` occurrences of the keywords in a text, sorted by their end. Of two
    /// overlapping occurrences of the same keyword, only the first is returned.
    #[must_use]
    pub fn spans(&self, text: &str, limit: usize) -> Vec<Span> {
        let folded = FoldedText::new(text);
        let mut free = vec![0; self.len()];
        let spans = self.candidates(&folded).filter_map(|candidate| {
            let (keyword, range) = (candidate.keyword, self.confirm(&folded, &candidate)?);
            if range.start < free[keyword] {
                return None;
            }
            free[keyword] = range.end;
            Some(Span { keyword, range })
        });
        spans.take(limit).collect()
    }

    /// Returns all possible occurrences, overlapping ones included, sorted by their end.
    pub(super) fn candidates<'a>(
        &'a self,
        searched: &'a FoldedText<'_>,
    ) -> impl Iterator<Item = Candidate> + 'a {
        let found = self
            .automaton
            .iter()
            .flat_map(|automaton| automaton.find_overlapping_iter(searched.folded.as_str()));
        found.map(|found| {
            let keyword = self.patterns[found.pattern().as_usize()];
            Candidate { keyword, folded: found.range() }
        })
    }

    /// Returns the range in the original text. Returns `None` if the candidate splits a character
    /// or lacks a required word boundary.
    pub(super) fn confirm(
        &self,
        searched: &FoldedText<'_>,
        candidate: &Candidate,
    ) -> Option<Range<usize>> {
        let range = searched.folded.original(candidate.folded.clone())?;
        let Edges { start, end } = self.edges[candidate.keyword];
        let continues_word = |c: Option<char>| c.is_some_and(is_word_character);
        let before = start && continues_word(searched.text[..range.start].chars().next_back());
        let after = end && continues_word(searched.text[range.end..].chars().next());
        (!before && !after).then_some(range)
    }
}
