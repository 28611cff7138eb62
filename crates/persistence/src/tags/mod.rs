//! Hashtags, identified by their folded name and inserted on first use.

mod featured;
mod follows;
mod load;
mod search;

use diesel::prelude::*;
use siskin_ids::TagId;

use crate::{Conn, Result, Tx, conn::each, equals_any::TextExpression as _, schema::tags};

pub(crate) use featured::{add_uses, subtract_uses};
pub use featured::{count_featured, feature, featured, find_featured, suggested, unfeature};
pub use follows::{count_followed, follow, followed, follows, unfollow};
pub use load::{load, names};
pub use search::{TagSearch, search};

/// A hashtag as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedTag {
    /// Name folded by the hashtag rule.
    pub name: String,
    pub display_name: String,
}

/// Finds the hashtag with this folded name, if it was ever used.
pub fn find(conn: &mut Conn, name: &str) -> Result<Option<TagId>> {
    Ok(tags::table.filter(tags::name.eq(name)).select(tags::id).first(conn).optional()?)
}

/// Returns names and ids of those hashtags that were ever used, in no particular order.
pub fn find_all(conn: &mut Conn, names: &[&str]) -> Result<Vec<(String, TagId)>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    Ok(tags::table
        .filter(tags::name.equals_any_text(names))
        .select((tags::name, tags::id))
        .load(conn)?)
}

/// Returns the ids of these hashtags in their order. Inserts new ones.
pub fn find_or_insert(tx: &mut Tx<'_>, typed: &[TypedTag]) -> Result<Vec<TagId>> {
    if typed.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<&str> = typed.iter().map(|tag| tag.name.as_str()).collect();
    let mut known = find_all(tx, &names)?;
    if known.len() < typed.len() {
        insert_all(tx, typed)?;
        known = find_all(tx, &names)?;
    }
    let id = |tag: &TypedTag| known.iter().find(|(name, _)| *name == tag.name).map(|(_, id)| *id);
    Ok(typed.iter().filter_map(id).collect())
}

/// Returns a random id. Other ids contain their creation time. The id of a hashtag must not reveal
/// its first use, which may have been in a direct status.
fn random_id() -> TagId {
    TagId::new(rand::random_range(1..=i64::MAX))
}

/// Inserts hashtags in the order of their names, so that two transactions that insert the same ones
/// cannot deadlock.
fn insert_all(tx: &mut Tx<'_>, typed: &[TypedTag]) -> Result<()> {
    let mut typed: Vec<&TypedTag> = typed.iter().collect();
    typed.sort_by(|a, b| a.name.cmp(&b.name));
    for tag in typed {
        let row = (
            tags::id.eq(random_id()),
            tags::name.eq(&tag.name),
            tags::display_name.eq(&tag.display_name),
            tags::created_at.eq(tx.now().unix_ms()),
        );
        each!(&mut **tx, conn => diesel::insert_into(tags::table)
            .values(row)
            .on_conflict_do_nothing()
            .execute(conn))?;
    }
    Ok(())
}
