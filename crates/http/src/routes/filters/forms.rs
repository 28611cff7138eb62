//! What clients send of filters.

use serde::Deserialize;
use siskin_services::{
    Error as Domain,
    filters::{Expiry, FilterDraft, KeywordDraft},
};

use crate::params::{Params, Value};

/// A filter of the second version, new or to be changed.
#[derive(Debug, Deserialize)]
pub(super) struct FilterForm {
    title: Option<String>,
    context: Option<Vec<String>>,
    filter_action: Option<String>,
    expires_in: Option<i64>,
    #[serde(default)]
    keywords_attributes: Vec<KeywordForm>,
}

/// A keyword among those of a filter.
#[derive(Debug, Deserialize)]
struct KeywordForm {
    id: Option<String>,
    keyword: Option<String>,
    whole_word: Option<bool>,
    #[serde(default, rename = "_destroy")]
    destroy: bool,
}

impl FilterForm {
    /// What it says; `sent` is all that was sent.
    pub(super) fn draft(self, sent: &Params) -> Result<FilterDraft, Domain> {
        let keyword = |form: KeywordForm| KeywordDraft {
            id: form.id,
            keyword: form.keyword,
            whole_word: form.whole_word,
            destroy: form.destroy,
        };
        Ok(FilterDraft {
            title: self.title,
            contexts: self.context,
            action: self.filter_action,
            expiry: expiry(sent, self.expires_in)?,
            keywords: self.keywords_attributes.into_iter().map(keyword).collect(),
        })
    }
}

/// When a filter is to end: never where the parameter is empty or null, as it was where it is not
/// there.
pub(super) fn expiry(sent: &Params, seconds: Option<i64>) -> Result<Option<Expiry>, Domain> {
    match (seconds, sent.get("expires_in")) {
        (Some(seconds), _) => Expiry::seconds(seconds).map(Some),
        (None, Some(Value::Null | Value::Text(_))) => Ok(Some(Expiry::Never)),
        (None, _) => Ok(None),
    }
}
