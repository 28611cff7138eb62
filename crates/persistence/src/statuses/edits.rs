//! Edits of statuses: what replaces what, and the versions there were.

use std::{iter::once, time::Duration};

use diesel::prelude::*;
use siskin_entities::{StatusBody, StatusEdit, Timestamp, Visibility};
use siskin_ids::{AccountId, StatusId, TagId};
use siskin_text::{ContentType, texts_of_html};

use super::insert::{insert_mentions, insert_tags};
use crate::{
    Conn, Result, Tx, accounts,
    conn::OnEngine,
    conversations, emojis,
    schema::{mentions, status_edits, statuses, statuses_tags},
    tags,
};

/// What stands in a status from now on.
#[derive(Debug, Clone)]
pub struct Revision<'a> {
    /// As typed.
    pub text: &'a str,
    pub content_type: ContentType,
    /// Sanitised HTML.
    pub content: &'a str,
    pub spoiler_text: &'a str,
    pub sensitive: bool,
    pub language: Option<&'a str>,
    /// Each once, in the order in which they were typed.
    pub mentions: &'a [AccountId],
    pub tags: &'a [TagId],
}

/// What an edit did beside replacing words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// Whom no version named before.
    pub added: Vec<AccountId>,
    /// Whom the version before named, and this one does not.
    pub unnamed: Vec<AccountId>,
    /// The hashtags that the status has no more.
    pub lost_tags: Vec<TagId>,
}

#[derive(Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = status_edits)]
struct EditRow {
    status_id: StatusId,
    version: i64,
    text: String,
    content: String,
    spoiler_text: String,
    sensitive: bool,
    poll_options: Option<String>,
    created_at: i64,
}

impl EditRow {
    /// The options of its poll.
    fn titles(&self) -> Option<Vec<String>> {
        self.poll_options.as_ref().and_then(|titles| serde_json::from_str(titles).ok())
    }

    /// Where a version can name emojis. `poll_options` is JSON, in which shortcodes stand as they
    /// are.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let titles = self.poll_options.as_deref();
        once(self.spoiler_text.as_str()).chain(texts_of_html(&self.content)).chain(titles)
    }
}

/// Keeps others from editing or removing a status until the transaction ends; false where it is
/// gone.
pub fn lock(tx: &mut Tx<'_>, id: StatusId) -> Result<bool> {
    let row = statuses::table.filter(statuses::id.eq(id)).select(statuses::id);
    let found: Option<StatusId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_no_key_update().first(pg).optional()?,
        // There is one writer at a time, and this is it.
        OnEngine::Sqlite(sqlite) => row.first(sqlite).optional()?,
    };
    Ok(found.is_some())
}

/// Replaces the words of a status that the caller [locked](lock) and read as `before`, and keeps
/// what they were. Whom the status named before stays able to see it.
pub fn edit(tx: &mut Tx<'_>, before: &StatusBody, revision: &Revision<'_>) -> Result<Edited> {
    let replaced = EditRow {
        status_id: before.id,
        version: before.version,
        text: before.text.clone(),
        content: before.content.clone(),
        spoiler_text: before.spoiler_text.clone(),
        sensitive: before.sensitive,
        poll_options: titles(before).and_then(|titles| serde_json::to_string(&titles).ok()),
        created_at: before.edited_at.unwrap_or(before.created_at).unix_ms(),
    };
    diesel::insert_into(status_edits::table).values(replaced).execute(&mut **tx)?;
    let changes = (
        statuses::text.eq(revision.text),
        statuses::content_type.eq(revision.content_type.number()),
        statuses::content.eq(revision.content),
        statuses::spoiler_text.eq(revision.spoiler_text),
        statuses::sensitive.eq(revision.sensitive),
        statuses::language.eq(revision.language),
        statuses::version.eq(statuses::version + 1),
        statuses::edited_at.eq(next_version_at(tx, before).unix_ms()),
    );
    diesel::update(statuses::table.filter(statuses::id.eq(before.id)))
        .set(changes)
        .execute(&mut **tx)?;
    let lost_tags = replace_tags(tx, before, revision.tags)?;
    let (added, unnamed) = name(tx, before.id, revision.mentions)?;
    if before.visibility == Visibility::Direct && !added.is_empty() {
        conversations::refile(tx, before.id)?;
    }
    Ok(Edited { added, unnamed, lost_tags })
}

/// Returns the time of the version that replaces `before`. A transaction that began first may get
/// the lock last, so the time of the transaction alone would not ascend.
fn next_version_at(tx: &Tx<'_>, before: &StatusBody) -> Timestamp {
    let last = before.edited_at.unwrap_or(before.created_at);
    tx.now().max(last.after(Duration::from_millis(1)))
}

/// Gives a status other hashtags; returns those that it has no more.
fn replace_tags(tx: &mut Tx<'_>, status: &StatusBody, after: &[TagId]) -> Result<Vec<TagId>> {
    if status.tags.is_empty() && after.is_empty() {
        return Ok(Vec::new());
    }
    let author = status.account.id;
    accounts::hold_counts(tx, &[author])?;
    let of_status = statuses_tags::table.filter(statuses_tags::status_id.eq(status.id));
    let before: Vec<TagId> = of_status.select(statuses_tags::tag_id).load(&mut **tx)?;
    diesel::delete(of_status).execute(&mut **tx)?;
    insert_tags(tx, status.id, after)?;
    let without = |of: &[TagId], others: &[TagId]| -> Vec<TagId> {
        of.iter().filter(|tag| !others.contains(tag)).copied().collect()
    };
    let lost = without(&before, after);
    if status.visibility.is_open() {
        tags::count_use(tx, author, &without(after, &before), status.created_at)?;
        tags::count_uses_away(tx, author, &lost, status.created_at)?;
    }
    Ok(lost)
}

/// Has a status name these accounts, and those whom it named before in silence. Returns whom no version
/// named before, and whom the version before named alone.
fn name(
    tx: &mut Tx<'_>,
    id: StatusId,
    named: &[AccountId],
) -> Result<(Vec<AccountId>, Vec<AccountId>)> {
    let of_status = mentions::table.filter(mentions::status_id.eq(id));
    let before: Vec<(AccountId, bool)> = of_status
        .order(mentions::position)
        .select((mentions::account_id, mentions::silent))
        .load(&mut **tx)?;
    diesel::delete(of_status).execute(&mut **tx)?;
    let ever: Vec<AccountId> = before.iter().map(|(account, _)| *account).collect();
    let is_unnamed = |account: &&AccountId| !named.contains(account);
    let silent: Vec<AccountId> = ever.iter().filter(is_unnamed).copied().collect();
    insert_mentions(tx, id, named, &silent)?;
    let added = named.iter().filter(|account| !ever.contains(account)).copied().collect();
    let present = before.iter().filter(|(_, silent)| !silent).map(|(account, _)| account);
    Ok((added, present.filter(is_unnamed).copied().collect()))
}

/// The versions of a status, the first one first and the present one last: `most` of them (three at
/// least), the original among them and the newest.
pub fn history(conn: &mut Conn, status: &StatusBody, most: i64) -> Result<Vec<StatusEdit>> {
    let rows = replaced(conn, status.id, most - 1)?;
    let local = rows.iter().filter(|_| status.account.is_local()).flat_map(EditRow::texts);
    let emojis = emojis::Named::in_texts(conn, local)?;
    let replaced = rows.into_iter().map(|row| StatusEdit {
        account: status.account.clone(),
        attachments: status.attachments.clone(),
        emojis: emojis.of(row.texts()),
        poll_options: row.titles(),
        content: row.content,
        spoiler_text: row.spoiler_text,
        sensitive: row.sensitive,
        created_at: Timestamp::from_unix_ms(row.created_at),
    });
    Ok(replaced.chain([present(status)]).collect())
}

/// The replaced versions of a status in their order: the original and the newest of the others.
fn replaced(conn: &mut Conn, status: StatusId, most: i64) -> Result<Vec<EditRow>> {
    let of_status = || status_edits::table.filter(status_edits::status_id.eq(status));
    let newest = of_status().order(status_edits::version.desc()).limit(most);
    let mut rows: Vec<EditRow> = newest.select(EditRow::as_select()).load(conn)?;
    rows.reverse();
    if i64::try_from(rows.len()).is_ok_and(|read| read == most) {
        let original = of_status().order(status_edits::version).limit(1);
        let original: Vec<EditRow> = original.select(EditRow::as_select()).load(conn)?;
        rows.splice(..1, original);
    }
    Ok(rows)
}

/// The options of its poll.
fn titles(status: &StatusBody) -> Option<Vec<String>> {
    let poll = status.poll.as_ref()?;
    Some(poll.options.iter().map(|option| option.title.clone()).collect())
}

fn present(status: &StatusBody) -> StatusEdit {
    StatusEdit {
        account: status.account.clone(),
        content: status.content.clone(),
        spoiler_text: status.spoiler_text.clone(),
        sensitive: status.sensitive,
        poll_options: titles(status),
        attachments: status.attachments.clone(),
        emojis: status.emojis.clone(),
        created_at: status.edited_at.unwrap_or(status.created_at),
    }
}
