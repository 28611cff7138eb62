//! Domain blocks: creation, changes and their end, and what others see of them.

use sha2::{Digest as _, Sha256};
use siskin_entities::{
    Actor, AuditAction, DomainLimits, DomainSeverity, InstanceDomainBlock, Page, PageRequest,
    ShownDomainBlock, TargetKind, Urls,
};
use siskin_ids::InstanceDomainBlockId;
use siskin_persistence::{
    Conn, Tx,
    instance_domains::{self as rows, NewBlock},
};
use siskin_policy::{
    domains::{self, covering},
    limits::MAX_DOMAIN_BLOCK_COMMENT_CHARS,
};
use siskin_text::TextLimit;

use super::{blockable_domain, domain, limits};
use crate::{Error, LISTED_AT_ONCE, Result, audit};

/// Why a block is refused that conflicts with another.
pub const CONFLICT: &str = "A block of this domain or of a parent domain is at least as strict";

/// A new domain block as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockRequest {
    /// The domain as typed.
    pub domain: String,
    pub limits: DomainLimits,
    pub private_comment: Option<String>,
    pub public_comment: Option<String>,
    pub obfuscate: bool,
}

/// Checked domain block that is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDomainBlock(pub(super) NewBlock);

/// Changes of a domain block as they were asked for. `None` keeps a value. An inner `None` removes
/// a comment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeRequest {
    pub severity: Option<DomainSeverity>,
    pub reject_media: Option<bool>,
    pub reject_reports: Option<bool>,
    pub private_comment: Option<Option<String>>,
    pub public_comment: Option<Option<String>>,
    pub obfuscate: Option<bool>,
}

/// Checked changes of a domain block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlockChanges(ChangeRequest);

/// Result of the creation of a domain block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocking {
    Created(InstanceDomainBlock),
    /// Refused, because this block exists already.
    Conflict(InstanceDomainBlock),
}

/// Returns the severity with this name.
///
/// # Errors
/// [`Error::Invalid`] if there is none.
pub fn severity(name: &str) -> Result<DomainSeverity> {
    name.parse().map_err(|_| Error::validation("Severity is not included in the list"))
}

/// Checks a new domain block. White space around texts is trimmed, and an empty comment is none.
///
/// # Errors
/// [`Error::Invalid`] for a text that is no domain, for the domain of this server and its parents,
/// and for a comment that is too long.
pub fn prepare(urls: &Urls, request: &BlockRequest) -> Result<NewDomainBlock> {
    let domain = blockable_domain(urls, &request.domain)?;
    Ok(NewDomainBlock(NewBlock {
        digest: digest(&domain),
        domain,
        limits: request.limits,
        private_comment: private_comment(request.private_comment.as_deref())?,
        public_comment: public_comment(request.public_comment.as_deref())?,
        obfuscate: request.obfuscate,
    }))
}

/// Checks changes of a domain block, as [`prepare`] does.
///
/// # Errors
/// [`Error::Invalid`] for a comment that is too long.
pub fn prepare_changes(request: &ChangeRequest) -> Result<BlockChanges> {
    let ChangeRequest { private_comment: private, public_comment: public, .. } = request;
    let private = private.as_ref().map(|text| private_comment(text.as_deref()));
    let public = public.as_ref().map(|text| public_comment(text.as_deref()));
    Ok(BlockChanges(ChangeRequest {
        private_comment: private.transpose()?,
        public_comment: public.transpose()?,
        ..request.clone()
    }))
}

/// Returns changes that need no check.
pub(super) const fn changes(request: ChangeRequest) -> BlockChanges {
    BlockChanges(request)
}

/// Checks a comment; `too_long` is the error for one that is too long.
fn comment(text: Option<&str>, too_long: &str) -> Result<Option<String>> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    if text.is_some_and(|it| !TextLimit::of(MAX_DOMAIN_BLOCK_COMMENT_CHARS).fits_code_points(it)) {
        return Err(Error::validation(too_long));
    }
    Ok(text.map(str::to_owned))
}

fn private_comment(text: Option<&str>) -> Result<Option<String>> {
    let most = MAX_DOMAIN_BLOCK_COMMENT_CHARS;
    comment(text, &format!("Private comment is too long (at most {most} characters)"))
}

fn public_comment(text: Option<&str>) -> Result<Option<String>> {
    let most = MAX_DOMAIN_BLOCK_COMMENT_CHARS;
    comment(text, &format!("Public comment is too long (at most {most} characters)"))
}

/// Returns the SHA-256 of a domain in hexadecimal digits.
pub(super) fn digest(domain: &str) -> String {
    Sha256::digest(domain.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Creates a domain block. A job then limits the accounts of the domain.
///
/// # Errors
/// [`Error::Conflict`] if a block of the domain is deleted at the same time.
pub fn block(tx: &mut Tx<'_>, actor: Actor, new: &NewDomainBlock) -> Result<Blocking> {
    let result = insert(tx, actor, new)?;
    if let Blocking::Created(block) = &result {
        limits::enqueue(tx, &block.domain)?;
    }
    Ok(result)
}

/// Creates a domain block without the job.
pub(super) fn insert(tx: &mut Tx<'_>, actor: Actor, new: &NewDomainBlock) -> Result<Blocking> {
    let NewDomainBlock(new) = new;
    let present = rows::covering(tx, covering(&new.domain))?;
    if let Some(existing) = domains::conflict(&new.domain, new.limits, &present) {
        return Ok(Blocking::Conflict(existing.clone()));
    }
    if let Some(created) = rows::insert(tx, new)? {
        record(tx, actor, AuditAction::Create, &created)?;
        return Ok(Blocking::Created(created));
    }
    // Another request was faster.
    let existing = rows::covering(tx, [&new.domain])?.pop();
    let gone = || Error::Conflict("Another request changed this, try again".to_owned());
    Ok(Blocking::Conflict(existing.ok_or_else(gone)?))
}

/// Changes a domain block. A job then limits the accounts of the domain accordingly. The block may
/// become weaker than one of a parent domain, because it is then a deliberate exception.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id.
pub fn update(
    tx: &mut Tx<'_>,
    actor: Actor,
    id: InstanceDomainBlockId,
    changes: &BlockChanges,
) -> Result<InstanceDomainBlock> {
    let before = rows::lock(tx, id)?.ok_or(Error::NotFound)?;
    let after = changes.of(&before);
    if after != before {
        store_change(tx, actor, &after)?;
    }
    if after.limits.severity != before.limits.severity {
        limits::enqueue(tx, &after.domain)?;
    }
    Ok(after)
}

/// Writes a changed block without the job.
pub(super) fn store_change(
    tx: &mut Tx<'_>,
    actor: Actor,
    changed: &InstanceDomainBlock,
) -> Result<()> {
    rows::update(tx, changed)?;
    record(tx, actor, AuditAction::Update, changed)
}

impl BlockChanges {
    /// Returns a block with these changes.
    pub(super) fn of(&self, block: &InstanceDomainBlock) -> InstanceDomainBlock {
        let Self(changes) = self;
        let mut changed = block.clone();
        let limits = &mut changed.limits;
        limits.severity = changes.severity.unwrap_or(limits.severity);
        limits.reject_media = changes.reject_media.unwrap_or(limits.reject_media);
        limits.reject_reports = changes.reject_reports.unwrap_or(limits.reject_reports);
        changed.obfuscate = changes.obfuscate.unwrap_or(changed.obfuscate);
        if let Some(comment) = &changes.private_comment {
            changed.private_comment.clone_from(comment);
        }
        if let Some(comment) = &changes.public_comment {
            changed.public_comment.clone_from(comment);
        }
        changed
    }
}

/// Ends a domain block. A job then restores the accounts that it limits.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id.
pub fn unblock(
    tx: &mut Tx<'_>,
    actor: Actor,
    id: InstanceDomainBlockId,
) -> Result<InstanceDomainBlock> {
    let block = find(tx, id)?;
    if !rows::delete(tx, id)? {
        return Err(Error::NotFound);
    }
    record(tx, actor, AuditAction::Delete, &block)?;
    limits::enqueue(tx, &block.domain)?;
    Ok(block)
}

/// Returns the block with this id.
///
/// # Errors
/// [`Error::NotFound`] if there is none.
pub fn find(conn: &mut Conn, id: InstanceDomainBlockId) -> Result<InstanceDomainBlock> {
    rows::find(conn, id)?.ok_or(Error::NotFound)
}

/// Returns the block of exactly this domain, in any spelling.
///
/// # Errors
/// [`Error::NotFound`] if there is none. [`Error::Invalid`] if the text is no domain.
pub fn find_by_domain(conn: &mut Conn, typed: &str) -> Result<InstanceDomainBlock> {
    rows::covering(conn, [domain(typed)?])?.pop().ok_or(Error::NotFound)
}

/// Returns a page of blocks, the latest first.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn, request: PageRequest) -> Result<Page<InstanceDomainBlock>> {
    Ok(rows::list(conn, request)?)
}

/// Returns all blocks, the oldest first.
///
/// # Errors
/// Storage errors only.
pub fn list_all(conn: &mut Conn) -> Result<Vec<InstanceDomainBlock>> {
    let mut all: Vec<InstanceDomainBlock> = Vec::new();
    loop {
        let some = rows::blocks_after(conn, all.last().map(|last| last.id), LISTED_AT_ONCE)?;
        if some.is_empty() {
            return Ok(all);
        }
        all.extend(some);
    }
}

/// Returns the blocks as others see them, in the order of display. The caller decides who sees them
/// and their comments.
///
/// # Errors
/// Storage errors only.
pub fn shown(conn: &mut Conn) -> Result<Vec<ShownDomainBlock>> {
    Ok(domains::shown(rows::with_effect(conn)?))
}

fn record(
    tx: &mut Tx<'_>,
    actor: Actor,
    action: AuditAction,
    block: &InstanceDomainBlock,
) -> Result<()> {
    let target = audit::target(TargetKind::DomainBlock, block.id.get(), &block.domain);
    audit::record(tx, actor, action, &target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_sha_256_in_hexadecimal_digits() {
        // FIPS 180-2, example B.1.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest("abc"), expected);
    }

    #[test]
    fn comments_are_trimmed_and_limited() {
        let read = |text: &str| public_comment(Some(text)).unwrap();
        assert_eq!(read(" Spam\n").as_deref(), Some("Spam"));
        assert_eq!(read(" "), None);
        assert!(read(&"é".repeat(MAX_DOMAIN_BLOCK_COMMENT_CHARS)).is_some());
        let long = "é".repeat(MAX_DOMAIN_BLOCK_COMMENT_CHARS + 1);
        let refused = public_comment(Some(&long)).unwrap_err().to_string();
        assert_eq!(
            refused,
            "Validation failed: Public comment is too long (at most 2000 characters)"
        );
    }
}
