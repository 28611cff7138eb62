//! Filter parameters of clients, checked before any data is read.

use std::time::Duration;

use siskin_entities::{
    Timestamp,
    filters::{FilterAction, FilterContexts},
};
use siskin_ids::FilterKeywordId;
use siskin_policy::limits::{
    MAX_FILTER_DURATION, MAX_FILTER_KEYWORD_CHARS, MAX_FILTER_KEYWORDS, MAX_FILTER_TITLE_CHARS,
};
use siskin_text::{TextLimit, is_blank};

use super::id;
use crate::{Error, Result};

const NO_TITLE: &str = "Title can't be blank";
const NO_CONTEXT: &str = "Context can't be blank";
const NO_KEYWORD: &str = "Keyword can't be blank";

/// Default for whole-word matching of a new keyword. The first version of the filter API has its
/// own default.
pub const WHOLE_WORD: bool = true;

/// How long a filter applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expiry {
    /// Without end.
    Never,
    /// For this time from now on.
    In(Duration),
}

impl Expiry {
    /// Expires after this number of seconds; 0 means at once.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a negative number, and for one above a hundred years.
    pub fn seconds(seconds: i64) -> Result<Self> {
        let duration = u64::try_from(seconds).map(Duration::from_secs).ok();
        let duration = duration.filter(|duration| *duration <= MAX_FILTER_DURATION);
        duration.map(Self::In).ok_or_else(|| {
            let most = MAX_FILTER_DURATION.as_secs();
            Error::validation(format!("Expires in must be from 0 to {most} seconds"))
        })
    }

    /// Returns the time of expiry, if it starts now.
    pub(super) fn at(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Never => None,
            Self::In(duration) => Some(now.after(duration)),
        }
    }
}

/// Filter parameters; `None` if the client sent none.
#[derive(Debug, Clone, Default)]
pub struct FilterDraft {
    pub title: Option<String>,
    pub contexts: Option<Vec<String>>,
    pub action: Option<String>,
    pub expiry: Option<Expiry>,
    pub keywords: Vec<KeywordDraft>,
}

/// Keyword parameters of a filter. Without an id it is a new keyword.
#[derive(Debug, Clone, Default)]
pub struct KeywordDraft {
    pub id: Option<String>,
    pub keyword: Option<String>,
    /// `None` for a new keyword means [`WHOLE_WORD`].
    pub whole_word: Option<bool>,
    /// Whether to delete the keyword.
    pub destroy: bool,
}

/// New filter that passed all checks.
#[derive(Debug, Clone)]
pub struct NewFilter {
    pub(super) title: String,
    pub(super) contexts: FilterContexts,
    pub(super) action: FilterAction,
    pub(super) expiry: Expiry,
    pub(super) keywords: Vec<NewKeyword>,
}

/// New keyword that passed all checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKeyword {
    pub(super) keyword: String,
    pub(super) whole_word: bool,
}

/// Change of one keyword of a filter.
#[derive(Debug, Clone)]
pub(super) enum KeywordChange {
    Add(NewKeyword),
    Change { id: FilterKeywordId, keyword: Option<String>, whole_word: Option<bool> },
    Remove(FilterKeywordId),
}

/// Checked changes of a filter; `None` keeps the current value.
#[derive(Debug, Clone, Default)]
pub struct PreparedEdit {
    pub(super) title: Option<String>,
    pub(super) contexts: Option<FilterContexts>,
    pub(super) action: Option<FilterAction>,
    pub(super) expiry: Option<Expiry>,
    pub(super) keywords: Vec<KeywordChange>,
}

/// Checks a new filter. By default it warns and never expires.
///
/// # Errors
/// [`Error::Invalid`] if the title or the context is missing, for values that are too long or
/// unknown, and for a blank keyword; [`Error::NotFound`] if a keyword has an id, because a new
/// filter has none yet.
pub fn prepare_new(draft: FilterDraft) -> Result<NewFilter> {
    let PreparedEdit { title, contexts, action, expiry, keywords } = prepare_edit(draft)?;
    Ok(NewFilter {
        title: title.ok_or_else(|| Error::validation(NO_TITLE))?,
        contexts: contexts.ok_or_else(|| Error::validation(NO_CONTEXT))?,
        action: action.unwrap_or_default(),
        expiry: expiry.unwrap_or(Expiry::Never),
        keywords: all_new(keywords)?,
    })
}

pub(super) fn all_new(keywords: Vec<KeywordChange>) -> Result<Vec<NewKeyword>> {
    let keywords = keywords.into_iter().map(|change| match change {
        KeywordChange::Add(new) => Ok(new),
        KeywordChange::Change { .. } | KeywordChange::Remove(_) => Err(Error::NotFound),
    });
    keywords.collect()
}

/// Checks the changes of a filter.
///
/// # Errors
/// [`Error::Invalid`] for values that are blank, too long or unknown; [`Error::NotFound`] for an
/// invalid id of a keyword.
pub fn prepare_edit(draft: FilterDraft) -> Result<PreparedEdit> {
    // Limits the work before each keyword is checked.
    if draft.keywords.len() > 2 * MAX_FILTER_KEYWORDS {
        return Err(too_many_keywords());
    }
    let keywords = draft.keywords.into_iter().filter_map(|keyword| change(keyword).transpose());
    Ok(PreparedEdit {
        title: draft.title.map(|title| checked_title(&title)).transpose()?,
        contexts: draft.contexts.map(|names| checked_contexts(&names)).transpose()?,
        action: draft.action.map(|name| name.parse().map_err(Error::validation)).transpose()?,
        expiry: draft.expiry,
        keywords: keywords.collect::<Result<_>>()?,
    })
}

/// Checks a new keyword.
///
/// # Errors
/// [`Error::Invalid`] if it is blank or too long.
pub fn prepare_keyword(keyword: Option<String>, whole_word: Option<bool>) -> Result<NewKeyword> {
    let keyword = checked_keyword(keyword.unwrap_or_default())?;
    Ok(NewKeyword { keyword, whole_word: whole_word.unwrap_or(WHOLE_WORD) })
}

/// Checks one keyword change. Returns `None` for a new keyword that is to be deleted.
fn change(draft: KeywordDraft) -> Result<Option<KeywordChange>> {
    let KeywordDraft { id: named, keyword, whole_word, destroy } = draft;
    let named = named.filter(|named| !named.is_empty());
    Ok(match (named.as_deref().map(id).transpose()?, destroy) {
        (Some(id), true) => Some(KeywordChange::Remove(id)),
        (Some(id), false) => {
            let keyword = keyword.map(checked_keyword).transpose()?;
            Some(KeywordChange::Change { id, keyword, whole_word })
        }
        (None, true) => None,
        (None, false) => Some(KeywordChange::Add(prepare_keyword(keyword, whole_word)?)),
    })
}

fn checked_title(title: &str) -> Result<String> {
    let title = title.trim();
    if is_blank(title) {
        return Err(Error::validation(NO_TITLE));
    }
    if is_longer(title, MAX_FILTER_TITLE_CHARS) {
        let most = MAX_FILTER_TITLE_CHARS;
        return Err(Error::validation(format!("Title is too long (at most {most} characters)")));
    }
    Ok(title.to_owned())
}

/// Checks a keyword. Does not trim it, because leading and trailing white space is part of it.
pub(super) fn checked_keyword(keyword: String) -> Result<String> {
    if is_blank(&keyword) {
        return Err(Error::validation(NO_KEYWORD));
    }
    if is_longer(&keyword, MAX_FILTER_KEYWORD_CHARS) {
        let most = MAX_FILTER_KEYWORD_CHARS;
        return Err(Error::validation(format!("Keyword is too long (at most {most} characters)")));
    }
    Ok(keyword)
}

pub(super) fn is_longer(text: &str, most: usize) -> bool {
    !TextLimit::of(most).fits_code_points(text)
}

fn checked_contexts(names: &[String]) -> Result<FilterContexts> {
    let contexts: Result<FilterContexts> =
        names.iter().map(|name| name.parse().map_err(Error::validation)).collect();
    contexts.and_then(|contexts| {
        if contexts.is_empty() { Err(Error::validation(NO_CONTEXT)) } else { Ok(contexts) }
    })
}

pub(super) fn too_many_keywords() -> Error {
    Error::validation(format!("At most {MAX_FILTER_KEYWORDS} keywords can be filtered"))
}
