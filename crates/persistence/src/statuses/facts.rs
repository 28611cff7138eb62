//! The facts that decide who may see a status, without its content.

use std::{collections::HashSet, sync::Arc};

use diesel::prelude::*;
use siskin_entities::{AccountState, QuotePermission, QuotePolicy, ViewerRelations, Visibility};
use siskin_ids::{AccountId, StatusId};
use siskin_policy::{
    quotes,
    visibility::{AccountFacts, ContentFacts, may_see_whole},
};

use super::{is_present, reblogged};
use crate::{
    Conn, Result,
    equals_any::IdExpression as _,
    relationships::{
        RelationsVersion, relations_of_version, relations_of_viewers, relations_version,
    },
    schema::{accounts, mentions, statuses},
};

diesel::alias!(
    accounts as reblogged_authors: ReblogAuthors,
    mentions as reblogged_mentions: ReblogMentions,
);

/// Returns the id that queries bind for the viewer. No row has the id of an anonymous viewer.
pub(crate) fn viewer_id(viewer: Option<AccountId>) -> AccountId {
    viewer.unwrap_or(AccountId::new(0))
}

/// A status or reblog, without the status that it reblogs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub(super) struct Content {
    pub(super) id: StatusId,
    pub(super) author: AccountId,
    pub(super) conversation: StatusId,
    visibility: i16,
    quote_policy: i16,
    suspended_at: Option<i64>,
    silenced_at: Option<i64>,
    reachable: bool,
    /// The viewer of the query, if any version mentions the viewer.
    mentioned: Option<AccountId>,
}

impl Content {
    pub(super) fn visibility(&self) -> Visibility {
        Visibility::from_number(self.visibility)
    }

    /// Returns what happens if this viewer quotes the status.
    pub(super) fn quote_permission(&self, viewer: &ViewerRelations) -> QuotePermission {
        let policy = QuotePolicy::from_number(self.quote_policy);
        quotes::permission(viewer, self.author, self.visibility(), policy)
    }

    /// Returns the facts for the viewer of the query.
    fn facts(&self) -> ContentFacts<'_> {
        let state = AccountState {
            suspended: self.suspended_at.is_some(),
            silenced: self.silenced_at.is_some(),
            reachable: self.reachable,
        };
        ContentFacts {
            // The domain decides nothing about the visibility of a status.
            author: AccountFacts { id: self.author, domain: None, state },
            visibility: self.visibility(),
            mentions: &[],
            former_mentions: self.mentioned.as_slice(),
        }
    }
}

/// A status or reblog, and the status that it reblogs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub(super) struct Contents {
    pub(super) own: Content,
    pub(super) reblogged: Option<Content>,
}

impl Contents {
    /// Returns the content that viewers act on: the reblogged status for a reblog.
    pub(super) fn displayed(&self) -> &Content {
        self.reblogged.as_ref().unwrap_or(&self.own)
    }

    /// Returns the contents with the facts for `viewer`. `mentioned` contains the statuses that
    /// mention the viewer.
    fn for_viewer(self, viewer: AccountId, mentioned: &HashSet<(StatusId, AccountId)>) -> Self {
        let of = |content: Content| {
            let mentioned = mentioned.contains(&(content.id, viewer)).then_some(viewer);
            Content { mentioned, ..content }
        };
        Self { own: of(self.own), reblogged: self.reblogged.map(of) }
    }

    fn is_visible_to(&self, viewer: &ViewerRelations) -> bool {
        let original = self.reblogged.as_ref().map(Content::facts);
        may_see_whole(viewer, &self.own.facts(), original.as_ref())
    }
}

/// Returns the accounts among `viewers` that can see the status. Runs three statements if the
/// relations of the viewers are cached.
pub(super) fn viewers_of(
    conn: &mut Conn,
    id: StatusId,
    viewers: &[AccountId],
) -> Result<HashSet<AccountId>> {
    let Some(contents) = find(conn, id)? else { return Ok(HashSet::new()) };
    let ids = [Some(contents.own), contents.reblogged].into_iter().flatten().map(|one| one.id);
    let mentioned: Vec<(StatusId, AccountId)> = mentions::table
        .filter(mentions::status_id.equals_any(ids))
        .filter(mentions::account_id.equals_any(viewers))
        .select((mentions::status_id, mentions::account_id))
        .load(conn)?;
    let mentioned: HashSet<(StatusId, AccountId)> = mentioned.into_iter().collect();
    let relations = relations_of_viewers(conn, viewers)?;
    let sees = |viewer: &AccountId, relations: &ViewerRelations| {
        contents.for_viewer(*viewer, &mentioned).is_visible_to(relations)
    };
    let seeing = relations.iter().filter(|(viewer, relations)| sees(viewer, relations));
    Ok(seeing.map(|(viewer, _)| *viewer).collect())
}

/// Loads the statuses of `$condition` with the facts for `$viewer`.
macro_rules! rows {
    ($conn:expr, $viewer:expr, $condition:expr) => {{
        let own = (
            statuses::id,
            statuses::account_id,
            statuses::conversation_id,
            statuses::visibility,
            statuses::quote_policy,
            accounts::suspended_at,
            accounts::silenced_at,
            accounts::reachable,
            mentions::account_id.nullable(),
        );
        let original = (
            reblogged.field(statuses::id),
            reblogged.field(statuses::account_id),
            reblogged.field(statuses::conversation_id),
            reblogged.field(statuses::visibility),
            reblogged.field(statuses::quote_policy),
            reblogged_authors.field(accounts::suspended_at),
            reblogged_authors.field(accounts::silenced_at),
            reblogged_authors.field(accounts::reachable),
            reblogged_mentions.field(mentions::account_id).nullable(),
        );
        statuses::table
            .inner_join(accounts::table)
            .left_join(
                mentions::table
                    .on(mentions::status_id.eq(statuses::id).and(mentions::account_id.eq($viewer))),
            )
            .left_join(
                reblogged.on(statuses::reblog_of_id.eq(reblogged.field(statuses::id).nullable())),
            )
            .left_join(
                reblogged_authors.on(reblogged_authors
                    .field(accounts::id)
                    .eq(reblogged.field(statuses::account_id))),
            )
            .left_join(
                reblogged_mentions.on(reblogged_mentions
                    .field(mentions::status_id)
                    .eq(reblogged.field(statuses::id))
                    .and(reblogged_mentions.field(mentions::account_id).eq($viewer))),
            )
            .filter($condition)
            .filter(is_present!(visibility: statuses::visibility))
            .filter(
                reblogged
                    .field(statuses::id)
                    .is_null()
                    .or(is_present!(visibility: reblogged.field(statuses::visibility))),
            )
            .select(((own, original.nullable()), relations_version!($viewer)))
            .load($conn)
    }};
}

/// A status or reblog, and the version of the viewer's relations.
type Row = (Contents, RelationsVersion);

/// Loads these statuses with the facts for `viewer`, in no particular order. Leaves out unknown ids,
/// and those whose deletion has begun. Runs one statement.
fn load(conn: &mut Conn, ids: &[StatusId], viewer: Option<AccountId>) -> Result<Vec<Row>> {
    Ok(rows!(conn, viewer_id(viewer), statuses::id.equals_any(ids))?)
}

/// Loads one status as [`load`] does. A list of ids takes SQLite longer, even if it has one element.
fn load_one(conn: &mut Conn, id: StatusId, viewer: Option<AccountId>) -> Result<Option<Row>> {
    let rows: Vec<Row> = rows!(conn, viewer_id(viewer), statuses::id.eq(id))?;
    Ok(rows.into_iter().next())
}

/// Loads the status with this id, in any visibility.
pub(super) fn find(conn: &mut Conn, id: StatusId) -> Result<Option<Contents>> {
    Ok(load_one(conn, id, None)?.map(|(contents, _)| contents))
}

/// Loads the status with this id and the relations of `viewer`, if the status is visible to
/// `viewer`, as [`visible_ids`] says.
pub(super) fn find_visible(
    conn: &mut Conn,
    id: StatusId,
    viewer: Option<AccountId>,
) -> Result<Option<(Contents, Arc<ViewerRelations>)>> {
    let Some((contents, version)) = load_one(conn, id, viewer)? else { return Ok(None) };
    let relations = relations_of_version(conn, viewer, version)?;
    Ok(contents.is_visible_to(&relations).then_some((contents, relations)))
}

/// Returns those of `ids` that are visible to `viewer`, in no particular order. For a reblog, both
/// the reblog and the reblogged status must be visible. Runs one statement if the relations of the
/// viewer are cached.
pub fn visible_ids(
    conn: &mut Conn,
    ids: &[StatusId],
    viewer: Option<AccountId>,
) -> Result<Vec<StatusId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = load(conn, ids, viewer)?;
    let Some((_, version)) = rows.first() else { return Ok(Vec::new()) };
    let relations = relations_of_version(conn, viewer, *version)?;
    let visible = rows.into_iter().filter(|(contents, _)| contents.is_visible_to(&relations));
    Ok(visible.map(|(contents, _)| contents.own.id).collect())
}
