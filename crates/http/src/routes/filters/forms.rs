//! Request parameters for filters.

use serde::Deserialize;
use siskin_entities::filters::FilterAction;
use siskin_services::{
    Error as Domain,
    filters::{Expiry, FilterDraft, KeywordDraft, WHOLE_WORD},
};

use crate::params::Patch;

/// A filter of API version 2, new or changed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FilterForm {
    title: Patch<String>,
    context: Patch<Vec<String>>,
    filter_action: Patch<String>,
    expires_in: Patch<i64>,
    keywords_attributes: Vec<KeywordForm>,
}

/// A keyword within a filter.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct KeywordForm {
    id: Option<String>,
    keyword: Patch<String>,
    whole_word: Patch<bool>,
    #[serde(rename = "_destroy")]
    destroy: bool,
}

impl FilterForm {
    /// Converts the parameters into the input of the use cases.
    pub(super) fn draft(self) -> Result<FilterDraft, Domain> {
        let keyword = |form: KeywordForm| KeywordDraft {
            id: form.id,
            keyword: form.keyword.or_default(),
            whole_word: form.whole_word.or_cleared(WHOLE_WORD),
            destroy: form.destroy,
        };
        Ok(FilterDraft {
            title: self.title.or_default(),
            contexts: self.context.or_default(),
            action: self.filter_action.or_cleared(FilterAction::default().as_str().to_owned()),
            expiry: expiry(self.expires_in)?,
            keywords: self.keywords_attributes.into_iter().map(keyword).collect(),
        })
    }
}

/// Returns the time at which a filter expires. `None` keeps the stored one.
pub(super) fn expiry(seconds: Patch<i64>) -> Result<Option<Expiry>, Domain> {
    seconds
        .map(Expiry::seconds)
        .into_options()
        .map(|at| at.unwrap_or(Ok(Expiry::Never)))
        .transpose()
}
