//! The state of one status for each of many viewers. The result equals that of [`super::load`] for
//! each viewer, with a fixed number of statements.

use std::collections::{HashMap, HashSet};

use diesel::prelude::*;
use siskin_entities::{Sight, Status, StatusBody, ViewerState};
use siskin_ids::AccountId;

use super::may_see;
use crate::{
    Conn, Result,
    among::IdExpression as _,
    schema::{
        bookmarks, favourites, muted_conversations, poll_votes, status_pins, statuses, users,
    },
};

/// Returns the state of a status for each of these viewers. The status was loaded with
/// [`load_unseen`](super::load_unseen) and is visible to all of them.
pub fn sights(
    conn: &mut Conn,
    status: &Status,
    readers: &[AccountId],
) -> Result<HashMap<AccountId, Sight>> {
    let shown = status.shown();
    let marks = Marks::load(conn, shown, readers)?;
    let parents = who_knows_parent(conn, shown, readers)?;
    let votes = votes(conn, shown, readers)?;
    let sight = |reader: &AccountId| Sight {
        state: marks.state(shown, *reader),
        knows_parent: parents.contains(reader),
        chosen: votes.get(reader).cloned().unwrap_or_default(),
    };
    Ok(readers.iter().map(|reader| (*reader, sight(reader))).collect())
}

/// The viewers that reacted to a status, for each kind of reaction.
struct Marks {
    favourited: HashSet<AccountId>,
    bookmarked: HashSet<AccountId>,
    reblogged: HashSet<AccountId>,
    muted: HashSet<AccountId>,
    /// Contains at most the author, because only authors can pin.
    pinned: HashSet<AccountId>,
}

impl Marks {
    fn load(conn: &mut Conn, shown: &StatusBody, readers: &[AccountId]) -> Result<Self> {
        let favourited: Vec<AccountId> = favourites::table
            .filter(favourites::status_id.eq(shown.id))
            .filter(favourites::account_id.among(readers))
            .select(favourites::account_id)
            .load(conn)?;
        let bookmarked: Vec<AccountId> = bookmarks::table
            .filter(bookmarks::status_id.eq(shown.id))
            .filter(bookmarks::account_id.among(readers))
            .select(bookmarks::account_id)
            .load(conn)?;
        let reblogged: Vec<AccountId> = statuses::table
            .filter(statuses::reblog_of_id.eq(shown.id))
            .filter(statuses::account_id.among(readers))
            .select(statuses::account_id)
            .load(conn)?;
        let muted: Vec<AccountId> = muted_conversations::table
            .filter(muted_conversations::conversation_id.eq(shown.conversation_id))
            .filter(muted_conversations::account_id.among(readers))
            .select(muted_conversations::account_id)
            .load(conn)?;
        let pinned: Vec<AccountId> = status_pins::table
            .filter(status_pins::status_id.eq(shown.id))
            .filter(status_pins::account_id.eq(shown.account.id))
            .select(status_pins::account_id)
            .load(conn)?;
        Ok(Self {
            favourited: favourited.into_iter().collect(),
            bookmarked: bookmarked.into_iter().collect(),
            reblogged: reblogged.into_iter().collect(),
            muted: muted.into_iter().collect(),
            pinned: pinned.into_iter().collect(),
        })
    }

    fn state(&self, shown: &StatusBody, reader: AccountId) -> ViewerState {
        let can_be_pinned = shown.account.id == reader && shown.visibility.can_be_pinned();
        ViewerState {
            favourited: self.favourited.contains(&reader),
            reblogged: self.reblogged.contains(&reader),
            bookmarked: self.bookmarked.contains(&reader),
            muted: self.muted.contains(&reader),
            pinned: can_be_pinned.then(|| self.pinned.contains(&reader)),
            filtered: Vec::new(),
        }
    }
}

/// Returns the viewers that can see the parent.
fn who_knows_parent(
    conn: &mut Conn,
    shown: &StatusBody,
    readers: &[AccountId],
) -> Result<HashSet<AccountId>> {
    let Some(parent) = shown.in_reply_to_id else { return Ok(HashSet::new()) };
    let found: Vec<AccountId> = users::table
        .inner_join(statuses::table.on(statuses::id.eq(parent)))
        .filter(users::account_id.among(readers))
        .filter(may_see!(
            users::account_id,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        ))
        .select(users::account_id)
        .load(conn)?;
    Ok(found.into_iter().collect())
}

/// Returns the chosen options of each voter as positions, in the order of voting.
fn votes(
    conn: &mut Conn,
    shown: &StatusBody,
    readers: &[AccountId],
) -> Result<HashMap<AccountId, Vec<usize>>> {
    let Some(poll) = &shown.poll else { return Ok(HashMap::new()) };
    let mut rows: Vec<(AccountId, i64, usize)> = poll_votes::table
        .filter(poll_votes::poll_id.eq(poll.id))
        .filter(poll_votes::account_id.among(readers))
        .select((poll_votes::account_id, poll_votes::created_at, poll_votes::option_title))
        .load::<(AccountId, i64, String)>(conn)?
        .into_iter()
        .filter_map(|(voter, at, title)| {
            let position = poll.options.iter().position(|option| option.title == title)?;
            Some((voter, at, position))
        })
        .collect();
    rows.sort_unstable();
    let mut chosen: HashMap<AccountId, Vec<usize>> = HashMap::new();
    for (voter, _, position) in rows {
        chosen.entry(voter).or_default().push(position);
    }
    Ok(chosen)
}
