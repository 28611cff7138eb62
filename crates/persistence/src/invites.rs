//! Invites, and which account invited a user.

use diesel::prelude::*;
use siskin_entities::{Invite, Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, InviteId};

use crate::{
    Conn, Result, Tx,
    page::{cut_rows, page},
    schema::{accounts, invites, users},
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = invites)]
struct InviteRow {
    id: InviteId,
    account_id: AccountId,
    code: String,
    max_uses: Option<i64>,
    uses: i64,
    expires_at: Option<i64>,
    autofollow: bool,
    comment: String,
    created_at: i64,
}

impl From<InviteRow> for Invite {
    fn from(row: InviteRow) -> Self {
        Self {
            id: row.id,
            account: row.account_id,
            code: row.code,
            max_uses: row.max_uses,
            uses: row.uses,
            expires_at: row.expires_at.map(Timestamp::from_unix_ms),
            autofollow: row.autofollow,
            comment: row.comment,
            created_at: Timestamp::from_unix_ms(row.created_at),
        }
    }
}

/// Data of a new invite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewInvite<'a> {
    pub account: AccountId,
    pub code: &'a str,
    pub max_uses: Option<i64>,
    pub expires_at: Option<Timestamp>,
    pub autofollow: bool,
    pub comment: &'a str,
}

/// Inserts an unused invite.
pub fn insert(tx: &mut Tx<'_>, new: &NewInvite<'_>) -> Result<Invite> {
    let (id, now) = (InviteId::new(tx.next_id()), tx.now());
    diesel::insert_into(invites::table)
        .values((
            invites::id.eq(id),
            invites::account_id.eq(new.account),
            invites::code.eq(new.code),
            invites::max_uses.eq(new.max_uses),
            invites::expires_at.eq(new.expires_at.map(Timestamp::unix_ms)),
            invites::autofollow.eq(new.autofollow),
            invites::comment.eq(new.comment),
            invites::created_at.eq(now.unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(Invite {
        id,
        account: new.account,
        code: new.code.to_owned(),
        max_uses: new.max_uses,
        uses: 0,
        expires_at: new.expires_at,
        autofollow: new.autofollow,
        comment: new.comment.to_owned(),
        created_at: now,
    })
}

/// Loads the invite with this id.
pub fn find(conn: &mut Conn, id: InviteId) -> Result<Option<Invite>> {
    let row: Option<InviteRow> =
        invites::table.find(id).select(InviteRow::as_select()).first(conn).optional()?;
    Ok(row.map(Invite::from))
}

/// Loads the invite with this code, in any state.
pub fn of_code(conn: &mut Conn, code: &str) -> Result<Option<Invite>> {
    let row: Option<InviteRow> = invites::table
        .filter(invites::code.eq(code))
        .select(InviteRow::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(Invite::from))
}

/// Loads a page of the invites of an account, or of all accounts, newest first.
pub fn list(
    conn: &mut Conn,
    account: Option<AccountId>,
    request: PageRequest,
) -> Result<Page<Invite>> {
    let all = invites::table.select(InviteRow::as_select());
    let rows: Vec<InviteRow> = match account {
        Some(account) => {
            cut_rows!(conn, all.filter(invites::account_id.eq(account)), invites::id, request)?
        }
        None => cut_rows!(conn, all, invites::id, request)?,
    };
    let rows = rows.into_iter().map(Invite::from).collect();
    Ok(page(rows, request, |invite: &Invite| invite.id.get()))
}

/// Counts the invites of an account.
pub fn count(conn: &mut Conn, account: AccountId) -> Result<i64> {
    Ok(invites::table.filter(invites::account_id.eq(account)).count().get_result(conn)?)
}

/// Deletes an invite. Returns `false` if there is none.
pub fn delete(tx: &mut Tx<'_>, id: InviteId) -> Result<bool> {
    Ok(diesel::delete(invites::table.find(id)).execute(&mut **tx)? == 1)
}

/// Uses an invite once. Returns `false` if it is used up, has expired or was deleted. Of several
/// simultaneous callers, as many get `true` as it has uses left.
pub fn take(tx: &mut Tx<'_>, id: InviteId) -> Result<bool> {
    let now = tx.now().unix_ms();
    let invite = invites::table
        .find(id)
        .filter(invites::max_uses.is_null().or(invites::max_uses.gt(invites::uses.nullable())))
        .filter(invites::expires_at.is_null().or(invites::expires_at.gt(now)));
    let taken =
        diesel::update(invite).set(invites::uses.eq(invites::uses + 1)).execute(&mut **tx)?;
    Ok(taken == 1)
}

/// Records the account that invited a user. With `follows`, the user will follow it.
pub fn set_inviter(
    tx: &mut Tx<'_>,
    account: AccountId,
    inviter: AccountId,
    follows: bool,
) -> Result<()> {
    diesel::update(users::table.find(account))
        .set((users::invited_by_account_id.eq(inviter), users::follows_inviter.eq(follows)))
        .execute(&mut **tx)?;
    Ok(())
}

/// Returns the account that an admitted user will follow, and records that it does. Returns `None`
/// if the user is not admitted yet, or will follow no account.
pub fn take_inviter_to_follow(tx: &mut Tx<'_>, account: AccountId) -> Result<Option<AccountId>> {
    let inviter: Option<Option<AccountId>> = users::table
        .inner_join(accounts::table)
        .filter(users::account_id.eq(account))
        .filter(users::follows_inviter.eq(true))
        .filter(accounts::reachable.eq(true))
        .select(users::invited_by_account_id)
        .first(&mut **tx)
        .optional()?;
    let Some(inviter) = inviter.flatten() else { return Ok(None) };
    let waiting = users::table.find(account).filter(users::follows_inviter.eq(true));
    let taken = diesel::update(waiting).set(users::follows_inviter.eq(false)).execute(&mut **tx)?;
    Ok((taken == 1).then_some(inviter))
}
