//! Lists of accounts. Each list has one owner. Every function takes the owner, because a list does
//! not exist for other accounts.

mod members;

use diesel::prelude::*;
use siskin_entities::{List, RepliesPolicy};
use siskin_ids::{AccountId, ListId};

use crate::{
    Conn, Result, Tx,
    chunks::{OwnedRows, owned},
    schema::{list_accounts, lists},
};

pub use members::{NewMember, add_members, followed, members, remove_members};

const MEMBERS: OwnedRows = owned("list_accounts", "id", "list_id = $1");

/// Attributes of a list that its owner sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListFacts<'a> {
    pub title: &'a str,
    pub replies_policy: RepliesPolicy,
    pub exclusive: bool,
}

type Row = (ListId, String, i16, bool);
const COLUMNS: (lists::id, lists::title, lists::replies_policy, lists::exclusive) =
    (lists::id, lists::title, lists::replies_policy, lists::exclusive);

fn list((id, title, replies_policy, exclusive): Row) -> List {
    List { id, title, replies_policy: RepliesPolicy::from_number(replies_policy), exclusive }
}

/// Loads all lists of an account, the oldest first.
pub fn of_owner(conn: &mut Conn, owner: AccountId) -> Result<Vec<List>> {
    let rows: Vec<Row> = lists::table
        .filter(lists::account_id.eq(owner))
        .order(lists::id)
        .select(COLUMNS)
        .load(conn)?;
    Ok(rows.into_iter().map(list).collect())
}

/// Loads the lists of `owner` that contain an account, the oldest first.
pub fn containing(conn: &mut Conn, owner: AccountId, account: AccountId) -> Result<Vec<List>> {
    let rows: Vec<Row> = lists::table
        .inner_join(list_accounts::table.on(list_accounts::list_id.eq(lists::id)))
        .filter(lists::account_id.eq(owner))
        .filter(list_accounts::account_id.eq(account))
        .order(lists::id)
        .select(COLUMNS)
        .load(conn)?;
    Ok(rows.into_iter().map(list).collect())
}

/// Loads the list with this id if it belongs to `owner`.
pub fn find(conn: &mut Conn, owner: AccountId, id: ListId) -> Result<Option<List>> {
    let row: Option<Row> = lists::table
        .filter(lists::id.eq(id))
        .filter(lists::account_id.eq(owner))
        .select(COLUMNS)
        .first(conn)
        .optional()?;
    Ok(row.map(list))
}

/// Counts the lists of an account.
pub fn count(conn: &mut Conn, owner: AccountId) -> Result<i64> {
    Ok(lists::table.filter(lists::account_id.eq(owner)).count().get_result(conn)?)
}

/// Inserts a list.
pub fn insert(tx: &mut Tx<'_>, owner: AccountId, facts: &ListFacts<'_>) -> Result<ListId> {
    let id = ListId::new(tx.next_id());
    let row = (
        lists::id.eq(id),
        lists::account_id.eq(owner),
        lists::title.eq(facts.title),
        lists::replies_policy.eq(facts.replies_policy.number()),
        lists::exclusive.eq(facts.exclusive),
        lists::created_at.eq(tx.now().unix_ms()),
    );
    diesel::insert_into(lists::table).values(row).execute(&mut **tx)?;
    Ok(id)
}

/// Updates a list. Returns `false` if `owner` has none with this id.
pub fn update(
    tx: &mut Tx<'_>,
    owner: AccountId,
    id: ListId,
    facts: &ListFacts<'_>,
) -> Result<bool> {
    let changed = diesel::update(lists::table)
        .filter(lists::id.eq(id))
        .filter(lists::account_id.eq(owner))
        .set((
            lists::title.eq(facts.title),
            lists::replies_policy.eq(facts.replies_policy.number()),
            lists::exclusive.eq(facts.exclusive),
        ))
        .execute(&mut **tx)?;
    Ok(changed == 1)
}

/// Deletes at most `limit` members of a list, or the list itself with the last ones. Returns `true`
/// if the list is gone.
pub fn remove_some(tx: &mut Tx<'_>, id: ListId, limit: usize) -> Result<bool> {
    let is_last = MEMBERS.delete_some(tx, id.get(), limit)? < limit;
    if is_last {
        diesel::delete(lists::table.find(id)).execute(&mut **tx)?;
    }
    Ok(is_last)
}
