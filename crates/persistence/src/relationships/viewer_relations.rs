//! Loads the relations that decide what a viewer sees.
//!
//! They are [cached](crate::snapshots) by `users.relations_version`. Triggers raise the version
//! with every change of such a relation, in the same transaction (migration 0036). A page reads the
//! version in its own database snapshot, so it never uses relations of another moment, also if
//! several processes share a database.

use std::sync::Arc;

use diesel::{
    dsl::sql,
    prelude::*,
    sql_types::{BigInt, Bool, Nullable, Text},
};
use siskin_entities::{
    ListMembers, RelationParts, RepliesPolicy, ViewerRelations, relationship::Follow,
};
use siskin_ids::{AccountId, ListId};

use super::{
    account_relations::{ACCOUNT_RELATIONS, AccountRelation, RelationRow, select_options},
    languages_of_column,
};
use crate::{
    Conn, IdMap, Result,
    conn::each,
    equals_any::{IdExpression as _, around_list, list_of},
    prepared::prepared,
    schema::{account_domain_blocks, follows, list_accounts, lists, tag_follows, tags, users},
    snapshots::{self, Key, generation},
};

/// Loads the relations of `viewer`. An anonymous viewer has none. Runs one statement if they are
/// cached, nine otherwise.
pub fn viewer_relations(
    conn: &mut Conn,
    viewer: Option<AccountId>,
) -> Result<Arc<ViewerRelations>> {
    let Some(id) = viewer else { return Ok(Arc::default()) };
    let version = users::table
        .filter(users::account_id.eq(id))
        .select((users::relations_version.nullable(), generation!()))
        .first(conn)
        .optional()?;
    relations_of_version(conn, viewer, version.unwrap_or_default())
}

/// Loads the relations of each of these viewers. Runs one statement if all are cached, nine
/// otherwise, however many viewers there are.
pub fn relations_of_viewers(
    conn: &mut Conn,
    viewers: &[AccountId],
) -> Result<IdMap<AccountId, Arc<ViewerRelations>>> {
    let versions: Vec<(AccountId, i64, Option<i64>)> = users::table
        .filter(users::account_id.equals_any(viewers))
        .select((users::account_id, users::relations_version, generation!()))
        .load(conn)?;
    let keys: Vec<Key<AccountId>> = versions
        .into_iter()
        .map(|(id, version, generation)| key(id, version, generation))
        .collect();
    of_keys(conn, &keys)
}

/// Version of the relations of a viewer and generation of the caches, as one statement read them.
/// The version is missing for an anonymous viewer.
pub(crate) type RelationsVersion = (Option<i64>, Option<i64>);

/// Columns of the [`RelationsVersion`] of `$viewer`, usable in any query.
macro_rules! relations_version {
    ($viewer:expr) => {{
        use $crate::schema::users;
        let version = users::table
            .filter(users::account_id.eq($viewer))
            .select(users::relations_version)
            .single_value();
        (version, $crate::snapshots::generation!())
    }};
}
pub(crate) use relations_version;

/// Loads the relations of `viewer` in the version that a statement of the same transaction read.
/// Runs no statement if they are cached, eight otherwise.
pub(crate) fn relations_of_version(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    (version, generation): RelationsVersion,
) -> Result<Arc<ViewerRelations>> {
    let (Some(viewer), Some(version)) = (viewer, version) else { return Ok(Arc::default()) };
    let key = key(viewer, version, generation);
    Ok(of_keys(conn, &[key])?.remove(&viewer).unwrap_or_default())
}

/// Returns the cache key of the relations of an account with this `relations_version`, and with the
/// generation of the same statement.
pub(crate) fn key(id: AccountId, version: i64, generation: Option<i64>) -> Key<AccountId> {
    Key { id, version, generation: generation.unwrap_or_default() }
}

/// Loads the relations with these cache keys.
pub(crate) fn of_keys(
    conn: &mut Conn,
    keys: &[Key<AccountId>],
) -> Result<IdMap<AccountId, Arc<ViewerRelations>>> {
    snapshots::of(conn, keys, |snapshots| &snapshots.relations, read)
}

/// Reads the relations of these viewers from their tables.
fn read(conn: &mut Conn, viewers: &[AccountId]) -> Result<IdMap<AccountId, Arc<ViewerRelations>>> {
    let mut parts =
        Parts(viewers.iter().map(|viewer| (*viewer, RelationParts::default())).collect());
    parts.add_follows(conn, viewers)?;
    parts.add_account_relations(conn, viewers)?;
    parts.add_domains(conn, viewers)?;
    parts.add_lists(conn, viewers)?;
    parts.add_tags(conn, viewers)?;
    let relations = |(viewer, parts)| (viewer, Arc::new(ViewerRelations::of(viewer, parts)));
    Ok(parts.0.into_iter().map(relations).collect())
}

/// Relations of several viewers while they are read, one kind after the other.
struct Parts(IdMap<AccountId, RelationParts>);

type FollowRow = (AccountId, AccountId, bool, bool, Option<String>);

/// The viewer, and the row of a relation.
type RelationColumns = (BigInt, (BigInt, Nullable<Bool>, Nullable<BigInt>));

impl Parts {
    /// Adds each row to the relations of its viewer.
    fn add<R>(&mut self, rows: Vec<(AccountId, R)>, mut add: impl FnMut(&mut RelationParts, R)) {
        for (viewer, row) in rows {
            if let Some(parts) = self.0.get_mut(&viewer) {
                add(parts, row);
            }
        }
    }

    fn add_follows(&mut self, conn: &mut Conn, viewers: &[AccountId]) -> Result<()> {
        let rows: Vec<FollowRow> = follows::table
            .filter(follows::account_id.equals_any(viewers))
            .select((
                follows::account_id,
                follows::target_account_id,
                follows::show_reblogs,
                follows::notify,
                follows::languages,
            ))
            .load(conn)?;
        let follow = |(viewer, account, reblogs, notify, languages)| {
            let languages = languages_of_column(languages);
            (viewer, (account, Follow { reblogs, notify, languages }))
        };
        self.add(rows.into_iter().map(follow).collect(), |parts, row| parts.follows.push(row));
        Ok(())
    }

    fn add_account_relations(&mut self, conn: &mut Conn, viewers: &[AccountId]) -> Result<()> {
        let (before, after) = around_list(conn);
        for relation in &ACCOUNT_RELATIONS {
            let AccountRelation { table, viewer, account, options, add } = relation;
            let options = select_options(options);
            let query = sql::<RelationColumns>(&format!(
                "SELECT {viewer}, {account}, {options} FROM {table} WHERE {viewer}{before}"
            ));
            let query = query.bind::<Text, _>(list_of(viewers)).sql(after);
            let rows: Vec<(AccountId, RelationRow)> =
                each!(conn, conn => prepared(query).load(conn))?;
            self.add(rows, |parts, row| add(parts, &row));
        }
        Ok(())
    }

    fn add_domains(&mut self, conn: &mut Conn, viewers: &[AccountId]) -> Result<()> {
        let rows = account_domain_blocks::table
            .filter(account_domain_blocks::account_id.equals_any(viewers))
            .select((account_domain_blocks::account_id, account_domain_blocks::domain))
            .load(conn)?;
        self.add(rows, |parts, domain: String| parts.domains.push(domain));
        Ok(())
    }

    fn add_lists(&mut self, conn: &mut Conn, viewers: &[AccountId]) -> Result<()> {
        let rows: Vec<(AccountId, (ListId, i16, bool))> = lists::table
            .filter(lists::account_id.equals_any(viewers))
            .select((lists::account_id, (lists::id, lists::replies_policy, lists::exclusive)))
            .load(conn)?;
        if rows.is_empty() {
            return Ok(());
        }
        self.add(rows, |parts, (id, policy, exclusive)| {
            let replies_policy = RepliesPolicy::from_number(policy);
            parts.lists.push(ListMembers { id, replies_policy, exclusive, members: Vec::new() });
        });
        let members: Vec<(AccountId, (ListId, AccountId))> = list_accounts::table
            .inner_join(lists::table.on(lists::id.eq(list_accounts::list_id)))
            .filter(lists::account_id.equals_any(viewers))
            .select((lists::account_id, (list_accounts::list_id, list_accounts::account_id)))
            .load(conn)?;
        self.add(members, |parts, (list, member)| {
            if let Some(list) = parts.lists.iter_mut().find(|one| one.id == list) {
                list.members.push(member);
            }
        });
        Ok(())
    }

    fn add_tags(&mut self, conn: &mut Conn, viewers: &[AccountId]) -> Result<()> {
        let rows = tag_follows::table
            .inner_join(tags::table.on(tags::id.eq(tag_follows::tag_id)))
            .filter(tag_follows::account_id.equals_any(viewers))
            .select((tag_follows::account_id, tags::name))
            .load(conn)?;
        self.add(rows, |parts, name: String| parts.tags.push(name));
        Ok(())
    }
}
