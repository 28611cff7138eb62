//! Web Push subscriptions of clients. Which notifications they get is decided by
//! `siskin_policy::push`.

use diesel::{dsl::exists, prelude::*};
use siskin_entities::{
    NotificationKind, NotificationType, PushAlerts, PushPolicy, PushSubscription,
};
use siskin_ids::{AccountId, NotificationId, PushSubscriptionId, TokenId};
use siskin_policy::push::SenderFacts;

use crate::{
    Conn, Error, Result, Tx,
    conn::OnEngine,
    equals_any::IdExpression as _,
    schema::{access_tokens, accounts, follows, notifications, push_subscriptions, users},
    tokens::{OWNER, OwnerRow, TokenOwner},
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = push_subscriptions)]
struct Row {
    id: PushSubscriptionId,
    endpoint: String,
    standard: bool,
    policy: String,
    alerts: String,
}

impl TryFrom<Row> for PushSubscription {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        Ok(Self {
            id: row.id,
            endpoint: row.endpoint,
            standard: row.standard,
            policy: policy(&row.policy)?,
            alerts: alerts_of_column(&row.alerts),
        })
    }
}

fn policy(name: &str) -> Result<PushPolicy> {
    name.parse().map_err(|_| Error::Damaged("push_subscriptions.policy"))
}

fn alerts_to_column(alerts: &PushAlerts) -> String {
    alerts.iter().map(|alert| alert.as_str()).collect::<Vec<_>>().join(" ")
}

/// Parses the alerts of a column. Ignores names that another version of the program wrote.
fn alerts_of_column(column: &str) -> PushAlerts {
    column.split(' ').filter_map(NotificationType::from_name).collect()
}

/// A new subscription.
#[derive(Debug, Clone, Copy)]
pub struct NewPushSubscription<'a> {
    pub token: TokenId,
    pub account: AccountId,
    pub endpoint: &'a str,
    /// Public key and authentication secret of the client, base64url without padding.
    pub p256dh: &'a str,
    pub auth: &'a str,
    pub standard: bool,
    pub policy: PushPolicy,
    pub alerts: &'a PushAlerts,
    /// The access token, encrypted.
    pub sealed_token: &'a str,
}

/// Finds the subscription of an access token.
pub fn find(conn: &mut Conn, token: TokenId) -> Result<Option<PushSubscription>> {
    let row: Option<Row> = push_subscriptions::table
        .filter(push_subscriptions::access_token_id.eq(token))
        .select(Row::as_select())
        .first(conn)
        .optional()?;
    row.map(PushSubscription::try_from).transpose()
}

/// Inserts the subscription of an access token. It replaces an older one. Messages for the older
/// one are not sent any more.
///
/// # Errors
/// [`Error::NotFound`] if the token was revoked meanwhile.
pub fn replace(tx: &mut Tx<'_>, new: &NewPushSubscription<'_>) -> Result<PushSubscription> {
    // On PostgreSQL, two requests with the same token wait for each other here.
    let token = access_tokens::table.find(new.token).select(access_tokens::id);
    let token: Option<TokenId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => token.for_no_key_update().first(pg).optional()?,
        OnEngine::Sqlite(sqlite) => token.first(sqlite).optional()?,
    };
    token.ok_or(Error::NotFound)?;
    delete_of_token(tx, new.token)?;
    let id = PushSubscriptionId::new(tx.next_id());
    let row = (
        push_subscriptions::id.eq(id),
        push_subscriptions::access_token_id.eq(new.token),
        push_subscriptions::account_id.eq(new.account),
        push_subscriptions::endpoint.eq(new.endpoint),
        push_subscriptions::p256dh.eq(new.p256dh),
        push_subscriptions::auth.eq(new.auth),
        push_subscriptions::standard.eq(new.standard),
        push_subscriptions::policy.eq(new.policy.as_str()),
        push_subscriptions::alerts.eq(alerts_to_column(new.alerts)),
        push_subscriptions::sealed_token.eq(new.sealed_token),
        push_subscriptions::created_at.eq(tx.now().unix_ms()),
    );
    diesel::insert_into(push_subscriptions::table).values(row).execute(&mut **tx)?;
    Ok(PushSubscription {
        id,
        endpoint: new.endpoint.to_owned(),
        standard: new.standard,
        policy: new.policy,
        alerts: new.alerts.clone(),
    })
}

/// Changes the alerts or the policy of the subscription of an access token. `None` keeps the stored
/// value. Changes nothing if there is no subscription.
pub fn change(
    tx: &mut Tx<'_>,
    token: TokenId,
    alerts: Option<&PushAlerts>,
    policy: Option<PushPolicy>,
) -> Result<()> {
    let own = || push_subscriptions::table.filter(push_subscriptions::access_token_id.eq(token));
    if let Some(alerts) = alerts {
        diesel::update(own())
            .set(push_subscriptions::alerts.eq(alerts_to_column(alerts)))
            .execute(&mut **tx)?;
    }
    if let Some(policy) = policy {
        diesel::update(own())
            .set(push_subscriptions::policy.eq(policy.as_str()))
            .execute(&mut **tx)?;
    }
    Ok(())
}

/// Deletes the subscription of an access token, if there is one.
pub fn delete_of_token(tx: &mut Tx<'_>, token: TokenId) -> Result<()> {
    diesel::delete(push_subscriptions::table)
        .filter(push_subscriptions::access_token_id.eq(token))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes a subscription that its push service reported as ended.
pub fn delete(tx: &mut Tx<'_>, id: PushSubscriptionId) -> Result<()> {
    diesel::delete(push_subscriptions::table.find(id)).execute(&mut **tx)?;
    Ok(())
}

/// A notification and a subscription of its recipient, with the facts that decide whether it is
/// pushed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushCandidate {
    pub notification: NotificationId,
    pub subscription: PushSubscriptionId,
    pub recipient: AccountId,
    pub endpoint: String,
    pub kind: NotificationType,
    pub policy: PushPolicy,
    pub alerts: PushAlerts,
    pub sender: SenderFacts,
}

/// Loads up to `limit` candidates of these notifications, ordered by notification and subscription.
/// Those of the first notification begin after the subscription `after`.
pub fn candidates(
    conn: &mut Conn,
    notifications: &[NotificationId],
    after: Option<PushSubscriptionId>,
    limit: i64,
) -> Result<Vec<PushCandidate>> {
    type Sender = (AccountId, bool, bool);
    type CandidateRow =
        (NotificationId, PushSubscriptionId, AccountId, String, String, String, String, Sender);
    let first = notifications.iter().min().copied().unwrap_or(NotificationId::new(0));
    let is_followed = exists(
        follows::table
            .filter(follows::account_id.eq(notifications::account_id))
            .filter(follows::target_account_id.eq(notifications::from_account_id)),
    );
    let is_follower = exists(
        follows::table
            .filter(follows::account_id.eq(notifications::from_account_id))
            .filter(follows::target_account_id.eq(notifications::account_id)),
    );
    let rows: Vec<CandidateRow> = notifications::table
        .inner_join(
            push_subscriptions::table
                .on(push_subscriptions::account_id.eq(notifications::account_id)),
        )
        .filter(notifications::id.equals_any(notifications))
        .filter(
            notifications::id
                .gt(first)
                .or(push_subscriptions::id.gt(after.unwrap_or(PushSubscriptionId::new(0)))),
        )
        .order((notifications::id, push_subscriptions::id))
        .limit(limit)
        .select((
            notifications::id,
            push_subscriptions::id,
            notifications::account_id,
            push_subscriptions::endpoint,
            notifications::kind,
            push_subscriptions::policy,
            push_subscriptions::alerts,
            (notifications::from_account_id, is_followed, is_follower),
        ))
        .load(conn)?;
    let candidate = |row: CandidateRow| -> Result<_> {
        let (notification, subscription, recipient, endpoint, kind, named, alerts, sender) = row;
        let (from, is_followed, is_follower) = sender;
        let kind = NotificationKind::from_name(&kind);
        Ok(PushCandidate {
            notification,
            subscription,
            recipient,
            endpoint,
            kind: kind.ok_or(Error::Damaged("notifications.kind"))?.into(),
            policy: policy(&named)?,
            alerts: alerts_of_column(&alerts),
            sender: SenderFacts { is_recipient: from == recipient, is_followed, is_follower },
        })
    };
    rows.into_iter().map(candidate).collect()
}

/// A subscription with everything that is needed to send a message to its client.
#[derive(Clone, PartialEq, Eq)]
pub struct PushRecipient {
    pub subscription: PushSubscription,
    pub token: TokenId,
    pub owner: TokenOwner,
    /// Interface language of the user, if set.
    pub locale: Option<String>,
    /// Public key and authentication secret of the client, base64url without padding.
    pub p256dh: String,
    pub auth: String,
    /// The access token, encrypted.
    pub sealed_token: String,
}

impl std::fmt::Debug for PushRecipient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushRecipient").field("token", &self.token).finish_non_exhaustive()
    }
}

/// Loads subscriptions for delivery, in no particular order. Leaves out those that were deleted or
/// replaced.
pub fn recipients(conn: &mut Conn, ids: &[PushSubscriptionId]) -> Result<Vec<PushRecipient>> {
    type RecipientRow = (Row, TokenId, OwnerRow, Option<String>, String, String, String);
    let rows: Vec<RecipientRow> = push_subscriptions::table
        .inner_join(
            accounts::table
                .inner_join(users::table)
                .on(push_subscriptions::account_id.eq(accounts::id)),
        )
        .filter(push_subscriptions::id.equals_any(ids))
        .select((
            Row::as_select(),
            push_subscriptions::access_token_id,
            OWNER,
            users::locale,
            push_subscriptions::p256dh,
            push_subscriptions::auth,
            push_subscriptions::sealed_token,
        ))
        .load(conn)?;
    let recipient = |(row, token, owner, locale, p256dh, auth, sealed_token): RecipientRow| {
        Ok(PushRecipient {
            subscription: row.try_into()?,
            token,
            owner: owner.into(),
            locale,
            p256dh,
            auth,
            sealed_token,
        })
    };
    rows.into_iter().map(recipient).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alerts_round_trip_and_unknown_names_are_ignored() {
        let every: PushAlerts = NotificationType::ALL.into_iter().collect();
        assert_eq!(alerts_of_column(&alerts_to_column(&every)), every);
        assert_eq!(alerts_of_column(""), PushAlerts::new());
        let some = PushAlerts::from([NotificationType::Poll]);
        assert_eq!(alerts_of_column("poll reaction"), some);
    }
}
