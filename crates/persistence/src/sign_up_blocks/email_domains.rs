//! Blocks of email domains, and how often they refused a sign-up.

use std::time::Duration;

use diesel::prelude::*;
use siskin_entities::{EmailDomainBlock, Page, PageRequest, Timestamp, sign_up_block::BlockDay};
use siskin_ids::EmailDomainBlockId;

use crate::{
    Conn, IdMap, Result, Tx,
    conn::each,
    equals_any::{IdExpression as _, TextExpression as _},
    page::{cut_rows, page},
    schema::{email_domain_block_days, email_domain_block_sources, email_domain_blocks},
};

const DAY: Duration = Duration::from_secs(24 * 3600);
/// Number of days in the history of a block, including today.
const HISTORY_DAYS: u32 = 7;
/// Time after which a day is deleted. It is longer than the history, which shows whole days.
const RETENTION: Duration = Duration::from_secs(8 * 24 * 3600);

type Row = (EmailDomainBlockId, String, i64);

/// Inserts a block of a domain in its stored form. Returns `None` if there is one.
pub fn insert(tx: &mut Tx<'_>, domain: &str) -> Result<Option<EmailDomainBlockId>> {
    let id = EmailDomainBlockId::new(tx.next_id());
    let row = (
        email_domain_blocks::id.eq(id),
        email_domain_blocks::domain.eq(domain),
        email_domain_blocks::created_at.eq(tx.now().unix_ms()),
    );
    let inserted = each!(&mut **tx, conn => diesel::insert_into(email_domain_blocks::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok((inserted == 1).then_some(id))
}

/// Loads the block with this id, with its history up to `now`.
pub fn find(
    conn: &mut Conn,
    id: EmailDomainBlockId,
    now: Timestamp,
) -> Result<Option<EmailDomainBlock>> {
    let row: Option<Row> = email_domain_blocks::table
        .find(id)
        .select((
            email_domain_blocks::id,
            email_domain_blocks::domain,
            email_domain_blocks::created_at,
        ))
        .first(conn)
        .optional()?;
    let Some(row) = row else { return Ok(None) };
    Ok(with_history(conn, vec![row], now)?.pop())
}

/// Loads a page of the blocks, newest first, with their history up to `now`.
pub fn list(
    conn: &mut Conn,
    request: PageRequest,
    now: Timestamp,
) -> Result<Page<EmailDomainBlock>> {
    let all = email_domain_blocks::table.select((
        email_domain_blocks::id,
        email_domain_blocks::domain,
        email_domain_blocks::created_at,
    ));
    let rows: Vec<Row> = cut_rows!(conn, all, email_domain_blocks::id, request)?;
    let blocks = with_history(conn, rows, now)?;
    Ok(page(blocks, request, |block| block.id.get()))
}

/// Deletes a block. Returns `false` if there is none. Its history is left to expire.
pub fn delete(tx: &mut Tx<'_>, id: EmailDomainBlockId) -> Result<bool> {
    Ok(diesel::delete(email_domain_blocks::table.find(id)).execute(&mut **tx)? == 1)
}

/// Returns `true` if any domain is blocked.
pub fn any(conn: &mut Conn) -> Result<bool> {
    // With a condition on the id, this reads one row of the index and not the table.
    let blocks = email_domain_blocks::table
        .filter(email_domain_blocks::id.gt(EmailDomainBlockId::new(0)))
        .select(email_domain_blocks::id);
    Ok(diesel::select(diesel::dsl::exists(blocks)).get_result(conn)?)
}

/// Returns the blocks of these domains, in the order of their ids.
pub fn of_domains<T: AsRef<str>>(
    conn: &mut Conn,
    domains: impl IntoIterator<Item = T>,
) -> Result<Vec<EmailDomainBlockId>> {
    let mut found: Vec<EmailDomainBlockId> = email_domain_blocks::table
        .filter(email_domain_blocks::domain.equals_any_text(domains))
        .select(email_domain_blocks::id)
        .load(conn)?;
    found.sort_unstable();
    Ok(found)
}

/// Counts a sign-up that the block refused. `source_hash` stands for the network of the client,
/// which counts once a day.
pub fn record_use(tx: &mut Tx<'_>, block: EmailDomainBlockId, source_hash: &str) -> Result<()> {
    let day = tx.now().midnight();
    let source = (
        email_domain_block_sources::block_id.eq(block.get()),
        email_domain_block_sources::day.eq(day.unix_ms()),
        email_domain_block_sources::source_hash.eq(source_hash),
        email_domain_block_sources::expires_at.eq(day.after(DAY).unix_ms()),
    );
    let insert = diesel::insert_into(email_domain_block_sources::table);
    let new_sources = each!(&mut **tx, conn => insert
        .values(source)
        .on_conflict_do_nothing()
        .execute(conn))?;
    let accounts = i64::from(new_sources == 1);
    let row = (
        email_domain_block_days::block_id.eq(block.get()),
        email_domain_block_days::day.eq(day.unix_ms()),
        email_domain_block_days::accounts.eq(accounts),
        email_domain_block_days::uses.eq(1_i64),
        email_domain_block_days::expires_at.eq(day.after(RETENTION).unix_ms()),
    );
    each!(&mut **tx, conn => diesel::insert_into(email_domain_block_days::table)
        .values(row)
        .on_conflict((email_domain_block_days::block_id, email_domain_block_days::day))
        .do_update()
        .set((
            email_domain_block_days::accounts.eq(email_domain_block_days::accounts + accounts),
            email_domain_block_days::uses.eq(email_domain_block_days::uses + 1),
        ))
        .execute(conn))?;
    Ok(())
}

/// Loads the histories of blocks with one statement.
fn with_history(conn: &mut Conn, rows: Vec<Row>, now: Timestamp) -> Result<Vec<EmailDomainBlock>> {
    let today = now.midnight();
    let oldest = today.before(DAY.saturating_mul(HISTORY_DAYS - 1));
    let days: Vec<(i64, i64, i64, i64)> = email_domain_block_days::table
        .filter(email_domain_block_days::block_id.equals_any(rows.iter().map(|row| row.0.get())))
        .filter(email_domain_block_days::day.ge(oldest.unix_ms()))
        .select((
            email_domain_block_days::block_id,
            email_domain_block_days::day,
            email_domain_block_days::accounts,
            email_domain_block_days::uses,
        ))
        .load(conn)?;
    let days: IdMap<(i64, i64), (i64, i64)> = days
        .into_iter()
        .map(|(block, day, accounts, uses)| ((block, day), (accounts, uses)))
        .collect();
    let history = |id: EmailDomainBlockId| {
        let day = |ago| {
            let day = today.before(DAY.saturating_mul(ago));
            let counted = days.get(&(id.get(), day.unix_ms())).copied();
            let (accounts, uses) = counted.unwrap_or_default();
            BlockDay { day, accounts, uses }
        };
        (0..HISTORY_DAYS).map(day).collect()
    };
    let block = |(id, domain, created_at): Row| EmailDomainBlock {
        id,
        domain,
        created_at: Timestamp::from_unix_ms(created_at),
        history: history(id),
    };
    Ok(rows.into_iter().map(block).collect())
}
