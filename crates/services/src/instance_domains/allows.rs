//! Domains that staff allow, for servers that federate with allowed ones only.

use siskin_entities::{Actor, AuditAction, InstanceDomainAllow, Page, PageRequest, TargetKind};
use siskin_ids::InstanceDomainAllowId;
use siskin_persistence::{Conn, Tx, instance_domains as rows};

use super::domain;
use crate::{Error, LISTED_AT_ONCE, Result, audit};

/// Allows a domain. Returns the existing record if it is allowed already.
///
/// # Errors
/// [`Error::Invalid`] if the text is no domain. [`Error::Conflict`] if the record is deleted at the
/// same time.
pub fn allow(tx: &mut Tx<'_>, actor: Actor, typed: &str) -> Result<InstanceDomainAllow> {
    let domain = domain(typed)?;
    if let Some(existing) = rows::find_allow_of(tx, &domain)? {
        return Ok(existing);
    }
    if let Some(created) = rows::allow(tx, &domain)? {
        record(tx, actor, AuditAction::Create, &created)?;
        return Ok(created);
    }
    // Another request was faster.
    let created = rows::find_allow_of(tx, &domain)?;
    created.ok_or_else(|| Error::Conflict("Another request changed this, try again".to_owned()))
}

/// Deletes the record of an allowed domain, and returns it.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id.
pub fn disallow(
    tx: &mut Tx<'_>,
    actor: Actor,
    id: InstanceDomainAllowId,
) -> Result<InstanceDomainAllow> {
    let allow = find_allow(tx, id)?;
    if !rows::delete_allow(tx, id)? {
        return Err(Error::NotFound);
    }
    record(tx, actor, AuditAction::Delete, &allow)?;
    Ok(allow)
}

/// Returns the record with this id.
///
/// # Errors
/// [`Error::NotFound`] if there is none.
pub fn find_allow(conn: &mut Conn, id: InstanceDomainAllowId) -> Result<InstanceDomainAllow> {
    rows::find_allow(conn, id)?.ok_or(Error::NotFound)
}

/// Returns the record of a domain, in any spelling.
///
/// # Errors
/// [`Error::NotFound`] if there is none. [`Error::Invalid`] if the text is no domain.
pub fn find_allow_by_domain(conn: &mut Conn, typed: &str) -> Result<InstanceDomainAllow> {
    rows::find_allow_of(conn, &domain(typed)?)?.ok_or(Error::NotFound)
}

/// Returns a page of allowed domains, the latest first.
///
/// # Errors
/// Storage errors only.
pub fn list_allows(conn: &mut Conn, request: PageRequest) -> Result<Page<InstanceDomainAllow>> {
    Ok(rows::list_allows(conn, request)?)
}

/// Returns all allowed domains, the oldest first.
///
/// # Errors
/// Storage errors only.
pub fn list_all_allows(conn: &mut Conn) -> Result<Vec<InstanceDomainAllow>> {
    let mut all: Vec<InstanceDomainAllow> = Vec::new();
    loop {
        let some = rows::allows_after(conn, all.last().map(|last| last.id), LISTED_AT_ONCE)?;
        if some.is_empty() {
            return Ok(all);
        }
        all.extend(some);
    }
}

fn record(
    tx: &mut Tx<'_>,
    actor: Actor,
    action: AuditAction,
    allow: &InstanceDomainAllow,
) -> Result<()> {
    let target = audit::target(TargetKind::DomainAllow, allow.id.get(), &allow.domain);
    audit::record(tx, actor, action, &target)
}
