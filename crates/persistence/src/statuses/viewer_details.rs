//! The state of one status for each of many viewers. The result equals that of [`super::load()`]
//! for each viewer, with a fixed number of statements.

use std::collections::{HashMap, HashSet};

use diesel::prelude::*;
use siskin_entities::{Status, StatusBody, ViewerDetails, ViewerState};
use siskin_ids::AccountId;

use super::facts;
use crate::{
    Conn, Result,
    equals_any::IdExpression as _,
    schema::{bookmarks, favourites, muted_conversations, poll_votes, status_pins, statuses},
};

/// Returns the state of a status for each of these viewers. The status was loaded with
/// [`load_without_viewer`](super::load_without_viewer) and is visible to all of them.
pub fn viewer_details(
    conn: &mut Conn,
    status: &Status,
    viewers: &[AccountId],
) -> Result<HashMap<AccountId, ViewerDetails>> {
    let displayed = status.displayed();
    let reactions = Reactions::load(conn, displayed, viewers)?;
    let parents = parent_viewers(conn, displayed, viewers)?;
    let votes = votes(conn, displayed, viewers)?;
    let details = |viewer: &AccountId| ViewerDetails {
        state: reactions.state(displayed, *viewer),
        sees_parent: parents.contains(viewer),
        chosen: votes.get(viewer).cloned().unwrap_or_default(),
    };
    Ok(viewers.iter().map(|viewer| (*viewer, details(viewer))).collect())
}

/// The viewers that reacted to a status, for each kind of reaction.
struct Reactions {
    favourited: HashSet<AccountId>,
    bookmarked: HashSet<AccountId>,
    reblogged: HashSet<AccountId>,
    muted: HashSet<AccountId>,
    /// Contains at most the author, because only authors can pin.
    pinned: HashSet<AccountId>,
}

impl Reactions {
    fn load(conn: &mut Conn, displayed: &StatusBody, viewers: &[AccountId]) -> Result<Self> {
        let favourited: Vec<AccountId> = favourites::table
            .filter(favourites::status_id.eq(displayed.id))
            .filter(favourites::account_id.equals_any(viewers))
            .select(favourites::account_id)
            .load(conn)?;
        let bookmarked: Vec<AccountId> = bookmarks::table
            .filter(bookmarks::status_id.eq(displayed.id))
            .filter(bookmarks::account_id.equals_any(viewers))
            .select(bookmarks::account_id)
            .load(conn)?;
        let reblogged: Vec<AccountId> = statuses::table
            .filter(statuses::reblog_of_id.eq(displayed.id))
            .filter(statuses::account_id.equals_any(viewers))
            .select(statuses::account_id)
            .load(conn)?;
        let muted: Vec<AccountId> = muted_conversations::table
            .filter(muted_conversations::conversation_id.eq(displayed.conversation_id))
            .filter(muted_conversations::account_id.equals_any(viewers))
            .select(muted_conversations::account_id)
            .load(conn)?;
        let pinned: Vec<AccountId> = status_pins::table
            .filter(status_pins::status_id.eq(displayed.id))
            .filter(status_pins::account_id.eq(displayed.account.id))
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

    fn state(&self, displayed: &StatusBody, viewer: AccountId) -> ViewerState {
        let can_be_pinned = displayed.account.id == viewer && displayed.visibility.can_be_pinned();
        ViewerState {
            favourited: self.favourited.contains(&viewer),
            reblogged: self.reblogged.contains(&viewer),
            bookmarked: self.bookmarked.contains(&viewer),
            muted: self.muted.contains(&viewer),
            pinned: can_be_pinned.then(|| self.pinned.contains(&viewer)),
            filtered: Vec::new(),
        }
    }
}

/// Returns the viewers that can see the parent.
fn parent_viewers(
    conn: &mut Conn,
    displayed: &StatusBody,
    viewers: &[AccountId],
) -> Result<HashSet<AccountId>> {
    match displayed.in_reply_to_id {
        None => Ok(HashSet::new()),
        Some(parent) => facts::viewers_of(conn, parent, viewers),
    }
}

/// Returns the chosen options of each voter as positions, in the order of voting.
fn votes(
    conn: &mut Conn,
    displayed: &StatusBody,
    viewers: &[AccountId],
) -> Result<HashMap<AccountId, Vec<usize>>> {
    let Some(poll) = &displayed.poll else { return Ok(HashMap::new()) };
    let mut rows: Vec<(AccountId, i64, usize)> = poll_votes::table
        .filter(poll_votes::poll_id.eq(poll.id))
        .filter(poll_votes::account_id.equals_any(viewers))
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
