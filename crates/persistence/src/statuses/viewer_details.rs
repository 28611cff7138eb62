//! The state of one status for each of many viewers. The result equals that of [`super::load()`]
//! for each viewer, with a fixed number of statements.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use diesel::prelude::*;
use siskin_entities::{
    Quote, QuoteApproval, QuoteDetails, QuotePolicy, RelationParts, Status, StatusBody, Timestamp,
    ViewerDetails, ViewerRelations, ViewerState,
};
use siskin_ids::AccountId;
use siskin_policy::{quotes, visibility::ContentFacts};

use super::facts;
use crate::{
    Conn, Result,
    equals_any::IdExpression as _,
    relationships::relations_of_viewers,
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
    let bodies = || [Some(displayed), displayed.quoted()].into_iter().flatten();
    let depends_on_relations = |body: &StatusBody| {
        body.quote.is_some() || body.quote_approval.policy == QuotePolicy::Followers
    };
    let relations = if bodies().any(depends_on_relations) {
        relations_of_viewers(conn, viewers)?
    } else {
        let unrelated = |viewer: &AccountId| {
            (*viewer, Arc::new(ViewerRelations::of(*viewer, RelationParts::default())))
        };
        viewers.iter().map(unrelated).collect()
    };
    let own = BodyDetails::load(conn, displayed, viewers)?;
    let quoted = match displayed.quoted() {
        Some(quoted) => Some((quoted, BodyDetails::load(conn, quoted, viewers)?)),
        None => None,
    };
    let now = conn.began_at();
    let details = |viewer: &AccountId| {
        let relations = relations.get(viewer)?;
        let mut details = own.of(displayed, relations, *viewer);
        details.quote = displayed.quote.as_ref().map(|quote| {
            let quoted = quoted.as_ref().map(|(body, details)| {
                let mut details = details.of(body, relations, *viewer);
                // The quote inside of the quoted status shows only the id of what it quotes.
                let unquoted = |quote: &Quote| {
                    Box::new(quote_details(
                        quote,
                        relations,
                        *viewer,
                        ViewerDetails::default(),
                        now,
                    ))
                };
                details.quote = body.quote.as_ref().map(unquoted);
                details
            });
            Box::new(quote_details(quote, relations, *viewer, quoted.unwrap_or_default(), now))
        });
        Some((*viewer, details))
    };
    Ok(viewers.iter().filter_map(details).collect())
}

fn quote_details(
    quote: &Quote,
    relations: &ViewerRelations,
    viewer: AccountId,
    quoted: ViewerDetails,
    now: Timestamp,
) -> QuoteDetails {
    let facts = quote.status.as_deref().map(ContentFacts::of);
    let is_author = quote.status.as_ref().is_some_and(|status| status.account.id == viewer);
    let state = quotes::state(relations, quote.state, facts.as_ref(), now);
    QuoteDetails { state, is_author, quoted }
}

/// What the viewers add to one status, without its quote.
struct BodyDetails {
    reactions: Reactions,
    /// The viewers that can see the parent.
    parents: HashSet<AccountId>,
    votes: HashMap<AccountId, Vec<usize>>,
}

impl BodyDetails {
    fn load(conn: &mut Conn, body: &StatusBody, viewers: &[AccountId]) -> Result<Self> {
        Ok(Self {
            reactions: Reactions::load(conn, body, viewers)?,
            parents: parent_viewers(conn, body, viewers)?,
            votes: votes(conn, body, viewers)?,
        })
    }

    fn of(
        &self,
        body: &StatusBody,
        relations: &ViewerRelations,
        viewer: AccountId,
    ) -> ViewerDetails {
        let QuoteApproval { policy, .. } = body.quote_approval;
        ViewerDetails {
            state: self.reactions.state(body, viewer),
            sees_parent: self.parents.contains(&viewer),
            chosen: self.votes.get(&viewer).cloned().unwrap_or_default(),
            may_quote: quotes::permission(relations, body.account.id, body.visibility, policy),
            quote: None,
        }
    }
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
