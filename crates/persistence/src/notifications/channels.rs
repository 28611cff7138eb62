//! Finds out through which channels accounts get new notifications outside of their lists.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Text},
};
use siskin_entities::{EmailTopic, NotificationKind, NotificationType};
use siskin_ids::AccountId;

use crate::{
    Conn, Result,
    conn::each,
    equals_any::{list_of, rows_of_list},
    prepared::prepared,
};

/// Accounts that get notifications of one kind through a channel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Channels {
    /// At least one of their push subscriptions contains the alert and has a policy other than
    /// `none`.
    pub pushed: Vec<AccountId>,
    /// They chose to get emails.
    pub mailed: Vec<AccountId>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    account: AccountId,
    #[diesel(sql_type = Bool)]
    mailed: bool,
}

/// Returns those of these accounts that may get a notification of this kind through a channel. Runs
/// one statement.
pub fn channels(
    conn: &mut Conn,
    kind: NotificationKind,
    accounts: &[AccountId],
) -> Result<Channels> {
    let listed = rows_of_list(conn, "$1");
    // CROSS JOIN makes SQLite read the tables in the order of the text.
    let query = sql_query(format!(
        "WITH listed AS (SELECT id FROM ({listed}) AS recipients)
         SELECT DISTINCT push_subscriptions.account_id AS account, FALSE AS mailed
         FROM listed CROSS JOIN push_subscriptions
         WHERE push_subscriptions.account_id = listed.id
         AND push_subscriptions.policy <> 'none'
         AND ' ' || push_subscriptions.alerts || ' ' LIKE $2
         UNION ALL
         SELECT email_topics.account_id AS account, TRUE AS mailed
         FROM listed CROSS JOIN email_topics
         WHERE email_topics.account_id = listed.id AND email_topics.topic = $3"
    ))
    .bind::<Text, _>(list_of(accounts))
    .bind::<Text, _>(format!("% {} %", NotificationType::from(kind).as_str()))
    .bind::<Text, _>(EmailTopic::Notifications(kind).as_str());
    let rows: Vec<Row> = each!(conn, conn => prepared(query).load(conn))?;
    let (mailed, pushed): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.mailed);
    let accounts = |rows: Vec<Row>| rows.into_iter().map(|row| row.account).collect();
    Ok(Channels { pushed: accounts(pushed), mailed: accounts(mailed) })
}
