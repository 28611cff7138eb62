//! First version of the filter API, in which each keyword is a filter with its own id.

use std::sync::Arc;

use siskin_entities::filters::{FilterAction, FilterHead, FilterKeyword, LegacyFilter};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx, filters as rows};
use siskin_policy::limits::MAX_FILTER_TITLE_CHARS;
use siskin_text::is_blank;

use super::{
    draft::{
        Expiry, FilterDraft, KeywordDraft, NewFilter, PreparedEdit, is_longer, prepare_edit,
        prepare_new,
    },
    id,
    write::{create, publish_change, take_keyword},
};
use crate::{Error, Result};

const SHARED: &str = "This filter has several keywords: use an app that supports them to change it";

/// Parameters of a filter with one phrase; `None` if the client sent none.
#[derive(Debug, Clone, Default)]
pub struct LegacyDraft {
    pub phrase: Option<String>,
    pub contexts: Option<Vec<String>>,
    /// Whether matching statuses are hidden.
    pub irreversible: Option<bool>,
    pub whole_word: Option<bool>,
    pub expiry: Option<Expiry>,
}

/// Checked changes of a filter with one phrase.
#[derive(Debug, Clone)]
pub struct PreparedLegacy {
    phrase: Option<String>,
    whole_word: Option<bool>,
    head: PreparedEdit,
}

/// Checks a new filter. Its phrase is also its title.
///
/// # Errors
/// As [`prepare_new`], with messages about the phrase.
pub fn prepare_new_legacy(draft: LegacyDraft) -> Result<NewFilter> {
    let phrase = checked_phrase(draft.phrase.unwrap_or_default())?;
    let keyword = KeywordDraft {
        keyword: Some(phrase.clone()),
        // Clients of this version send only the options that they switch on.
        whole_word: Some(draft.whole_word.unwrap_or(false)),
        ..KeywordDraft::default()
    };
    prepare_new(FilterDraft {
        title: Some(phrase),
        contexts: draft.contexts,
        action: draft.irreversible.map(action).map(|action| action.as_str().to_owned()),
        expiry: draft.expiry,
        keywords: vec![keyword],
    })
}

/// Checks a phrase. The limits are those of a title, because the phrase becomes the title.
fn checked_phrase(phrase: String) -> Result<String> {
    if is_blank(&phrase) {
        return Err(Error::validation("Phrase can't be blank"));
    }
    if is_longer(phrase.trim(), MAX_FILTER_TITLE_CHARS) {
        let most = MAX_FILTER_TITLE_CHARS;
        return Err(Error::validation(format!("Phrase is too long (at most {most} characters)")));
    }
    Ok(phrase)
}

const fn action(irreversible: bool) -> FilterAction {
    if irreversible { FilterAction::Hide } else { FilterAction::Warn }
}

/// Returns the action of a changed filter. In this version of the API, a filter that blurs media is
/// one that does not hide, and stays so.
const fn changed_action(present: FilterAction, sent: Option<FilterAction>) -> FilterAction {
    match (present, sent) {
        (FilterAction::Blur, Some(FilterAction::Warn)) | (_, None) => present,
        (_, Some(sent)) => sent,
    }
}

/// Checks the changes.
///
/// # Errors
/// As [`prepare_edit`], with messages about the phrase.
pub fn prepare_legacy(draft: LegacyDraft) -> Result<PreparedLegacy> {
    let phrase = draft.phrase.map(checked_phrase).transpose()?;
    let head = FilterDraft {
        title: None,
        contexts: draft.contexts,
        action: draft.irreversible.map(action).map(|action| action.as_str().to_owned()),
        expiry: draft.expiry,
        keywords: Vec::new(),
    };
    Ok(PreparedLegacy { phrase, whole_word: draft.whole_word, head: prepare_edit(head)? })
}

/// Lists every keyword of an account's filters, the oldest filter first.
///
/// # Errors
/// Storage errors only.
pub fn list_legacy(conn: &mut Conn, account: AccountId) -> Result<Vec<LegacyFilter>> {
    let filters = rows::of_account(conn, account)?.into_iter();
    let legacy = filters.flat_map(|filter| {
        let head = filter.head;
        filter
            .keywords
            .into_iter()
            .map(move |keyword| LegacyFilter { head: Arc::clone(&head), keyword })
    });
    Ok(legacy.collect())
}

/// Returns a keyword of the account's filters.
///
/// # Errors
/// [`Error::NotFound`] if it does not exist, or belongs to another account.
pub fn find_legacy(conn: &mut Conn, account: AccountId, named: &str) -> Result<LegacyFilter> {
    let named = id(named)?;
    let mut filters = list_legacy(conn, account)?.into_iter();
    filters.find(|filter| filter.keyword.id == named).ok_or(Error::NotFound)
}

/// Creates a filter with one keyword.
///
/// # Errors
/// As [`create`].
pub fn create_legacy(tx: &mut Tx<'_>, account: AccountId, new: &NewFilter) -> Result<LegacyFilter> {
    let created = create(tx, account, new)?;
    let keyword = created.keywords.into_iter().next();
    let keyword =
        keyword.ok_or_else(|| Error::internal("a filter was created without its phrase"))?;
    Ok(LegacyFilter { head: created.head, keyword })
}

/// Changes a keyword and, if it is the only one, its filter. If the title equals the phrase, it
/// follows the phrase.
///
/// # Errors
/// [`Error::NotFound`] if the keyword does not exist, or belongs to another account;
/// [`Error::Invalid`] if the filter would also change for other keywords.
pub fn change_legacy(
    tx: &mut Tx<'_>,
    account: AccountId,
    named: &str,
    change: &PreparedLegacy,
) -> Result<LegacyFilter> {
    let (filter, before) = take_keyword(tx, account, id(named)?)?;
    let keyword = FilterKeyword {
        id: before.id,
        keyword: change.phrase.clone().unwrap_or_else(|| before.keyword.clone()),
        whole_word: change.whole_word.unwrap_or(before.whole_word),
    };
    let edit = &change.head;
    let is_alone = filter.keywords.len() == 1;
    let follows = is_alone && filter.head.title == before.keyword.trim();
    let title = if follows { keyword.keyword.trim() } else { &filter.head.title };
    let head = FilterHead {
        id: filter.head.id,
        title: title.to_owned(),
        contexts: edit.contexts.unwrap_or(filter.head.contexts),
        action: changed_action(filter.head.action, edit.action),
        expires_at: edit.expiry.map_or(filter.head.expires_at, |expiry| expiry.at(tx.now())),
    };
    if head != *filter.head && !is_alone {
        return Err(Error::validation(SHARED));
    }
    if head != *filter.head || keyword != before {
        rows::update(tx, &head)?;
        rows::update_keyword(tx, &keyword)?;
        publish_change(tx, account)?;
    }
    Ok(LegacyFilter { head: Arc::new(head), keyword })
}
