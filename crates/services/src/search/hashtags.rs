//! Search for hashtags.

use siskin_entities::{Tag, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    tags::{TagSearch, search as find},
};
use siskin_text::Hashtag;

use super::Prepared;
use crate::Result;

/// Returns the hashtags with names that begin with `typed`, with or without its sign. The one with
/// this name comes first, then those that the most accounts used lately.
pub(super) fn search(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    prepared: &Prepared,
    typed: &str,
    now: Timestamp,
) -> Result<Vec<Tag>> {
    let Some(name) = Hashtag::fold_beginning(typed) else { return Ok(Vec::new()) };
    let search = TagSearch {
        name: &name,
        viewer,
        exclude_unreviewed: prepared.exclude_unreviewed,
        now,
        limit: prepared.page.limit,
        offset: prepared.page.offset,
    };
    Ok(find(conn, &search)?)
}

/// Returns the hashtag with this name, if the viewer may find it.
pub(super) fn named(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    prepared: &Prepared,
    name: &str,
    now: Timestamp,
) -> Result<Vec<Tag>> {
    let Some(Hashtag { name, .. }) = Hashtag::parse(name) else { return Ok(Vec::new()) };
    let mut found = search(conn, viewer, prepared, &name, now)?;
    found.retain(|tag| tag.name == name);
    Ok(found)
}
