//! The home timeline: what a person follows, read from the statuses themselves.
//!
//! It is a predicate over today's follows: nothing is stored for it, so it has no end, and a
//! change of follows, mutes or blocks holds for the past too.

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, StatusId};

use super::{
    candidates::{Candidates, Entry, Place, found_in, merged},
    pages::whole_page,
    shown::{at_home, with_reblogged},
};
use crate::{
    Conn, Result,
    page::{cut, page},
    schema::statuses,
};

/// A page of the home timeline of `reader`.
pub fn home(
    conn: &mut Conn,
    reader: AccountId,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<StatusId>> {
    let candidates = Candidates::of_home(conn, reader)?;
    whole_page(page, &mut |request| Ok(entries(conn, reader, &candidates, now, request)?.items))
}

fn entries(
    conn: &mut Conn,
    reader: AccountId,
    candidates: &Candidates,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Entry>> {
    Ok(found_in!(conn, candidates, request, at_home!(reader, now)))
}
