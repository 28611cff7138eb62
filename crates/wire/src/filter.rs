//! Filters, and their matches with statuses.

use serde::Serialize;
use siskin_entities::filters::{
    self as view, Filter as FilterView, FilterAction, FilterHead as HeadView, LegacyFilter,
};
use siskin_ids::{FilterId, FilterKeywordId, FilterStatusId, StatusId};

use crate::time::Instant;

/// Filter with its keywords and statuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Filter {
    #[serde(flatten)]
    pub head: FilterHead,
    pub keywords: Vec<FilterKeyword>,
    pub statuses: Vec<FilterStatus>,
}

/// Filter without its keywords and statuses, as embedded in a status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilterHead {
    pub id: FilterId,
    pub title: String,
    pub context: Vec<&'static str>,
    /// Null if it never expires. May be in the past.
    pub expires_at: Option<Instant>,
    pub filter_action: &'static str,
}

/// Word or phrase of a filter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilterKeyword {
    pub id: FilterKeywordId,
    /// Text as typed.
    pub keyword: String,
    pub whole_word: bool,
}

/// Status of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FilterStatus {
    pub id: FilterStatusId,
    pub status_id: StatusId,
}

/// Match of a filter with a status. Empty lists are null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilterResult {
    pub filter: FilterHead,
    /// Keywords as they are spelled in the status.
    pub keyword_matches: Option<Vec<String>>,
    pub status_matches: Option<Vec<StatusId>>,
}

/// Keyword with the fields of its filter, as in version 1 of the API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct V1Filter {
    pub id: FilterKeywordId,
    pub phrase: String,
    pub context: Vec<&'static str>,
    pub whole_word: bool,
    pub expires_at: Option<Instant>,
    /// Whether clients should hide the status completely.
    pub irreversible: bool,
}

/// Renders a filter for its owner.
#[must_use]
pub fn render(filter: &FilterView) -> Filter {
    Filter {
        head: render_head(&filter.head),
        keywords: render_keywords(&filter.keywords),
        statuses: render_statuses(&filter.statuses),
    }
}

/// Renders filters in their order.
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

/// Renders a keyword for its owner.
#[must_use]
pub fn render_keyword(keyword: &view::FilterKeyword) -> FilterKeyword {
    FilterKeyword {
        id: keyword.id,
        keyword: keyword.keyword.clone(),
        whole_word: keyword.whole_word,
    }
}

/// Renders keywords in their order.
#[must_use]
pub fn render_keywords(keywords: &[view::FilterKeyword]) -> Vec<FilterKeyword> {
    keywords.iter().map(render_keyword).collect()
}

/// Renders a status of a filter for its owner.
#[must_use]
pub const fn render_status(status: &view::FilterStatus) -> FilterStatus {
    FilterStatus { id: status.id, status_id: status.status }
}

/// Renders statuses of a filter in their order.
#[must_use]
pub fn render_statuses(statuses: &[view::FilterStatus]) -> Vec<FilterStatus> {
    statuses.iter().map(render_status).collect()
}

/// Renders the match of a filter with a status, for the owner of the filter.
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

/// Renders a keyword with its filter in version 1 of the API, for its owner.
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
