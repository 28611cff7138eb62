//! One status and many readers: to whom of those who are listening a timeline shows it. The rules
//! are those of the pages; only the question is turned around.

use std::collections::{HashMap, HashSet};

use diesel::prelude::*;
use siskin_entities::{Timestamp, Visibility};
use siskin_ids::{AccountId, ListId, StatusId, TagId};

use super::shown::{at_home, in_list, with_reblogged};
use crate::{
    Conn, Result,
    among::IdExpression as _,
    events::DeletedStatus,
    feeds::is_news,
    schema::{blocks, follows, list_accounts, lists, statuses, statuses_tags, tag_follows, users},
    statuses::{is_listed, may_see, wants_to_see},
};

/// Up to so many who follow are read without asking whether they are among the readers: to write and to
/// read a list of all who listen costs more than that.
const FEW_FOLLOWERS: i64 = 1000;

/// Those of `readers` in whose home each of these statuses can be, because they follow its author or
/// a hashtag of it: among them, and the author, are those whom [`home_readers`] finds.
///
/// `readers` ascend. Four statements at most, however many readers there are.
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

/// Those of `readers` who follow the authors of these statuses; the first who do so, where that is
/// None.
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

/// The same of those who follow hashtags of them.
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

/// Those of `readers` whose home shows the status.
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

/// Those of these lists that show the status, with their owners.
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

/// Those of `readers` whom public timelines show the status, if it is one for public timelines at
/// all, which is for the caller to know.
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

/// Who could read statuses that are gone, and had them by whom.
#[derive(Debug, Default)]
pub struct Former {
    /// Who follows whom, of those who wrote or reblogged one of them: whom, and who.
    follows: HashSet<(AccountId, AccountId)>,
    /// Whom their authors have blocked: the author, and whom. To those it never was.
    blocked: HashSet<(AccountId, AccountId)>,
    /// Who follows a hashtag of one of them.
    fans: HashSet<(TagId, AccountId)>,
    /// Lists with somebody who wrote or reblogged one of them: the list, and who.
    members: HashSet<(ListId, AccountId)>,
    /// Whose these lists are.
    owners: HashMap<ListId, AccountId>,
}

impl Former {
    /// Looks among `readers` and the lists `of`. Four statements at most, however many are gone.
    ///
    /// # Errors
    /// Those of storage.
    pub fn of(
        conn: &mut Conn,
        gone: &[&DeletedStatus],
        readers: &[AccountId],
        of: &[ListId],
    ) -> Result<Self> {
        let authors: HashSet<AccountId> = gone.iter().map(|gone| gone.account).collect();
        let rebloggers = gone.iter().flat_map(|gone| gone.rebloggers.iter().copied());
        let sources: HashSet<AccountId> = rebloggers.chain(authors.iter().copied()).collect();
        let follows: Vec<(AccountId, AccountId)> = follows::table
            .filter(follows::target_account_id.among(&sources))
            .filter(follows::account_id.among(readers))
            .select((follows::target_account_id, follows::account_id))
            .load(conn)?;
        let blocked: Vec<(AccountId, AccountId)> = blocks::table
            .filter(blocks::account_id.among(&authors))
            .filter(blocks::target_account_id.among(readers))
            .select((blocks::account_id, blocks::target_account_id))
            .load(conn)?;
        let lists = lists_of(conn, &sources, of)?;
        Ok(Self {
            follows: follows.into_iter().collect(),
            blocked: blocked.into_iter().collect(),
            fans: fans_of(conn, gone, readers)?,
            members: lists.iter().map(|(list, _, member)| (*list, *member)).collect(),
            owners: lists.iter().map(|(list, owner, _)| (*list, *owner)).collect(),
        })
    }

    /// Whether the reader could read it.
    #[must_use]
    pub fn could_read(&self, gone: &DeletedStatus, reader: AccountId) -> bool {
        if reader == gone.account {
            return true;
        }
        let open = match Visibility::from_number(gone.visibility) {
            Visibility::Public | Visibility::Unlisted => true,
            Visibility::Private => self.follows.contains(&(gone.account, reader)),
            Visibility::Direct => false,
        };
        !self.blocked.contains(&(gone.account, reader)) && (open || gone.mentions.contains(&reader))
    }

    /// Whether it can have been in the reader's home, or in a notification on the same stream.
    #[must_use]
    pub fn was_at_home(&self, gone: &DeletedStatus, reader: AccountId) -> bool {
        let is_theirs = reader == gone.account || gone.mentions.contains(&reader);
        let follows = || sources(gone).any(|source| self.follows.contains(&(source, reader)));
        let by_tag = || gone.tags.iter().any(|(tag, _)| self.fans.contains(&(*tag, reader)));
        self.could_read(gone, reader) && (is_theirs || follows() || by_tag())
    }

    /// Whether it can have been in this list of the reader.
    #[must_use]
    pub fn was_in_list(&self, gone: &DeletedStatus, list: ListId, reader: AccountId) -> bool {
        self.could_read(gone, reader)
            && self.owners.get(&list) == Some(&reader)
            && sources(gone).any(|source| self.members.contains(&(list, source)))
    }
}

/// By whom a status could come to somebody.
fn sources(gone: &DeletedStatus) -> impl Iterator<Item = AccountId> {
    gone.rebloggers.iter().copied().chain([gone.account])
}

fn fans_of(
    conn: &mut Conn,
    gone: &[&DeletedStatus],
    readers: &[AccountId],
) -> Result<HashSet<(TagId, AccountId)>> {
    let tags: HashSet<TagId> =
        gone.iter().flat_map(|gone| gone.tags.iter().map(|(tag, _)| *tag)).collect();
    if tags.is_empty() {
        return Ok(HashSet::new());
    }
    let fans: Vec<(TagId, AccountId)> = tag_follows::table
        .filter(tag_follows::tag_id.among(&tags))
        .filter(tag_follows::account_id.among(readers))
        .select((tag_follows::tag_id, tag_follows::account_id))
        .load(conn)?;
    Ok(fans.into_iter().collect())
}

/// The lists among `of` that have one of these members: the list, whose it is, and the member.
fn lists_of(
    conn: &mut Conn,
    members: &HashSet<AccountId>,
    of: &[ListId],
) -> Result<Vec<(ListId, AccountId, AccountId)>> {
    if of.is_empty() {
        return Ok(Vec::new());
    }
    Ok(list_accounts::table
        .inner_join(lists::table.on(lists::id.eq(list_accounts::list_id)))
        .filter(lists::id.among(of))
        .filter(list_accounts::account_id.among(members))
        .select((lists::id, lists::account_id, list_accounts::account_id))
        .load(conn)?)
}
