//! Blocks and allows of other servers: for staff, for others, and the results of extensions of this
//! server (`docs/openapi/domain-blocks.yaml`).

use serde::{Deserialize, Serialize};
use siskin_entities::{self as view, ImportResult};
use siskin_ids::{InstanceDomainAllowId, InstanceDomainBlockId};

use crate::time::Instant;

/// Block of a domain, as staff see it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminDomainBlock {
    /// Id of the block.
    pub id: InstanceDomainBlockId,
    /// The blocked domain.
    pub domain: String,
    /// SHA-256 of the domain in hexadecimal digits.
    #[serde(default)]
    pub digest: String,
    /// Time at which it was created.
    pub created_at: Instant,
    /// `noop`, `silence` or `suspend`.
    pub severity: String,
    /// Whether media of the domain are not fetched.
    pub reject_media: bool,
    /// Whether reports of the domain are ignored.
    pub reject_reports: bool,
    /// Reason for staff; null without one.
    pub private_comment: Option<String>,
    /// Reason that may be shown to others; null without one.
    pub public_comment: Option<String>,
    /// Whether others see the domain with most characters replaced.
    pub obfuscate: bool,
}

/// Domain that may federate, if only allowed ones may.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminDomainAllow {
    /// Id of the record.
    pub id: InstanceDomainAllowId,
    /// The allowed domain.
    pub domain: String,
    /// Time at which it was created.
    pub created_at: Instant,
}

/// Block of a domain, as others see it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct DomainBlock {
    /// The blocked domain; obfuscated if staff chose that.
    pub domain: String,
    /// SHA-256 of the whole domain in hexadecimal digits.
    pub digest: String,
    /// `silence` or `suspend`.
    pub severity: String,
    /// The reason. Absent without one, and if the viewer may not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// Error for a new block that conflicts with an existing one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct DomainBlockConflict {
    /// What went wrong.
    pub error: String,
    /// The existing block.
    pub existing_domain_block: AdminDomainBlock,
}

/// Dry run of a new block.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct DomainBlockPreview {
    /// The domain in its stored form.
    pub domain: String,
    /// `noop`, `silence` or `suspend`.
    pub severity: String,
    /// Number of known accounts that the block would rule.
    pub accounts_count: i64,
    /// Number of follows of accounts of this server that would end.
    pub follows_count: i64,
    /// Number of followers of accounts of this server that would be lost.
    pub followers_count: i64,
    /// Number of statuses that would be hidden.
    pub statuses_count: i64,
    /// The block with which the new one conflicts; null if it can be created.
    pub existing_domain_block: Option<AdminDomainBlock>,
}

/// Import of a list of blocks, or its dry run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct DomainBlockImport {
    /// `true` if nothing was stored.
    pub dry_run: bool,
    /// Number of new blocks.
    pub added: usize,
    /// Number of changed blocks.
    pub changed: usize,
    /// Number of blocks that had the same values already.
    pub unchanged: usize,
    /// Number of lines that were refused because of a block of a parent domain.
    pub conflicting: usize,
    /// Number of lines that are no domain block.
    pub invalid: usize,
    /// The lines in the order of the file.
    pub lines: Vec<ImportedLine>,
    /// The domains that are in several lines, in order.
    #[serde(default)]
    pub repeated: Vec<RepeatedDomain>,
    /// Domains that are blocked here and are not in the list.
    pub only_here: Vec<String>,
}

/// A domain that is in several lines of an imported list. It gets their strictest values.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct RepeatedDomain {
    /// The domain in its stored form.
    pub domain: String,
    /// Numbers of the lines, in order.
    pub lines: Vec<u64>,
}

/// A line of an imported list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ImportedLine {
    /// Number of the line in the file, from 1.
    pub line: u64,
    /// The domain in its stored form, or the text of an invalid line.
    pub domain: String,
    /// `added`, `changed`, `unchanged`, `conflicting` or `invalid`.
    pub result: String,
    /// Why the line was refused; null if it was not.
    pub error: Option<String>,
    /// The block afterwards; null if the line was refused.
    pub domain_block: Option<ImportedBlock>,
    /// The block before a change, or the one with which the line conflicts; otherwise null.
    pub existing_domain_block: Option<AdminDomainBlock>,
}

/// What a line of an imported list makes of a block.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ImportedBlock {
    /// `noop`, `silence` or `suspend`.
    pub severity: String,
    /// Whether media of the domain are not fetched.
    pub reject_media: bool,
    /// Whether reports of the domain are ignored.
    pub reject_reports: bool,
    /// Reason that may be shown to others; null without one.
    pub public_comment: Option<String>,
    /// Whether others see the domain with most characters replaced.
    pub obfuscate: bool,
}

/// Renders a block for staff.
#[must_use]
pub fn render_block(block: &view::InstanceDomainBlock) -> AdminDomainBlock {
    AdminDomainBlock {
        id: block.id,
        domain: block.domain.clone(),
        digest: block.digest.clone(),
        created_at: Instant(block.created_at),
        severity: block.limits.severity.as_str().to_owned(),
        reject_media: block.limits.reject_media,
        reject_reports: block.limits.reject_reports,
        private_comment: block.private_comment.clone(),
        public_comment: block.public_comment.clone(),
        obfuscate: block.obfuscate,
    }
}

/// Renders an allowed domain.
#[must_use]
pub fn render_allow(allow: &view::InstanceDomainAllow) -> AdminDomainAllow {
    AdminDomainAllow {
        id: allow.id,
        domain: allow.domain.clone(),
        created_at: Instant(allow.created_at),
    }
}

/// Renders a block for others, without its comment if the viewer may not see comments.
#[must_use]
pub fn render_shown(block: &view::ShownDomainBlock, comments: Comments) -> DomainBlock {
    DomainBlock {
        domain: block.domain.clone(),
        digest: block.digest.clone(),
        severity: block.severity.as_str().to_owned(),
        comment: block.comment.clone().filter(|_| comments == Comments::Shown),
    }
}

/// Whether a viewer sees the comments of domain blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comments {
    /// The viewer sees them.
    Shown,
    /// The viewer does not see them.
    Hidden,
}

/// Renders the refusal of a new block that conflicts with an existing one.
#[must_use]
pub fn render_conflict(error: &str, existing: &view::InstanceDomainBlock) -> DomainBlockConflict {
    DomainBlockConflict { error: error.to_owned(), existing_domain_block: render_block(existing) }
}

/// Renders the dry run of a new block.
#[must_use]
pub fn render_preview(preview: &view::DomainBlockPreview) -> DomainBlockPreview {
    DomainBlockPreview {
        domain: preview.domain.clone(),
        severity: preview.severity.as_str().to_owned(),
        accounts_count: preview.effect.accounts,
        follows_count: preview.effect.follows,
        followers_count: preview.effect.followers,
        statuses_count: preview.effect.statuses,
        existing_domain_block: preview.conflict.as_ref().map(render_block),
    }
}

/// Renders an import. `translate` translates the reasons of refusals.
#[must_use]
pub fn render_import(
    import: &view::DomainBlockImport,
    translate: impl Fn(&str) -> String,
) -> DomainBlockImport {
    let repeated =
        |(domain, lines): (&str, Vec<u64>)| RepeatedDomain { domain: domain.to_owned(), lines };
    DomainBlockImport {
        dry_run: import.is_dry_run,
        added: import.count(ImportResult::Added),
        changed: import.count(ImportResult::Changed),
        unchanged: import.count(ImportResult::Unchanged),
        conflicting: import.count(ImportResult::Conflicting),
        invalid: import.count(ImportResult::Invalid),
        lines: import.lines.iter().map(|line| render_line(line, &translate)).collect(),
        repeated: import.repeated().into_iter().map(repeated).collect(),
        only_here: import.only_here.clone(),
    }
}

fn render_line(line: &view::ImportedLine, translate: impl Fn(&str) -> String) -> ImportedLine {
    let values = |values: &view::BlockValues| ImportedBlock {
        severity: values.limits.severity.as_str().to_owned(),
        reject_media: values.limits.reject_media,
        reject_reports: values.limits.reject_reports,
        public_comment: values.public_comment.clone(),
        obfuscate: values.obfuscate,
    };
    ImportedLine {
        line: line.number,
        domain: line.domain.clone(),
        result: line.result.as_str().to_owned(),
        error: line.problem.as_deref().map(translate),
        domain_block: line.values.as_ref().map(values),
        existing_domain_block: line.existing.as_ref().map(render_block),
    }
}
