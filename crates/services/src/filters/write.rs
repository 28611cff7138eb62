//! Changes an account's own filters.
//!
//! Every change first locks the account and then reads all its filters. So decisions based on them
//! stay valid until the end of the transaction.

use std::sync::Arc;

use siskin_entities::filters::{Filter, FilterHead, FilterKeyword, FilterStatus};
use siskin_ids::{AccountId, FilterId, FilterKeywordId, FilterStatusId, StatusId};
use siskin_persistence::{
    Tx, accounts,
    events::{self, FILTERS_CHANGED},
    filters as rows, statuses,
};
use siskin_policy::limits::{MAX_FILTER_KEYWORDS, MAX_FILTER_STATUSES, MAX_FILTERS};

use super::{
    draft::{
        KeywordChange, NewFilter, NewKeyword, PreparedEdit, checked_keyword, too_many_keywords,
    },
    id,
};
use crate::{Error, Result};

/// Locks the account until the end of the transaction, and returns all its filters.
pub(super) fn take(tx: &mut Tx<'_>, account: AccountId) -> Result<Vec<Filter>> {
    accounts::lock(tx, &[account])?;
    Ok(rows::of_account(tx, account)?)
}

/// Publishes the event that the filters of an account have changed. Called once for each change.
pub(super) fn publish_change(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    events::insert(tx, FILTERS_CHANGED, &account.to_string())?;
    Ok(())
}

/// Creates a filter and returns it.
///
/// # Errors
/// [`Error::Invalid`] if the account has the maximum number of filters or keywords.
pub fn create(tx: &mut Tx<'_>, account: AccountId, new: &NewFilter) -> Result<Filter> {
    let own = take(tx, account)?;
    if own.len() >= MAX_FILTERS {
        return Err(Error::validation(format!("At most {MAX_FILTERS} filters can be stored")));
    }
    require_room(&own, new.keywords.len())?;
    let head = FilterHead {
        id: FilterId::new(tx.next_id()),
        title: new.title.clone(),
        contexts: new.contexts,
        action: new.action,
        expires_at: new.expiry.at(tx.now()),
    };
    rows::insert(tx, account, &head)?;
    let keywords = new.keywords.iter().map(|new| insert_keyword(tx, head.id, new));
    let keywords = keywords.collect::<Result<_>>()?;
    publish_change(tx, account)?;
    Ok(Filter { head: Arc::new(head), keywords, statuses: Vec::new() })
}

/// Checks that `more` keywords can be added.
fn require_room(own: &[Filter], more: usize) -> Result<()> {
    let existing: usize = own.iter().map(|filter| filter.keywords.len()).sum();
    if more > 0 && existing + more > MAX_FILTER_KEYWORDS {
        return Err(too_many_keywords());
    }
    Ok(())
}

fn insert_keyword(tx: &mut Tx<'_>, filter: FilterId, new: &NewKeyword) -> Result<FilterKeyword> {
    let keyword = FilterKeyword {
        id: FilterKeywordId::new(tx.next_id()),
        keyword: new.keyword.clone(),
        whole_word: new.whole_word,
    };
    rows::add_keyword(tx, filter, &keyword)?;
    Ok(keyword)
}

/// Changes a filter and its keywords atomically, and returns it.
///
/// # Errors
/// [`Error::NotFound`] if the filter does not belong to the account, or a keyword not to the
/// filter; [`Error::Invalid`] if there would be too many keywords.
pub fn edit(
    tx: &mut Tx<'_>,
    account: AccountId,
    named: &str,
    edit: &PreparedEdit,
) -> Result<Filter> {
    let named: FilterId = id(named)?;
    let own = take(tx, account)?;
    let before = own.iter().find(|filter| filter.head.id == named).ok_or(Error::NotFound)?;
    let plan = Plan::of(before, &edit.keywords)?;
    // Keywords that are removed make room for new ones.
    let others: usize = own.iter().map(|filter| filter.keywords.len()).sum();
    if !plan.added.is_empty()
        && others - plan.removed.len() + plan.added.len() > MAX_FILTER_KEYWORDS
    {
        return Err(too_many_keywords());
    }
    let head = edited_head(tx, &before.head, edit);
    if head == *before.head && plan.is_empty() {
        return Ok(before.clone());
    }
    rows::update(tx, &head)?;
    rows::remove_keywords(tx, &plan.removed)?;
    plan.changed.iter().try_for_each(|keyword| rows::update_keyword(tx, keyword))?;
    let mut keywords = plan.kept;
    for new in &plan.added {
        keywords.push(insert_keyword(tx, named, new)?);
    }
    publish_change(tx, account)?;
    Ok(Filter { head: Arc::new(head), keywords, statuses: before.statuses.clone() })
}

fn edited_head(tx: &Tx<'_>, before: &FilterHead, edit: &PreparedEdit) -> FilterHead {
    FilterHead {
        id: before.id,
        title: edit.title.clone().unwrap_or_else(|| before.title.clone()),
        contexts: edit.contexts.unwrap_or(before.contexts),
        action: edit.action.unwrap_or(before.action),
        expires_at: edit.expiry.map_or(before.expires_at, |expiry| expiry.at(tx.now())),
    }
}

/// Plan of the changes to the keywords of a filter.
#[derive(Default)]
struct Plan {
    /// Keywords that stay, in their new form.
    kept: Vec<FilterKeyword>,
    /// Those of `kept` that differ from before.
    changed: Vec<FilterKeyword>,
    removed: Vec<FilterKeywordId>,
    added: Vec<NewKeyword>,
}

impl Plan {
    fn of(filter: &Filter, changes: &[KeywordChange]) -> Result<Self> {
        let mut plan = Self { kept: filter.keywords.clone(), ..Self::default() };
        for change in changes {
            plan.apply(change)?;
        }
        let was = |keyword: &&FilterKeyword| !filter.keywords.contains(keyword);
        plan.changed = plan.kept.iter().filter(was).cloned().collect();
        Ok(plan)
    }

    fn apply(&mut self, change: &KeywordChange) -> Result<()> {
        match change {
            KeywordChange::Add(new) => self.added.push(new.clone()),
            KeywordChange::Remove(id) => {
                let at = self.position(*id)?;
                self.removed.push(self.kept.remove(at).id);
            }
            KeywordChange::Change { id, keyword, whole_word } => {
                let at = self.position(*id)?;
                let kept = &mut self.kept[at];
                kept.whole_word = whole_word.unwrap_or(kept.whole_word);
                if let Some(keyword) = keyword {
                    kept.keyword.clone_from(keyword);
                }
            }
        }
        Ok(())
    }

    fn position(&self, id: FilterKeywordId) -> Result<usize> {
        self.kept.iter().position(|keyword| keyword.id == id).ok_or(Error::NotFound)
    }

    fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty() && self.added.is_empty()
    }
}

/// Deletes a filter with its keywords and statuses.
///
/// # Errors
/// [`Error::NotFound`] if it does not belong to the account.
pub fn remove(tx: &mut Tx<'_>, account: AccountId, named: &str) -> Result<()> {
    let named: FilterId = id(named)?;
    if !take(tx, account)?.iter().any(|filter| filter.head.id == named) {
        return Err(Error::NotFound);
    }
    rows::remove(tx, named)?;
    publish_change(tx, account)
}

/// Adds a keyword to a filter and returns it.
///
/// # Errors
/// [`Error::NotFound`] if the filter does not belong to the account; [`Error::Invalid`] if the
/// account has the maximum number of keywords.
pub fn add_keyword(
    tx: &mut Tx<'_>,
    account: AccountId,
    filter: &str,
    new: &NewKeyword,
) -> Result<FilterKeyword> {
    let filter: FilterId = id(filter)?;
    let own = take(tx, account)?;
    if !own.iter().any(|own| own.head.id == filter) {
        return Err(Error::NotFound);
    }
    require_room(&own, 1)?;
    let keyword = insert_keyword(tx, filter, new)?;
    publish_change(tx, account)?;
    Ok(keyword)
}

/// Changes a keyword of the account's filters and returns it; `None` keeps the current value.
///
/// # Errors
/// [`Error::NotFound`] if it does not exist, or belongs to another account; [`Error::Invalid`] if
/// it would be blank or too long.
pub fn change_keyword(
    tx: &mut Tx<'_>,
    account: AccountId,
    named: &str,
    keyword: Option<&str>,
    whole_word: Option<bool>,
) -> Result<FilterKeyword> {
    let (_, before) = take_keyword(tx, account, id(named)?)?;
    let keyword = keyword.map(|keyword| checked_keyword(keyword.to_owned())).transpose()?;
    let after = FilterKeyword {
        id: before.id,
        keyword: keyword.unwrap_or_else(|| before.keyword.clone()),
        whole_word: whole_word.unwrap_or(before.whole_word),
    };
    if after != before {
        rows::update_keyword(tx, &after)?;
        publish_change(tx, account)?;
    }
    Ok(after)
}

/// Locks the account and returns a keyword with its filter.
pub(super) fn take_keyword(
    tx: &mut Tx<'_>,
    account: AccountId,
    named: FilterKeywordId,
) -> Result<(Filter, FilterKeyword)> {
    let found = take(tx, account)?.into_iter().find_map(|filter| {
        let keyword = filter.keywords.iter().find(|keyword| keyword.id == named)?.clone();
        Some((filter, keyword))
    });
    found.ok_or(Error::NotFound)
}

/// Deletes a keyword of the account's filters; its filter stays.
///
/// # Errors
/// [`Error::NotFound`] if it does not exist, or belongs to another account.
pub fn remove_keyword(tx: &mut Tx<'_>, account: AccountId, named: &str) -> Result<()> {
    let (_, keyword) = take_keyword(tx, account, id(named)?)?;
    rows::remove_keywords(tx, &[keyword.id])?;
    publish_change(tx, account)
}

/// Adds a status to a filter.
///
/// # Errors
/// [`Error::NotFound`] if the filter does not belong to the account, or if the status is hidden
/// from it; [`Error::Invalid`] if the filter already contains the status, and if the account has
/// the maximum number of filtered statuses.
pub fn add_status(
    tx: &mut Tx<'_>,
    account: AccountId,
    filter: &str,
    status: &str,
) -> Result<FilterStatus> {
    let (filter, status): (FilterId, StatusId) = (id(filter)?, id(status)?);
    let own = take(tx, account)?;
    let into = own.iter().find(|own| own.head.id == filter).ok_or(Error::NotFound)?;
    let is_seen = !statuses::visible_ids(tx, &[status], Some(account))?.is_empty();
    if !is_seen || !statuses::lock_against_deletion(tx, status)? {
        return Err(Error::NotFound);
    }
    if into.statuses.iter().any(|existing| existing.status == status) {
        return Err(Error::validation("This post is in the filter already"));
    }
    if own.iter().map(|own| own.statuses.len()).sum::<usize>() >= MAX_FILTER_STATUSES {
        return Err(Error::validation(format!(
            "At most {MAX_FILTER_STATUSES} posts can be filtered"
        )));
    }
    let added = FilterStatus { id: FilterStatusId::new(tx.next_id()), status };
    rows::add_status(tx, filter, &added)?;
    publish_change(tx, account)?;
    Ok(added)
}

/// Removes a status from a filter of the account.
///
/// # Errors
/// [`Error::NotFound`] if none of the account's filters has a status with this id.
pub fn remove_status(tx: &mut Tx<'_>, account: AccountId, named: &str) -> Result<()> {
    let named: FilterStatusId = id(named)?;
    let own = take(tx, account)?;
    if !own.iter().flat_map(|own| &own.statuses).any(|status| status.id == named) {
        return Err(Error::NotFound);
    }
    rows::remove_status(tx, named)?;
    publish_change(tx, account)
}
