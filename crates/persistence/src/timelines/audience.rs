//! Finds the listeners that may get a status, and those that had a deleted status.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
};

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::Visibility;
use siskin_ids::{AccountId, EventId, ListId, StatusId, TagId};
use siskin_policy::timelines::NEAR;

use crate::{
    Conn, Result,
    conn::each,
    equals_any::{IdExpression as _, list_of, rows_of_list},
    events::DeletedStatus,
    prepared::prepared,
    schema::{
        blocks, follows, former_ties, list_accounts, lists, statuses, statuses_tags, tag_follows,
    },
};

/// Maximum number of followers that are read without a filter by `viewers`. For few followers,
/// writing and parsing the list of all subscribers would cost more.
const FEW_FOLLOWERS: i64 = 1000;

/// Returns those of `viewers` that may have each of these statuses in home, because they follow its
/// author or a hashtag of it. Together with the author they include all accounts whose home shows
/// it.
///
/// `viewers` are in ascending order. Runs four statements at most, independent of the number of
/// readers.
pub fn home_candidates(
    conn: &mut Conn,
    ids: &[StatusId],
    viewers: &[AccountId],
) -> Result<Vec<(StatusId, AccountId)>> {
    let is_few = |found: &[_]| i64::try_from(found.len()).is_ok_and(|count| count <= FEW_FOLLOWERS);
    let mut found = followers(conn, ids, None)?;
    if !is_few(&found) {
        found = followers(conn, ids, Some(viewers))?;
    }
    let mut tagged = tag_followers(conn, ids, None)?;
    if !is_few(&tagged) {
        tagged = tag_followers(conn, ids, Some(viewers))?;
    }
    found.extend(tagged);
    found.retain(|(_, account)| viewers.binary_search(account).is_ok());
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Returns those of `viewers` that follow the authors of these statuses. `None` returns the first
/// followers without that filter.
fn followers(
    conn: &mut Conn,
    ids: &[StatusId],
    viewers: Option<&[AccountId]>,
) -> Result<Vec<(StatusId, AccountId)>> {
    let query = follows::table
        .inner_join(statuses::table.on(statuses::account_id.eq(follows::target_account_id)))
        .filter(statuses::id.equals_any(ids))
        .select((statuses::id, follows::account_id));
    Ok(match viewers {
        None => query.limit(FEW_FOLLOWERS + 1).load(conn)?,
        Some(viewers) => query.filter(follows::account_id.equals_any(viewers)).load(conn)?,
    })
}

/// Returns those of `viewers` that follow a hashtag of these statuses. `None` returns the first tag
/// followers without that filter.
fn tag_followers(
    conn: &mut Conn,
    ids: &[StatusId],
    viewers: Option<&[AccountId]>,
) -> Result<Vec<(StatusId, AccountId)>> {
    let query = statuses_tags::table
        .inner_join(tag_follows::table.on(tag_follows::tag_id.eq(statuses_tags::tag_id)))
        .filter(statuses_tags::status_id.equals_any(ids))
        .select((statuses_tags::status_id, tag_follows::account_id));
    Ok(match viewers {
        None => query.limit(FEW_FOLLOWERS + 1).load(conn)?,
        Some(viewers) => query.filter(tag_follows::account_id.equals_any(viewers)).load(conn)?,
    })
}

/// Entries close below a reblog that show the same status, for several feeds.
pub type NearEntries = HashMap<i64, Vec<StatusId>>;

/// Finds entries with the status `of` or another reblog of it among the [`NEAR`] entries below
/// `reblog`, in each of the feeds with these ids. A page that shows such an entry leaves out the
/// reblog.
pub fn near_entries(
    conn: &mut Conn,
    reblog: StatusId,
    of: StatusId,
    feeds: &[i64],
) -> Result<NearEntries> {
    let query = sql_query(format!(
        "WITH asked AS ({})
        SELECT entries.feed_id AS feed, entries.status_id AS status
        FROM asked CROSS JOIN feed_entries AS entries
        WHERE entries.feed_id = asked.id AND entries.status_id < $2
        AND (entries.status_id = $3 OR entries.reblog_of_id = $3)
        AND entries.status_id >= COALESCE((
            SELECT last.status_id FROM feed_entries AS last
            WHERE last.feed_id = asked.id AND last.status_id < $2
            ORDER BY last.status_id DESC LIMIT 1 OFFSET $4
        ), 0)",
        rows_of_list(conn, "$1")
    ))
    .bind::<Text, _>(list_of(feeds))
    .bind::<BigInt, _>(reblog)
    .bind::<BigInt, _>(of)
    .bind::<BigInt, _>(NEAR as i64 - 1);
    let rows: Vec<NearEntry> = each!(conn, conn => prepared(query).load(conn))?;
    let mut found = NearEntries::new();
    for NearEntry { feed, status } in rows {
        found.entry(feed).or_default().push(status);
    }
    Ok(found)
}

#[derive(QueryableByName)]
struct NearEntry {
    #[diesel(sql_type = BigInt)]
    feed: i64,
    #[diesel(sql_type = BigInt)]
    status: StatusId,
}

/// A deleted status with its deletion event.
#[derive(Debug, Clone, Copy)]
pub struct DeletionEvent<'a> {
    pub event: EventId,
    pub status: &'a DeletedStatus,
}

/// Viewer relations around deleted statuses, as they were when the statuses were deleted.
///
/// An event is resolved after its transaction. By then the same act may have ended further
/// relations: deleting an account removes its statuses first, then its followers. So each relation
/// is stored with the last event for which it holds (`former_ties`).
#[derive(Debug, Default)]
pub struct FormerRelations {
    /// Followers of authors and rebloggers: pairs of account and follower.
    follows: Relations<(AccountId, AccountId)>,
    /// Blocks by the authors: pairs of author and blocked account, with the id of the block. A
    /// status that was deleted before the block was still visible.
    blocks: HashMap<(AccountId, AccountId), i64>,
    /// Blocks by the authors that ended.
    former_blocks: Relations<(AccountId, AccountId)>,
    /// Followers of hashtags.
    tag_followers: Relations<(TagId, AccountId)>,
    /// Lists with an author or reblogger as a member: the list and the member.
    members: Relations<(ListId, AccountId)>,
    /// Owners of these lists.
    owners: HashMap<ListId, AccountId>,
}

/// Relations, each with the last event for which it holds.
#[derive(Debug)]
struct Relations<K>(HashMap<K, i64>);

impl<K> Default for Relations<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash> Relations<K> {
    fn of(
        present: impl IntoIterator<Item = K>,
        former: impl IntoIterator<Item = (K, i64)>,
    ) -> Self {
        let mut relations: HashMap<K, i64> = former.into_iter().collect();
        relations.extend(present.into_iter().map(|relation| (relation, i64::MAX)));
        Self(relations)
    }

    /// Returns `true` if the relation held when the event happened.
    fn held_at(&self, relation: &K, event: EventId) -> bool {
        self.0.get(relation).is_some_and(|last| *last >= event.get())
    }
}

impl FormerRelations {
    /// Loads the relations of `viewers` and of the lists `of`. Six statements at most, however many
    /// statuses are gone.
    ///
    /// # Errors
    /// Storage errors.
    pub fn of(
        conn: &mut Conn,
        deleted: &[DeletionEvent<'_>],
        viewers: &[AccountId],
        of: &[ListId],
    ) -> Result<Self> {
        let authors: HashSet<AccountId> =
            deleted.iter().map(|deleted| deleted.status.account).collect();
        let rebloggers =
            deleted.iter().flat_map(|deleted| deleted.status.rebloggers.iter().copied());
        let sources: HashSet<AccountId> = rebloggers.chain(authors.iter().copied()).collect();
        let follows: Vec<(AccountId, AccountId)> = follows::table
            .filter(follows::target_account_id.equals_any(&sources))
            .filter(follows::account_id.equals_any(viewers))
            .select((follows::target_account_id, follows::account_id))
            .load(conn)?;
        let blocked: Vec<(AccountId, AccountId, i64)> = blocks::table
            .filter(blocks::account_id.equals_any(&authors))
            .filter(blocks::target_account_id.equals_any(viewers))
            .select((blocks::account_id, blocks::target_account_id, blocks::id))
            .load(conn)?;
        let lists = lists_of(conn, &sources, of)?;
        let owners: HashMap<ListId, AccountId> = owners_of(conn, of)?.into_iter().collect();
        let tags: HashSet<TagId> = deleted
            .iter()
            .flat_map(|deleted| deleted.status.tags.iter().map(|(tag, _)| *tag))
            .collect();
        let tag_followers = tag_followers_of(conn, &tags, viewers)?;
        let former = FormerRelation::load(conn, &sources, &tags, viewers, of)?;
        let ended = |kind| former.iter().filter(move |relation| relation.kind == kind);
        Ok(Self {
            follows: Relations::of(follows, ended(FOLLOW).map(FormerRelation::of_account)),
            blocks: blocked
                .into_iter()
                .map(|(by, blocked_account, id)| ((by, blocked_account), id))
                .collect(),
            former_blocks: Relations::of([], ended(BLOCK).map(FormerRelation::of_account)),
            tag_followers: Relations::of(
                tag_followers,
                ended(TAG_FOLLOW).map(FormerRelation::of_tag),
            ),
            members: Relations::of(lists, ended(LIST_ACCOUNT).map(FormerRelation::of_list)),
            owners,
        })
    }

    /// Returns `true` if the status was visible to `viewer`.
    #[must_use]
    pub fn could_see(&self, deleted: DeletionEvent<'_>, viewer: AccountId) -> bool {
        let DeletionEvent { event, status } = deleted;
        if viewer == status.account {
            return true;
        }
        let open = match Visibility::from_number(status.visibility) {
            Visibility::Public | Visibility::Unlisted => true,
            Visibility::Private => self.follows.held_at(&(status.account, viewer), event),
            Visibility::Direct => false,
        };
        let pair = (status.account, viewer);
        let is_blocked = self.blocks.get(&pair).is_some_and(|block| *block < event.get())
            || self.former_blocks.held_at(&pair, event);
        !is_blocked && (open || status.mentions.contains(&viewer))
    }

    /// Returns `true` if the status may have been in the viewer's home, or in a notification on the
    /// same stream.
    #[must_use]
    pub fn was_in_home(&self, deleted: DeletionEvent<'_>, viewer: AccountId) -> bool {
        let DeletionEvent { event, status } = deleted;
        let is_theirs = viewer == status.account || status.mentions.contains(&viewer);
        let follows =
            || sources(status).any(|source| self.follows.held_at(&(source, viewer), event));
        let by_followed_tag = || {
            status.tags.iter().any(|(tag, _)| self.tag_followers.held_at(&(*tag, viewer), event))
        };
        self.could_see(deleted, viewer) && (is_theirs || follows() || by_followed_tag())
    }

    /// Returns `true` if the status may have been in this list of the viewer.
    #[must_use]
    pub fn was_in_list(&self, deleted: DeletionEvent<'_>, list: ListId, viewer: AccountId) -> bool {
        let DeletionEvent { event, status } = deleted;
        self.could_see(deleted, viewer)
            && self.owners.get(&list) == Some(&viewer)
            && sources(status).any(|source| self.members.held_at(&(list, source), event))
    }
}

const FOLLOW: i16 = 0;
const LIST_ACCOUNT: i16 = 1;
const TAG_FOLLOW: i16 = 2;
const BLOCK: i16 = 3;

/// A relation that ended. Triggers write it (migration 0032).
#[derive(Debug, Queryable)]
struct FormerRelation {
    kind: i16,
    source: i64,
    holder: i64,
    last_event: i64,
}

impl FormerRelation {
    fn load(
        conn: &mut Conn,
        sources: &HashSet<AccountId>,
        tags: &HashSet<TagId>,
        viewers: &[AccountId],
        lists: &[ListId],
    ) -> Result<Vec<Self>> {
        let of = |kind: i16| former_ties::kind.eq(kind);
        let by_account = former_ties::source_id.equals_any(sources);
        let between_accounts = of(FOLLOW).or(of(BLOCK));
        Ok(former_ties::table
            .filter(
                between_accounts
                    .and(by_account.clone())
                    .and(former_ties::holder_id.equals_any(viewers))
                    .or(of(LIST_ACCOUNT)
                        .and(by_account)
                        .and(former_ties::holder_id.equals_any(lists)))
                    .or(of(TAG_FOLLOW)
                        .and(former_ties::source_id.equals_any(tags))
                        .and(former_ties::holder_id.equals_any(viewers))),
            )
            .select((
                former_ties::kind,
                former_ties::source_id,
                former_ties::holder_id,
                former_ties::last_event_id,
            ))
            .load(conn)?)
    }

    fn of_account(&self) -> ((AccountId, AccountId), i64) {
        ((AccountId::new(self.source), AccountId::new(self.holder)), self.last_event)
    }

    fn of_tag(&self) -> ((TagId, AccountId), i64) {
        ((TagId::new(self.source), AccountId::new(self.holder)), self.last_event)
    }

    fn of_list(&self) -> ((ListId, AccountId), i64) {
        ((ListId::new(self.holder), AccountId::new(self.source)), self.last_event)
    }
}

/// Returns the accounts through which followers may have received a status: the author and the
/// rebloggers.
fn sources(deleted: &DeletedStatus) -> impl Iterator<Item = AccountId> {
    deleted.rebloggers.iter().copied().chain([deleted.account])
}

fn tag_followers_of(
    conn: &mut Conn,
    tags: &HashSet<TagId>,
    viewers: &[AccountId],
) -> Result<Vec<(TagId, AccountId)>> {
    if tags.is_empty() {
        return Ok(Vec::new());
    }
    Ok(tag_follows::table
        .filter(tag_follows::tag_id.equals_any(tags))
        .filter(tag_follows::account_id.equals_any(viewers))
        .select((tag_follows::tag_id, tag_follows::account_id))
        .load(conn)?)
}

/// Returns the lists among `of` that have one of these members: the list, and the member.
fn lists_of(
    conn: &mut Conn,
    members: &HashSet<AccountId>,
    of: &[ListId],
) -> Result<Vec<(ListId, AccountId)>> {
    if of.is_empty() {
        return Ok(Vec::new());
    }
    Ok(list_accounts::table
        .filter(list_accounts::list_id.equals_any(of))
        .filter(list_accounts::account_id.equals_any(members))
        .select((list_accounts::list_id, list_accounts::account_id))
        .load(conn)?)
}

/// Returns these lists with their owners.
fn owners_of(conn: &mut Conn, of: &[ListId]) -> Result<Vec<(ListId, AccountId)>> {
    if of.is_empty() {
        return Ok(Vec::new());
    }
    let lists = lists::table.filter(lists::id.equals_any(of));
    Ok(lists.select((lists::id, lists::account_id)).load(conn)?)
}
