//! Loads snapshots of statuses: all columns that are covered by the version. One statement for each
//! kind of row.

use std::{collections::HashMap, iter::once, sync::Arc};

use diesel::prelude::*;
use siskin_entities::{
    MediaAttachment, PreviewCard, RenderedStatus, StatusSnapshot, Timestamp, Visibility, acct,
    status::{Mention, StatusApplication, StatusTag},
};
use siskin_ids::{AccountId, StatusId};
use siskin_text::texts_of_html;

use super::{row_exists, source::StoredSource};
use crate::{
    Conn, IdMap, Result, cards, emojis,
    equals_any::IdExpression as _,
    media,
    schema::{
        accounts, applications, mentions, poll_options, polls, statuses, statuses_tags, tags,
    },
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = statuses)]
struct StatusRow {
    id: StatusId,
    uri: String,
    url: Option<String>,
    #[diesel(embed)]
    source: StoredSource<'static>,
    content: String,
    visibility: i16,
    edited_at: Option<i64>,
    created_at: i64,
}

/// Columns of the author.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = accounts)]
struct AuthorRow {
    username: String,
    domain: Option<String>,
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = applications)]
struct ApplicationRow {
    name: String,
    website: Option<String>,
}

#[derive(Debug, Queryable)]
struct Row {
    status: StatusRow,
    author: AuthorRow,
    application: Option<ApplicationRow>,
    has_poll: bool,
}

impl Row {
    /// Returns the texts of a local status that can contain emojis; code cannot. Remote statuses
    /// use the emojis of their own server.
    fn texts<'a>(&'a self, polls: &'a Titles) -> impl Iterator<Item = &'a str> {
        let titles = polls.get(&self.status.id).into_iter().flatten().map(String::as_str);
        let warning = &*self.status.source.spoiler_text;
        let texts = once(warning).chain(texts_of_html(&self.status.content));
        texts.chain(titles).filter(|_| self.author.domain.is_none())
    }
}

/// Poll options that may contain emojis, by status, in their order.
type Titles = HashMap<StatusId, Vec<String>>;

/// Loads the poll options of these statuses that contain a shortcode. Runs one statement, or none
/// if no status has a poll.
fn load_titles(conn: &mut Conn, rows: &[Row]) -> Result<Titles> {
    let with_polls = rows.iter().filter(|row| row.has_poll && row.author.domain.is_none());
    let with_polls: Vec<StatusId> = with_polls.map(|row| row.status.id).collect();
    let mut found = Titles::new();
    if with_polls.is_empty() {
        return Ok(found);
    }
    let titles: Vec<(StatusId, String)> = poll_options::table
        .inner_join(polls::table)
        .filter(polls::status_id.equals_any(with_polls))
        .filter(poll_options::title.like("%:%:%"))
        .order((polls::status_id, poll_options::position))
        .select((polls::status_id, poll_options::title))
        .load(conn)?;
    for (status, title) in titles {
        found.entry(status).or_default().push(title);
    }
    Ok(found)
}

/// Loads the snapshots of these statuses.
pub(super) fn read(
    conn: &mut Conn,
    ids: &[StatusId],
) -> Result<IdMap<StatusId, Arc<RenderedStatus>>> {
    let has_poll = row_exists!(polls::table.filter(polls::status_id.eq(statuses::id)));
    let rows: Vec<Row> = statuses::table
        .inner_join(accounts::table)
        .left_join(applications::table)
        .filter(statuses::id.equals_any(ids))
        .select((
            StatusRow::as_select(),
            AuthorRow::as_select(),
            Option::<ApplicationRow>::as_select(),
            has_poll,
        ))
        .load(conn)?;
    let titles = load_titles(conn, &rows)?;
    let texts = rows.iter().flat_map(|row| row.texts(&titles));
    let (mentions, former_mentions) = load_mentions(conn, ids)?;
    let mut parts = Parts {
        emojis: emojis::TextEmojis::in_texts(conn, texts)?,
        titles,
        mentions,
        former_mentions,
        tags: load_tags(conn, ids)?,
        attachments: media::of_statuses(conn, ids)?,
        cards: cards::of_statuses(conn, ids)?,
    };
    let snapshot = |row: Row| (row.status.id, Arc::new(parts.snapshot(row).into()));
    Ok(rows.into_iter().map(snapshot).collect())
}

/// The parts of a batch of statuses.
struct Parts {
    mentions: Mentions,
    former_mentions: FormerMentions,
    tags: HashMap<StatusId, Vec<StatusTag>>,
    attachments: HashMap<StatusId, Vec<MediaAttachment>>,
    emojis: emojis::TextEmojis,
    titles: Titles,
    cards: HashMap<StatusId, PreviewCard>,
}

impl Parts {
    fn snapshot(&mut self, row: Row) -> StatusSnapshot {
        let emojis = self.emojis.of(row.texts(&self.titles));
        let Row { status, author, application, has_poll } = row;
        StatusSnapshot {
            id: status.id,
            uri: status.uri,
            url: status.url,
            is_local: author.domain.is_none(),
            username: author.username,
            source: status.source.into(),
            content: status.content,
            visibility: Visibility::from_number(status.visibility),
            mentions: self.mentions.remove(&status.id).unwrap_or_default(),
            former_mentions: self.former_mentions.remove(&status.id).unwrap_or_default(),
            tags: self.tags.remove(&status.id).unwrap_or_default(),
            attachments: self.attachments.remove(&status.id).unwrap_or_default(),
            emojis,
            application: application
                .map(|app| StatusApplication { name: app.name, website: app.website }),
            has_poll,
            card: self.cards.remove(&status.id),
            created_at: Timestamp::from_unix_ms(status.created_at),
            edited_at: status.edited_at.map(Timestamp::from_unix_ms),
        }
    }
}

type MentionRow = (StatusId, bool, AccountId, String, Option<String>, Option<String>, String);

/// Mentions of the current versions by status, in their order.
type Mentions = HashMap<StatusId, Vec<Mention>>;

/// Accounts by status that only earlier versions mentioned.
type FormerMentions = HashMap<StatusId, Vec<AccountId>>;

fn load_mentions(conn: &mut Conn, ids: &[StatusId]) -> Result<(Mentions, FormerMentions)> {
    let rows: Vec<MentionRow> = mentions::table
        .inner_join(accounts::table)
        .filter(mentions::status_id.equals_any(ids))
        .order((mentions::status_id, mentions::position))
        .select((
            mentions::status_id,
            mentions::silent,
            accounts::id,
            accounts::username,
            accounts::domain,
            accounts::url,
            accounts::uri,
        ))
        .load(conn)?;
    let (mut current, mut former) = (Mentions::new(), FormerMentions::new());
    for (status_id, silent, account_id, username, domain, url, uri) in rows {
        if silent {
            former.entry(status_id).or_default().push(account_id);
            continue;
        }
        let acct = acct(&username, domain.as_deref());
        let url = url.unwrap_or(uri);
        current.entry(status_id).or_default().push(Mention { account_id, username, acct, url });
    }
    Ok((current, former))
}

fn load_tags(conn: &mut Conn, ids: &[StatusId]) -> Result<HashMap<StatusId, Vec<StatusTag>>> {
    let rows: Vec<(StatusId, String)> = statuses_tags::table
        .inner_join(tags::table)
        .filter(statuses_tags::status_id.equals_any(ids))
        .order((statuses_tags::status_id, statuses_tags::position))
        .select((statuses_tags::status_id, tags::name))
        .load(conn)?;
    let mut found: HashMap<StatusId, Vec<StatusTag>> = HashMap::new();
    for (status_id, name) in rows {
        found.entry(status_id).or_default().push(StatusTag { name });
    }
    Ok(found)
}
