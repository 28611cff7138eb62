//! Announcements of the operator, their dismissals by accounts, and reactions.

use std::collections::HashSet;

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Integer, Text},
};
use siskin_entities::{Announcement, Timestamp, announcement::Period};
use siskin_ids::{AccountId, AnnouncementId};

use crate::{
    Conn, Result, Tx,
    chunks::{OwnedRows, delete_some, owned},
    conn::{OnEngine, each},
    equals_any::{IdExpression as _, around_list, list_of},
    prepared::prepared,
    schema::{announcement_dismissals, announcement_reactions, announcements},
};

/// Rows that are deleted in chunks before their announcement: each user may have some.
const DEPENDENTS: [OwnedRows; 2] = [
    owned("announcement_dismissals", "announcement_id, account_id", "announcement_id = $1"),
    owned("announcement_reactions", "announcement_id, name, account_id", "announcement_id = $1"),
];

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = announcements)]
struct AnnouncementRow {
    id: AnnouncementId,
    text: String,
    all_day: bool,
    starts_at: Option<i64>,
    ends_at: Option<i64>,
    scheduled_at: Option<i64>,
    published_at: Option<i64>,
    created_at: i64,
    updated_at: i64,
}

impl From<AnnouncementRow> for Announcement {
    fn from(row: AnnouncementRow) -> Self {
        let at = Timestamp::from_unix_ms;
        let period = row.starts_at.zip(row.ends_at).and_then(|(start, end)| {
            let period = if row.all_day { Period::of_days } else { Period::of_times };
            period(at(start), at(end))
        });
        Self {
            id: row.id,
            text: row.text,
            period,
            scheduled_at: row.scheduled_at.map(at),
            published_at: row.published_at.map(at),
            created_at: at(row.created_at),
            updated_at: at(row.updated_at),
        }
    }
}

/// Reactions to an announcement with the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedReaction {
    pub announcement: AnnouncementId,
    pub name: String,
    pub count: i64,
    /// Whether the viewer is among the accounts.
    pub me: bool,
}

/// Inserts an announcement that is neither published nor scheduled.
pub fn insert(tx: &mut Tx<'_>, text: &str, period: Option<Period>) -> Result<Announcement> {
    let (id, now) = (AnnouncementId::new(tx.next_id()), tx.now());
    diesel::insert_into(announcements::table)
        .values((
            announcements::id.eq(id),
            announcements::text.eq(text),
            announcements::all_day.eq(period.is_some_and(Period::is_days)),
            announcements::starts_at.eq(period.map(|period| period.starts_at().unix_ms())),
            announcements::ends_at.eq(period.map(|period| period.ends_at().unix_ms())),
            announcements::created_at.eq(now.unix_ms()),
            announcements::updated_at.eq(now.unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(Announcement {
        id,
        text: text.to_owned(),
        period,
        scheduled_at: None,
        published_at: None,
        created_at: now,
        updated_at: now,
    })
}

/// Replaces the text and all times of an announcement, except for the time of its creation.
pub fn update(tx: &mut Tx<'_>, announcement: &Announcement) -> Result<()> {
    let period = announcement.period;
    let ms = |time: Option<Timestamp>| time.map(Timestamp::unix_ms);
    diesel::update(announcements::table.find(announcement.id))
        .set((
            announcements::text.eq(&announcement.text),
            announcements::all_day.eq(period.is_some_and(Period::is_days)),
            announcements::starts_at.eq(ms(period.map(Period::starts_at))),
            announcements::ends_at.eq(ms(period.map(Period::ends_at))),
            announcements::scheduled_at.eq(ms(announcement.scheduled_at)),
            announcements::published_at.eq(ms(announcement.published_at)),
            announcements::updated_at.eq(announcement.updated_at.unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Loads the announcement with this id.
pub fn find(conn: &mut Conn, id: AnnouncementId) -> Result<Option<Announcement>> {
    Ok(load(conn, &[id])?.pop())
}

/// Loads the announcements with these ids, in no particular order.
pub fn load(conn: &mut Conn, ids: &[AnnouncementId]) -> Result<Vec<Announcement>> {
    let rows: Vec<AnnouncementRow> = announcements::table
        .filter(announcements::id.equals_any(ids))
        .select(AnnouncementRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(Announcement::from).collect())
}

/// Locks an announcement against changes and reactions of others until the transaction ends, and
/// loads it.
pub fn lock(tx: &mut Tx<'_>, id: AnnouncementId) -> Result<Option<Announcement>> {
    let row = announcements::table.find(id).select(announcements::id);
    let found: Option<AnnouncementId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_update().first(pg).optional()?,
        // SQLite has one writer at a time, and this transaction is it.
        OnEngine::Sqlite(sqlite) => row.first(sqlite).optional()?,
    };
    match found {
        Some(id) => find(tx, id),
        None => Ok(None),
    }
}

/// Loads up to `limit` announcements after the one with the id `after`, the oldest first.
pub fn list(
    conn: &mut Conn,
    after: Option<AnnouncementId>,
    limit: i64,
) -> Result<Vec<Announcement>> {
    let rows: Vec<AnnouncementRow> = announcements::table
        .filter(announcements::id.gt(after.unwrap_or(AnnouncementId::new(0))))
        .order(announcements::id)
        .limit(limit)
        .select(AnnouncementRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(Announcement::from).collect())
}

/// Loads up to `limit` published announcements, the latest first. Includes those with an event that
/// is over.
pub fn published(conn: &mut Conn, limit: i64) -> Result<Vec<Announcement>> {
    let rows: Vec<AnnouncementRow> = announcements::table
        // Excludes null, by a range of the index.
        .filter(announcements::published_at.gt(i64::MIN))
        .order((announcements::published_at.desc(), announcements::id.desc()))
        .limit(limit)
        .select(AnnouncementRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(Announcement::from).collect())
}

/// Deletes at most `limit` dismissals and reactions of an announcement, and then the announcement
/// itself. Returns `false` if something is left, so that the caller must repeat it in another
/// transaction.
pub fn delete_step(tx: &mut Tx<'_>, id: AnnouncementId, limit: usize) -> Result<bool> {
    if delete_some(tx, &DEPENDENTS, id.get(), limit)? >= limit {
        return Ok(false);
    }
    diesel::delete(announcements::table.find(id)).execute(&mut **tx)?;
    Ok(true)
}

/// Returns those of these announcements that the account dismissed.
pub fn dismissed(
    conn: &mut Conn,
    account: AccountId,
    ids: &[AnnouncementId],
) -> Result<HashSet<AnnouncementId>> {
    let rows: Vec<AnnouncementId> = announcement_dismissals::table
        .filter(announcement_dismissals::account_id.eq(account))
        .filter(announcement_dismissals::announcement_id.equals_any(ids))
        .select(announcement_dismissals::announcement_id)
        .load(conn)?;
    Ok(rows.into_iter().collect())
}

/// Inserts the dismissal of an announcement by an account, if there is none yet.
pub fn dismiss(tx: &mut Tx<'_>, id: AnnouncementId, account: AccountId) -> Result<()> {
    let row = (
        announcement_dismissals::announcement_id.eq(id),
        announcement_dismissals::account_id.eq(account),
        announcement_dismissals::created_at.eq(tx.now().unix_ms()),
    );
    each!(&mut **tx, conn => diesel::insert_into(announcement_dismissals::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}

/// Counts the reactions to these announcements by name, in the order in which the names were used
/// first.
pub fn reactions(
    conn: &mut Conn,
    ids: &[AnnouncementId],
    viewer: Option<AccountId>,
) -> Result<Vec<CountedReaction>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        announcement_id: AnnouncementId,
        #[diesel(sql_type = Text)]
        name: String,
        #[diesel(sql_type = BigInt)]
        accounts: i64,
        #[diesel(sql_type = Integer)]
        me: i32,
        #[diesel(sql_type = BigInt)]
        first_at: i64,
    }
    let (before, after) = around_list(conn);
    let query = sql_query(format!(
        "SELECT announcement_id, name, COUNT(*) AS accounts,
             MAX(CASE WHEN account_id = $1 THEN 1 ELSE 0 END) AS me, MIN(created_at) AS first_at
         FROM announcement_reactions WHERE announcement_id{before}$2{after}
         GROUP BY announcement_id, name"
    ))
    // No account has the id 0.
    .bind::<BigInt, _>(viewer.unwrap_or(AccountId::new(0)))
    .bind::<Text, _>(list_of(ids));
    let mut rows: Vec<Row> = each!(conn, conn => prepared(query).load(conn))?;
    rows.sort_by(|a, b| (a.first_at, &a.name).cmp(&(b.first_at, &b.name)));
    let counted = |row: Row| CountedReaction {
        announcement: row.announcement_id,
        name: row.name,
        count: row.accounts,
        me: row.me == 1,
    };
    Ok(rows.into_iter().map(counted).collect())
}

/// Returns the different names of the reactions to an announcement.
pub fn reaction_names(conn: &mut Conn, id: AnnouncementId) -> Result<Vec<String>> {
    Ok(announcement_reactions::table
        .filter(announcement_reactions::announcement_id.eq(id))
        .select(announcement_reactions::name)
        .distinct()
        .load(conn)?)
}

/// Inserts a reaction. Returns `false` if the account has already reacted with this name.
pub fn react(tx: &mut Tx<'_>, id: AnnouncementId, account: AccountId, name: &str) -> Result<bool> {
    let row = (
        announcement_reactions::announcement_id.eq(id),
        announcement_reactions::name.eq(name),
        announcement_reactions::account_id.eq(account),
        announcement_reactions::created_at.eq(tx.now().unix_ms()),
    );
    let inserted = each!(&mut **tx, conn => diesel::insert_into(announcement_reactions::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(inserted == 1)
}

/// Deletes a reaction. Returns `false` if there was none.
pub fn unreact(
    tx: &mut Tx<'_>,
    id: AnnouncementId,
    account: AccountId,
    name: &str,
) -> Result<bool> {
    let reaction = announcement_reactions::table.find((id, name, account));
    Ok(diesel::delete(reaction).execute(&mut **tx)? == 1)
}
