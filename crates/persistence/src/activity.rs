//! Activity on the instance by week. Requests read a few rows and count only the newest statuses. A
//! job counts the others.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Integer},
};
use siskin_entities::{Timestamp, Visibility, Week};
use siskin_ids::first_id_at;

use crate::{
    Conn, Result, Tx,
    conn::each,
    schema::{accounts, activity_weeks, statuses, users},
    statuses::{regarded, row_exists},
};

/// Stored numbers of a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredWeek {
    pub week: Week,
    pub statuses: i64,
    /// The statuses of the week with lower ids are counted.
    pub counted_to: i64,
    pub logins: i64,
}

/// Loads the stored numbers from the week `from` on, in the order of the weeks.
pub fn weeks(conn: &mut Conn, from: Week) -> Result<Vec<StoredWeek>> {
    let rows: Vec<(i64, i64, i64, i64)> = activity_weeks::table
        .filter(activity_weeks::week.ge(from.start().unix_ms()))
        .order(activity_weeks::week)
        .select((
            activity_weeks::week,
            activity_weeks::statuses,
            activity_weeks::counted_to,
            activity_weeks::logins,
        ))
        .load(conn)?;
    let stored = |(week, statuses, counted_to, logins)| StoredWeek {
        week: Week::of(Timestamp::from_unix_ms(week)),
        statuses,
        counted_to,
        logins,
    };
    Ok(rows.into_iter().map(stored).collect())
}

/// Counts the public and unlisted statuses of local accounts with ids from `from` to below `to`.
/// Reads each status in the range.
pub fn count_statuses(conn: &mut Conn, from: i64, to: i64) -> Result<i64> {
    let is_local = row_exists!(
        regarded
            .filter(regarded.field(accounts::id).eq(statuses::account_id))
            .filter(regarded.field(accounts::domain).is_null()),
    );
    Ok(statuses::table
        .filter(statuses::id.ge(from))
        .filter(statuses::id.lt(to))
        .filter(statuses::visibility.le(Visibility::Unlisted.number()))
        .filter(is_local)
        .count()
        .get_result(conn)?)
}

/// Returns the lowest id of a status from `from` to below `to`, of any account.
pub fn first_status(conn: &mut Conn, from: i64, to: i64) -> Result<Option<i64>> {
    Ok(statuses::table
        .filter(statuses::id.ge(from))
        .filter(statuses::id.lt(to))
        .order(statuses::id)
        .select(statuses::id)
        .first(conn)
        .optional()?)
}

/// Counts the admitted local accounts that were created in each week from `from` on. Returns only
/// weeks in which there is one.
pub fn registrations(conn: &mut Conn, from: Week) -> Result<Vec<(Week, i64)>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Integer)]
        weeks: i32,
        #[diesel(sql_type = BigInt)]
        registrations: i64,
    }
    let (start, length) = (from.start().unix_ms(), from.end().unix_ms() - from.start().unix_ms());
    // An id contains the time of its creation.
    let rows: Vec<Row> = sql_query(
        "SELECT CAST((account_id / 65536 - $1) / $2 AS INTEGER) AS weeks, COUNT(*) AS registrations
         FROM users WHERE account_id >= $3 AND EXISTS (
             SELECT 1 FROM accounts WHERE accounts.id = users.account_id AND accounts.reachable
         )
         GROUP BY 1",
    )
    .bind::<BigInt, _>(start)
    .bind::<BigInt, _>(length)
    .bind::<BigInt, _>(first_id_at(start))
    .load(conn)?;
    Ok(rows
        .into_iter()
        .map(|row| (from.before(-i64::from(row.weeks)), row.registrations))
        .collect())
}

/// Counts the users that were active last in this week.
pub fn count_last_active(conn: &mut Conn, week: Week) -> Result<i64> {
    Ok(users::table
        .filter(users::last_active_at.ge(week.start().unix_ms()))
        .filter(users::last_active_at.lt(week.end().unix_ms()))
        .count()
        .get_result(conn)?)
}

/// Adds a user to the logins of a week. Call it after the activity of the user is recorded.
pub(crate) fn add_login(tx: &mut Tx<'_>, week: Week) -> Result<()> {
    let one_more = || activity_weeks::logins.eq(activity_weeks::logins + 1);
    let row = activity_weeks::table.find(week.start().unix_ms());
    if diesel::update(row).set(one_more()).execute(&mut **tx)? == 1 {
        return Ok(());
    }
    // The first login of the week since the upgrade: others may have been active before it.
    let logins = count_last_active(tx, week)?;
    let start = week.start().unix_ms();
    let values = (
        activity_weeks::week.eq(start),
        activity_weeks::statuses.eq(0),
        activity_weeks::counted_to.eq(first_id_at(start)),
        activity_weeks::logins.eq(logins),
    );
    each!(&mut **tx, conn => diesel::insert_into(activity_weeks::table)
        .values(values)
        .on_conflict(activity_weeks::week)
        .do_update()
        .set(one_more())
        .execute(conn))?;
    Ok(())
}

/// Inserts the numbers of a week, unless it has some.
pub fn insert(tx: &mut Tx<'_>, new: StoredWeek) -> Result<()> {
    let values = (
        activity_weeks::week.eq(new.week.start().unix_ms()),
        activity_weeks::statuses.eq(new.statuses),
        activity_weeks::counted_to.eq(new.counted_to),
        activity_weeks::logins.eq(new.logins),
    );
    each!(&mut **tx, conn => diesel::insert_into(activity_weeks::table)
        .values(values)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}

/// Adds counted statuses with ids from `from` to below `to` to a week. Does nothing if others
/// counted them meanwhile.
pub fn add_statuses(
    tx: &mut Tx<'_>,
    week: Week,
    (from, to): (i64, i64),
    statuses: i64,
) -> Result<()> {
    let row = activity_weeks::table
        .filter(activity_weeks::week.eq(week.start().unix_ms()))
        .filter(activity_weeks::counted_to.eq(from));
    diesel::update(row)
        .set((
            activity_weeks::statuses.eq(activity_weeks::statuses + statuses),
            activity_weeks::counted_to.eq(to),
        ))
        .execute(&mut **tx)?;
    Ok(())
}
