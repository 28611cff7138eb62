//! Emails about notifications: which ones accounts want, and the accounts for which one is under
//! way.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::{EmailTopic, Timestamp};
use siskin_ids::{AccountId, NotificationId};

use crate::{
    Conn, Result, Tx,
    conn::{OnEngine, each},
    equals_any::{IdExpression as _, TextExpression as _, list_of, rows_of_list},
    prepared::prepared,
    schema::{accounts, email_topics, users, waiting_emails},
};

/// Loads the topics that an account chose, in the order of [`EmailTopic::all`].
pub fn topics(conn: &mut Conn, account: AccountId) -> Result<Vec<EmailTopic>> {
    let names: Vec<String> = email_topics::table
        .filter(email_topics::account_id.eq(account))
        .select(email_topics::topic)
        .load(conn)?;
    // Another version of the program may have written other names.
    let is_chosen = |topic: &EmailTopic| names.iter().any(|name| name == topic.as_str());
    Ok(EmailTopic::all().filter(is_chosen).collect())
}

/// Replaces the topics of an account.
pub fn set_topics(tx: &mut Tx<'_>, account: AccountId, topics: &[EmailTopic]) -> Result<()> {
    diesel::delete(email_topics::table.filter(email_topics::account_id.eq(account)))
        .execute(&mut **tx)?;
    for topic in topics {
        let row = (email_topics::account_id.eq(account), email_topics::topic.eq(topic.as_str()));
        each!(&mut **tx, conn => diesel::insert_into(email_topics::table)
            .values(row)
            .on_conflict_do_nothing()
            .execute(conn))?;
    }
    Ok(())
}

/// Removes topics of an account.
pub fn remove_topics(tx: &mut Tx<'_>, account: AccountId, topics: &[EmailTopic]) -> Result<()> {
    let names: Vec<&str> = topics.iter().map(|topic| topic.as_str()).collect();
    diesel::delete(email_topics::table)
        .filter(email_topics::account_id.eq(account))
        .filter(email_topics::topic.equals_any_text(&names))
        .execute(&mut **tx)?;
    Ok(())
}

/// Marks these accounts as waiting for an email about their notifications from `first` on. Returns
/// those that were not waiting yet, or since a notification before `abandoned`, because their job
/// failed for good. The caller enqueues a job for them.
///
/// A concurrent [`finish`] of the same account comes first or last, so no notification is missed.
pub fn wait(
    tx: &mut Tx<'_>,
    accounts: &[AccountId],
    first: NotificationId,
    abandoned: NotificationId,
) -> Result<Vec<AccountId>> {
    #[derive(QueryableByName)]
    struct Waiting {
        #[diesel(sql_type = BigInt)]
        account_id: AccountId,
    }
    // An update that changes nothing still locks the row. All transactions lock in the same order.
    let mut accounts = accounts.to_vec();
    accounts.sort_unstable();
    let query = sql_query(format!(
        "WITH listed AS (SELECT id FROM ({}) AS accounts)
         INSERT INTO waiting_emails (account_id, first_notification_id)
         SELECT id, $2 FROM listed WHERE TRUE
         ON CONFLICT (account_id) DO UPDATE
         SET first_notification_id = EXCLUDED.first_notification_id
         WHERE waiting_emails.first_notification_id < $3
         RETURNING account_id",
        rows_of_list(tx, "$1")
    ))
    .bind::<Text, _>(list_of(&accounts))
    .bind::<BigInt, _>(first)
    .bind::<BigInt, _>(abandoned);
    let rows: Vec<Waiting> = each!(&mut **tx, conn => prepared(query).load(conn))?;
    Ok(rows.into_iter().map(|row| row.account_id).collect())
}

/// Returns the first notification of the email that is under way for an account.
pub fn waiting(conn: &mut Conn, account: AccountId) -> Result<Option<NotificationId>> {
    Ok(waiting_emails::table
        .find(account)
        .select(waiting_emails::first_notification_id)
        .first(conn)
        .optional()?)
}

/// Ends the wait of an account. The caller then looks for notifications that came meanwhile.
pub fn finish(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    diesel::delete(waiting_emails::table.find(account)).execute(&mut **tx)?;
    Ok(())
}

/// Users that may get a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestRule {
    /// Not active since this time.
    pub inactive_since: Timestamp,
    /// No digest since this time.
    pub none_since: Timestamp,
}

/// Finds up to `limit` users that get a digest, in the order of their accounts from the one after
/// `after` on, and records that they get it now. Each has the time of the last activity, or of the
/// last digest if it came later. Users without any activity get none.
pub fn take_due_for_digest(
    tx: &mut Tx<'_>,
    rule: DigestRule,
    after: Option<AccountId>,
    limit: i64,
) -> Result<Vec<(AccountId, Timestamp)>> {
    let due = email_topics::table
        .inner_join(users::table.on(users::account_id.eq(email_topics::account_id)))
        .inner_join(accounts::table.on(accounts::id.eq(email_topics::account_id)))
        .filter(email_topics::topic.eq(EmailTopic::Digest.as_str()))
        .filter(email_topics::account_id.gt(after.unwrap_or(AccountId::new(0))))
        .filter(users::last_active_at.le(rule.inactive_since.unix_ms()))
        .filter(users::digest_at.is_null().or(users::digest_at.le(rule.none_since.unix_ms())))
        .filter(accounts::suspended_at.is_null())
        .filter(users::disabled.eq(false))
        .order(email_topics::account_id)
        .limit(limit)
        .select((users::account_id, users::last_active_at.assume_not_null(), users::digest_at));
    let due: Vec<(AccountId, i64, Option<i64>)> = match tx.on_engine() {
        OnEngine::Postgres(pg) => due.for_no_key_update().skip_locked().load(pg)?,
        OnEngine::Sqlite(sqlite) => due.load(sqlite)?,
    };
    let ids: Vec<AccountId> = due.iter().map(|(account, ..)| *account).collect();
    diesel::update(users::table.filter(users::account_id.equals_any(&ids)))
        .set(users::digest_at.eq(tx.now().unix_ms()))
        .execute(&mut **tx)?;
    let since = |(account, active, digest): (AccountId, i64, Option<i64>)| {
        (account, Timestamp::from_unix_ms(digest.map_or(active, |digest| digest.max(active))))
    };
    Ok(due.into_iter().map(since).collect())
}
