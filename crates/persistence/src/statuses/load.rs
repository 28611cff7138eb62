//! Loads statuses with everything that is shown of them.

use std::{
    collections::{HashMap, HashSet},
    iter::once,
    sync::Arc,
};

use diesel::prelude::*;
use siskin_entities::{
    Account, MediaAttachment, Poll, PreviewCard, Status, StatusBody, Timestamp, ViewerState,
    Visibility,
    status::{Mention, StatusApplication, StatusCounts, StatusTag},
};
use siskin_ids::{AccountId, StatusId};
use siskin_text::{ContentType, texts_of_html};

use super::visible_ids;
use crate::{
    Conn, Result, accounts,
    among::IdExpression as _,
    cards, emojis, media, polls,
    schema::{
        accounts as accounts_table, applications, bookmarks, favourites, mentions,
        muted_conversations, status_pins, status_stats, statuses, statuses_tags, tags,
    },
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = statuses)]
struct StatusRow {
    id: StatusId,
    account_id: AccountId,
    uri: String,
    url: Option<String>,
    text: String,
    content_type: i16,
    content: String,
    spoiler_text: String,
    visibility: i16,
    sensitive: bool,
    language: Option<String>,
    in_reply_to_id: Option<StatusId>,
    in_reply_to_account_id: Option<AccountId>,
    conversation_id: StatusId,
    reblog_of_id: Option<StatusId>,
    version: i64,
    edited_at: Option<i64>,
    created_at: i64,
}

impl StatusRow {
    /// Where a status can name emojis: not in code.
    fn texts(&self) -> impl Iterator<Item = &str> {
        once(self.spoiler_text.as_str()).chain(texts_of_html(&self.content))
    }
}

#[derive(Debug, Default, Queryable, Selectable)]
#[diesel(table_name = status_stats)]
struct StatsRow {
    replies_count: i64,
    reblogs_count: i64,
    favourites_count: i64,
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = applications)]
struct ApplicationRow {
    name: String,
    website: Option<String>,
}

type Loaded = (StatusRow, Option<StatsRow>, Option<ApplicationRow>);

/// The statuses with these ids in the order of the ids, as `viewer` sees them; unknown ids are
/// left out. Whether the viewer may see them at all is for the caller to have asked.
pub fn load(conn: &mut Conn, ids: &[StatusId], viewer: Option<AccountId>) -> Result<Vec<Status>> {
    load_for(conn, ids, Reader::One(viewer))
}

/// The same as nobody in particular sees them, but with what they answer, whoever may know of that:
/// to be shown to nobody before it was [seen](super::sights) by its reader.
pub fn load_unseen(conn: &mut Conn, ids: &[StatusId]) -> Result<Vec<Status>> {
    load_for(conn, ids, Reader::ToBeSeen)
}

/// For whom statuses are loaded.
#[derive(Clone, Copy)]
enum Reader {
    /// None is whoever is not signed in.
    One(Option<AccountId>),
    /// Readers who are not known yet.
    ToBeSeen,
}

fn load_for(conn: &mut Conn, ids: &[StatusId], reader: Reader) -> Result<Vec<Status>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut rows = rows(conn, ids)?;
    let inner: Vec<StatusId> = rows.iter().filter_map(|(row, ..)| row.reblog_of_id).collect();
    rows.extend(self::rows(conn, &inner)?);

    let parts = Parts::load(conn, &rows, reader)?;
    let mut reblog_of = HashMap::new();
    let mut bodies: HashMap<StatusId, StatusBody> = HashMap::new();
    for row in rows {
        if let Some(inner) = row.0.reblog_of_id {
            reblog_of.insert(row.0.id, inner);
        }
        if let Some(body) = parts.body(row) {
            bodies.insert(body.id, body);
        }
    }
    Ok(ids.iter().filter_map(|id| assemble(*id, &bodies, &reblog_of)).collect())
}

fn assemble(
    id: StatusId,
    bodies: &HashMap<StatusId, StatusBody>,
    reblog_of: &HashMap<StatusId, StatusId>,
) -> Option<Status> {
    let mut body = bodies.get(&id)?.clone();
    let Some(inner) = reblog_of.get(&id) else { return Some(Status { body, reblog: None }) };
    let inner = bodies.get(inner)?.clone();
    // What one does to a reblog is done to what it reblogs; pinned it cannot be.
    body.viewer = inner.viewer.clone().map(|viewer| ViewerState { pinned: None, ..viewer });
    Some(Status { body, reblog: Some(Box::new(inner)) })
}

fn rows(conn: &mut Conn, ids: &[StatusId]) -> Result<Vec<Loaded>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(statuses::table
        .left_join(status_stats::table)
        .left_join(applications::table)
        .filter(statuses::id.among(ids))
        .select((
            StatusRow::as_select(),
            Option::<StatsRow>::as_select(),
            Option::<ApplicationRow>::as_select(),
        ))
        .load(conn)?)
}

/// What belongs to a batch of statuses, each kind loaded at once.
struct Parts {
    authors: HashMap<AccountId, Arc<Account>>,
    mentions: HashMap<StatusId, Vec<Mention>>,
    tags: HashMap<StatusId, Vec<StatusTag>>,
    attachments: HashMap<StatusId, Vec<MediaAttachment>>,
    emojis: emojis::Named,
    polls: HashMap<StatusId, Poll>,
    cards: HashMap<StatusId, PreviewCard>,
    /// What is answered, as far as the reader may know of it.
    parents: HashSet<StatusId>,
    viewer: Option<ViewerParts>,
}

struct ViewerParts {
    favourited: HashSet<StatusId>,
    bookmarked: HashSet<StatusId>,
    reblogged: HashSet<StatusId>,
    /// Conversations.
    muted: HashSet<StatusId>,
    pinned: HashSet<StatusId>,
    reader: AccountId,
}

impl Parts {
    fn load(conn: &mut Conn, rows: &[Loaded], reader: Reader) -> Result<Self> {
        let ids: Vec<StatusId> = rows.iter().map(|(row, ..)| row.id).collect();
        let viewer = match reader {
            Reader::One(viewer) => viewer,
            Reader::ToBeSeen => None,
        };
        let authors: HashSet<AccountId> = rows.iter().map(|(row, ..)| row.account_id).collect();
        let authors = accounts::load(conn, &authors.into_iter().collect::<Vec<_>>())?;
        // Those of other servers have emojis of their own.
        let is_local =
            |row: &StatusRow| authors.get(&row.account_id).is_some_and(|author| author.is_local());
        let local = rows.iter().map(|(row, ..)| row).filter(|row| is_local(row));
        Ok(Self {
            emojis: emojis::Named::in_texts(conn, local.flat_map(StatusRow::texts))?,
            authors,
            mentions: load_mentions(conn, &ids)?,
            tags: load_tags(conn, &ids)?,
            attachments: media::of_statuses(conn, &ids)?,
            polls: polls::load(conn, &ids, viewer)?,
            cards: cards::of_statuses(conn, &ids)?,
            parents: parents(conn, rows, reader)?,
            viewer: viewer.map(|viewer| ViewerParts::load(conn, rows, &ids, viewer)).transpose()?,
        })
    }

    /// None where the author is gone: the row is about to go too.
    fn body(&self, (row, stats, application): Loaded) -> Option<StatusBody> {
        let stats = stats.unwrap_or_default();
        let account = self.authors.get(&row.account_id)?.clone();
        let emojis = if account.is_local() { self.emojis.of(row.texts()) } else { Vec::new() };
        let viewer = self.viewer.as_ref().map(|viewer| viewer.state(&row));
        let parent = row.in_reply_to_id.filter(|parent| self.parents.contains(parent));
        // Where what it answered is gone for good, whom it answered is no secret.
        let is_known = parent.is_some() || row.in_reply_to_id.is_none();
        Some(StatusBody {
            id: row.id,
            account,
            emojis,
            uri: row.uri,
            url: row.url,
            text: row.text,
            content_type: ContentType::from_number(row.content_type),
            content: row.content,
            spoiler_text: row.spoiler_text,
            visibility: Visibility::from_number(row.visibility),
            sensitive: row.sensitive,
            language: row.language,
            in_reply_to_id: parent,
            in_reply_to_account_id: row.in_reply_to_account_id.filter(|_| is_known),
            conversation_id: row.conversation_id,
            mentions: self.mentions.get(&row.id).cloned().unwrap_or_default(),
            tags: self.tags.get(&row.id).cloned().unwrap_or_default(),
            attachments: self.attachments.get(&row.id).cloned().unwrap_or_default(),
            poll: self.polls.get(&row.id).cloned(),
            card: self.cards.get(&row.id).cloned(),
            application: application
                .map(|app| StatusApplication { name: app.name, website: app.website }),
            counts: StatusCounts {
                replies: stats.replies_count,
                reblogs: stats.reblogs_count,
                favourites: stats.favourites_count,
            },
            viewer,
            created_at: Timestamp::from_unix_ms(row.created_at),
            edited_at: row.edited_at.map(Timestamp::from_unix_ms),
            version: row.version,
        })
    }
}

impl ViewerParts {
    fn load(conn: &mut Conn, rows: &[Loaded], ids: &[StatusId], viewer: AccountId) -> Result<Self> {
        let favourited: Vec<StatusId> = favourites::table
            .filter(favourites::account_id.eq(viewer))
            .filter(favourites::status_id.among(ids))
            .select(favourites::status_id)
            .load(conn)?;
        let bookmarked: Vec<StatusId> = bookmarks::table
            .filter(bookmarks::account_id.eq(viewer))
            .filter(bookmarks::status_id.among(ids))
            .select(bookmarks::status_id)
            .load(conn)?;
        let reblogged: Vec<Option<StatusId>> = statuses::table
            .filter(statuses::account_id.eq(viewer))
            .filter(statuses::reblog_of_id.among(ids))
            .select(statuses::reblog_of_id)
            .load(conn)?;
        let conversations: HashSet<StatusId> =
            rows.iter().map(|(row, ..)| row.conversation_id).collect();
        let muted: Vec<StatusId> = muted_conversations::table
            .filter(muted_conversations::account_id.eq(viewer))
            .filter(muted_conversations::conversation_id.among(conversations))
            .select(muted_conversations::conversation_id)
            .load(conn)?;
        let pinned: Vec<StatusId> = status_pins::table
            .filter(status_pins::account_id.eq(viewer))
            .filter(status_pins::status_id.among(ids))
            .select(status_pins::status_id)
            .load(conn)?;
        Ok(Self {
            muted: muted.into_iter().collect(),
            pinned: pinned.into_iter().collect(),
            reader: viewer,
            favourited: favourited.into_iter().collect(),
            bookmarked: bookmarked.into_iter().collect(),
            reblogged: reblogged.into_iter().flatten().collect(),
        })
    }

    fn state(&self, row: &StatusRow) -> ViewerState {
        let can_be_pinned = row.account_id == self.reader
            && Visibility::from_number(row.visibility).can_be_pinned();
        ViewerState {
            favourited: self.favourited.contains(&row.id),
            reblogged: self.reblogged.contains(&row.id),
            bookmarked: self.bookmarked.contains(&row.id),
            muted: self.muted.contains(&row.conversation_id),
            pinned: can_be_pinned.then(|| self.pinned.contains(&row.id)),
            filtered: Vec::new(),
        }
    }
}

fn parents(conn: &mut Conn, rows: &[Loaded], reader: Reader) -> Result<HashSet<StatusId>> {
    let answered: Vec<StatusId> = rows.iter().filter_map(|(row, ..)| row.in_reply_to_id).collect();
    if answered.is_empty() {
        return Ok(HashSet::new());
    }
    match reader {
        Reader::One(viewer) => Ok(visible_ids(conn, &answered, viewer)?.into_iter().collect()),
        Reader::ToBeSeen => Ok(answered.into_iter().collect()),
    }
}

type MentionRow = (StatusId, AccountId, String, Option<String>, Option<String>, String);

fn load_mentions(conn: &mut Conn, ids: &[StatusId]) -> Result<HashMap<StatusId, Vec<Mention>>> {
    let rows: Vec<MentionRow> = mentions::table
        .inner_join(accounts_table::table)
        .filter(mentions::status_id.among(ids))
        .filter(mentions::silent.eq(false))
        .order((mentions::status_id, mentions::position))
        .select((
            mentions::status_id,
            accounts_table::id,
            accounts_table::username,
            accounts_table::domain,
            accounts_table::url,
            accounts_table::uri,
        ))
        .load(conn)?;
    let mut found: HashMap<StatusId, Vec<Mention>> = HashMap::new();
    for (status_id, account_id, username, domain, url, uri) in rows {
        let acct = match domain {
            None => username.clone(),
            Some(domain) => format!("{username}@{domain}"),
        };
        let url = url.unwrap_or(uri);
        found.entry(status_id).or_default().push(Mention { account_id, username, acct, url });
    }
    Ok(found)
}

fn load_tags(conn: &mut Conn, ids: &[StatusId]) -> Result<HashMap<StatusId, Vec<StatusTag>>> {
    let rows: Vec<(StatusId, String)> = statuses_tags::table
        .inner_join(tags::table)
        .filter(statuses_tags::status_id.among(ids))
        .order((statuses_tags::status_id, statuses_tags::position))
        .select((statuses_tags::status_id, tags::name))
        .load(conn)?;
    let mut found: HashMap<StatusId, Vec<StatusTag>> = HashMap::new();
    for (status_id, name) in rows {
        found.entry(status_id).or_default().push(StatusTag { name });
    }
    Ok(found)
}
