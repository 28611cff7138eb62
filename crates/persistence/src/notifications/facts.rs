//! Loads the facts that decide which accounts get a notification.

use std::{collections::HashMap, fmt::Write as _};

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Nullable, SmallInt, Text},
};
use siskin_entities::{
    AccountState, NotificationKind, PolicyAction, PolicyRule, RelationParts, Timestamp,
    ViewerRelations, Visibility, relationship::Follow,
};
use siskin_ids::{AccountId, StatusId};
use siskin_policy::{
    notifications::{CauseFacts, Participant, RecipientFacts},
    visibility::AccountFacts,
};

use super::Cause;
use crate::{
    Conn, Result,
    conn::each,
    equals_any::{list_of, rows_of_list},
    prepared::prepared,
    relationships::{ACCOUNT_RELATIONS, AccountRelation, RelationRow, select_options},
};

/// Facts about a cause and its possible recipients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    kind: NotificationKind,
    sender: Participant,
    sender_state: AccountState,
    sender_created_at: Timestamp,
    participants: Vec<Participant>,
    is_private: bool,
    private_parent_author: Option<AccountId>,
    /// The local accounts among the possible recipients. Their relations contain only those towards
    /// the sender and the participants, except for lists and hashtags, which no rule about
    /// notifications needs.
    pub recipients: HashMap<AccountId, (ViewerRelations, RecipientFacts)>,
}

impl Facts {
    /// Returns the facts about the cause.
    #[must_use]
    pub fn cause(&self) -> CauseFacts<'_> {
        CauseFacts {
            kind: self.kind,
            sender: AccountFacts {
                id: self.sender.id,
                domain: self.sender.domain.as_deref(),
                state: self.sender_state,
            },
            participants: &self.participants,
            sender_created_at: self.sender_created_at,
            is_private: self.is_private,
            private_parent_author: self.private_parent_author,
        }
    }
}

/// Loads the facts about a cause and these recipients, with one statement. Returns `None` if the
/// sender does not exist.
///
/// Takes at most [`MAX_RECIPIENTS`](super::MAX_RECIPIENTS). It does not load whole relations as
/// [`relations_of_viewers`](crate::relationships::relations_of_viewers) does: there may be thousands
/// of recipients, and a few rows decide.
pub fn facts(conn: &mut Conn, cause: Cause, recipients: &[AccountId]) -> Result<Option<Facts>> {
    // Status ids are positive, so 0 finds nothing.
    let status = cause.status.map_or(0, StatusId::get);
    let mentioning = if cause.kind == NotificationKind::Mention { status } else { 0 };
    let is_about_quote =
        matches!(cause.kind, NotificationKind::Quote | NotificationKind::QuotedUpdate);
    let quoting = if is_about_quote { status } else { 0 };
    let query = sql_query(facts_sql(conn))
        .bind::<Text, _>(list_of(recipients))
        .bind::<BigInt, _>(cause.from)
        .bind::<BigInt, _>(mentioning)
        .bind::<BigInt, _>(status)
        .bind::<BigInt, _>(quoting);
    let rows: Vec<Row> = each!(conn, conn => prepared(query).load(conn))?;
    Ok(collect(cause, rows))
}

/// A fact. Its number says which of the nullable columns have a value, see [`FACTS`] and
/// [`ACCOUNT_RELATIONS`].
#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SmallInt)]
    fact: i16,
    #[diesel(sql_type = Nullable<BigInt>)]
    recipient: Option<AccountId>,
    #[diesel(sql_type = Nullable<BigInt>)]
    account: Option<AccountId>,
    #[diesel(sql_type = Nullable<Text>)]
    domain: Option<String>,
    #[diesel(sql_type = Nullable<Bool>)]
    suspended: Option<bool>,
    #[diesel(sql_type = Nullable<Bool>)]
    silenced: Option<bool>,
    #[diesel(sql_type = Nullable<Bool>)]
    reachable: Option<bool>,
    #[diesel(sql_type = Nullable<BigInt>)]
    created_at: Option<i64>,
    #[diesel(sql_type = Nullable<SmallInt>)]
    rule: Option<i16>,
    #[diesel(sql_type = Nullable<SmallInt>)]
    action: Option<i16>,
    #[diesel(sql_type = Nullable<SmallInt>)]
    visibility: Option<i16>,
    #[diesel(sql_type = Nullable<SmallInt>)]
    parent_visibility: Option<i16>,
    #[diesel(sql_type = Nullable<Bool>)]
    hide_notifications: Option<bool>,
    #[diesel(sql_type = Nullable<BigInt>)]
    expires_at: Option<i64>,
}

/// Nullable columns of [`Row`] with their types, except for the options of the
/// [`ACCOUNT_RELATIONS`].
const COLUMNS: [(&str, &str); 11] = [
    ("recipient", "BIGINT"),
    ("account", "BIGINT"),
    ("domain", "TEXT"),
    ("suspended", "BOOLEAN"),
    ("silenced", "BOOLEAN"),
    ("reachable", "BOOLEAN"),
    ("created_at", "BIGINT"),
    ("rule", "SMALLINT"),
    ("action", "SMALLINT"),
    ("visibility", "SMALLINT"),
    ("parent_visibility", "SMALLINT"),
];

const RECIPIENT: i16 = 0;
const CONCERNED: i16 = 1;
const FOLLOW: i16 = 2;
const BLOCKED_DOMAIN: i16 = 3;
const MUTED_CONVERSATION: i16 = 4;
const FOLLOWER: i16 = 5;
const POLICY: i16 = 6;
const PERMISSION: i16 = 7;
const STATUS: i16 = 8;
/// Number of the first of the [`ACCOUNT_RELATIONS`]. The others have the next numbers, in their
/// order.
const FIRST_RELATION: i16 = 9;

/// A kind of fact: its number, its columns with their values, and the rows from which it is read.
type FactKind = (i16, &'static [(&'static str, &'static str)], &'static str);

/// All kinds of facts except for the [`ACCOUNT_RELATIONS`].
const FACTS: [FactKind; 9] = [
    (
        RECIPIENT,
        &[("recipient", "recipients.id"), ("suspended", "recipients.suspended")],
        "recipients",
    ),
    (
        CONCERNED,
        &[
            ("account", "accounts.id"),
            ("domain", "accounts.domain"),
            ("suspended", "accounts.suspended_at IS NOT NULL"),
            ("silenced", "accounts.silenced_at IS NOT NULL"),
            ("reachable", "accounts.reachable"),
            ("created_at", "accounts.created_at"),
        ],
        "concerned CROSS JOIN accounts WHERE accounts.id = concerned.id",
    ),
    (
        FOLLOW,
        &[("recipient", "follows.account_id"), ("account", "follows.target_account_id")],
        "recipients CROSS JOIN follows
        WHERE follows.account_id = recipients.id AND follows.target_account_id = $2",
    ),
    (
        BLOCKED_DOMAIN,
        &[
            ("recipient", "account_domain_blocks.account_id"),
            ("domain", "account_domain_blocks.domain"),
        ],
        "concerned CROSS JOIN accounts CROSS JOIN recipients CROSS JOIN account_domain_blocks
        WHERE accounts.id = concerned.id AND accounts.domain IS NOT NULL
        AND account_domain_blocks.account_id = recipients.id
        AND account_domain_blocks.domain = accounts.domain",
    ),
    (
        MUTED_CONVERSATION,
        &[("recipient", "muted_conversations.account_id")],
        "statuses CROSS JOIN recipients CROSS JOIN muted_conversations
        WHERE (statuses.id = $4
            OR statuses.id = (SELECT quotes.quote_of_id FROM statuses AS quotes WHERE quotes.id = $5))
        AND muted_conversations.account_id = recipients.id
        AND muted_conversations.conversation_id = statuses.conversation_id",
    ),
    (
        FOLLOWER,
        &[("recipient", "follows.target_account_id"), ("created_at", "follows.created_at")],
        "recipients CROSS JOIN follows
        WHERE follows.account_id = $2 AND follows.target_account_id = recipients.id",
    ),
    (
        POLICY,
        &[
            ("recipient", "notification_policies.account_id"),
            ("rule", "notification_policies.rule"),
            ("action", "notification_policies.action"),
        ],
        "recipients CROSS JOIN notification_policies
        WHERE notification_policies.account_id = recipients.id",
    ),
    (
        PERMISSION,
        &[("recipient", "notification_permissions.account_id")],
        "recipients CROSS JOIN notification_permissions
        WHERE notification_permissions.account_id = recipients.id
        AND notification_permissions.from_account_id = $2",
    ),
    (
        STATUS,
        &[
            ("account", "parents.account_id"),
            ("visibility", "statuses.visibility"),
            ("parent_visibility", "parents.visibility"),
        ],
        "statuses LEFT JOIN statuses AS parents ON parents.id = statuses.in_reply_to_id
        WHERE statuses.id = $3",
    ),
];

/// Returns the SQL of [`facts`]. Parameters: `$1` recipients, `$2` the sender, `$3` the status if
/// this is a mention, `$4` the status, `$5` the status if this is about a quote. They first appear
/// in this order, because SQLite numbers them so. CROSS JOIN makes SQLite read the tables in the
/// order of the text.
fn facts_sql(conn: &Conn) -> String {
    let listed = rows_of_list(conn, "$1");
    let mut sql = format!(
        "WITH recipients AS (
            SELECT accounts.id, accounts.suspended_at IS NOT NULL AS suspended
            FROM ({listed}) AS listed CROSS JOIN users CROSS JOIN accounts
            WHERE users.account_id = listed.id AND accounts.id = users.account_id
        ), concerned AS (
            SELECT accounts.id FROM accounts WHERE accounts.id = $2
            UNION
            SELECT mentions.account_id FROM mentions
            WHERE mentions.status_id = $3 AND NOT mentions.silent
            UNION
            SELECT statuses.in_reply_to_account_id FROM statuses
            WHERE statuses.id = $3 AND statuses.in_reply_to_account_id IS NOT NULL
        )"
    );
    let mut select = |number: i16, columns: &[(&str, &str)], options: &[&str], rows: &str| {
        let union = if number == FACTS[0].0 { "" } else { " UNION ALL" };
        let _ = write!(sql, "{union} SELECT CAST({number} AS SMALLINT) AS fact");
        for (name, sql_type) in COLUMNS {
            let value = columns.iter().find(|(column, _)| *column == name);
            let value = value.map_or("NULL", |(_, value)| value);
            let _ = write!(sql, ", CAST({value} AS {sql_type}) AS {name}");
        }
        let _ = write!(sql, ", {} FROM {rows}", select_options(options));
    };
    for (number, columns, rows) in FACTS {
        select(number, columns, &[], rows);
    }
    // Blocks by participants other than the sender decide nothing. They are read too, so that all
    // relations have one form.
    for (number, relation) in (FIRST_RELATION..).zip(&ACCOUNT_RELATIONS) {
        let AccountRelation { table, viewer, account, options, .. } = relation;
        let rows = format!(
            "concerned CROSS JOIN recipients CROSS JOIN {table}
            WHERE {table}.{viewer} = recipients.id AND {table}.{account} = concerned.id"
        );
        select(number, &[("recipient", viewer), ("account", account)], options, &rows);
    }
    sql
}

/// Relations and state of a recipient while the rows are read.
#[derive(Default)]
struct RecipientParts {
    relations: RelationParts,
    facts: RecipientFacts,
}

fn collect(cause: Cause, rows: Vec<Row>) -> Option<Facts> {
    let mut sender_facts = None;
    let mut participants = Vec::new();
    let (mut is_private, mut private_parent_author) = (false, None);
    let mut parts: HashMap<AccountId, RecipientParts> = HashMap::new();
    for row in rows {
        if row.fact == CONCERNED {
            let Some(id) = row.account else { continue };
            if id == cause.from {
                sender_facts = Some((state(&row), time(row.created_at)));
            }
            participants.push(Participant { id, domain: row.domain });
        } else if row.fact == STATUS {
            let is_direct = |number: Option<i16>| number == Some(Visibility::Direct.number());
            is_private = is_direct(row.visibility);
            private_parent_author = row.account.filter(|_| is_direct(row.parent_visibility));
        } else if let Some(recipient) = row.recipient {
            add(parts.entry(recipient).or_default(), row);
        }
    }
    let sender = participants.iter().find(|one| one.id == cause.from)?.clone();
    let recipients = parts
        .into_iter()
        .map(|(id, parts)| (id, (ViewerRelations::of(id, parts.relations), parts.facts)));
    let (sender_state, sender_created_at) = sender_facts?;
    Some(Facts {
        kind: cause.kind,
        sender,
        sender_state,
        sender_created_at,
        recipients: recipients.collect(),
        participants,
        is_private,
        private_parent_author,
    })
}

fn time(unix_ms: Option<i64>) -> Timestamp {
    Timestamp::from_unix_ms(unix_ms.unwrap_or_default())
}

fn state(row: &Row) -> AccountState {
    AccountState {
        suspended: row.suspended.unwrap_or_default(),
        silenced: row.silenced.unwrap_or_default(),
        reachable: row.reachable.unwrap_or_default(),
    }
}

fn add(parts: &mut RecipientParts, row: Row) {
    let RecipientParts { relations, facts } = parts;
    match (row.fact, row.account, row.domain) {
        (RECIPIENT, ..) => facts.is_suspended = row.suspended.unwrap_or_default(),
        (MUTED_CONVERSATION, ..) => facts.mutes_conversation = true,
        (FOLLOWER, ..) => facts.followed_since = Some(time(row.created_at)),
        (PERMISSION, ..) => facts.permits_sender = true,
        (POLICY, ..) => {
            let rule = row.rule.and_then(PolicyRule::from_number);
            if let (Some(rule), Some(action)) = (rule, row.action) {
                facts.policy.set(rule, PolicyAction::from_number(action));
            }
        }
        (FOLLOW, Some(account), _) => relations.follows.push((account, Follow::default())),
        (BLOCKED_DOMAIN, _, Some(domain)) => relations.domains.push(domain),
        (fact, Some(account), _) => {
            let place = usize::try_from(fact - FIRST_RELATION).ok();
            if let Some(relation) = place.and_then(|place| ACCOUNT_RELATIONS.get(place)) {
                let Row { hide_notifications, expires_at, .. } = row;
                let row = RelationRow { account, hide_notifications, expires_at };
                (relation.add)(relations, &row);
            }
        }
        _ => {}
    }
}
