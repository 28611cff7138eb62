//! Filters, and what they say of a status.

use serde::Serialize;
use siskin_entities::filters::{
    self as view, Filter as FilterView, FilterAction, FilterHead as HeadView, LegacyFilter,
};
use siskin_ids::{FilterId, FilterKeywordId, FilterStatusId, StatusId};

use crate::time::Instant;

/// A filter with all that it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Filter {
    #[serde(flatten)]
    pub head: FilterHead,
    pub keywords: Vec<FilterKeyword>,
    pub statuses: Vec<FilterStatus>,
}

/// A filter as a status names it: without what it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilterHead {
    pub id: FilterId,
    pub title: String,
    pub context: Vec<&'static str>,
    /// Null: it never ends. May be past.
    pub expires_at: Option<Instant>,
    pub filter_action: &'static str,
}

/// A word or phrase of a filter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilterKeyword {
    pub id: FilterKeywordId,
    /// As typed.
    pub keyword: String,
    pub whole_word: bool,
}

/// A status of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FilterStatus {
    pub id: FilterStatusId,
    pub status_id: StatusId,
}

/// What a filter says of a status. A list that would be empty is null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilterResult {
    pub filter: FilterHead,
    /// As they are written in the status.
    pub keyword_matches: Option<Vec<String>>,
    pub status_matches: Option<Vec<StatusId>>,
}

/// A keyword with what its filter says, as the first version of the interface has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct V1Filter {
    pub id: FilterKeywordId,
    pub phrase: String,
    pub context: Vec<&'static str>,
    pub whole_word: bool,
    pub expires_at: Option<Instant>,
    /// Whether what is marked is to be hidden.
    pub irreversible: bool,
}

/// A filter as its owner sees it.
#[must_use]
pub fn render(filter: &FilterView) -> Filter {
    Filter {
        head: render_head(&filter.head),
        keywords: render_keywords(&filter.keywords),
        statuses: render_statuses(&filter.statuses),
    }
}

/// Several, in their order.
#[must_use]
pub fn render_all(filters: &[FilterView]) -> Vec<Filter> {
    filters.iter().map(render).collect()
}

fn render_head(head: &HeadView) -> FilterHead {
    FilterHead {
        id: head.id,
        title: head.title.clone(),
        context: contexts(head),
        expires_at: head.expires_at.map(Instant),
        filter_action: head.action.as_str(),
    }
}

fn contexts(head: &HeadView) -> Vec<&'static str> {
    head.contexts.iter().map(view::FilterContext::as_str).collect()
}

/// A keyword as its owner sees it.
#[must_use]
pub fn render_keyword(keyword: &view::FilterKeyword) -> FilterKeyword {
    FilterKeyword {
        id: keyword.id,
        keyword: keyword.keyword.clone(),
        whole_word: keyword.whole_word,
    }
}

/// Several, in their order.
#[must_use]
pub fn render_keywords(keywords: &[view::FilterKeyword]) -> Vec<FilterKeyword> {
    keywords.iter().map(render_keyword).collect()
}

/// A status of a filter as its owner sees it.
#[must_use]
pub const fn render_status(status: &view::FilterStatus) -> FilterStatus {
    FilterStatus { id: status.id, status_id: status.status }
}

/// Several, in their order.
#[must_use]
pub fn render_statuses(statuses: &[view::FilterStatus]) -> Vec<FilterStatus> {
    statuses.iter().map(render_status).collect()
}

/// What a filter says of a status, to the owner of the filter.
#[must_use]
pub fn render_result(result: &view::FilterResult) -> FilterResult {
    FilterResult {
        filter: render_head(&result.filter),
        keyword_matches: filled(&result.keyword_matches),
        status_matches: filled(&result.status_matches),
    }
}

fn filled<T: Clone>(list: &[T]) -> Option<Vec<T>> {
    (!list.is_empty()).then(|| list.to_vec())
}

/// A keyword with its filter as its owner sees it.
#[must_use]
pub fn render_v1(filter: &LegacyFilter) -> V1Filter {
    V1Filter {
        id: filter.keyword.id,
        phrase: filter.keyword.keyword.clone(),
        context: contexts(&filter.head),
        whole_word: filter.keyword.whole_word,
        expires_at: filter.head.expires_at.map(Instant),
        irreversible: filter.head.action == FilterAction::Hide,
    }
}
