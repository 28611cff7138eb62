//! List members. A member's row refers to the follow of the list's owner. When the follow is
//! deleted, for any reason, the foreign key deletes the row as well.

use diesel::prelude::*;
use siskin_entities::PageRequest;
use siskin_ids::{AccountId, FollowId, ListAccountId, ListId};

use crate::{
    Conn, Result, Tx,
    conn::each,
    equals_any::IdExpression as _,
    page::{cut_rows, newest_first},
    relationships::ListedAccount,
    schema::{follows, list_accounts},
};

/// An account to add to a list, with the follow that a member requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewMember {
    pub account: AccountId,
    follow: FollowId,
}

/// Loads members of a list, the latest added first.
pub fn members(conn: &mut Conn, list: ListId, request: PageRequest) -> Result<Vec<ListedAccount>> {
    let query = list_accounts::table
        .filter(list_accounts::list_id.eq(list))
        .select((list_accounts::id, list_accounts::account_id));
    Ok(newest_first(cut_rows!(conn, query, list_accounts::id, request)?, request))
}

/// Returns those of `accounts` that `owner` follows, in no particular order.
pub fn followed(
    conn: &mut Conn,
    owner: AccountId,
    accounts: &[AccountId],
) -> Result<Vec<NewMember>> {
    let rows: Vec<(AccountId, FollowId)> = follows::table
        .filter(follows::account_id.eq(owner))
        .filter(follows::target_account_id.equals_any(accounts))
        .select((follows::target_account_id, follows::id))
        .load(conn)?;
    Ok(rows.into_iter().map(|(account, follow)| NewMember { account, follow }).collect())
}

/// Adds members to a list. Returns the number of new ones.
pub fn add_members(tx: &mut Tx<'_>, list: ListId, members: &[NewMember]) -> Result<usize> {
    let rows: Vec<_> = members
        .iter()
        .map(|member| {
            (
                list_accounts::id.eq(ListAccountId::new(tx.next_id())),
                list_accounts::list_id.eq(list),
                list_accounts::account_id.eq(member.account),
                list_accounts::follow_id.eq(member.follow),
                list_accounts::created_at.eq(tx.now().unix_ms()),
            )
        })
        .collect();
    if rows.is_empty() {
        return Ok(0);
    }
    Ok(each!(&mut **tx, conn => diesel::insert_into(list_accounts::table)
        .values(rows)
        .on_conflict_do_nothing()
        .execute(conn))?)
}

/// Removes accounts from a list. Ignores accounts that are not members.
pub fn remove_members(tx: &mut Tx<'_>, list: ListId, accounts: &[AccountId]) -> Result<()> {
    diesel::delete(list_accounts::table)
        .filter(list_accounts::list_id.eq(list))
        .filter(list_accounts::account_id.equals_any(accounts))
        .execute(&mut **tx)?;
    Ok(())
}
