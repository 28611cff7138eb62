//! Accounts: rows in, [`Account`] views out.

mod create;
mod credentials;
mod directory;
mod listing;
mod load;
mod mentionable;
mod migration;
mod moderation;
mod profile;
mod removal;
mod retired;
mod row;
mod search;
mod suggestions;
mod terms;

use std::sync::Arc;

use diesel::{
    dsl::{exists, not},
    prelude::*,
    sql_types::{Integer, Text},
};
use siskin_entities::Account;
use siskin_ids::AccountId;

use crate::{
    Conn, Result, Tx,
    conn::OnEngine,
    equals_any::IdExpression as _,
    fixed::fixed,
    schema::{account_stats, accounts, users},
};

pub use create::{NewAccount, NewUser, insert, insert_user, insert_user_without_email};
pub use credentials::credentials;
pub use directory::{Directory, DirectoryOrder, directory};
pub(crate) use listing::listed;
pub(crate) use load::{Outline, account_outline, of_outlines};
pub use load::{find, find_local, load, load_in_order, uris};
pub use mentionable::{HandleKey, Mentionable, mentionable};
pub use migration::{aliases, set_aliases, set_moved};
pub use moderation::{
    Decision, Ending, begin_deletion, decide, ending, set_password_hash, set_role,
};
pub use profile::{Profile, UserDefaults, update_fields, update_profile, update_user_defaults};
pub use removal::remove_some;
pub use retired::{is_retired, release};
pub(crate) use row::RoleRow;
use row::{domains_to_text, fields_to_json};
pub use search::{Search, SearchTarget, search};
pub use suggestions::{SuggestionContext, dismiss, friends_of_friends, staff_picks};
pub(crate) use terms::{misindexed, range as term_range, refresh as index};

/// Loads the first `limit` local accounts that were created after `after`, in any state and in the
/// order of creation. Leaves out rejected sign-ups.
pub fn local(conn: &mut Conn, after: AccountId, limit: i64) -> Result<Vec<Arc<Account>>> {
    let rejected = users::table
        .filter(users::account_id.eq(accounts::id))
        .filter(users::rejected_at.is_not_null());
    let ids: Vec<AccountId> = accounts::table
        .filter(accounts::domain.is_null())
        .filter(accounts::id.gt(after))
        .filter(not(exists(rejected)))
        .order(accounts::id)
        .limit(limit)
        .select(accounts::id)
        .load(conn)?;
    load_in_order(conn, &ids)
}

/// Counts the local accounts with a URI that does not start with `base` and a slash.
pub fn count_not_under(conn: &mut Conn, base: &str) -> Result<i64> {
    let beginning = format!("{base}/");
    let length = i32::try_from(beginning.chars().count()).unwrap_or(i32::MAX);
    Ok(accounts::table
        .filter(accounts::domain.is_null())
        .filter(substr(accounts::uri, 1, length).ne(beginning))
        .count()
        .get_result(conn)?)
}

#[diesel::declare_sql_function]
extern "SQL" {
    /// Returns `length` characters of a text. The first character has the number 1.
    fn substr(text: Text, from: Integer, length: Integer) -> Text;
}

/// Locks these accounts, and the relationships between them, against changes by others until the
/// transaction ends. What is read after this call is still true when the transaction writes.
///
/// Does nothing on `SQLite`, which has only one writer. Locks in the order of the ids, so that two
/// transactions cannot deadlock. Uses the weaker lock, so that others can still insert rows that
/// refer to the accounts.
pub fn lock(tx: &mut Tx<'_>, ids: &[AccountId]) -> Result<()> {
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        accounts::table
            .filter(accounts::id.equals_any(ids))
            .order(accounts::id)
            .select(accounts::id)
            .for_no_key_update()
            .load::<AccountId>(pg)?;
    }
    Ok(())
}

/// Locks the counters of these accounts against changes until the transaction ends. Locks in the
/// order of the ids: two transactions with crossing updates would deadlock otherwise.
pub(crate) fn lock_counts(tx: &mut Tx<'_>, ids: &[AccountId]) -> Result<()> {
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        account_stats::table
            .filter(account_stats::account_id.equals_any(ids))
            .order(account_stats::account_id)
            .select(account_stats::account_id)
            .for_no_key_update()
            .load::<AccountId>(pg)?;
    }
    Ok(())
}

/// Loads the account with this folded user name at `domain` in any state. `None` stands for this
/// server.
pub fn find_by_handle(
    conn: &mut Conn,
    username_key: &str,
    domain: Option<&str>,
) -> Result<Option<Arc<Account>>> {
    let named = accounts::table.filter(accounts::username_key.eq(username_key));
    let named = named.select(accounts::id);
    let id: Option<AccountId> = match domain {
        None => named.filter(accounts::domain.is_null()).first(conn).optional()?,
        // By the whole index of handles. An index of domains would lead to all their accounts.
        Some(domain) => named
            .filter(fixed!(Text, "COALESCE(accounts.domain, '')").eq(domain))
            .first(conn)
            .optional()?,
    };
    id.map_or(Ok(None), |id| find(conn, id))
}
