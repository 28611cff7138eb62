//! Accounts that can be mentioned in texts.

use diesel::{dsl::not, prelude::*};
use siskin_ids::AccountId;

use crate::{
    Conn, Result, equals_any::TextExpression as _, schema::accounts, statuses::blocks_account,
};

/// An account that a status can mention.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct Mentionable {
    pub id: AccountId,
    pub username: String,
    pub username_key: String,
    /// `None` for a local account.
    pub domain: Option<String>,
    /// Profile page of a remote account, if known.
    pub url: Option<String>,
    pub uri: String,
}

/// Folded user name and domain. The domain is `None` for this server.
pub type HandleKey = (String, Option<String>);

/// Loads the accounts with these handles that `author` can mention, in no particular order. Leaves
/// out unconfirmed, pending and suspended accounts, and accounts that the author blocks directly or
/// by their domain.
pub fn mentionable(
    conn: &mut Conn,
    author: AccountId,
    handles: &[HandleKey],
) -> Result<Vec<Mentionable>> {
    if handles.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<&str> = handles.iter().map(|(name, _)| name.as_str()).collect();
    let domains: Vec<&str> = handles.iter().filter_map(|(_, domain)| domain.as_deref()).collect();
    let mut found: Vec<Mentionable> = accounts::table
        .filter(accounts::username_key.equals_any_text(names))
        .filter(accounts::domain.is_null().or(accounts::domain.equals_any_text(domains)))
        .filter(accounts::reachable.eq(true))
        .filter(accounts::suspended_at.is_null())
        .filter(not(blocks_account!(author, account: accounts::id)))
        .select((
            accounts::id,
            accounts::username,
            accounts::username_key,
            accounts::domain,
            accounts::url,
            accounts::uri,
        ))
        .load(conn)?;
    found.retain(|account| {
        handles
            .iter()
            .any(|(name, domain)| *name == account.username_key && *domain == account.domain)
    });
    Ok(found)
}
