//! Links between statuses and the pages of their link previews.

use std::time::Duration;

use diesel::prelude::*;
use siskin_ids::{PreviewCardId, StatusId};

use super::lock;
use crate::{
    Conn, Result, Tx,
    conn::each,
    schema::{preview_cards, status_cards, statuses},
};

/// Returns the address that a status links to.
pub fn address_of(conn: &mut Conn, status: StatusId) -> Result<Option<String>> {
    let card = status_cards::table.inner_join(preview_cards::table);
    let address = card.filter(status_cards::status_id.eq(status)).select(preview_cards::address);
    Ok(address.first(conn).optional()?)
}

/// Links a status without a link to the page at this address. Returns the preview id if the page is
/// due to be fetched. In that case no other caller gets the id for the time of `lease`.
pub fn link(
    tx: &mut Tx<'_>,
    status: StatusId,
    address: &str,
    lease: Duration,
) -> Result<Option<PreviewCardId>> {
    let card = find_or_insert(tx, address)?;
    diesel::insert_into(status_cards::table)
        .values((status_cards::status_id.eq(status), status_cards::card_id.eq(card)))
        .execute(&mut **tx)?;
    diesel::update(statuses::table.find(status))
        .set(statuses::version.eq(statuses::version + 1))
        .execute(&mut **tx)?;
    let now = tx.now();
    let due = preview_cards::table.find(card).filter(preview_cards::look_after.le(now.unix_ms()));
    let taken = diesel::update(due)
        .set(preview_cards::look_after.eq(now.after(lease).unix_ms()))
        .execute(&mut **tx)?;
    Ok((taken > 0).then_some(card))
}

/// Finds or inserts the row of this address, and locks it. One statement, so that a row that is
/// being swept is either kept or inserted again.
fn find_or_insert(tx: &mut Tx<'_>, address: &str) -> Result<PreviewCardId> {
    let now = tx.now().unix_ms();
    let row = (
        preview_cards::id.eq(PreviewCardId::new(tx.next_id())),
        preview_cards::address.eq(address),
        preview_cards::look_after.eq(now),
        preview_cards::created_at.eq(now),
    );
    Ok(each!(&mut **tx, conn => diesel::insert_into(preview_cards::table)
        .values(row)
        .on_conflict(preview_cards::address)
        .do_update()
        .set(preview_cards::unused_since.eq(None::<i64>))
        .returning(preview_cards::id)
        .get_result(conn))?)
}

/// Removes the link of a status. A preview that no other status shows counts as unused from now on.
pub fn unlink(tx: &mut Tx<'_>, status: StatusId) -> Result<()> {
    let of_status = status_cards::table.filter(status_cards::status_id.eq(status));
    let card = of_status.select(status_cards::card_id);
    let Some(card) = card.first::<PreviewCardId>(&mut **tx).optional()? else { return Ok(()) };
    // Two statuses that are unlinked at once must not each take the other for a remaining user.
    lock(tx, card)?;
    diesel::delete(of_status).execute(&mut **tx)?;
    let others = status_cards::table.filter(status_cards::card_id.eq(card));
    let is_used: bool = diesel::select(diesel::dsl::exists(others)).get_result(&mut **tx)?;
    if !is_used {
        diesel::update(preview_cards::table.find(card))
            .set(preview_cards::unused_since.eq(tx.now().unix_ms()))
            .execute(&mut **tx)?;
    }
    Ok(())
}
