//! Builders of common rows. They bypass the use cases, which hash passwords and are slow on
//! purpose.

use diesel::{ExpressionMethods as _, QueryDsl as _, RunQueryDsl as _, insert_into};
use siskin_entities::{NotificationKind, Protocol, Visibility};
use siskin_ids::{AccountId, FollowId, StatusId, TagId};
use siskin_persistence::{
    Error, Result, Tx,
    accounts::{NewAccount, NewUser, insert, insert_user},
    schema::{
        account_terms, blocks, feed_entries, follows, mutes, notifications, statuses, statuses_tags,
    },
};
use siskin_text::{search_fold, username_key};

/// Password of all accounts that [`local_account`] creates.
pub const PASSWORD: &str = "correct horse";
/// Hash of [`PASSWORD`], with the lowest cost parameters of argon2.
const PASSWORD_HASH: &str = "$argon2id$v=19$m=8,t=1,p=1$c2lza2luLXRlc3Qtc2FsdA\
     $dHPjzEmOo+lPQZxKGR2+D6KkU4FGBasm+fybs4bZCk8";

/// Adds an active local account. Its user has the address `USERNAME@example.com` and the password
/// [`PASSWORD`]. `base_url` is the URL of the instance.
///
/// # Errors
/// Returns [`Error::Duplicate`] if the name is taken.
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

/// Adds a public status with a hashtag, without updating any counter.
///
/// # Errors
/// Returns errors of storage.
pub fn tagged_status(tx: &mut Tx<'_>, account: AccountId, tag: TagId) -> Result<StatusId> {
    let id = StatusId::new(tx.next_id());
    insert_into(statuses::table)
        .values((
            statuses::id.eq(id),
            statuses::account_id.eq(account),
            statuses::uri.eq(id.to_string()),
            statuses::visibility.eq(Visibility::Public.number()),
            statuses::conversation_id.eq(id),
            statuses::created_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    insert_into(statuses_tags::table)
        .values((
            statuses_tags::tag_id.eq(tag),
            statuses_tags::status_id.eq(id),
            statuses_tags::position.eq(0),
        ))
        .execute(&mut **tx)?;
    Ok(id)
}

/// Adds a follow without updating the counters: an inconsistency for tests of the checks.
///
/// # Errors
/// Returns an error if the follow already exists.
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

/// Removes an account from the search index: an inconsistency for tests of the checks.
///
/// # Errors
/// Returns errors of storage.
pub fn unindex(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let terms = account_terms::table.filter(account_terms::account_id.eq(account));
    diesel::delete(terms).execute(&mut **tx)?;
    Ok(())
}

/// Deletes the newest entry of the feed with this id: an inconsistency for tests of the checks.
///
/// # Errors
/// Returns errors of storage.
pub fn delete_feed_entry(tx: &mut Tx<'_>, feed: i64) -> Result<()> {
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

/// Makes one account block another, without the side effects of a block.
///
/// # Errors
/// Returns an error if the block already exists.
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

/// Makes one account mute another permanently, including its notifications.
///
/// # Errors
/// Returns an error if the mute already exists.
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

/// Returns the notifications of `recipient`, oldest first: their kind and the account that caused
/// them.
///
/// # Errors
/// Returns an error for an unknown kind.
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
