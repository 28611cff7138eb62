//! Domain blocks of the instance.

use diesel::prelude::*;
use siskin_entities::{
    DomainLimits, DomainSeverity, InstanceDomainBlock, Page, PageRequest, Timestamp,
};
use siskin_ids::InstanceDomainBlockId;

use crate::{
    Conn, Result, Tx,
    conn::{OnEngine, each},
    equals_any::TextExpression as _,
    page::{cut_rows, page},
    schema::instance_domain_blocks,
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = instance_domain_blocks)]
struct BlockRow {
    id: InstanceDomainBlockId,
    domain: String,
    digest: String,
    severity: i16,
    reject_media: bool,
    reject_reports: bool,
    private_comment: Option<String>,
    public_comment: Option<String>,
    obfuscate: bool,
    created_at: i64,
}

impl From<BlockRow> for InstanceDomainBlock {
    fn from(row: BlockRow) -> Self {
        Self {
            id: row.id,
            domain: row.domain,
            digest: row.digest,
            limits: DomainLimits {
                severity: DomainSeverity::from_number(row.severity),
                reject_media: row.reject_media,
                reject_reports: row.reject_reports,
            },
            private_comment: row.private_comment,
            public_comment: row.public_comment,
            obfuscate: row.obfuscate,
            created_at: Timestamp::from_unix_ms(row.created_at),
        }
    }
}

/// A domain block that is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBlock {
    /// In its stored form.
    pub domain: String,
    /// SHA-256 of the domain in hexadecimal digits.
    pub digest: String,
    pub limits: DomainLimits,
    pub private_comment: Option<String>,
    pub public_comment: Option<String>,
    pub obfuscate: bool,
}

/// Inserts a block. Returns `None` if the domain has one already.
pub fn insert(tx: &mut Tx<'_>, new: &NewBlock) -> Result<Option<InstanceDomainBlock>> {
    let (id, now) = (InstanceDomainBlockId::new(tx.next_id()), tx.now());
    let row = (
        instance_domain_blocks::id.eq(id),
        instance_domain_blocks::domain.eq(&new.domain),
        instance_domain_blocks::digest.eq(&new.digest),
        instance_domain_blocks::severity.eq(new.limits.severity.number()),
        instance_domain_blocks::reject_media.eq(new.limits.reject_media),
        instance_domain_blocks::reject_reports.eq(new.limits.reject_reports),
        instance_domain_blocks::private_comment.eq(&new.private_comment),
        instance_domain_blocks::public_comment.eq(&new.public_comment),
        instance_domain_blocks::obfuscate.eq(new.obfuscate),
        instance_domain_blocks::created_at.eq(now.unix_ms()),
    );
    let inserted = each!(&mut **tx, conn => diesel::insert_into(instance_domain_blocks::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok((inserted == 1).then(|| InstanceDomainBlock {
        id,
        domain: new.domain.clone(),
        digest: new.digest.clone(),
        limits: new.limits,
        private_comment: new.private_comment.clone(),
        public_comment: new.public_comment.clone(),
        obfuscate: new.obfuscate,
        created_at: now,
    }))
}

/// Replaces everything of a block except for its domain and the time of its creation.
pub fn update(tx: &mut Tx<'_>, block: &InstanceDomainBlock) -> Result<()> {
    diesel::update(instance_domain_blocks::table.find(block.id))
        .set((
            instance_domain_blocks::severity.eq(block.limits.severity.number()),
            instance_domain_blocks::reject_media.eq(block.limits.reject_media),
            instance_domain_blocks::reject_reports.eq(block.limits.reject_reports),
            instance_domain_blocks::private_comment.eq(&block.private_comment),
            instance_domain_blocks::public_comment.eq(&block.public_comment),
            instance_domain_blocks::obfuscate.eq(block.obfuscate),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes a block. Returns `false` if there was none.
pub fn delete(tx: &mut Tx<'_>, id: InstanceDomainBlockId) -> Result<bool> {
    let block = instance_domain_blocks::table.find(id);
    Ok(diesel::delete(block).execute(&mut **tx)? == 1)
}

/// Loads the block with this id.
pub fn find(conn: &mut Conn, id: InstanceDomainBlockId) -> Result<Option<InstanceDomainBlock>> {
    let row: Option<BlockRow> = instance_domain_blocks::table
        .find(id)
        .select(BlockRow::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(InstanceDomainBlock::from))
}

/// Locks a block against changes by others until the transaction ends, and loads it.
pub fn lock(tx: &mut Tx<'_>, id: InstanceDomainBlockId) -> Result<Option<InstanceDomainBlock>> {
    let row = instance_domain_blocks::table.find(id).select(instance_domain_blocks::id);
    let found: Option<InstanceDomainBlockId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_update().first(pg).optional()?,
        // SQLite has one writer at a time, and this transaction is it.
        OnEngine::Sqlite(sqlite) => row.first(sqlite).optional()?,
    };
    match found {
        Some(id) => find(tx, id),
        None => Ok(None),
    }
}

/// Loads the blocks of these domains, in no particular order.
pub fn covering<T: AsRef<str>>(
    conn: &mut Conn,
    domains: impl IntoIterator<Item = T>,
) -> Result<Vec<InstanceDomainBlock>> {
    let rows: Vec<BlockRow> = instance_domain_blocks::table
        .filter(instance_domain_blocks::domain.equals_any_text(domains))
        .select(BlockRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(InstanceDomainBlock::from).collect())
}

/// Loads a page of blocks, the latest first.
pub fn list(conn: &mut Conn, request: PageRequest) -> Result<Page<InstanceDomainBlock>> {
    let query = instance_domain_blocks::table.select(BlockRow::as_select());
    let rows: Vec<BlockRow> = cut_rows!(conn, query, instance_domain_blocks::id, request)?;
    let blocks = rows.into_iter().map(InstanceDomainBlock::from).collect();
    Ok(page(blocks, request, |block| block.id.get()))
}

/// Loads up to `limit` blocks after the one with this id, the oldest first.
pub fn blocks_after(
    conn: &mut Conn,
    after: Option<InstanceDomainBlockId>,
    limit: i64,
) -> Result<Vec<InstanceDomainBlock>> {
    let rows: Vec<BlockRow> = instance_domain_blocks::table
        .filter(instance_domain_blocks::id.gt(after.unwrap_or(InstanceDomainBlockId::new(0))))
        .order(instance_domain_blocks::id)
        .limit(limit)
        .select(BlockRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(InstanceDomainBlock::from).collect())
}

/// Loads all blocks that limit accounts, in no particular order.
pub fn with_effect(conn: &mut Conn) -> Result<Vec<InstanceDomainBlock>> {
    let rows: Vec<BlockRow> = instance_domain_blocks::table
        .filter(instance_domain_blocks::severity.gt(DomainSeverity::Noop.number()))
        .select(BlockRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(InstanceDomainBlock::from).collect())
}
