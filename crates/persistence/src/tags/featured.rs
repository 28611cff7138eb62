//! Featured hashtags of profiles, with their counters: the number of the owner's public and
//! unlisted statuses with the hashtag, and the time of the latest one.
//!
//! The counters change in the transaction of the counted rows. On PostgreSQL, a transaction that
//! changes or recomputes them must first lock the owner's row of `account_stats`. So no status is
//! counted twice or missed.

use diesel::{
    dsl::{case_when, count_star, max},
    prelude::*,
    sql_query,
    sql_types::BigInt,
};
use siskin_entities::{FeaturedTag, Timestamp, Visibility};
use siskin_ids::{AccountId, FeaturedTagId, StatusId, TagId};

use crate::{
    Conn, Result, Tx, accounts,
    conn::each,
    equals_any::IdExpression as _,
    prepared::prepared_here,
    schema::{featured_tags, statuses, statuses_tags, tags},
};

type Row = (FeaturedTagId, String, i64, Option<i64>);

fn view((id, name, statuses, last_status_at): Row) -> FeaturedTag {
    let last_status_at = last_status_at.map(Timestamp::from_unix_ms);
    FeaturedTag { id, name, statuses, last_status_at }
}

macro_rules! rows {
    ($account:expr) => {
        featured_tags::table
            .inner_join(tags::table.on(tags::id.eq(featured_tags::tag_id)))
            .filter(featured_tags::account_id.eq($account))
            .select((
                featured_tags::id,
                tags::name,
                featured_tags::statuses_count,
                featured_tags::last_status_at,
            ))
    };
}

/// Loads the featured hashtags of an account, the most used first.
pub fn featured(conn: &mut Conn, account: AccountId) -> Result<Vec<FeaturedTag>> {
    let rows: Vec<Row> = rows!(account)
        .order((featured_tags::statuses_count.desc(), featured_tags::id))
        .load(conn)?;
    Ok(rows.into_iter().map(view).collect())
}

/// Loads a featured hashtag of an account. Returns `None` if the account does not feature it.
pub fn find_featured(
    conn: &mut Conn,
    account: AccountId,
    tag: TagId,
) -> Result<Option<FeaturedTag>> {
    let row: Option<Row> =
        rows!(account).filter(featured_tags::tag_id.eq(tag)).first(conn).optional()?;
    Ok(row.map(view))
}

/// Counts the featured hashtags of an account.
pub fn count_featured(conn: &mut Conn, account: AccountId) -> Result<usize> {
    let count: i64 = featured_tags::table
        .filter(featured_tags::account_id.eq(account))
        .count()
        .get_result(conn)?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Features a hashtag and counts the owner's existing statuses with it. Does nothing if it is
/// featured already.
pub fn feature(tx: &mut Tx<'_>, account: AccountId, tag: TagId) -> Result<()> {
    accounts::lock_counts(tx, &[account])?;
    let (count, last): (i64, Option<i64>) = statuses::table
        .inner_join(statuses_tags::table.on(statuses_tags::status_id.eq(statuses::id)))
        .filter(statuses::account_id.eq(account))
        .filter(statuses::visibility.le(Visibility::Unlisted.number()))
        .filter(statuses_tags::tag_id.eq(tag))
        .select((count_star(), max(statuses::created_at)))
        .first(&mut **tx)?;
    let row = (
        featured_tags::id.eq(FeaturedTagId::new(tx.next_id())),
        featured_tags::account_id.eq(account),
        featured_tags::tag_id.eq(tag),
        featured_tags::statuses_count.eq(count),
        featured_tags::last_status_at.eq(last),
        featured_tags::created_at.eq(tx.now().unix_ms()),
    );
    each!(&mut **tx, conn => diesel::insert_into(featured_tags::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}

/// Deletes a featured hashtag, given by its own id or by the hashtag. Returns `false` if it is not
/// featured.
pub fn unfeature(
    tx: &mut Tx<'_>,
    account: AccountId,
    which: Result<FeaturedTagId, TagId>,
) -> Result<bool> {
    let own = diesel::delete(featured_tags::table).filter(featured_tags::account_id.eq(account));
    let removed = match which {
        Ok(id) => own.filter(featured_tags::id.eq(id)).execute(&mut **tx)?,
        Err(tag) => own.filter(featured_tags::tag_id.eq(tag)).execute(&mut **tx)?,
    };
    Ok(removed > 0)
}

/// Returns the hashtags that an account used most in its last `considered` public and unlisted
/// statuses and does not feature: at most `limit`, the most used first.
pub fn suggested(
    conn: &mut Conn,
    account: AccountId,
    considered: i64,
    limit: i64,
) -> Result<Vec<TagId>> {
    let latest: Vec<StatusId> = statuses::table
        .filter(statuses::account_id.eq(account))
        .filter(statuses::visibility.le(Visibility::Unlisted.number()))
        .filter(statuses::reblog_of_id.is_null())
        .order(statuses::id.desc())
        .limit(considered)
        .select(statuses::id)
        .load(conn)?;
    let featured = featured_tags::table
        .filter(featured_tags::account_id.eq(account))
        .select(featured_tags::tag_id);
    Ok(statuses_tags::table
        .filter(statuses_tags::status_id.equals_any(latest))
        .filter(statuses_tags::tag_id.ne_all(featured))
        .group_by(statuses_tags::tag_id)
        .order((count_star().desc(), max(statuses_tags::status_id).desc()))
        .limit(limit)
        .select(statuses_tags::tag_id)
        .load(conn)?)
}

/// Increments the counters of featured hashtags for a status written at this time.
pub(crate) fn add_uses(
    tx: &mut Tx<'_>,
    author: AccountId,
    tags: &[TagId],
    written_at: Timestamp,
) -> Result<()> {
    if tags.is_empty() {
        return Ok(());
    }
    let at = written_at.unix_ms();
    let latest = case_when(featured_tags::last_status_at.gt(at), featured_tags::last_status_at)
        .otherwise(Some(at));
    let used = diesel::update(featured_tags::table)
        .filter(featured_tags::account_id.eq(author))
        .filter(featured_tags::tag_id.equals_any(tags))
        .set((
            featured_tags::statuses_count.eq(featured_tags::statuses_count + 1),
            featured_tags::last_status_at.eq(latest),
        ));
    each!(&mut **tx, conn => prepared_here!(used).execute(conn))?;
    Ok(())
}

/// Decrements the counters of featured hashtags for a status written at this time that lost these
/// hashtags.
pub(crate) fn subtract_uses(
    tx: &mut Tx<'_>,
    author: AccountId,
    tags: &[TagId],
    written_at: Timestamp,
) -> Result<()> {
    let of_author = featured_tags::account_id.eq(author);
    let counted: Vec<FeaturedTagId> = match tags {
        [] => return Ok(()),
        tags => featured_tags::table
            .filter(of_author)
            .filter(featured_tags::tag_id.equals_any(tags))
            .select(featured_tags::id)
            .load(&mut **tx)?,
    };
    for id in counted {
        // Only if the latest status goes, the previous one is searched, among the author's own.
        sql_query(
            "UPDATE featured_tags SET statuses_count = statuses_count - 1,
                 last_status_at = CASE WHEN statuses_count <= 1 THEN NULL
                     WHEN last_status_at > $1 THEN last_status_at
                     ELSE (
                         SELECT statuses.created_at FROM statuses
                         WHERE statuses.account_id = featured_tags.account_id
                         AND statuses.visibility IN (0, 1) AND EXISTS (
                             SELECT 1 FROM statuses_tags WHERE statuses_tags.status_id = statuses.id
                             AND statuses_tags.tag_id = featured_tags.tag_id
                         ) ORDER BY statuses.id DESC LIMIT 1
                     ) END
             WHERE id = $2",
        )
        .bind::<BigInt, _>(written_at.unix_ms())
        .bind::<BigInt, _>(id)
        .execute(&mut **tx)?;
    }
    Ok(())
}
