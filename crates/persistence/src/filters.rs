//! Filters of accounts. Their meaning is defined in `entities`.

use std::{collections::HashMap, hash::Hash, sync::Arc};

use diesel::prelude::*;
use siskin_entities::{
    Timestamp,
    filters::{Filter, FilterAction, FilterContexts, FilterHead, FilterKeyword, FilterStatus},
};
use siskin_ids::{AccountId, FilterId, FilterKeywordId, FilterStatusId, StatusId};

use crate::{
    Conn, Result, Tx,
    equals_any::IdExpression as _,
    schema::{filter_keywords, filter_statuses, filters},
};

type HeadRow = (FilterId, String, i16, i16, Option<i64>);

/// Loads all filters of an account with their keywords and statuses, each in order of creation.
/// Runs three statements, or one if there are no filters.
pub fn of_account(conn: &mut Conn, account: AccountId) -> Result<Vec<Filter>> {
    let own = filters::account_id.eq(account);
    let heads: Vec<HeadRow> = filters::table
        .filter(own)
        .order(filters::id)
        .select((
            filters::id,
            filters::title,
            filters::contexts,
            filters::action,
            filters::expires_at,
        ))
        .load(conn)?;
    if heads.is_empty() {
        return Ok(Vec::new());
    }
    let keywords: Vec<(FilterId, FilterKeywordId, String, bool)> = filter_keywords::table
        .inner_join(filters::table)
        .filter(own)
        .order((filters::id, filter_keywords::id))
        .select((
            filter_keywords::filter_id,
            filter_keywords::id,
            filter_keywords::keyword,
            filter_keywords::whole_word,
        ))
        .load(conn)?;
    let statuses: Vec<(FilterId, FilterStatusId, StatusId)> = filter_statuses::table
        .inner_join(filters::table)
        .filter(own)
        .order((filters::id, filter_statuses::id))
        .select((filter_statuses::filter_id, filter_statuses::id, filter_statuses::status_id))
        .load(conn)?;
    let keywords = keywords.into_iter().map(|(filter, id, keyword, whole_word)| {
        (filter, FilterKeyword { id, keyword, whole_word })
    });
    let statuses =
        statuses.into_iter().map(|(filter, id, status)| (filter, FilterStatus { id, status }));
    let (mut keywords, mut statuses) = (grouped(keywords), grouped(statuses));
    let filter = |head: HeadRow| Filter {
        keywords: keywords.remove(&head.0).unwrap_or_default(),
        statuses: statuses.remove(&head.0).unwrap_or_default(),
        head: Arc::new(head_of(head)),
    };
    Ok(heads.into_iter().map(filter).collect())
}

fn head_of((id, title, contexts, action, expires_at): HeadRow) -> FilterHead {
    FilterHead {
        id,
        title,
        contexts: FilterContexts::from_number(contexts),
        action: FilterAction::from_number(action),
        expires_at: expires_at.map(Timestamp::from_unix_ms),
    }
}

fn grouped<K: Eq + Hash, V>(rows: impl Iterator<Item = (K, V)>) -> HashMap<K, Vec<V>> {
    let mut groups: HashMap<K, Vec<V>> = HashMap::new();
    for (key, value) in rows {
        groups.entry(key).or_default().push(value);
    }
    groups
}

/// Inserts a filter of an account without keywords and statuses.
pub fn insert(tx: &mut Tx<'_>, account: AccountId, head: &FilterHead) -> Result<()> {
    let row = (
        filters::id.eq(head.id),
        filters::account_id.eq(account),
        filters::title.eq(&head.title),
        filters::contexts.eq(head.contexts.number()),
        filters::action.eq(head.action.number()),
        filters::expires_at.eq(head.expires_at.map(Timestamp::unix_ms)),
    );
    diesel::insert_into(filters::table).values(row).execute(&mut **tx)?;
    Ok(())
}

/// Updates a filter except for its keywords and statuses.
pub fn update(tx: &mut Tx<'_>, head: &FilterHead) -> Result<()> {
    diesel::update(filters::table.find(head.id))
        .set((
            filters::title.eq(&head.title),
            filters::contexts.eq(head.contexts.number()),
            filters::action.eq(head.action.number()),
            filters::expires_at.eq(head.expires_at.map(Timestamp::unix_ms)),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes a filter with its keywords and statuses.
pub fn remove(tx: &mut Tx<'_>, id: FilterId) -> Result<()> {
    diesel::delete(filters::table.find(id)).execute(&mut **tx)?;
    Ok(())
}

/// Inserts a keyword of a filter.
pub fn add_keyword(tx: &mut Tx<'_>, filter: FilterId, keyword: &FilterKeyword) -> Result<()> {
    let row = (
        filter_keywords::id.eq(keyword.id),
        filter_keywords::filter_id.eq(filter),
        filter_keywords::keyword.eq(&keyword.keyword),
        filter_keywords::whole_word.eq(keyword.whole_word),
    );
    diesel::insert_into(filter_keywords::table).values(row).execute(&mut **tx)?;
    Ok(())
}

/// Updates a keyword.
pub fn update_keyword(tx: &mut Tx<'_>, keyword: &FilterKeyword) -> Result<()> {
    diesel::update(filter_keywords::table.find(keyword.id))
        .set((
            filter_keywords::keyword.eq(&keyword.keyword),
            filter_keywords::whole_word.eq(keyword.whole_word),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes keywords.
pub fn remove_keywords(tx: &mut Tx<'_>, ids: &[FilterKeywordId]) -> Result<()> {
    diesel::delete(filter_keywords::table.filter(filter_keywords::id.equals_any(ids)))
        .execute(&mut **tx)?;
    Ok(())
}

/// Inserts an existing status into a filter that does not contain it.
pub fn add_status(tx: &mut Tx<'_>, filter: FilterId, status: &FilterStatus) -> Result<()> {
    let row = (
        filter_statuses::id.eq(status.id),
        filter_statuses::filter_id.eq(filter),
        filter_statuses::status_id.eq(status.status),
    );
    diesel::insert_into(filter_statuses::table).values(row).execute(&mut **tx)?;
    Ok(())
}

/// Removes a status from its filter.
pub fn remove_status(tx: &mut Tx<'_>, id: FilterStatusId) -> Result<()> {
    diesel::delete(filter_statuses::table.find(id)).execute(&mut **tx)?;
    Ok(())
}

/// Returns the accounts with filters that contain one of these statuses, without duplicates,
/// ordered by id.
pub(crate) fn owners_with_statuses(conn: &mut Conn, these: &[StatusId]) -> Result<Vec<AccountId>> {
    Ok(filter_statuses::table
        .inner_join(filters::table)
        .filter(filter_statuses::status_id.equals_any(these))
        .select(filters::account_id)
        .distinct()
        .order(filters::account_id)
        .load(conn)?)
}

/// Returns at most `limit` entries of filters that contain this status, with the owners of the
/// filters.
pub(crate) fn entries_of_status(
    conn: &mut Conn,
    status: StatusId,
    limit: usize,
) -> Result<Vec<(FilterStatusId, AccountId)>> {
    Ok(filter_statuses::table
        .inner_join(filters::table)
        .filter(filter_statuses::status_id.eq(status))
        .limit(i64::try_from(limit).unwrap_or(i64::MAX))
        .select((filter_statuses::id, filters::account_id))
        .load(conn)?)
}
