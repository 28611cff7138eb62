//! Rows that most tests need, written without the use cases that make them: those hash passwords,
//! which takes its time on purpose.

use diesel::{ExpressionMethods as _, QueryDsl as _, RunQueryDsl as _, insert_into};
use siskin_entities::{NotificationKind, Protocol};
use siskin_ids::{AccountId, FollowId, StatusId};
use siskin_persistence::{
    Error, Result, Tx,
    accounts::{NewAccount, NewUser, insert, insert_user},
    schema::{account_terms, blocks, feed_entries, follows, mutes, notifications},
};
use siskin_text::{search_fold, username_key};

/// The password of everybody that [`local_account`] makes.
pub const PASSWORD: &str = "correct horse";
/// Its hash, with parameters that cost as little as argon2 allows.
const PASSWORD_HASH: &str = "$argon2id$v=19$m=8,t=1,p=1$c2lza2luLXRlc3Qtc2FsdA\
     $dHPjzEmOo+lPQZxKGR2+D6KkU4FGBasm+fybs4bZCk8";

/// Adds a local account in good standing, whose person has the address `USERNAME@example.com` and
/// the password [`PASSWORD`]; `base_url` is that of the instance.
///
/// # Errors
/// [`Error::Duplicate`] where the name is taken.
pub fn local_account(tx: &mut Tx<'_>, username: &str, base_url: &str) -> Result<AccountId> {
    let username_key = username_key(username);
    let account = NewAccount {
        id: None,
        username,
        username_key: &username_key,
        domain: None,
        search_text: &search_fold(&format!("{username}\n")),
        uri: &format!("{base_url}/users/{username}"),
        url: &format!("{base_url}/@{username}"),
        protocol: Protocol::Local,
        reachable: true,
    };
    let id = insert(tx, &account)?.ok_or(Error::Duplicate)?;
    let user = NewUser {
        account: id,
        email: &format!("{username}@example.com"),
        email_key: &format!("{username_key}@example.com"),
        password_hash: PASSWORD_HASH,
        role: None,
        locale: None,
        confirmed: true,
        approved: true,
        sign_up_reason: None,
        sign_up_ip: None,
        application: None,
    };
    if insert_user(tx, &user)? { Ok(id) } else { Err(Error::Duplicate) }
}

/// A follow that no counter knows of: a fault, for what looks for faults.
///
/// # Errors
/// The follow is there already.
pub fn uncounted_follow(tx: &mut Tx<'_>, from: AccountId, to: AccountId) -> Result<()> {
    insert_into(follows::table)
        .values((
            follows::id.eq(FollowId::new(tx.next_id())),
            follows::account_id.eq(from),
            follows::target_account_id.eq(to),
            follows::created_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Takes the names of an account from the index of search: a fault, for what looks for faults.
///
/// # Errors
/// Those of storage.
pub fn unindex(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let terms = account_terms::table.filter(account_terms::account_id.eq(account));
    diesel::delete(terms).execute(&mut **tx)?;
    Ok(())
}

/// Loses the newest entry of the feed with this number: a fault, for what looks for faults.
///
/// # Errors
/// Those of storage.
pub fn lose_feed_entry(tx: &mut Tx<'_>, feed: i64) -> Result<()> {
    let newest: Option<StatusId> = feed_entries::table
        .filter(feed_entries::feed_id.eq(feed))
        .select(diesel::dsl::max(feed_entries::status_id))
        .first(&mut **tx)?;
    let entry = feed_entries::table
        .filter(feed_entries::feed_id.eq(feed))
        .filter(feed_entries::status_id.eq_any(newest));
    diesel::delete(entry).execute(&mut **tx)?;
    Ok(())
}

/// Has one account block another, without anything that a block undoes.
///
/// # Errors
/// The block is there already.
pub fn block(tx: &mut Tx<'_>, from: AccountId, target: AccountId) -> Result<()> {
    insert_into(blocks::table)
        .values((
            blocks::id.eq(tx.next_id()),
            blocks::account_id.eq(from),
            blocks::target_account_id.eq(target),
            blocks::created_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Has one account mute another and the notifications it causes, for ever.
///
/// # Errors
/// The mute is there already.
pub fn mute(tx: &mut Tx<'_>, from: AccountId, target: AccountId) -> Result<()> {
    insert_into(mutes::table)
        .values((
            mutes::id.eq(tx.next_id()),
            mutes::account_id.eq(from),
            mutes::target_account_id.eq(target),
            mutes::created_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// What `recipient` was notified of, the oldest first: why, and by whom.
///
/// # Errors
/// A kind that is not known.
pub fn notifications(
    tx: &mut Tx<'_>,
    recipient: AccountId,
) -> Result<Vec<(NotificationKind, AccountId)>> {
    let rows: Vec<(String, AccountId)> = notifications::table
        .filter(notifications::account_id.eq(recipient))
        .order(notifications::id)
        .select((notifications::kind, notifications::from_account_id))
        .load(&mut **tx)?;
    let known =
        |kind: &str| NotificationKind::from_name(kind).ok_or(Error::Damaged("notifications.kind"));
    rows.into_iter().map(|(kind, from)| Ok((known(&kind)?, from))).collect()
}
