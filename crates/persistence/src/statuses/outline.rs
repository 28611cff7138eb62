//! The parts of statuses that every request reads: the cache keys of the snapshots, the counters,
//! and the viewer's state. One statement loads them for any number of statuses.

use diesel::{dsl::case_when, prelude::*};
use siskin_entities::{
    AccountState, QuoteApproval, QuotePolicy, QuoteState, ViewerRelations, ViewerState, Visibility,
    status::StatusCounts,
};
use siskin_ids::{AccountId, StatusId};
use siskin_policy::{
    quotes, timelines,
    visibility::{AccountFacts, ContentFacts, may_see},
};

use super::{
    embedded::Embeds, is_present, parents, viewer_id, viewer_reblogs,
    with_quoted::is_or_is_quoted_by,
};
use crate::{
    Conn, Result,
    accounts::{self, account_outline},
    conn::each,
    equals_any::IdExpression as _,
    relationships::{RelationsVersion, relations_version},
    schema::{
        account_stats, accounts as accounts_table, bookmarks, favourites, muted_conversations,
        status_pins, status_stats, statuses,
    },
    snapshots::{Key, SnapshotVersion},
};

diesel::alias!(accounts_table as parent_authors: ParentAuthors);

/// A status without its content.
#[derive(Debug, Queryable)]
pub(super) struct Outline {
    pub(super) id: StatusId,
    version: i64,
    pub(super) author: accounts::Outline,
    visibility: i16,
    pub(super) in_reply_to_id: Option<StatusId>,
    pub(super) in_reply_to_account_id: Option<AccountId>,
    pub(super) conversation_id: StatusId,
    pub(super) reblog_of_id: Option<StatusId>,
    pub(super) quote_of_id: Option<StatusId>,
    quote_state: Option<i16>,
    quote_policy: i16,
    counts: Option<(i64, i64, i64, i64)>,
    parent: Option<Parent>,
    /// Version of the relations of the viewer.
    pub(super) relations: RelationsVersion,
}

/// The parent of a status, if it still exists.
#[derive(Debug, Queryable)]
pub(super) struct Parent {
    author: AccountId,
    visibility: i16,
    reblog_of_id: Option<StatusId>,
    suspended_at: Option<i64>,
    reachable: bool,
}

/// State of a viewer for a status: favourited, reblogged, bookmarked, conversation muted, pinned.
type ViewerFlags = (bool, bool, bool, bool, bool);

/// Joins statuses with their authors, counters and parents. The authors must exist. Leaves out
/// statuses whose deletion has begun.
macro_rules! with_counts {
    () => {
        statuses::table
            .inner_join(accounts_table::table.left_join(account_stats::table))
            .left_join(status_stats::table)
            .left_join(
                parents.on(statuses::in_reply_to_id
                    .eq(parents.field(statuses::id).nullable())
                    .and(is_present!(visibility: parents.field(statuses::visibility)))),
            )
            .left_join(parent_authors.on(
                parent_authors.field(accounts_table::id).eq(parents.field(statuses::account_id)),
            ))
            .filter(is_present!(visibility: statuses::visibility))
    };
}

/// Columns of an [`Outline`] for `$viewer_id`.
macro_rules! outline {
    ($viewer_id:expr) => {{
        let parent = (
            parents.field(statuses::account_id),
            parents.field(statuses::visibility),
            parents.field(statuses::reblog_of_id),
            parent_authors.field(accounts_table::suspended_at),
            parent_authors.field(accounts_table::reachable),
        );
        let counts = (
            status_stats::replies_count,
            status_stats::reblogs_count,
            status_stats::favourites_count,
            status_stats::quotes_count,
        );
        (
            statuses::id,
            statuses::version,
            account_outline!(),
            statuses::visibility,
            statuses::in_reply_to_id,
            statuses::in_reply_to_account_id,
            statuses::conversation_id,
            statuses::reblog_of_id,
            statuses::quote_of_id,
            statuses::quote_state,
            statuses::quote_policy,
            counts.nullable(),
            parent.nullable(),
            relations_version!($viewer_id),
        )
    }};
}

/// Joins `$query` with the rows of `$viewer` for its statuses; each table has at most one such row.
/// With a join, the engine opens each table once for the whole page. With EXISTS it would do so for
/// every status. A viewer acts on the reblogged status instead of a reblog, and pins own statuses:
/// where no row is possible, the key is NULL, and the engine looks nothing up.
macro_rules! with_viewer_rows {
    ($query:expr, $viewer:expr) => {{
        let viewer_id: AccountId = $viewer;
        let target = || case_when(statuses::reblog_of_id.is_null(), statuses::id);
        let conversation = case_when(statuses::reblog_of_id.is_null(), statuses::conversation_id);
        let own = case_when(statuses::account_id.eq(viewer_id), statuses::id);
        let reblog_by_viewer = viewer_reblogs
            .field(statuses::account_id)
            .eq(viewer_id)
            .and(viewer_reblogs.field(statuses::reblog_of_id).eq(target()));
        $query
            .left_join(
                favourites::table.on(favourites::account_id
                    .eq(viewer_id)
                    .and(favourites::status_id.nullable().eq(target()))),
            )
            .left_join(viewer_reblogs.on(reblog_by_viewer))
            .left_join(
                bookmarks::table.on(bookmarks::account_id
                    .eq(viewer_id)
                    .and(bookmarks::status_id.nullable().eq(target()))),
            )
            .left_join(
                muted_conversations::table.on(muted_conversations::account_id
                    .eq(viewer_id)
                    .and(muted_conversations::conversation_id.nullable().eq(conversation))),
            )
            .left_join(
                status_pins::table.on(status_pins::account_id
                    .eq(viewer_id)
                    .and(status_pins::status_id.nullable().eq(own))),
            )
    }};
}

/// Columns of [`ViewerFlags`].
macro_rules! viewer_flags {
    () => {
        (
            favourites::status_id.nullable().is_not_null(),
            viewer_reblogs.field(statuses::id).nullable().is_not_null(),
            bookmarks::status_id.nullable().is_not_null(),
            muted_conversations::conversation_id.nullable().is_not_null(),
            status_pins::status_id.nullable().is_not_null(),
        )
    };
}

/// An outline, and the viewer's state. There is none for an anonymous viewer.
pub(super) type Row = (Outline, Option<ViewerState>);

/// Loads the rows of the statuses of `$condition` with the state of `$viewer`.
macro_rules! rows {
    ($conn:expr, $viewer:expr, $condition:expr) => {
        if let Some(viewer) = $viewer {
            let rows: Vec<(Outline, ViewerFlags)> = each!($conn, c =>
                with_viewer_rows!(with_counts!(), viewer)
                    .filter($condition)
                    .select((outline!(viewer), viewer_flags!()))
                    .load(c))?;
            rows.into_iter().map(|(outline, flags)| outline.with_state(flags, viewer)).collect()
        } else {
            let rows: Vec<Outline> = each!($conn, c => with_counts!()
                .filter($condition)
                .select(outline!(viewer_id(None)))
                .load(c))?;
            rows.into_iter().map(|outline| (outline, None)).collect()
        }
    };
}

/// Loads the outlines of these statuses with the state of `viewer`, in no particular order.
pub(super) fn read(
    conn: &mut Conn,
    ids: &[StatusId],
    viewer: Option<AccountId>,
) -> Result<Vec<Row>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(rows!(conn, viewer, statuses::id.equals_any(ids)))
}

/// Loads the outlines of these statuses and of those that they quote, as [`read`] does.
pub(super) fn read_with_quoted(
    conn: &mut Conn,
    ids: &[StatusId],
    viewer: Option<AccountId>,
) -> Result<Vec<Row>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(rows!(conn, viewer, is_or_is_quoted_by(ids)))
}

/// Loads one outline as [`read`] does. A list of ids takes SQLite longer, even if it has one
/// element.
pub(super) fn read_one(
    conn: &mut Conn,
    id: StatusId,
    viewer: Option<AccountId>,
) -> Result<Vec<Row>> {
    Ok(rows!(conn, viewer, statuses::id.eq(id)))
}

impl Parent {
    /// Returns the facts without mentions.
    fn facts(&self) -> ContentFacts<'_> {
        let state = AccountState {
            suspended: self.suspended_at.is_some(),
            silenced: false,
            reachable: self.reachable,
        };
        ContentFacts {
            author: AccountFacts { id: self.author, domain: None, state },
            visibility: Visibility::from_number(self.visibility),
            mentions: &[],
            former_mentions: &[],
        }
    }
}

impl Outline {
    /// Returns the cache key of the status's snapshot.
    pub(super) fn key(&self) -> Key<StatusId> {
        Key { id: self.id, version: self.version, generation: self.generation() }
    }

    /// Returns the version of the status's snapshot.
    pub(super) fn snapshot_version(&self) -> SnapshotVersion {
        SnapshotVersion { version: self.version, generation: self.generation() }
    }

    /// Returns the parent as stored.
    pub(super) const fn parent(&self) -> timelines::Parent {
        match self.in_reply_to_id {
            None => timelines::Parent::None,
            Some(_) => timelines::Parent::By(self.in_reply_to_account_id),
        }
    }

    /// Returns `Some` with whether the parent is visible to the viewer. Returns `None` if that
    /// depends on facts that the outline does not contain.
    pub(super) fn shows_parent(&self, viewer: &ViewerRelations) -> Option<bool> {
        let Some(parent) = &self.parent else { return Some(false) };
        if parent.reblog_of_id.is_some() {
            return None;
        }
        let is_visible = may_see(viewer, &parent.facts());
        // A mention may make the others visible.
        let is_known = is_visible || Visibility::from_number(parent.visibility).is_open();
        is_known.then_some(is_visible)
    }

    pub(super) fn generation(&self) -> i64 {
        let (_, generation) = self.relations;
        generation.unwrap_or_default()
    }

    pub(super) fn counts(&self) -> StatusCounts {
        let (replies, reblogs, favourites, quotes) = self.counts.unwrap_or_default();
        StatusCounts { replies, reblogs, favourites, quotes }
    }

    /// Returns the ids of the statuses that it embeds.
    pub(super) fn embeds(&self) -> Embeds {
        Embeds {
            reblog_of: self.reblog_of_id,
            quote: self.quote_state.map(QuoteState::from_number),
            quote_of: self.quote_of_id,
        }
    }

    fn quote_policy(&self) -> QuotePolicy {
        QuotePolicy::from_number(self.quote_policy)
    }

    /// Returns `true` if the viewer's relations decide about a part of the status.
    pub(super) fn depends_on_relations(&self) -> bool {
        self.in_reply_to_id.is_some()
            || self.quote_state.is_some()
            || self.quote_policy() == QuotePolicy::Followers
    }

    /// Returns who may quote the status, for a viewer with these relations. Without relations, the
    /// viewer is not known yet and gets no permission.
    pub(super) fn quote_approval(&self, viewer: Option<&ViewerRelations>) -> QuoteApproval {
        let visibility = Visibility::from_number(self.visibility);
        let policy = self.quote_policy();
        let permission = |viewer| quotes::permission(viewer, self.author.id, visibility, policy);
        QuoteApproval { policy, viewer: viewer.map(permission).unwrap_or_default() }
    }

    fn with_state(self, viewer_flags: ViewerFlags, viewer_id: AccountId) -> Row {
        let (favourited, reblogged, bookmarked, muted, pinned) = viewer_flags;
        let can_be_pinned =
            self.author.id == viewer_id && Visibility::from_number(self.visibility).can_be_pinned();
        let state = ViewerState {
            favourited,
            reblogged,
            bookmarked,
            muted,
            pinned: can_be_pinned.then_some(pinned),
            filtered: Vec::new(),
        };
        (self, Some(state))
    }
}
