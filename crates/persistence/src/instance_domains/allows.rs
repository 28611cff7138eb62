//! Domains that staff allow.

use diesel::prelude::*;
use siskin_entities::{InstanceDomainAllow, Page, PageRequest, Timestamp};
use siskin_ids::InstanceDomainAllowId;

use crate::{
    Conn, Result, Tx,
    conn::each,
    page::{cut_rows, page},
    schema::instance_domain_allows,
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = instance_domain_allows)]
struct AllowRow {
    id: InstanceDomainAllowId,
    domain: String,
    created_at: i64,
}

impl From<AllowRow> for InstanceDomainAllow {
    fn from(row: AllowRow) -> Self {
        Self { id: row.id, domain: row.domain, created_at: Timestamp::from_unix_ms(row.created_at) }
    }
}

/// Inserts a record for a domain in its stored form. Returns `None` if there is one already.
pub fn allow(tx: &mut Tx<'_>, domain: &str) -> Result<Option<InstanceDomainAllow>> {
    let (id, now) = (InstanceDomainAllowId::new(tx.next_id()), tx.now());
    let row = (
        instance_domain_allows::id.eq(id),
        instance_domain_allows::domain.eq(domain),
        instance_domain_allows::created_at.eq(now.unix_ms()),
    );
    let inserted = each!(&mut **tx, conn => diesel::insert_into(instance_domain_allows::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    let allow = InstanceDomainAllow { id, domain: domain.to_owned(), created_at: now };
    Ok((inserted == 1).then_some(allow))
}

/// Deletes a record. Returns `false` if there was none.
pub fn delete_allow(tx: &mut Tx<'_>, id: InstanceDomainAllowId) -> Result<bool> {
    let allow = instance_domain_allows::table.find(id);
    Ok(diesel::delete(allow).execute(&mut **tx)? == 1)
}

/// Loads the record with this id.
pub fn find_allow(
    conn: &mut Conn,
    id: InstanceDomainAllowId,
) -> Result<Option<InstanceDomainAllow>> {
    let row: Option<AllowRow> = instance_domain_allows::table
        .find(id)
        .select(AllowRow::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(InstanceDomainAllow::from))
}

/// Loads the record of a domain in its stored form.
pub fn find_allow_of(conn: &mut Conn, domain: &str) -> Result<Option<InstanceDomainAllow>> {
    let row: Option<AllowRow> = instance_domain_allows::table
        .filter(instance_domain_allows::domain.eq(domain))
        .select(AllowRow::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(InstanceDomainAllow::from))
}

/// Loads a page of records, the latest first.
pub fn list_allows(conn: &mut Conn, request: PageRequest) -> Result<Page<InstanceDomainAllow>> {
    let query = instance_domain_allows::table.select(AllowRow::as_select());
    let rows: Vec<AllowRow> = cut_rows!(conn, query, instance_domain_allows::id, request)?;
    let allows = rows.into_iter().map(InstanceDomainAllow::from).collect();
    Ok(page(allows, request, |allow| allow.id.get()))
}

/// Loads up to `limit` records after the one with this id, the oldest first.
pub fn allows_after(
    conn: &mut Conn,
    after: Option<InstanceDomainAllowId>,
    limit: i64,
) -> Result<Vec<InstanceDomainAllow>> {
    let rows: Vec<AllowRow> = instance_domain_allows::table
        .filter(instance_domain_allows::id.gt(after.unwrap_or(InstanceDomainAllowId::new(0))))
        .order(instance_domain_allows::id)
        .limit(limit)
        .select(AllowRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(InstanceDomainAllow::from).collect())
}
