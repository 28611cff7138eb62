//! Blocks of email addresses, by the hash of their canonical form.

use diesel::prelude::*;
use siskin_entities::{CanonicalEmailBlock, Page, PageRequest};
use siskin_ids::CanonicalEmailBlockId;

use crate::{
    Conn, Result, Tx,
    conn::each,
    page::{cut_rows, page},
    schema::canonical_email_blocks,
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = canonical_email_blocks)]
struct BlockRow {
    id: CanonicalEmailBlockId,
    canonical_email_hash: String,
}

impl From<BlockRow> for CanonicalEmailBlock {
    fn from(row: BlockRow) -> Self {
        Self { id: row.id, hash: row.canonical_email_hash }
    }
}

/// Inserts a block of the addresses with this hash. Returns `None` if there is one.
pub fn insert(tx: &mut Tx<'_>, hash: &str) -> Result<Option<CanonicalEmailBlock>> {
    let id = CanonicalEmailBlockId::new(tx.next_id());
    let row = (
        canonical_email_blocks::id.eq(id),
        canonical_email_blocks::canonical_email_hash.eq(hash),
        canonical_email_blocks::created_at.eq(tx.now().unix_ms()),
    );
    let inserted = each!(&mut **tx, conn => diesel::insert_into(canonical_email_blocks::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok((inserted == 1).then(|| CanonicalEmailBlock { id, hash: hash.to_owned() }))
}

/// Loads the block with this id.
pub fn find(conn: &mut Conn, id: CanonicalEmailBlockId) -> Result<Option<CanonicalEmailBlock>> {
    let row: Option<BlockRow> = canonical_email_blocks::table
        .find(id)
        .select(BlockRow::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(CanonicalEmailBlock::from))
}

/// Loads the block of the addresses with this hash.
pub fn of_hash(conn: &mut Conn, hash: &str) -> Result<Option<CanonicalEmailBlock>> {
    let row: Option<BlockRow> = canonical_email_blocks::table
        .filter(canonical_email_blocks::canonical_email_hash.eq(hash))
        .select(BlockRow::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(CanonicalEmailBlock::from))
}

/// Loads a page of the blocks, newest first.
pub fn list(conn: &mut Conn, request: PageRequest) -> Result<Page<CanonicalEmailBlock>> {
    let all = canonical_email_blocks::table.select(BlockRow::as_select());
    let rows: Vec<BlockRow> = cut_rows!(conn, all, canonical_email_blocks::id, request)?;
    let blocks = rows.into_iter().map(CanonicalEmailBlock::from).collect();
    Ok(page(blocks, request, |block: &CanonicalEmailBlock| block.id.get()))
}

/// Deletes a block. Returns `false` if there is none.
pub fn delete(tx: &mut Tx<'_>, id: CanonicalEmailBlockId) -> Result<bool> {
    Ok(diesel::delete(canonical_email_blocks::table.find(id)).execute(&mut **tx)? == 1)
}
