//! Finding accounts by parts of their names.

use std::sync::Arc;

use diesel::{prelude::*, sql_types::Bool};
use siskin_entities::Account;
use siskin_ids::AccountId;

use crate::{
    Conn, Result,
    schema::{account_stats, accounts},
    statuses::follows,
};

use super::load_in_order;

/// What to look for. Suspended accounts and those that are not reachable are never found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search<'a> {
    pub what: Sought<'a>,
    /// Only accounts that this one follows.
    pub followed_by: Option<AccountId>,
    pub limit: i64,
    pub offset: i64,
}

/// Accounts as a search names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sought<'a> {
    /// Those whose handle or display name has every one of these folded words in it; those whose
    /// user name is the first word come first.
    Words(&'a [String]),
    /// Those of this server whose folded user name begins so.
    Local(&'a str),
    /// The one with this address, or this name among servers.
    Address(&'a str),
}

/// The accounts that fit, the best first: whose name is what was typed, then the most followed.
/// The order is the same at every offset.
pub fn search(conn: &mut Conn, search: &Search<'_>) -> Result<Vec<Arc<Account>>> {
    let everyone = search.followed_by.is_none();
    let follower = search.followed_by.unwrap_or(AccountId::new(0));
    let mut query = accounts::table
        .inner_join(account_stats::table)
        .filter(accounts::suspended_at.is_null())
        .filter(accounts::reachable.eq(true))
        .filter(everyone.into_sql::<Bool>().or(follows!(follower, account: accounts::id)))
        .select(accounts::id)
        .into_boxed();
    let name = match search.what {
        Sought::Words(words) => {
            for word in words {
                let part = format!("%{}%", escaped(word));
                query = query.filter(accounts::search_text.like(part).escape('\\'));
            }
            words.first().map_or("", String::as_str)
        }
        Sought::Local(name) => {
            let begin = format!("{}%", escaped(name));
            query = query
                .filter(accounts::domain.is_null())
                .filter(accounts::username_key.like(begin).escape('\\'));
            name
        }
        Sought::Address(address) => {
            query = query.filter(accounts::uri.eq(address).or(accounts::url.eq(address)));
            ""
        }
    };
    let ids: Vec<AccountId> = query
        .order((
            accounts::username_key.eq(name).desc(),
            account_stats::followers_count.desc(),
            accounts::id,
        ))
        .limit(search.limit)
        .offset(search.offset)
        .load(conn)?;
    load_in_order(conn, &ids)
}

/// `text` as a pattern that matches itself alone.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}
