//! Deletes previews that no status shows any more, a few at a time.

use diesel::prelude::*;
use siskin_entities::{Review, Timestamp};
use siskin_ids::PreviewCardId;

use crate::{
    Conn, Result, Tx, conn::OnEngine, equals_any::IdExpression as _, schema::preview_cards,
};

/// Returns `true` if there is a preview that has been unused since `before`. Reviewed ones are kept,
/// so that a decision of staff outlasts the statuses with the link.
pub fn any_unused(conn: &mut Conn, before: Timestamp) -> Result<bool> {
    let unused = preview_cards::table
        .filter(preview_cards::unused_since.lt(before.unix_ms()))
        .filter(preview_cards::review.eq(Review::Unreviewed.number()));
    Ok(diesel::select(diesel::dsl::exists(unused)).get_result(conn)?)
}

/// Deletes at most `limit` unreviewed previews that have been unused since `before`. Returns the
/// names of their image files, which the caller deletes.
pub fn sweep(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<Vec<String>> {
    let unused = preview_cards::table
        .filter(preview_cards::unused_since.lt(before.unix_ms()))
        .filter(preview_cards::review.eq(Review::Unreviewed.number()))
        .order((preview_cards::unused_since, preview_cards::id))
        .limit(limit)
        .select((preview_cards::id, preview_cards::image_file));
    let found: Vec<(PreviewCardId, Option<String>)> = match tx.on_engine() {
        // Skips rows that another transaction is linking to at this moment.
        OnEngine::Postgres(pg) => unused.for_update().skip_locked().load(pg)?,
        OnEngine::Sqlite(sqlite) => unused.load(sqlite)?,
    };
    let (ids, files): (Vec<PreviewCardId>, Vec<Option<String>>) = found.into_iter().unzip();
    diesel::delete(preview_cards::table.filter(preview_cards::id.equals_any(ids)))
        .execute(&mut **tx)?;
    Ok(files.into_iter().flatten().collect())
}
