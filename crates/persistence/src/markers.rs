//! Read markers: the last read position in each timeline.

use diesel::prelude::*;
use siskin_entities::{Marker, MarkerTimeline, Markers, Timestamp};
use siskin_ids::AccountId;

use crate::{Conn, Result, Tx, conn::each, schema::markers};

/// Loads the markers of an account.
pub fn load(conn: &mut Conn, account: AccountId) -> Result<Markers> {
    let rows: Vec<(String, i64, i64, i64)> = markers::table
        .filter(markers::account_id.eq(account))
        .select((markers::timeline, markers::last_read_id, markers::version, markers::updated_at))
        .load(conn)?;
    let mut found = Markers::default();
    for (timeline, last_read_id, version, updated_at) in rows {
        let updated_at = Timestamp::from_unix_ms(updated_at);
        let marker = Some(Marker { last_read_id, version, updated_at });
        match MarkerTimeline::from_name(&timeline) {
            Some(MarkerTimeline::Home) => found.home = marker,
            Some(MarkerTimeline::Notifications) => found.notifications = marker,
            None => {}
        }
    }
    Ok(found)
}

/// Moves a marker that is still at `seen`, or inserts it if `seen` is `None`. Changes nothing and
/// returns `None` if another request changed the marker first.
pub fn set(
    tx: &mut Tx<'_>,
    account: AccountId,
    timeline: MarkerTimeline,
    last_read_id: i64,
    seen: Option<Marker>,
) -> Result<Option<Marker>> {
    let version = seen.map_or(1, |seen| seen.version + 1);
    // On PostgreSQL, a write that started earlier may arrive later.
    let updated_at = seen.map_or(tx.now(), |seen| seen.updated_at.max(tx.now()));
    let row = (
        markers::account_id.eq(account),
        markers::timeline.eq(timeline.as_str()),
        markers::last_read_id.eq(last_read_id),
        markers::version.eq(version),
        markers::updated_at.eq(updated_at.unix_ms()),
    );
    let changed = match seen {
        None => each!(&mut **tx, conn => diesel::insert_into(markers::table)
            .values(row)
            .on_conflict_do_nothing()
            .execute(conn))?,
        Some(seen) => diesel::update(markers::table)
            .filter(markers::account_id.eq(account))
            .filter(markers::timeline.eq(timeline.as_str()))
            .filter(markers::version.eq(seen.version))
            .set((
                markers::last_read_id.eq(last_read_id),
                markers::version.eq(version),
                markers::updated_at.eq(updated_at.unix_ms()),
            ))
            .execute(&mut **tx)?,
    };
    Ok((changed == 1).then_some(Marker { last_read_id, version, updated_at }))
}
