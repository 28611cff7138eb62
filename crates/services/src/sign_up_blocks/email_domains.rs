//! Blocks of email domains. A block includes the subdomains.

use siskin_entities::{
    Actor, AuditAction, AuditTarget, EmailDomainBlock, Page, PageRequest, TargetKind, Timestamp,
};
use siskin_ids::EmailDomainBlockId;
use siskin_persistence::{Conn, Tx, sign_up_blocks::email_domains as rows};
use siskin_text::normalise_domain;

use crate::{Error, Result, audit};

/// Blocks a domain, as typed, and its subdomains.
///
/// # Errors
/// [`Error::Invalid`] if it is no domain, or is blocked already.
pub fn create(tx: &mut Tx<'_>, actor: Actor, typed: &str) -> Result<EmailDomainBlock> {
    let domain = domain(typed)?;
    let Some(id) = rows::insert(tx, &domain)? else {
        return Err(Error::validation("Domain is already blocked"));
    };
    let now = tx.now();
    let block = find(tx, id, now)?;
    audit::record(tx, actor, AuditAction::Create, &target(&block))?;
    Ok(block)
}

/// Returns the stored form of a domain. Email has no ports, so a domain with one is refused. A block
/// includes the subdomains in any case, so `*.a.example` is `a.example`.
fn domain(typed: &str) -> Result<String> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Err(Error::validation("Domain can't be blank"));
    }
    let typed = typed.strip_prefix("*.").unwrap_or(typed);
    // A star stands for nothing else.
    let typed = Some(typed).filter(|typed| !typed.contains('*')).unwrap_or_default();
    let domain = normalise_domain(typed).filter(|domain| !domain.contains(':'));
    domain.ok_or_else(|| Error::validation("Domain is not a valid domain name"))
}

/// Returns a block, with the sign-ups that it refused in the last days.
///
/// # Errors
/// [`Error::NotFound`].
pub fn find(conn: &mut Conn, id: EmailDomainBlockId, now: Timestamp) -> Result<EmailDomainBlock> {
    rows::find(conn, id, now)?.ok_or(Error::NotFound)
}

/// Returns the block of a domain, as typed. A block of a parent domain is another one.
///
/// # Errors
/// [`Error::Invalid`] if it is no domain; [`Error::NotFound`] if it is not blocked.
pub fn of_domain(conn: &mut Conn, typed: &str, now: Timestamp) -> Result<EmailDomainBlock> {
    let found = rows::of_domains(conn, [domain(typed)?])?.pop();
    find(conn, found.ok_or(Error::NotFound)?, now)
}

/// Returns a page of the blocks, newest first.
///
/// # Errors
/// Storage errors only.
pub fn list(
    conn: &mut Conn,
    request: PageRequest,
    now: Timestamp,
) -> Result<Page<EmailDomainBlock>> {
    Ok(rows::list(conn, request, now)?)
}

/// Deletes a block.
///
/// # Errors
/// [`Error::NotFound`].
pub fn delete(tx: &mut Tx<'_>, actor: Actor, id: EmailDomainBlockId) -> Result<()> {
    let now = tx.now();
    let block = find(tx, id, now)?;
    // Of two simultaneous deletions, only one writes an entry.
    if !rows::delete(tx, id)? {
        return Err(Error::NotFound);
    }
    audit::record(tx, actor, AuditAction::Delete, &target(&block))
}

fn target(block: &EmailDomainBlock) -> AuditTarget {
    audit::target(TargetKind::EmailDomainBlock, block.id.get(), block.domain.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_stored_in_one_form() {
        for (typed, stored) in [
            (" Example.COM ", "example.com"),
            ("BÜCHER.example", "xn--bcher-kva.example"),
            ("localhost", "localhost"),
            (" *.Mail.example ", "mail.example"),
        ] {
            assert_eq!(domain(typed).unwrap(), stored);
        }
        for wrong in [
            "",
            " ",
            "a b",
            "ann@example.com",
            "example.com.",
            "example.com:25",
            "http://a.example",
            "*",
            "*.",
            "*.*.a.example",
            "a.*.example",
        ] {
            assert!(domain(wrong).is_err(), "{wrong}");
        }
    }
}
