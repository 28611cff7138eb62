//! The event log: events are inserted in the transaction that causes them.
//!
//! A relay gives each committed event its position in the total order of events. Ids are drawn
//! before COMMIT, so events can become visible out of id order; positions cannot. On an engine with
//! one writer, ids are in commit order, so an event is inserted with its position.

mod domain_event;

use diesel::{
    dsl::{max, min},
    prelude::*,
    sql_query,
    sql_types::{BigInt, Nullable, Text},
};
use serde_json::{Value, json};
use siskin_entities::Timestamp;
use siskin_ids::EventId;

use crate::{
    Conn, Result, Tx,
    conn::{OnEngine, each},
    fixed::fixed,
    prepared::prepared,
    schema::events,
};

pub use domain_event::{Access, ChangedConversation, ChangedReaction, DeletedStatus, DomainEvent};

/// Kind of the event that follows a change of a setting. Its payload is the key of the setting.
pub const SETTINGS_CHANGED: &str = "settings_changed";

/// Kind of the event that follows a change of an account's filters. Its payload is the id of the
/// account as a decimal number.
pub const FILTERS_CHANGED: &str = "filters_changed";

/// Kind of the event that follows a change of the IP blocks. Its payload is empty.
pub const IP_BLOCKS_CHANGED: &str = "ip_blocks_changed";

/// Advisory lock for assigning positions on PostgreSQL. Only one process at a time holds it.
const ADVISORY_LOCK: i64 = 0x5153_4b49_4e00_0002;

/// An event with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub id: EventId,
    /// Position in the order of all events; starts at 1 and has no gaps.
    pub position: i64,
    pub kind: String,
    /// Payload in the format of the kind.
    pub payload: String,
    pub created_at: Timestamp,
}

/// Inserts an event. It becomes visible when the transaction commits. On `SQLite`, where
/// transactions run one after another, it gets its position at once.
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

/// Inserts events in this order with one statement, each as [`insert`] does. `events` are kinds
/// with their payloads.
pub fn insert_all(tx: &mut Tx<'_>, events: &[(&str, String)]) -> Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    let row = |(kind, payload): &(&str, String)| json!({ "id": tx.next_id().to_string(), "kind": kind, "payload": payload });
    let rows = Value::Array(events.iter().map(row).collect()).to_string();
    let now = tx.now().unix_ms();
    // The list is one parameter, so the statement has the same text for any number of events.
    // SQLite numbers parameters by their first use.
    let text = if tx.is_sqlite() {
        "INSERT INTO events (id, kind, payload, created_at, position)
         SELECT CAST(value ->> 'id' AS INTEGER), value ->> 'kind', value ->> 'payload', $1,
             (SELECT COALESCE(MAX(position), 0) FROM events) + key + 1
         FROM json_each($2) ORDER BY key"
    } else {
        "INSERT INTO events (id, kind, payload, created_at)
         SELECT CAST(value ->> 'id' AS BIGINT), value ->> 'kind', value ->> 'payload', $1
         FROM json_array_elements(CAST($2 AS json))"
    };
    let query = sql_query(text).bind::<BigInt, _>(now).bind::<Text, _>(rows);
    each!(&mut **tx, conn => prepared(query).execute(conn))?;
    Ok(())
}

/// Returns `true` if a committed event has no position yet.
pub fn any_waiting(conn: &mut Conn) -> Result<bool> {
    let waiting = events::table.filter(events::position.is_null());
    Ok(diesel::select(diesel::dsl::exists(waiting)).get_result(conn)?)
}

/// Assigns positions to up to `limit` events, the oldest first, and returns their number. Returns 0
/// too if another process is assigning positions.
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

/// Returns the latest assigned position, or 0 if there is none.
pub fn last_position(conn: &mut Conn) -> Result<i64> {
    let last: Option<i64> = events::table.select(max(events::position)).first(conn)?;
    Ok(last.unwrap_or(0))
}

/// Returns the position of the oldest stored event. Returns `None` if there is none.
pub fn first_position(conn: &mut Conn) -> Result<Option<i64>> {
    Ok(events::table.select(min(events::position)).first(conn)?)
}

/// Loads up to `limit` events after `position`, in order of position.
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
