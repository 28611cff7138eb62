//! All filters of one account, compiled.

use std::{collections::HashMap, fmt, sync::Arc};

use siskin_ids::StatusId;

use super::{
    Filter, FilterContext, FilterHead,
    keywords::Keywords,
    marked::{ContainsStatuses, Marked},
    texts::Filterable,
};
use crate::{
    status::{Status, StatusBody},
    time::Timestamp,
};

/// Compiled filters of one account. The default has no filters and is used for anonymous viewers.
#[derive(Debug, Clone, Default)]
pub struct FilterSet {
    heads: Vec<Arc<FilterHead>>,
    keywords: Keywords,
    /// Index of the filter that owns each keyword.
    owners: Vec<usize>,
    /// Indexes of the filters that list a status.
    statuses: HashMap<StatusId, Vec<usize>>,
}

/// Error: the keywords do not fit into the search automaton. Only gigabytes of keywords cause it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("too many or too long keywords")
    }
}

impl std::error::Error for TooLarge {}

/// Match of one filter with a status or text. At least one of the two lists is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterResult {
    /// The filter that matched.
    pub filter: Arc<FilterHead>,
    /// Keywords that occur in the status, as they are spelled there.
    pub keyword_matches: Vec<String>,
    /// Id of the status, and of the status that it reblogs, if the filter lists them.
    pub status_matches: Vec<StatusId>,
}

impl FilterSet {
    /// Compiles the filters of an account. Expired filters are included, because the current time
    /// is passed in at each match.
    ///
    /// # Errors
    /// Returns the same errors as [`Keywords::compile`].
    pub fn compile(filters: &[Filter]) -> Result<Self, TooLarge> {
        // The strictest filters come first, for clients that read the first result only.
        let mut filters: Vec<&Filter> = filters.iter().collect();
        filters.sort_by_key(|filter| (filter.head.action.order(), filter.head.id));
        let mut statuses: HashMap<StatusId, Vec<usize>> = HashMap::new();
        let mut owners = Vec::new();
        for (at, filter) in filters.iter().enumerate() {
            owners.resize(owners.len() + filter.keywords.len(), at);
            for filtered in &filter.statuses {
                statuses.entry(filtered.status).or_default().push(at);
            }
        }
        let words = filters.iter().flat_map(|filter| &filter.keywords);
        let keywords =
            Keywords::compile(words.map(|word| (word.keyword.as_str(), word.whole_word)))?;
        let heads = filters.iter().map(|filter| Arc::clone(&filter.head)).collect();
        Ok(Self { heads, keywords, owners, statuses })
    }

    /// Returns `true` if there are no filters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Returns the approximate memory use in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        let titles: usize = self.heads.iter().map(|head| head.title.len()).sum();
        titles
            + self.heads.len() * size_of::<FilterHead>()
            + self.keywords.memory()
            + self.owners.len() * size_of::<usize>()
            + self.statuses.len() * size_of::<(StatusId, Vec<usize>, usize)>()
    }

    /// Returns the matches of a status or text that is displayed in `context` at `now`. Filters that
    /// hide come first, then those that warn, and last those that blur media; older filters come
    /// before newer ones. Returns an empty list if no filter matches.
    #[must_use]
    pub fn results<S: Filterable + ?Sized>(
        &self,
        context: FilterContext,
        now: Timestamp,
        searched: &S,
    ) -> Vec<FilterResult> {
        self.active_filters(context, now).map_or_else(Vec::new, |active_filters| {
            let found = active_filters.find(searched);
            active_filters.results(&found, searched.ids())
        })
    }

    /// Writes the filter matches into all statuses in `displayed`, for `context` and `now`.
    /// Statuses that were loaded without a viewer stay unchanged.
    pub fn mark<T: ContainsStatuses>(
        &self,
        context: FilterContext,
        now: Timestamp,
        mut displayed: T,
    ) -> Marked<T> {
        if let Some(active_filters) = self.active_filters(context, now) {
            displayed.for_each_status(&mut |status| active_filters.mark(status));
        }
        Marked::new(displayed)
    }

    /// Returns the applicable filters, or `None` if no filter applies.
    fn active_filters(&self, context: FilterContext, now: Timestamp) -> Option<ActiveFilters<'_>> {
        let active: Vec<bool> = self.heads.iter().map(|head| head.applies(context, now)).collect();
        let has_keywords = self.owners.iter().any(|owner| active[*owner]);
        active.contains(&true).then_some(ActiveFilters { set: self, active, has_keywords })
    }
}

/// Filters that apply at one time in one context.
struct ActiveFilters<'s> {
    set: &'s FilterSet,
    /// Whether each filter applies.
    active: Vec<bool>,
    /// Whether one of the applicable filters has a keyword.
    has_keywords: bool,
}

/// Keywords found in a status: the index of each keyword and its spelling in the status.
type Found = Vec<(usize, String)>;

impl ActiveFilters<'_> {
    fn mark(&self, status: &mut Status) {
        let found = self.find(status);
        let (own, displayed) = (status.body.id, status.displayed().id);
        if let Some(viewer) = &mut status.body.viewer {
            viewer.filtered = self.results(&found, [own, displayed]);
        }
        if let Some(viewer) = status.reblog.as_mut().and_then(|inner| inner.viewer.as_mut()) {
            viewer.filtered = self.results(&found, [displayed]);
        }
        let displayed = status.reblog.as_deref_mut().unwrap_or(&mut status.body);
        if let Some(quoted) = displayed.quoted_mut() {
            self.mark_quoted(quoted);
        }
    }

    /// Writes the matches of a quoted status into it. The quote itself is shown even if a filter
    /// hides what it quotes.
    fn mark_quoted(&self, quoted: &mut StatusBody) {
        let found = self.find(quoted);
        let id = quoted.id;
        if let Some(viewer) = &mut quoted.viewer {
            viewer.filtered = self.results(&found, [id]);
        }
    }

    /// Returns the first occurrence of each keyword of the applicable filters.
    fn find<S: Filterable + ?Sized>(&self, searched: &S) -> Found {
        if !self.has_keywords {
            return Vec::new();
        }
        let mut found = Found::new();
        let mut pending: Vec<bool> =
            self.set.owners.iter().map(|owner| self.active[*owner]).collect();
        searched.for_each_folded_text(&mut |folded| {
            for candidate in self.set.keywords.candidates(folded) {
                let keyword = candidate.keyword;
                if pending[keyword]
                    && let Some(range) = self.set.keywords.confirm(folded, &candidate)
                {
                    pending[keyword] = false;
                    found.push((keyword, folded.text()[range].to_owned()));
                }
            }
        });
        found.sort_unstable_by_key(|(keyword, _)| *keyword);
        found
    }

    /// Builds the results for these ids: the status and the status that it reblogs.
    fn results(&self, found: &Found, ids: impl IntoIterator<Item = StatusId>) -> Vec<FilterResult> {
        let mut results: Vec<(usize, FilterResult)> = Vec::new();
        for (keyword, text) in found {
            let result = result(&mut results, self.set, self.set.owners[*keyword]);
            if !result.keyword_matches.contains(text) {
                result.keyword_matches.push(text.clone());
            }
        }
        for id in ids {
            for owner in self.set.statuses.get(&id).into_iter().flatten() {
                if self.active[*owner] {
                    let result = result(&mut results, self.set, *owner);
                    if !result.status_matches.contains(&id) {
                        result.status_matches.push(id);
                    }
                }
            }
        }
        results.sort_unstable_by_key(|(owner, _)| *owner);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

/// Returns the result of this filter, and adds an empty one if it does not exist yet.
fn result<'r>(
    results: &'r mut Vec<(usize, FilterResult)>,
    set: &FilterSet,
    owner: usize,
) -> &'r mut FilterResult {
    let at = results.iter().position(|(other, _)| *other == owner).unwrap_or_else(|| {
        let filter = Arc::clone(&set.heads[owner]);
        let empty =
            FilterResult { filter, keyword_matches: Vec::new(), status_matches: Vec::new() };
        results.push((owner, empty));
        results.len() - 1
    });
    &mut results[at].1
}
