//! Filters, and their matches with statuses.

use std::{borrow::Cow, sync::Arc};

use serde::{Deserialize, Serialize};
use siskin_entities::filters::{
    self as view, Filter as FilterView, FilterAction, FilterHead as HeadView, LegacyFilter,
};
use siskin_ids::{FilterId, FilterKeywordId, FilterStatusId, StatusId};

use crate::time::Instant;

/// Filter with its keywords and statuses.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Filter {
    /// Title, contexts and action. In JSON, the fields are those of the filter itself.
    #[serde(flatten)]
    pub head: FilterHead,
    /// Words and phrases, in the order in which they were added.
    #[serde(default)]
    pub keywords: Vec<FilterKeyword>,
    /// Statuses, in the order in which they were added.
    #[serde(default)]
    pub statuses: Vec<FilterStatus>,
}

/// Filter without its keywords and statuses, as embedded in a status.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct FilterHead {
    /// Id of the filter.
    pub id: FilterId,
    /// Title that clients show in place of a status.
    pub title: String,
    /// Names of the places where it applies ([`view::FilterContext`]).
    pub context: Vec<Cow<'static, str>>,
    /// Null if it never expires. May be in the past.
    pub expires_at: Option<Instant>,
    /// What clients do with matching statuses: a name of [`view::FilterAction`].
    pub filter_action: Cow<'static, str>,
}

/// Word or phrase of a filter.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct FilterKeyword {
    /// Id of the keyword.
    pub id: FilterKeywordId,
    /// Text as typed.
    pub keyword: String,
    /// Whether it matches whole words only.
    pub whole_word: bool,
}

/// Status of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub struct FilterStatus {
    /// Id of the entry in the filter.
    pub id: FilterStatusId,
    /// Id of the status.
    pub status_id: StatusId,
}

/// Match of a filter with a status. Empty lists are null.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct FilterResult {
    /// The filter that matched.
    pub filter: FilterHead,
    /// Keywords as they are spelled in the status.
    pub keyword_matches: Option<Vec<String>>,
    /// Ids of the status, and of the status that it reblogs, if the filter lists them.
    pub status_matches: Option<Vec<StatusId>>,
}

/// Keyword with the fields of its filter, as in version 1 of the API.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct V1Filter {
    /// Id of the keyword.
    pub id: FilterKeywordId,
    /// Word or phrase as typed.
    pub phrase: String,
    /// Names of the places where it applies ([`view::FilterContext`]).
    pub context: Vec<Cow<'static, str>>,
    /// Whether it matches whole words only.
    pub whole_word: bool,
    /// Time when it ends; null if it never expires.
    pub expires_at: Option<Instant>,
    /// Whether clients should hide the status completely.
    pub irreversible: bool,
}

impl Filter {
    /// Returns the filter as a domain view, which [`view::FilterSet`] compiles. Unknown contexts
    /// are left out, and an unknown action becomes [`FilterAction::Warn`].
    ///
    /// ```
    /// use siskin_entities::{FilterContext, FilterSet, Timestamp};
    /// use siskin_wire::filter::Filter;
    ///
    /// let sent = r#"[{"id":"1","title":"Birds","context":["home"],"expires_at":null,
    ///     "filter_action":"warn","keywords":[{"id":"2","keyword":"siskin","whole_word":true}]}]"#;
    /// let sent: Vec<Filter> = serde_json::from_str(sent)?;
    /// let filters: Vec<_> = sent.iter().map(Filter::to_view).collect();
    /// let set = FilterSet::compile(&filters)?;
    /// let now = Timestamp::from_unix_ms(0);
    /// assert_eq!(set.results(FilterContext::Home, now, "A siskin!").len(), 1);
    /// assert_eq!(set.results(FilterContext::Public, now, "A siskin!").len(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_view(&self) -> FilterView {
        let keyword = |one: &FilterKeyword| view::FilterKeyword {
            id: one.id,
            keyword: one.keyword.clone(),
            whole_word: one.whole_word,
        };
        let status = |one: &FilterStatus| view::FilterStatus { id: one.id, status: one.status_id };
        FilterView {
            head: Arc::new(self.head.to_view()),
            keywords: self.keywords.iter().map(keyword).collect(),
            statuses: self.statuses.iter().map(status).collect(),
        }
    }
}

impl FilterHead {
    fn to_view(&self) -> HeadView {
        let contexts = self.context.iter();
        HeadView {
            id: self.id,
            title: self.title.clone(),
            contexts: contexts.filter_map(|name| view::FilterContext::from_name(name)).collect(),
            action: FilterAction::from_name(&self.filter_action).unwrap_or_default(),
            expires_at: self.expires_at.map(|end| end.0),
        }
    }
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
        filter_action: head.action.as_str().into(),
    }
}

fn contexts(head: &HeadView) -> Vec<Cow<'static, str>> {
    head.contexts.iter().map(|context| context.as_str().into()).collect()
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
