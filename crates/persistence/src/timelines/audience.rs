//! Finds the subscribers that see one status in a timeline. The rules are those of the pages; only
//! the direction of the query differs.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
};

use diesel::prelude::*;
use siskin_entities::{Timestamp, Visibility};
use siskin_ids::{AccountId, EventId, ListId, StatusId, TagId};

use super::shown::{at_home, in_list, with_reblogged};
use crate::{
    Conn, Result,
    among::IdExpression as _,
    events::DeletedStatus,
    feeds::is_news,
    schema::{
        blocks, follows, former_ties, list_accounts, lists, statuses, statuses_tags, tag_follows,
        users,
    },
    statuses::{is_listed, may_see, wants_to_see},
};

/// Maximum number of followers that are read without a filter by `readers`. For few followers,
/// writing and parsing the list of all subscribers would cost more.
const FEW_FOLLOWERS: i64 = 1000;

/// Returns those of `readers` that may have each of these statuses in home, because they follow its
/// author or a hashtag of it. Together with the author they include all that [`home_readers`]
/// finds.
///
/// `readers` are in ascending order. Runs four statements at most, independent of the number of
/// readers.
pub fn home_candidates(
    conn: &mut Conn,
    ids: &[StatusId],
    readers: &[AccountId],
) -> Result<Vec<(StatusId, AccountId)>> {
    let is_few = |found: &[_]| i64::try_from(found.len()).is_ok_and(|count| count <= FEW_FOLLOWERS);
    let mut found = followers(conn, ids, None)?;
    if !is_few(&found) {
        found = followers(conn, ids, Some(readers))?;
    }
    let mut tagged = fans(conn, ids, None)?;
    if !is_few(&tagged) {
        tagged = fans(conn, ids, Some(readers))?;
    }
    found.extend(tagged);
    found.retain(|(_, account)| readers.binary_search(account).is_ok());
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Returns those of `readers` that follow the authors of these statuses. `None` returns the first
/// followers without that filter.
fn followers(
    conn: &mut Conn,
    ids: &[StatusId],
    readers: Option<&[AccountId]>,
) -> Result<Vec<(StatusId, AccountId)>> {
    let query = follows::table
        .inner_join(statuses::table.on(statuses::account_id.eq(follows::target_account_id)))
        .filter(statuses::id.among(ids))
        .select((statuses::id, follows::account_id));
    Ok(match readers {
        None => query.limit(FEW_FOLLOWERS + 1).load(conn)?,
        Some(readers) => query.filter(follows::account_id.among(readers)).load(conn)?,
    })
}

/// Returns those of `readers` that follow a hashtag of these statuses. `None` returns the first tag
/// followers without that filter.
fn fans(
    conn: &mut Conn,
    ids: &[StatusId],
    readers: Option<&[AccountId]>,
) -> Result<Vec<(StatusId, AccountId)>> {
    let query = statuses_tags::table
        .inner_join(tag_follows::table.on(tag_follows::tag_id.eq(statuses_tags::tag_id)))
        .filter(statuses_tags::status_id.among(ids))
        .select((statuses_tags::status_id, tag_follows::account_id));
    Ok(match readers {
        None => query.limit(FEW_FOLLOWERS + 1).load(conn)?,
        Some(readers) => query.filter(tag_follows::account_id.among(readers)).load(conn)?,
    })
}

/// Returns those of `readers` that get the status in home.
pub fn home_readers(
    conn: &mut Conn,
    id: StatusId,
    readers: &[AccountId],
    now: Timestamp,
) -> Result<Vec<AccountId>> {
    if readers.is_empty() {
        return Ok(Vec::new());
    }
    Ok(with_reblogged!()
        .inner_join(users::table.on(users::account_id.among(readers)))
        .filter(statuses::id.eq(id))
        .filter(at_home!(users::account_id, now))
        .filter(is_news!(to: "users.account_id"))
        .select(users::account_id)
        .load(conn)?)
}

/// Returns those of these lists that show the status, with their owners.
pub fn lists_with(
    conn: &mut Conn,
    id: StatusId,
    of: &[ListId],
    now: Timestamp,
) -> Result<Vec<(ListId, AccountId)>> {
    if of.is_empty() {
        return Ok(Vec::new());
    }
    Ok(with_reblogged!()
        .inner_join(lists::table.on(lists::id.among(of)))
        .filter(statuses::id.eq(id))
        .filter(in_list!(lists::account_id, now, list: lists::id, policy: lists::replies_policy))
        .filter(is_news!(to: "lists.id"))
        .select((lists::id, lists::account_id))
        .load(conn)?)
}

/// Returns those of `readers` that see the status in public timelines. The caller checks that it is
/// a status for public timelines.
pub fn public_readers(
    conn: &mut Conn,
    id: StatusId,
    readers: &[AccountId],
    now: Timestamp,
) -> Result<Vec<AccountId>> {
    if readers.is_empty() {
        return Ok(Vec::new());
    }
    Ok(users::table
        .inner_join(statuses::table.on(statuses::id.eq(id)))
        .filter(users::account_id.among(readers))
        .filter(may_see!(
            users::account_id,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        ))
        .filter(wants_to_see!(users::account_id, now, account: statuses::account_id))
        .filter(is_listed!(users::account_id, account: statuses::account_id))
        .select(users::account_id)
        .load(conn)?)
}

/// A deleted status with its deletion event.
#[derive(Debug, Clone, Copy)]
pub struct Gone<'a> {
    pub event: EventId,
    pub status: &'a DeletedStatus,
}

/// Viewer relations around deleted statuses, as they were when the statuses were deleted.
///
/// An event is resolved after its transaction. By then the same act may have ended further
/// relations: deleting an account removes its statuses first, then its followers. So each relation
/// is stored with the last event for which it holds (`former_ties`).
#[derive(Debug, Default)]
pub struct Former {
    /// Followers of authors and rebloggers: pairs of account and follower.
    follows: Ties<(AccountId, AccountId)>,
    /// Blocks by the authors: pairs of author and blocked account, with the id of the block. A
    /// status that was deleted before the block was still visible.
    blocks: HashMap<(AccountId, AccountId), i64>,
    /// Blocks by the authors that ended.
    former_blocks: Ties<(AccountId, AccountId)>,
    /// Followers of hashtags.
    fans: Ties<(TagId, AccountId)>,
    /// Lists with an author or reblogger as a member: the list and the member.
    members: Ties<(ListId, AccountId)>,
    /// Owners of these lists.
    owners: HashMap<ListId, AccountId>,
}

/// Relations, each with the last event for which it holds.
#[derive(Debug)]
struct Ties<K>(HashMap<K, i64>);

impl<K> Default for Ties<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash> Ties<K> {
    fn of(
        present: impl IntoIterator<Item = K>,
        former: impl IntoIterator<Item = (K, i64)>,
    ) -> Self {
        let mut ties: HashMap<K, i64> = former.into_iter().collect();
        ties.extend(present.into_iter().map(|tie| (tie, i64::MAX)));
        Self(ties)
    }

    /// Returns `true` if the relation held when the event happened.
    fn held(&self, tie: &K, event: EventId) -> bool {
        self.0.get(tie).is_some_and(|last| *last >= event.get())
    }
}

impl Former {
    /// Loads the relations of `readers` and of the lists `of`. Six statements at most, however many
    /// statuses are gone.
    ///
    /// # Errors
    /// Storage errors.
    pub fn of(
        conn: &mut Conn,
        gone: &[Gone<'_>],
        readers: &[AccountId],
        of: &[ListId],
    ) -> Result<Self> {
        let authors: HashSet<AccountId> = gone.iter().map(|gone| gone.status.account).collect();
        let rebloggers = gone.iter().flat_map(|gone| gone.status.rebloggers.iter().copied());
        let sources: HashSet<AccountId> = rebloggers.chain(authors.iter().copied()).collect();
        let follows: Vec<(AccountId, AccountId)> = follows::table
            .filter(follows::target_account_id.among(&sources))
            .filter(follows::account_id.among(readers))
            .select((follows::target_account_id, follows::account_id))
            .load(conn)?;
        let blocked: Vec<(AccountId, AccountId, i64)> = blocks::table
            .filter(blocks::account_id.among(&authors))
            .filter(blocks::target_account_id.among(readers))
            .select((blocks::account_id, blocks::target_account_id, blocks::id))
            .load(conn)?;
        let lists = lists_of(conn, &sources, of)?;
        let owners: HashMap<ListId, AccountId> = owners_of(conn, of)?.into_iter().collect();
        let tags: HashSet<TagId> =
            gone.iter().flat_map(|gone| gone.status.tags.iter().map(|(tag, _)| *tag)).collect();
        let fans = fans_of(conn, &tags, readers)?;
        let former = FormerTie::load(conn, &sources, &tags, readers, of)?;
        let ended = |kind| former.iter().filter(move |tie| tie.kind == kind);
        Ok(Self {
            follows: Ties::of(follows, ended(FOLLOW).map(FormerTie::of_account)),
            blocks: blocked.into_iter().map(|(by, whom, id)| ((by, whom), id)).collect(),
            former_blocks: Ties::of([], ended(BLOCK).map(FormerTie::of_account)),
            fans: Ties::of(fans, ended(TAG_FOLLOW).map(FormerTie::of_tag)),
            members: Ties::of(lists, ended(LIST_ACCOUNT).map(FormerTie::of_list)),
            owners,
        })
    }

    /// Returns `true` if the status was visible to `reader`.
    #[must_use]
    pub fn could_read(&self, gone: Gone<'_>, reader: AccountId) -> bool {
        let Gone { event, status } = gone;
        if reader == status.account {
            return true;
        }
        let open = match Visibility::from_number(status.visibility) {
            Visibility::Public | Visibility::Unlisted => true,
            Visibility::Private => self.follows.held(&(status.account, reader), event),
            Visibility::Direct => false,
        };
        let pair = (status.account, reader);
        let is_blocked = self.blocks.get(&pair).is_some_and(|block| *block < event.get())
            || self.former_blocks.held(&pair, event);
        !is_blocked && (open || status.mentions.contains(&reader))
    }

    /// Returns `true` if the status may have been in the viewer's home, or in a notification on the
    /// same stream.
    #[must_use]
    pub fn was_at_home(&self, gone: Gone<'_>, reader: AccountId) -> bool {
        let Gone { event, status } = gone;
        let is_theirs = reader == status.account || status.mentions.contains(&reader);
        let follows = || sources(status).any(|source| self.follows.held(&(source, reader), event));
        let by_tag = || status.tags.iter().any(|(tag, _)| self.fans.held(&(*tag, reader), event));
        self.could_read(gone, reader) && (is_theirs || follows() || by_tag())
    }

    /// Returns `true` if the status may have been in this list of the viewer.
    #[must_use]
    pub fn was_in_list(&self, gone: Gone<'_>, list: ListId, reader: AccountId) -> bool {
        let Gone { event, status } = gone;
        self.could_read(gone, reader)
            && self.owners.get(&list) == Some(&reader)
            && sources(status).any(|source| self.members.held(&(list, source), event))
    }
}

const FOLLOW: i16 = 0;
const LIST_ACCOUNT: i16 = 1;
const TAG_FOLLOW: i16 = 2;
const BLOCK: i16 = 3;

/// A relation that ended. Triggers write it (migration 0032).
#[derive(Debug, Queryable)]
struct FormerTie {
    kind: i16,
    source: i64,
    holder: i64,
    last_event: i64,
}

impl FormerTie {
    fn load(
        conn: &mut Conn,
        sources: &HashSet<AccountId>,
        tags: &HashSet<TagId>,
        readers: &[AccountId],
        lists: &[ListId],
    ) -> Result<Vec<Self>> {
        let of = |kind: i16| former_ties::kind.eq(kind);
        let by_account = former_ties::source_id.among(sources);
        let between_accounts = of(FOLLOW).or(of(BLOCK));
        Ok(former_ties::table
            .filter(
                between_accounts
                    .and(by_account.clone())
                    .and(former_ties::holder_id.among(readers))
                    .or(of(LIST_ACCOUNT).and(by_account).and(former_ties::holder_id.among(lists)))
                    .or(of(TAG_FOLLOW)
                        .and(former_ties::source_id.among(tags))
                        .and(former_ties::holder_id.among(readers))),
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
fn sources(gone: &DeletedStatus) -> impl Iterator<Item = AccountId> {
    gone.rebloggers.iter().copied().chain([gone.account])
}

fn fans_of(
    conn: &mut Conn,
    tags: &HashSet<TagId>,
    readers: &[AccountId],
) -> Result<Vec<(TagId, AccountId)>> {
    if tags.is_empty() {
        return Ok(Vec::new());
    }
    Ok(tag_follows::table
        .filter(tag_follows::tag_id.among(tags))
        .filter(tag_follows::account_id.among(readers))
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
        .filter(list_accounts::list_id.among(of))
        .filter(list_accounts::account_id.among(members))
        .select((list_accounts::list_id, list_accounts::account_id))
        .load(conn)?)
}

/// Returns these lists with their owners.
fn owners_of(conn: &mut Conn, of: &[ListId]) -> Result<Vec<(ListId, AccountId)>> {
    if of.is_empty() {
        return Ok(Vec::new());
    }
    let lists = lists::table.filter(lists::id.among(of));
    Ok(lists.select((lists::id, lists::account_id)).load(conn)?)
}
