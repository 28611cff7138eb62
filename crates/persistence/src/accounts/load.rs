//! Loads accounts as domain views.
//!
//! One statement reads the frequently changing columns of all requested accounts. The rest is a
//! snapshot: it is read only if [the cache](crate::snapshots) has no entry for the version that
//! this statement found.

use std::{collections::HashSet, sync::Arc};

use diesel::prelude::*;
use siskin_entities::{Account, AccountSnapshot, Rendered, Timestamp};
use siskin_ids::AccountId;

use super::row::{AccountRow, RoleRow};
use crate::{
    Conn, IdMap, Result,
    conn::each,
    emojis,
    equals_any::IdExpression as _,
    schema::{account_stats, accounts, roles, users},
    snapshots::{self, Key, SnapshotVersion, generation},
};

/// Cache key of an account's snapshot, and the columns that change without a new version.
#[derive(Debug, Clone, Queryable)]
pub(crate) struct Outline {
    pub(crate) id: AccountId,
    version: i64,
    moved_to: Option<AccountId>,
    stats: Option<Stats>,
}

#[derive(Debug, Clone, Queryable)]
pub(crate) struct Stats {
    statuses_count: i64,
    followers_count: i64,
    following_count: i64,
    last_status_at: Option<i64>,
}

/// Selects the columns of an [`Outline`] from accounts left-joined with `account_stats`; the stats
/// row may be missing.
macro_rules! account_outline {
    () => {{
        use diesel::prelude::*;
        use $crate::schema::{account_stats, accounts};
        let stats = (
            account_stats::statuses_count,
            account_stats::followers_count,
            account_stats::following_count,
            account_stats::last_status_at,
        );
        (accounts::id, accounts::version, accounts::moved_to_account_id, stats.nullable())
    }};
}
pub(crate) use account_outline;

/// An outline and the generation of the snapshots.
type Row = (Outline, Option<i64>);

/// Loads the rows of the accounts of `$condition`.
macro_rules! rows {
    ($conn:expr, $condition:expr) => {
        each!(&mut *$conn, c => accounts::table
            .left_join(account_stats::table)
            .filter($condition)
            .select((account_outline!(), generation!()))
            .load(c))
    };
}

/// Loads the accounts with these ids in any state. Leaves out unknown ids.
pub fn load(conn: &mut Conn, ids: &[AccountId]) -> Result<IdMap<AccountId, Arc<Account>>> {
    if ids.is_empty() {
        return Ok(IdMap::default());
    }
    let rows: Vec<Row> = rows!(conn, accounts::id.equals_any(ids))?;
    of_rows(conn, rows)
}

fn of_rows(conn: &mut Conn, rows: Vec<Row>) -> Result<IdMap<AccountId, Arc<Account>>> {
    let generation = rows.first().and_then(|(_, generation)| *generation).unwrap_or_default();
    of_outlines(conn, rows.into_iter().map(|(outline, _)| outline).collect(), generation)
}

/// Builds the accounts of these outlines, which belong to this generation. Runs two more statements
/// if some of the accounts moved.
pub(crate) fn of_outlines(
    conn: &mut Conn,
    mut outlines: Vec<Outline>,
    generation: i64,
) -> Result<IdMap<AccountId, Arc<Account>>> {
    outlines.sort_unstable_by_key(|outline| outline.id);
    outlines.dedup_by_key(|outline| outline.id);
    let moved: HashSet<AccountId> = outlines.iter().filter_map(|one| one.moved_to).collect();
    let moved = moved_to(conn, moved)?;
    let keys: Vec<Key<AccountId>> = outlines
        .iter()
        .map(|outline| Key { id: outline.id, version: outline.version, generation })
        .collect();
    let snapshots = snapshots::of(conn, &keys, |caches| &caches.accounts, read)?;
    let account = |outline: Outline| {
        let snapshot = Arc::clone(snapshots.get(&outline.id)?);
        let moved = outline.moved_to.and_then(|target| moved.get(&target).cloned());
        Some((outline.id, Arc::new(outline.with(snapshot, moved))))
    };
    Ok(outlines.into_iter().filter_map(account).collect())
}

impl Outline {
    fn with(
        self,
        snapshot: Arc<Rendered<AccountSnapshot>>,
        moved: Option<Arc<Account>>,
    ) -> Account {
        let stats = self.stats.as_ref();
        Account {
            snapshot,
            moved,
            last_status_at: stats
                .and_then(|stats| stats.last_status_at)
                .map(Timestamp::from_unix_ms),
            statuses_count: stats.map_or(0, |stats| stats.statuses_count),
            followers_count: stats.map_or(0, |stats| stats.followers_count),
            following_count: stats.map_or(0, |stats| stats.following_count),
        }
    }
}

/// Loads the move targets. Leaves out targets that are unconfirmed, pending approval or moved
/// themselves.
fn moved_to(conn: &mut Conn, ids: HashSet<AccountId>) -> Result<IdMap<AccountId, Arc<Account>>> {
    if ids.is_empty() {
        return Ok(IdMap::default());
    }
    let rows: Vec<Row> = accounts::table
        .left_join(account_stats::table)
        .filter(accounts::id.equals_any(ids))
        .filter(accounts::reachable.eq(true))
        .filter(accounts::moved_to_account_id.is_null())
        .select((account_outline!(), generation!()))
        .load(conn)?;
    of_rows(conn, rows)
}

/// Loads the snapshots of these accounts: one statement, and one more if their texts contain
/// shortcodes.
fn read(
    conn: &mut Conn,
    ids: &[AccountId],
) -> Result<IdMap<AccountId, Arc<Rendered<AccountSnapshot>>>> {
    let rows: Vec<(AccountRow, Option<RoleRow>)> = accounts::table
        .left_join(users::table)
        .left_join(roles::table.on(users::role_id.eq(roles::id.nullable())))
        .filter(accounts::id.equals_any(ids))
        .select((AccountRow::as_select(), Option::<RoleRow>::as_select()))
        .load(conn)?;
    let snapshots = rows.into_iter().map(|(account, role)| account.into_snapshot(role));
    let mut snapshots = snapshots.collect::<Result<Vec<AccountSnapshot>>>()?;
    emojis::add_to_accounts(conn, &mut snapshots)?;
    Ok(snapshots.into_iter().map(|snapshot| (snapshot.id, Arc::new(snapshot.into()))).collect())
}

/// Loads the accounts with these ids in the order of the ids. Leaves out unknown ids.
pub fn load_in_order(conn: &mut Conn, ids: &[AccountId]) -> Result<Vec<Arc<Account>>> {
    let found = load(conn, ids)?;
    Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
}

/// Loads the local account with this folded user name in any state, and the version of its
/// snapshot.
pub fn find_local(
    conn: &mut Conn,
    username_key: &str,
) -> Result<Option<(Arc<Account>, SnapshotVersion)>> {
    let named = || accounts::username_key.eq(username_key).and(accounts::domain.is_null());
    let rows: Vec<Row> = rows!(conn, named())?;
    let Some((outline, generation)) = rows.first() else { return Ok(None) };
    let generation = generation.unwrap_or_default();
    let (id, version) = (outline.id, SnapshotVersion { version: outline.version, generation });
    Ok(of_rows(conn, rows)?.remove(&id).map(|account| (account, version)))
}

/// Loads the identifiers of these accounts among servers. Leaves out unknown ids.
pub fn uris(conn: &mut Conn, ids: &[AccountId]) -> Result<IdMap<AccountId, String>> {
    let rows: Vec<(AccountId, String)> = accounts::table
        .filter(accounts::id.equals_any(ids))
        .select((accounts::id, accounts::uri))
        .load(conn)?;
    Ok(rows.into_iter().collect())
}

/// Loads the account with this id in any state.
pub fn find(conn: &mut Conn, id: AccountId) -> Result<Option<Arc<Account>>> {
    let rows: Vec<Row> = rows!(conn, accounts::id.eq(id))?;
    Ok(of_rows(conn, rows)?.remove(&id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_of_no_ids_need_no_statement() {
        let mut conn = Conn::open("sqlite://:memory:").unwrap();
        assert!(load(&mut conn, &[]).unwrap().is_empty());
    }
}
