//! Blocks of networks.

use diesel::prelude::*;
use siskin_entities::{IpBlock, IpBlockSeverity, Network, Page, PageRequest, Timestamp};
use siskin_ids::IpBlockId;

use crate::{
    Conn, Error, Result, Tx,
    conn::{OnEngine, each},
    equals_any::TextExpression as _,
    events::{self, IP_BLOCKS_CHANGED},
    page::{cut_rows, page},
    schema::ip_blocks,
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = ip_blocks)]
struct BlockRow {
    id: IpBlockId,
    network: String,
    severity: String,
    comment: String,
    expires_at: Option<i64>,
    created_at: i64,
}

impl BlockRow {
    fn into_block(self) -> Result<IpBlock> {
        Ok(IpBlock {
            id: self.id,
            network: self.network.parse().map_err(|_| Error::Damaged("ip_blocks.network"))?,
            severity: self.severity.parse().map_err(|_| Error::Damaged("ip_blocks.severity"))?,
            comment: self.comment,
            created_at: Timestamp::from_unix_ms(self.created_at),
            expires_at: self.expires_at.map(Timestamp::from_unix_ms),
        })
    }
}

/// Data of a new block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewIpBlock<'a> {
    pub network: Network,
    pub severity: IpBlockSeverity,
    pub comment: &'a str,
    pub expires_at: Option<Timestamp>,
}

/// Inserts a block, and notifies all running servers. It replaces an expired block of the same
/// network. Returns `None` if there is an active one.
pub fn insert(tx: &mut Tx<'_>, new: &NewIpBlock<'_>) -> Result<Option<IpBlock>> {
    let (id, now, network) = (IpBlockId::new(tx.next_id()), tx.now(), new.network.to_string());
    diesel::delete(ip_blocks::table)
        .filter(ip_blocks::network.eq(&network))
        .filter(ip_blocks::expires_at.le(now.unix_ms()))
        .execute(&mut **tx)?;
    let row = (
        ip_blocks::id.eq(id),
        ip_blocks::network.eq(network),
        ip_blocks::severity.eq(new.severity.as_str()),
        ip_blocks::comment.eq(new.comment),
        ip_blocks::expires_at.eq(new.expires_at.map(Timestamp::unix_ms)),
        ip_blocks::created_at.eq(now.unix_ms()),
        ip_blocks::updated_at.eq(now.unix_ms()),
    );
    let inserted = each!(&mut **tx, conn => diesel::insert_into(ip_blocks::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    if inserted == 0 {
        return Ok(None);
    }
    notify(tx)?;
    Ok(Some(IpBlock {
        id,
        network: new.network,
        severity: new.severity,
        comment: new.comment.to_owned(),
        created_at: now,
        expires_at: new.expires_at,
    }))
}

/// Replaces all values of a block but its id and the time of its creation, and notifies all running
/// servers.
///
/// # Errors
/// [`Error::Duplicate`] if there is another block of the same network.
pub fn update(tx: &mut Tx<'_>, block: &IpBlock) -> Result<()> {
    diesel::update(ip_blocks::table.find(block.id))
        .set((
            ip_blocks::network.eq(block.network.to_string()),
            ip_blocks::severity.eq(block.severity.as_str()),
            ip_blocks::comment.eq(&block.comment),
            ip_blocks::expires_at.eq(block.expires_at.map(Timestamp::unix_ms)),
            ip_blocks::updated_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    notify(tx)
}

/// Deletes a block, and notifies all running servers. Returns `false` if there is none.
pub fn delete(tx: &mut Tx<'_>, id: IpBlockId) -> Result<bool> {
    if diesel::delete(ip_blocks::table.find(id)).execute(&mut **tx)? == 0 {
        return Ok(false);
    }
    notify(tx)?;
    Ok(true)
}

fn notify(tx: &mut Tx<'_>) -> Result<()> {
    events::insert(tx, IP_BLOCKS_CHANGED, "").map(drop)
}

/// Loads the block with this id.
pub fn find(conn: &mut Conn, id: IpBlockId) -> Result<Option<IpBlock>> {
    let row: Option<BlockRow> =
        ip_blocks::table.find(id).select(BlockRow::as_select()).first(conn).optional()?;
    row.map(BlockRow::into_block).transpose()
}

/// Locks a block against changes by others until the transaction ends, and loads it.
pub fn lock(tx: &mut Tx<'_>, id: IpBlockId) -> Result<Option<IpBlock>> {
    // SQLite has one writer at a time, and this transaction is it.
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        let row = ip_blocks::table.find(id).select(ip_blocks::id).for_update();
        row.first::<IpBlockId>(pg).optional()?;
    }
    find(tx, id)
}

/// Loads a page of the blocks, newest first. Includes expired ones.
pub fn list(conn: &mut Conn, request: PageRequest) -> Result<Page<IpBlock>> {
    let all = ip_blocks::table.select(BlockRow::as_select());
    let rows: Vec<BlockRow> = cut_rows!(conn, all, ip_blocks::id, request)?;
    let blocks = rows.into_iter().map(BlockRow::into_block).collect::<Result<Vec<_>>>()?;
    Ok(page(blocks, request, |block| block.id.get()))
}

/// Loads the blocks of these networks, in no particular order. Includes expired ones.
pub fn of_networks(
    conn: &mut Conn,
    networks: impl IntoIterator<Item = Network>,
) -> Result<Vec<IpBlock>> {
    let networks = networks.into_iter().map(|network| network.to_string());
    let rows: Vec<BlockRow> = ip_blocks::table
        .filter(ip_blocks::network.equals_any_text(networks))
        .select(BlockRow::as_select())
        .load(conn)?;
    rows.into_iter().map(BlockRow::into_block).collect()
}

/// Loads all networks without access, in no particular order, with the times at which they get it
/// again. Includes those that have it again.
pub fn without_access(conn: &mut Conn) -> Result<Vec<(Network, Option<Timestamp>)>> {
    let rows: Vec<(String, Option<i64>)> = ip_blocks::table
        .filter(ip_blocks::severity.eq(IpBlockSeverity::NoAccess.as_str()))
        .select((ip_blocks::network, ip_blocks::expires_at))
        .load(conn)?;
    let parse = |(network, expires_at): (String, Option<i64>)| {
        let network = network.parse().map_err(|_| Error::Damaged("ip_blocks.network"))?;
        Ok((network, expires_at.map(Timestamp::from_unix_ms)))
    };
    rows.into_iter().map(parse).collect()
}
