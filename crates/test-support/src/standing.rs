//! Helpers that write relations and states of accounts directly, without the use cases.

use diesel::{ExpressionMethods as _, QueryDsl as _, RunQueryDsl as _, insert_into, update};
use siskin_entities::{AccountState, NotificationKind, PreviewCard, Protocol};
use siskin_ids::{AccountId, FollowId, PreviewCardId, StatusId};
use siskin_persistence::{
    Error, Result, Tx,
    accounts::{NewAccount, insert},
    cards,
    schema::{account_stats, accounts, follows, notifications, preview_cards, users},
};
use siskin_text::{search_fold, username_key};

/// Makes one account follow another with default options: reblogs, no notifications, all languages.
/// The counters of both are incremented.
///
/// # Errors
/// Returns an error if the follow already exists.
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

/// Sets the options of a follow.
///
/// # Errors
/// Returns errors of storage.
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

/// Adds an active remote account.
///
/// # Errors
/// Returns an error if the handle is taken.
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

/// Turns an account into a remote one, together with its data.
///
/// # Errors
/// Returns errors of storage.
pub fn set_domain(tx: &mut Tx<'_>, account: AccountId, domain: &str) -> Result<()> {
    update(accounts::table.find(account))
        .set((accounts::domain.eq(domain), accounts::protocol.eq("activitypub")))
        .execute(&mut **tx)?;
    // 2 stands for listed accounts of this server, 1 for listed ones of other servers.
    update(account_stats::table.find(account))
        .filter(account_stats::listed.eq(2_i16))
        .set(account_stats::listed.eq(1_i16))
        .execute(&mut **tx)?;
    Ok(())
}

/// Sets the language of the interface that a user chose.
///
/// # Errors
/// Returns errors of storage.
pub fn set_locale(tx: &mut Tx<'_>, account: AccountId, locale: &str) -> Result<()> {
    update(users::table.find(account)).set(users::locale.eq(locale)).execute(&mut **tx)?;
    Ok(())
}

/// Sets the state of an account: suspended, silenced, reachable.
///
/// # Errors
/// Returns errors of storage.
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

/// Stores a preview of the page with this address, to which a status links, as if it was fetched and
/// is an article.
///
/// # Errors
/// Returns an error if no status links to it.
pub fn make_article(tx: &mut Tx<'_>, address: &str) -> Result<()> {
    let id: PreviewCardId = preview_cards::table
        .filter(preview_cards::address.eq(address))
        .select(preview_cards::id)
        .first(&mut **tx)?;
    let card = PreviewCard {
        url: address.to_owned(),
        title: "An article".to_owned(),
        is_article: true,
        ..PreviewCard::default()
    };
    cards::store(tx, id, &card, None)?;
    cards::raise_statuses(tx, id, None, 200)?;
    Ok(())
}

/// Returns the accounts that have a notification of this kind about a status, oldest first.
///
/// # Errors
/// Returns errors of storage.
pub fn notified(
    tx: &mut Tx<'_>,
    status: StatusId,
    kind: NotificationKind,
) -> Result<Vec<AccountId>> {
    Ok(notifications::table
        .filter(notifications::status_id.eq(status))
        .filter(notifications::kind.eq(kind.as_str()))
        .order(notifications::id)
        .select(notifications::account_id)
        .load(&mut **tx)?)
}
