//! Domain blocks of accounts.

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest};
use siskin_ids::{AccountId, DomainBlockId};

use crate::{
    Conn, Result, Tx,
    conn::each,
    page::{cut_rows, page},
    schema::{account_domain_blocks, accounts, follow_requests, follows},
    statuses::{regarded, row_exists},
};

/// Inserts a domain block of an account. `domain` is in its stored form. Does nothing if the block
/// exists.
pub fn block_domain(tx: &mut Tx<'_>, account: AccountId, domain: &str) -> Result<()> {
    let row = (
        account_domain_blocks::id.eq(DomainBlockId::new(tx.next_id())),
        account_domain_blocks::account_id.eq(account),
        account_domain_blocks::domain.eq(domain),
        account_domain_blocks::created_at.eq(tx.now().unix_ms()),
    );
    each!(&mut **tx, conn => diesel::insert_into(account_domain_blocks::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}

/// Deletes a domain block of an account.
pub fn unblock_domain(tx: &mut Tx<'_>, account: AccountId, domain: &str) -> Result<()> {
    diesel::delete(account_domain_blocks::table)
        .filter(account_domain_blocks::account_id.eq(account))
        .filter(account_domain_blocks::domain.eq(domain))
        .execute(&mut **tx)?;
    Ok(())
}

/// Counts the domain blocks of an account.
pub fn count_blocked_domains(conn: &mut Conn, account: AccountId) -> Result<i64> {
    let blocks = account_domain_blocks::table.filter(account_domain_blocks::account_id.eq(account));
    Ok(blocks.count().get_result(conn)?)
}

/// Returns `true` if an account blocks a domain.
pub fn blocks_domain(conn: &mut Conn, account: AccountId, domain: &str) -> Result<bool> {
    let block = account_domain_blocks::table
        .filter(account_domain_blocks::account_id.eq(account))
        .filter(account_domain_blocks::domain.eq(domain));
    Ok(diesel::select(diesel::dsl::exists(block)).get_result(conn)?)
}

/// Loads a page of the domains that an account blocks, the latest block first. The cursor is the id
/// of the block.
pub fn domains_page(
    conn: &mut Conn,
    account: AccountId,
    request: PageRequest,
) -> Result<Page<String>> {
    let query = account_domain_blocks::table
        .filter(account_domain_blocks::account_id.eq(account))
        .select((account_domain_blocks::id, account_domain_blocks::domain));
    let rows: Vec<(DomainBlockId, String)> =
        cut_rows!(conn, query, account_domain_blocks::id, request)?;
    let page = page(rows, request, |(id, _)| id.get());
    let domains = page.items.iter().map(|(_, domain)| domain.clone()).collect();
    Ok(page.with_items(domains))
}

/// Returns accounts of a domain that have a follow or a follow request with the account, in either
/// direction: at most `limit`, ordered by id.
pub fn related_to_domain(
    conn: &mut Conn,
    account: AccountId,
    domain: &str,
    limit: i64,
) -> Result<Vec<AccountId>> {
    /// Loads the accounts in column `$other` of the rows with the account in column `$own`.
    macro_rules! related {
        ($table:ident, $own:ident, $other:ident) => {{
            let of_domain = row_exists!(
                regarded
                    .filter(regarded.field(accounts::id).eq($table::$other))
                    .filter(regarded.field(accounts::domain).eq(domain)),
            );
            let related: Vec<AccountId> = $table::table
                .filter($table::$own.eq(account))
                .filter(of_domain)
                .select($table::$other)
                .limit(limit)
                .load(conn)?;
            related
        }};
    }
    let mut all = related!(follows, account_id, target_account_id);
    all.extend(related!(follows, target_account_id, account_id));
    all.extend(related!(follow_requests, account_id, target_account_id));
    all.extend(related!(follow_requests, target_account_id, account_id));
    all.sort_unstable();
    all.dedup();
    all.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(all)
}
