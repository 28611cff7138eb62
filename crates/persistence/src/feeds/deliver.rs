//! Puts a status into the feeds that are to show it.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::{Timestamp, feed::FeedStage};
use siskin_ids::{FollowId, ListId, StatusId};

use super::advisory_lock;
use crate::{
    Conn, Result, Tx,
    among::list_of,
    schema::{feeds, follows, list_accounts, lists, statuses, statuses_tags, tag_follows},
    timelines::shown::{at_home, in_list, with_reblogged},
};

diesel::alias!(
    follows as audience: Audience,
    statuses_tags as worn: Worn,
    tag_follows as fans: Fans,
    list_accounts as listed: Listed,
    lists as theirs: Theirs,
);

/// How far a delivery got; those of a popular author take several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Delivered {
    /// The follow of the last follower; None before the first.
    pub follow: Option<FollowId>,
    /// The last list; None before the first.
    pub list: Option<ListId>,
}

/// True where the status at hand (`statuses`) is no reblog whose status stands among the 40 entries
/// below it in a feed, by itself or in another reblog. What is decided when it comes stays so.
macro_rules! is_news {
    (to: $feed:literal) => {
        $crate::fixed::fixed!(
            diesel::sql_types::Bool,
            concat!(
                "statuses.reblog_of_id IS NULL OR NOT EXISTS (SELECT 1 FROM (
                SELECT COALESCE(near.reblog_of_id, near.status_id) AS shown
                FROM feed_entries AS near JOIN statuses AS there ON there.id = near.status_id
                WHERE near.feed_id = ",
                $feed,
                " AND near.status_id < statuses.id ORDER BY near.status_id DESC LIMIT 40
            ) AS below WHERE below.shown = statuses.reblog_of_id)"
            )
        )
    };
}

pub(crate) use is_news;

/// The status at hand, to be asked of each feed that is ready or becomes so.
macro_rules! receiving {
    ($status:expr, $feeds:expr) => {
        $feeds
            .filter(statuses::id.eq($status))
            .filter(feeds::stage.ne(FeedStage::Stale.number()))
            .filter(feeds::stage.ne(FeedStage::Dropped.number()))
            .filter(is_news!(to: "feeds.feed_id"))
    };
}

/// Delivers a status to the feeds of up to `limit` followers and `limit` lists after those that
/// had it; in the first part to its author and to who follows its hashtags, too. Whatever has it
/// already keeps it. None where nothing is left to do.
pub fn deliver(
    tx: &mut Tx<'_>,
    status: StatusId,
    after: Delivered,
    limit: i64,
) -> Result<Option<Delivered>> {
    advisory_lock(tx, "pg_advisory_xact_lock_shared")?;
    let now = tx.now();
    let mut receivers = Vec::new();
    if after == Delivered::default() {
        receivers.extend(own(tx, status, now)?);
        receivers.extend(by_tag(tx, status, now)?);
    }
    let followers = followers(tx, status, now, after.follow, limit)?;
    let lists = in_lists(tx, status, now, after.list, limit)?;
    receivers.extend(followers.iter().map(|(_, feed)| feed));
    receivers.extend(lists.iter().map(|list| list.get()));
    insert(tx, status, &receivers)?;
    let reached = Delivered {
        follow: followers.last().map(|(follow, _)| *follow).or(after.follow),
        list: lists.last().copied().or(after.list),
    };
    let is_full = |count: usize| i64::try_from(count).is_ok_and(|count| count >= limit);
    Ok((is_full(followers.len()) || is_full(lists.len())).then_some(reached))
}

fn own(conn: &mut Conn, status: StatusId, now: Timestamp) -> Result<Vec<i64>> {
    let query =
        with_reblogged!().inner_join(feeds::table.on(feeds::feed_id.eq(statuses::account_id)));
    Ok(receiving!(status, query)
        .filter(at_home!(feeds::account_id, now))
        .select(feeds::feed_id)
        .load(conn)?)
}

fn by_tag(conn: &mut Conn, status: StatusId, now: Timestamp) -> Result<Vec<i64>> {
    let (tag, fan) = (worn.field(statuses_tags::tag_id), fans.field(tag_follows::account_id));
    let query = with_reblogged!()
        .inner_join(worn.on(worn.field(statuses_tags::status_id).eq(statuses::id)))
        .inner_join(fans.on(fans.field(tag_follows::tag_id).eq(tag)))
        .inner_join(feeds::table.on(feeds::feed_id.eq(fan)));
    Ok(receiving!(status, query)
        .filter(at_home!(feeds::account_id, now))
        .select(feeds::feed_id)
        .load(conn)?)
}

fn followers(
    conn: &mut Conn,
    status: StatusId,
    now: Timestamp,
    after: Option<FollowId>,
    limit: i64,
) -> Result<Vec<(FollowId, i64)>> {
    let (follow, follower) = (audience.field(follows::id), audience.field(follows::account_id));
    let followed = audience.field(follows::target_account_id);
    let query = with_reblogged!()
        .inner_join(audience.on(followed.eq(statuses::account_id)))
        .inner_join(feeds::table.on(feeds::feed_id.eq(follower)));
    Ok(receiving!(status, query)
        .filter(follow.gt(after.map_or(0, FollowId::get)))
        .filter(at_home!(feeds::account_id, now))
        .order(follow)
        .limit(limit)
        .select((follow, feeds::feed_id))
        .load(conn)?)
}

fn in_lists(
    conn: &mut Conn,
    status: StatusId,
    now: Timestamp,
    after: Option<ListId>,
    limit: i64,
) -> Result<Vec<ListId>> {
    let (list, member) = (theirs.field(lists::id), listed.field(list_accounts::account_id));
    let policy = theirs.field(lists::replies_policy);
    let query = with_reblogged!()
        .inner_join(listed.on(member.eq(statuses::account_id)))
        .inner_join(theirs.on(list.eq(listed.field(list_accounts::list_id))))
        .inner_join(feeds::table.on(feeds::feed_id.eq(list)));
    Ok(receiving!(status, query)
        .filter(list.gt(after.map_or(0, ListId::get)))
        .filter(in_list!(feeds::account_id, now, list: feeds::feed_id, policy: policy))
        .order(list)
        .limit(limit)
        .select(list)
        .load(conn)?)
}

/// The receivers come as one parameter, whatever their number.
fn insert(tx: &mut Tx<'_>, status: StatusId, receivers: &[i64]) -> Result<()> {
    if receivers.is_empty() {
        return Ok(());
    }
    let each_feed = if tx.is_sqlite() {
        "SELECT value FROM json_each($1)"
    } else {
        "SELECT CAST(value AS BIGINT) AS value FROM json_array_elements_text(CAST($1 AS json)) value"
    };
    sql_query(format!(
        "INSERT INTO feed_entries (feed_id, status_id, reblog_of_id)
         SELECT receivers.value, statuses.id, statuses.reblog_of_id
         FROM ({each_feed}) AS receivers CROSS JOIN statuses WHERE statuses.id = $2
         ON CONFLICT DO NOTHING"
    ))
    .bind::<Text, _>(list_of(receivers))
    .bind::<BigInt, _>(status)
    .execute(&mut **tx)?;
    Ok(())
}
