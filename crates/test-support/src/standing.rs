//! Rows that put accounts into a place among others, past the use cases that do it.

use diesel::{ExpressionMethods as _, QueryDsl as _, RunQueryDsl as _, insert_into, update};
use siskin_entities::{AccountState, NotificationKind, Protocol};
use siskin_ids::{AccountId, FollowId, StatusId};
use siskin_persistence::{
    Error, Result, Tx,
    accounts::{NewAccount, insert},
    schema::{account_stats, accounts, follows, notifications},
};
use siskin_text::{search_fold, username_key};

/// Lets one account follow another, with reblogs, without notifications, in every language. The
/// counters of both are raised.
///
/// # Errors
/// It follows already.
pub fn follow(tx: &mut Tx<'_>, from: AccountId, target: AccountId) -> Result<FollowId> {
    let id = FollowId::new(tx.next_id());
    insert_into(follows::table)
        .values((
            follows::id.eq(id),
            follows::account_id.eq(from),
            follows::target_account_id.eq(target),
            follows::created_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    update(account_stats::table.find(from))
        .set(account_stats::following_count.eq(account_stats::following_count + 1))
        .execute(&mut **tx)?;
    update(account_stats::table.find(target))
        .set(account_stats::followers_count.eq(account_stats::followers_count + 1))
        .execute(&mut **tx)?;
    Ok(id)
}

/// Sets what a follow asks for.
///
/// # Errors
/// Those of storage.
pub fn set_follow(
    tx: &mut Tx<'_>,
    follow: FollowId,
    show_reblogs: bool,
    notify: bool,
    languages: Option<&str>,
) -> Result<()> {
    update(follows::table.find(follow))
        .set((
            follows::show_reblogs.eq(show_reblogs),
            follows::notify.eq(notify),
            follows::languages.eq(languages),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Adds an account of another server in good standing.
///
/// # Errors
/// The handle is taken.
pub fn remote_account(tx: &mut Tx<'_>, username: &str, domain: &str) -> Result<AccountId> {
    let account = NewAccount {
        id: None,
        username,
        username_key: &username_key(username),
        domain: Some(domain),
        search_text: &search_fold(&format!("{username}@{domain}\n")),
        uri: &format!("https://{domain}/users/{username}"),
        url: &format!("https://{domain}/@{username}"),
        protocol: Protocol::ActivityPub,
        reachable: true,
    };
    insert(tx, &account)?.ok_or(Error::Duplicate)
}

/// Makes an account one of another server, with everything that it has done.
///
/// # Errors
/// Those of storage.
pub fn set_domain(tx: &mut Tx<'_>, account: AccountId, domain: &str) -> Result<()> {
    update(accounts::table.find(account))
        .set((accounts::domain.eq(domain), accounts::protocol.eq("activitypub")))
        .execute(&mut **tx)?;
    Ok(())
}

/// Sets what keeps an account from being seen.
///
/// # Errors
/// Those of storage.
pub fn set_state(tx: &mut Tx<'_>, account: AccountId, state: AccountState) -> Result<()> {
    let now = tx.now().unix_ms();
    update(accounts::table.find(account))
        .set((
            accounts::suspended_at.eq(state.suspended.then_some(now)),
            accounts::silenced_at.eq(state.silenced.then_some(now)),
            accounts::reachable.eq(state.reachable),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Who was notified of a status for this reason, in the order in which they were.
///
/// # Errors
/// Those of storage.
pub fn told(tx: &mut Tx<'_>, status: StatusId, kind: NotificationKind) -> Result<Vec<AccountId>> {
    Ok(notifications::table
        .filter(notifications::status_id.eq(status))
        .filter(notifications::kind.eq(kind.as_str()))
        .order(notifications::id)
        .select(notifications::account_id)
        .load(&mut **tx)?)
}
