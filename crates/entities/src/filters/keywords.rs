//! Finds any of many keywords in a text, in one pass over it.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use siskin_text::{Caseless, is_word_character};

use super::set::TooLarge;

/// Words and phrases, compiled. What each must have around it is said at [`Keywords::compile`].
#[derive(Debug, Clone, Default)]
pub struct Keywords {
    /// None where there is nothing to look for.
    automaton: Option<AhoCorasick>,
    /// Which keyword each pattern of the automaton is. Empty ones are none: they are nowhere, and in
    /// the automaton each would be noted at every state once for every suffix of it.
    patterns: Vec<usize>,
    edges: Vec<Edges>,
}

/// At which edges a keyword must not go on as a word.
#[derive(Debug, Clone, Copy)]
struct Edges {
    start: bool,
    end: bool,
}

/// A place where a keyword stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Its position among those that were compiled.
    pub keyword: usize,
    /// Bytes of the text, at boundaries of characters.
    pub range: Range<usize>,
}

/// A place where a keyword would stand if nothing were asked of its surroundings.
pub(super) struct Candidate {
    pub(super) keyword: usize,
    folded: Range<usize>,
}

/// A text in which is looked for keywords.
pub(super) struct Haystack<'t> {
    text: &'t str,
    folded: Caseless,
}

impl<'t> Haystack<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, folded: Caseless::new(text) }
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }
}

impl Keywords {
    /// Compiles keywords, each with whether it must be a whole word. Case does not count, every
    /// character stands for itself, and white space for the same white space (a space is no line
    /// break).
    ///
    /// A whole word has no letter, mark, digit or connector beside an edge that is one itself:
    /// `cat` is not in `category`, but `c++` is in `c++11`. An empty keyword is nowhere.
    ///
    /// # Errors
    /// [`TooLarge`] past gigabytes of keywords.
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

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Bytes of memory that they take, roughly.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.automaton.as_ref().map_or(0, AhoCorasick::memory_usage)
            + self.patterns.len() * size_of::<usize>()
            + self.edges.len() * size_of::<Edges>()
    }

    /// Where the keywords stand in a text, in the order in which they end: at most `most` places.
    /// A keyword that stands at two places which overlap is told of the first one.
    #[must_use]
    pub fn spans(&self, text: &str, most: usize) -> Vec<Span> {
        let haystack = Haystack::new(text);
        let mut free = vec![0; self.len()];
        let spans = self.candidates(&haystack).filter_map(|candidate| {
            let (keyword, range) = (candidate.keyword, self.confirm(&haystack, &candidate)?);
            if range.start < free[keyword] {
                return None;
            }
            free[keyword] = range.end;
            Some(Span { keyword, range })
        });
        spans.take(most).collect()
    }

    /// Every place of every keyword, those that overlap too, in the order in which they end.
    pub(super) fn candidates<'a>(
        &'a self,
        haystack: &'a Haystack<'_>,
    ) -> impl Iterator<Item = Candidate> + 'a {
        let found = self
            .automaton
            .iter()
            .flat_map(|automaton| automaton.find_overlapping_iter(haystack.folded.as_str()));
        found.map(|found| {
            let keyword = self.patterns[found.pattern().as_usize()];
            Candidate { keyword, folded: found.range() }
        })
    }

    /// Where in the text that is, if the keyword really stands there.
    pub(super) fn confirm(
        &self,
        haystack: &Haystack<'_>,
        candidate: &Candidate,
    ) -> Option<Range<usize>> {
        let range = haystack.folded.original(candidate.folded.clone())?;
        let Edges { start, end } = self.edges[candidate.keyword];
        let goes_on = |c: Option<char>| c.is_some_and(is_word_character);
        let before = start && goes_on(haystack.text[..range.start].chars().next_back());
        let after = end && goes_on(haystack.text[range.end..].chars().next());
        (!before && !after).then_some(range)
    }
}
