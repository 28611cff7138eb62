//! Inserts statuses and reblogs with their dependent rows.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::{QuotePolicy, QuoteState, StatusDraft, StatusSource, Visibility};
use siskin_ids::{AccountId, ApplicationId, StatusId, TagId};

use super::{
    counters::{self, Reaction},
    source::StoredSource,
};
use crate::{
    Result, Tx,
    conn::each,
    conversations,
    equals_any::{list_of, rows_of_list},
    prepared::prepared,
    schema::{status_stats, statuses},
    tags,
};

/// A new status.
#[derive(Debug, Clone)]
pub struct NewStatus<'a> {
    pub id: StatusId,
    pub account: AccountId,
    pub uri: &'a str,
    /// What the author chose. Its poll and its allowed mentions are not inserted. Without a quote
    /// policy, only the author may quote it.
    pub draft: &'a StatusDraft,
    /// Sanitised HTML.
    pub content: &'a str,
    pub in_reply_to: Option<Parent>,
    /// The quoted status with the decision of its author; `None` if it is no quote.
    pub quote: Option<(StatusId, QuoteState)>,
    pub application: Option<ApplicationId>,
    /// Without duplicates, in the order in which they were typed.
    pub mentions: &'a [AccountId],
    pub tags: &'a [TagId],
}

/// The parent of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent {
    pub id: StatusId,
    pub account: AccountId,
    pub conversation: StatusId,
}

/// A new reblog.
#[derive(Debug, Clone, Copy)]
pub struct NewReblog<'a> {
    pub id: StatusId,
    pub account: AccountId,
    pub uri: &'a str,
    pub of: StatusId,
    pub visibility: Visibility,
    pub application: Option<ApplicationId>,
}

#[derive(Insertable)]
// Every INSERT has the same columns, so that the statement can be cached.
#[diesel(table_name = statuses, treat_none_as_default_value = false)]
struct Row<'a> {
    id: StatusId,
    account_id: AccountId,
    uri: &'a str,
    #[diesel(embed)]
    source: StoredSource<'a>,
    content: &'a str,
    visibility: i16,
    in_reply_to_id: Option<StatusId>,
    in_reply_to_account_id: Option<AccountId>,
    conversation_id: StatusId,
    reblog_of_id: Option<StatusId>,
    quote_of_id: Option<StatusId>,
    quote_state: Option<i16>,
    quote_policy: i16,
    application_id: Option<ApplicationId>,
    created_at: i64,
}

/// Inserts a status and updates the counters.
pub fn insert(tx: &mut Tx<'_>, new: &NewStatus<'_>) -> Result<()> {
    let (parent, visibility) = (new.in_reply_to, new.draft.visibility);
    let row = Row {
        id: new.id,
        account_id: new.account,
        uri: new.uri,
        source: StoredSource::from(&new.draft.source),
        content: new.content,
        visibility: visibility.number(),
        in_reply_to_id: parent.map(|parent| parent.id),
        in_reply_to_account_id: parent.map(|parent| parent.account),
        conversation_id: parent.map_or(new.id, |parent| parent.conversation),
        reblog_of_id: None,
        quote_of_id: new.quote.map(|(quoted, _)| quoted),
        quote_state: new.quote.map(|(_, state)| state.number()),
        quote_policy: new.draft.quote_policy.unwrap_or(QuotePolicy::Nobody).number(),
        application_id: new.application,
        created_at: tx.now().unix_ms(),
    };
    diesel::insert_into(statuses::table).values(row).execute(&mut **tx)?;
    insert_stats(tx, new.id)?;
    insert_mentions(tx, new.id, new.mentions, &[])?;
    insert_tags(tx, new.id, new.tags)?;
    if let Some(parent) = parent.filter(|_| counters::counts_as_reply(visibility)) {
        counters::react(tx, parent.id, Reaction::Reply, 1)?;
    }
    if let Some((quoted, _)) =
        new.quote.filter(|(_, state)| counters::counts_as_quote(visibility, *state))
    {
        counters::react(tx, quoted, Reaction::Quote, 1)?;
    }
    if counters::counts_for_author(visibility) {
        counters::written(tx, new.account)?;
    }
    if visibility.is_open() {
        let now = tx.now();
        tags::add_uses(tx, new.account, new.tags, now)?;
    }
    if visibility == Visibility::Direct {
        conversations::add_status(tx, new.id)?;
    }
    Ok(())
}

/// Inserts a reblog and updates the counters. Returns `false` if the account has reblogged the
/// status already. The caller [locks](super::lock_against_deletion) the status.
pub fn insert_reblog(tx: &mut Tx<'_>, new: &NewReblog<'_>) -> Result<bool> {
    let nothing = StatusSource::default();
    let row = Row {
        id: new.id,
        account_id: new.account,
        uri: new.uri,
        source: StoredSource::from(&nothing),
        content: "",
        visibility: new.visibility.number(),
        in_reply_to_id: None,
        in_reply_to_account_id: None,
        conversation_id: new.id,
        reblog_of_id: Some(new.of),
        quote_of_id: None,
        quote_state: None,
        quote_policy: QuotePolicy::Nobody.number(),
        application_id: new.application,
        created_at: tx.now().unix_ms(),
    };
    let inserted = each!(&mut **tx, conn => diesel::insert_into(statuses::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    if inserted == 0 {
        return Ok(false);
    }
    insert_stats(tx, new.id)?;
    counters::react(tx, new.of, Reaction::Reblog, 1)?;
    if counters::counts_for_author(new.visibility) {
        counters::written(tx, new.account)?;
    }
    Ok(true)
}

fn insert_stats(tx: &mut Tx<'_>, id: StatusId) -> Result<()> {
    diesel::insert_into(status_stats::table)
        .values(status_stats::status_id.eq(id))
        .execute(&mut **tx)?;
    Ok(())
}

/// Inserts the mentions of a status in their order. The `silent` accounts can see the status as
/// well, but are not shown as mentioned.
pub(super) fn insert_mentions(
    tx: &mut Tx<'_>,
    id: StatusId,
    mentioned: &[AccountId],
    silent: &[AccountId],
) -> Result<()> {
    if mentioned.is_empty() && silent.is_empty() {
        return Ok(());
    }
    let rows = sql_query(format!(
        "INSERT INTO mentions (status_id, account_id, position, silent)
         SELECT $1, listed.id, listed.place, listed.place >= $2 FROM ({}) AS listed",
        rows_of_list(tx, "$3")
    ))
    .bind::<BigInt, _>(id)
    .bind::<BigInt, _>(i64::try_from(mentioned.len()).unwrap_or(i64::MAX))
    .bind::<Text, _>(list_of(mentioned.iter().chain(silent)));
    each!(&mut **tx, conn => prepared(rows).execute(conn))?;
    Ok(())
}

/// Inserts the hashtags of a status in their order.
pub(super) fn insert_tags(tx: &mut Tx<'_>, id: StatusId, tags: &[TagId]) -> Result<()> {
    if tags.is_empty() {
        return Ok(());
    }
    let rows = sql_query(format!(
        "INSERT INTO statuses_tags (status_id, tag_id, position)
         SELECT $1, listed.id, listed.place FROM ({}) AS listed",
        rows_of_list(tx, "$2")
    ))
    .bind::<BigInt, _>(id)
    .bind::<Text, _>(list_of(tags));
    each!(&mut **tx, conn => prepared(rows).execute(conn))?;
    Ok(())
}
