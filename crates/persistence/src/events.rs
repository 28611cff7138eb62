//! What others must hear of, as rows written in the transaction that made it happen.
//!
//! A committed event gets its place in the one order of all events afterwards, from a relay: ids
//! are drawn before COMMIT, so they can become visible out of order; positions cannot. Where one
//! transaction at a time writes, the order of ids is that of commits, and an event is written with
//! its place.

mod happened;

use diesel::{
    dsl::{max, min},
    prelude::*,
    sql_query,
    sql_types::{BigInt, Nullable},
};
use siskin_entities::Timestamp;
use siskin_ids::EventId;

use crate::{Conn, Result, Tx, conn::OnEngine, fixed::fixed, schema::events};

pub use happened::{Access, ChangedConversation, DeletedStatus, Happened};

/// The kind of the event that follows a change of a setting; its payload is the key.
pub const SETTINGS_CHANGED: &str = "settings_changed";

/// The kind of the event that follows a change of somebody's filters; its payload is the id of their
/// account, as a decimal number.
pub const FILTERS_CHANGED: &str = "filters_changed";

/// The advisory lock under which one process at a time gives positions on PostgreSQL.
const ADVISORY_LOCK: i64 = 0x5153_4b49_4e00_0002;

/// An event that has its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub id: EventId,
    /// Counts from 1 without a gap.
    pub position: i64,
    pub kind: String,
    /// In the form that the kind lays down.
    pub payload: String,
    pub created_at: Timestamp,
}

/// Writes an event that becomes visible with the transaction. On `SQLite`, where transactions come
/// one after another, it has its place at once.
pub fn insert(tx: &mut Tx<'_>, kind: &str, payload: &str) -> Result<EventId> {
    let id = EventId::new(tx.next_id());
    let row = (
        events::id.eq(id),
        events::kind.eq(kind),
        events::payload.eq(payload),
        events::created_at.eq(tx.now().unix_ms()),
    );
    let insert = diesel::insert_into(events::table);
    match tx.on_engine() {
        OnEngine::Postgres(pg) => insert.values(row).execute(pg)?,
        OnEngine::Sqlite(sqlite) => {
            let next =
                fixed!(Nullable<BigInt>, "SELECT COALESCE(MAX(position), 0) + 1 FROM events");
            insert.values((row, events::position.eq(next))).execute(sqlite)?
        }
    };
    Ok(id)
}

/// Whether a committed event waits for its place.
pub fn any_waiting(conn: &mut Conn) -> Result<bool> {
    let waiting = events::table.filter(events::position.is_null());
    Ok(diesel::select(diesel::dsl::exists(waiting)).get_result(conn)?)
}

/// Gives their places to up to `limit` events that have none, the oldest first, and returns how
/// many got one: 0 also where another process is at it.
pub fn assign_positions(tx: &mut Tx<'_>, limit: u32) -> Result<usize> {
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        let locked = sql_query("SELECT pg_try_advisory_xact_lock($1) AS locked")
            .bind::<BigInt, _>(ADVISORY_LOCK)
            .get_result::<Locked>(pg)?
            .locked;
        if !locked {
            return Ok(0);
        }
    }
    let assigned = sql_query(
        "UPDATE events SET position = placed.position FROM (
             SELECT id, ROW_NUMBER() OVER (ORDER BY id)
                 + (SELECT COALESCE(MAX(position), 0) FROM events) AS position
             FROM events WHERE position IS NULL ORDER BY id LIMIT $1
         ) AS placed WHERE events.id = placed.id",
    )
    .bind::<BigInt, _>(i64::from(limit))
    .execute(&mut **tx)?;
    Ok(assigned)
}

#[derive(QueryableByName)]
struct Locked {
    #[diesel(sql_type = diesel::sql_types::Bool)]
    locked: bool,
}

/// The place of the latest event that has one, 0 before the first.
pub fn last_position(conn: &mut Conn) -> Result<i64> {
    let last: Option<i64> = events::table.select(max(events::position)).first(conn)?;
    Ok(last.unwrap_or(0))
}

/// The place of the oldest event that is kept; None where there is none.
pub fn first_position(conn: &mut Conn) -> Result<Option<i64>> {
    Ok(events::table.select(min(events::position)).first(conn)?)
}

/// Up to `limit` events after `position`, in their order.
pub fn since(conn: &mut Conn, position: i64, limit: u32) -> Result<Vec<Event>> {
    let rows: Vec<(EventId, Option<i64>, String, String, i64)> = events::table
        .filter(events::position.gt(position))
        .order(events::position)
        .limit(i64::from(limit))
        .select((events::id, events::position, events::kind, events::payload, events::created_at))
        .load(conn)?;
    let event = |(id, position, kind, payload, created_at): (_, Option<i64>, _, _, _)| {
        let created_at = Timestamp::from_unix_ms(created_at);
        position.map(|position| Event { id, position, kind, payload, created_at })
    };
    Ok(rows.into_iter().filter_map(event).collect())
}
