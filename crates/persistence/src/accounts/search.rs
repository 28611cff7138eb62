//! Account search by parts of names.

use std::sync::Arc;

use diesel::{
    dsl::not,
    prelude::*,
    sql_types::{Nullable, Text},
};
use siskin_entities::{Account, Timestamp};
use siskin_ids::AccountId;

use crate::{
    Conn, Result,
    schema::{account_stats, account_terms, accounts, follows},
    statuses::{blocks_account, neither_blocks_nor_mutes, viewer_id},
};

use super::{HandleKey, load_in_order, terms};

/// Maximum number of index terms that a search for one word reads. The terms are in byte order, so
/// names that equal the word come first.
const CANDIDATES: i64 = 5000;

#[declare_sql_function]
extern "SQL" {
    fn coalesce(first: Nullable<Text>, second: Text) -> Text;
}

/// Parameters of an account search. Suspended, unconfirmed and pending accounts are never found.
/// Moved accounts, muted accounts, and accounts with a block in either direction are found only by
/// their full name. Users need this to undo a mute or a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search<'a> {
    pub what: SearchTarget<'a>,
    /// Handle of one account, if the query is one. That account comes first.
    pub handle: Option<&'a HandleKey>,
    pub viewer: Option<AccountId>,
    /// If `true`, only accounts that the viewer follows are found.
    pub followed: bool,
    pub now: Timestamp,
    pub limit: i64,
    pub offset: i64,
}

/// What a search looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchTarget<'a> {
    /// Accounts with a handle or display name that contains all of these folded words.
    Words(&'a [String]),
    /// Accounts of this server with a folded user name that starts with this text.
    Local(&'a str),
    /// The account with this URI or profile URL.
    Address(&'a str),
}

/// Finds accounts, the best match first: the account with the typed handle, then accounts with the
/// same user name, then by number of followers. The order is the same at every offset.
pub fn search(conn: &mut Conn, search: &Search<'_>) -> Result<Vec<Arc<Account>>> {
    let (name, domain) = match search.handle {
        Some((name, domain)) => (name.as_str(), domain.as_deref().unwrap_or("")),
        None => ("", ""),
    };
    let mut query = accounts::table
        .inner_join(account_stats::table)
        .filter(accounts::suspended_at.is_null())
        .filter(accounts::reachable.eq(true))
        .select(accounts::id)
        .into_boxed();
    if let Some(follower) = search.viewer.filter(|_| search.followed) {
        let followed = follows::table
            .filter(follows::account_id.eq(follower))
            .select(follows::target_account_id);
        query = query.filter(accounts::id.eq_any(followed));
    } else if let Some((from, before)) = search.what.range() {
        let found = account_terms::table
            .filter(account_terms::term.ge(from))
            .filter(account_terms::term.lt(before))
            .order((account_terms::term, account_terms::account_id))
            .limit(search.what.max_candidates())
            .select(account_terms::account_id);
        query = query.filter(accounts::id.eq_any(found));
    }
    let by_name = accounts::moved_to_account_id.is_null().or(accounts::username_key.eq(name));
    match search.what {
        SearchTarget::Words(words) => {
            let viewer = viewer_id(search.viewer);
            let not_hidden = neither_blocks_nor_mutes!(viewer, search.now, account: accounts::id)
                .and(not(blocks_account!(accounts::id, account: viewer)));
            query = query.filter(by_name).filter(accounts::username_key.eq(name).or(not_hidden));
            for word in words {
                let part = format!("%{}%", escaped(word));
                query = query.filter(accounts::search_text.like(part).escape('\\'));
            }
        }
        SearchTarget::Local(name) => {
            let begin = format!("{}%", escaped(name));
            query = query
                .filter(by_name)
                .filter(accounts::domain.is_null())
                .filter(accounts::username_key.like(begin).escape('\\'));
        }
        SearchTarget::Address(address) => {
            query = query.filter(accounts::uri.eq(address).or(accounts::url.eq(address)));
        }
    }
    let at = coalesce(accounts::domain, "").eq(domain);
    let ids: Vec<AccountId> = query
        .order((
            accounts::username_key.eq(name).and(at).desc(),
            accounts::username_key.eq(name).desc(),
            account_stats::followers_count.desc(),
            accounts::id,
        ))
        .limit(search.limit)
        .offset(search.offset)
        .load(conn)?;
    load_in_order(conn, &ids)
}

impl SearchTarget<'_> {
    /// Returns the range of index terms to scan. Uses the longest word, which the fewest accounts
    /// contain.
    fn range(&self) -> Option<(String, String)> {
        match self {
            Self::Words(words) => {
                words.iter().max_by_key(|word| word.chars().count()).map(|word| terms::range(word))
            }
            Self::Local(name) => Some(terms::range(name)),
            Self::Address(_) => None,
        }
    }

    /// Returns the maximum number of terms to scan. Several words have no limit: an account must
    /// match all words, so cutting the terms of one word could lose matches.
    const fn max_candidates(&self) -> i64 {
        match self {
            Self::Words([_, _, ..]) => i64::MAX,
            _ => CANDIDATES,
        }
    }
}

/// Escapes `text` for use as a LIKE pattern that matches only the text itself.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}
