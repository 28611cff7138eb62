//! Blocks that keep people from signing up, as staff see them.

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::{CanonicalEmailBlockId, EmailDomainBlockId, IpBlockId};

use crate::time::Instant;

/// Block of all email addresses at a domain and its subdomains.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminEmailDomainBlock {
    /// Id of the block.
    pub id: EmailDomainBlockId,
    /// Blocked domain.
    pub domain: String,
    /// Time of its creation.
    pub created_at: Instant,
    /// Refused sign-ups of the last seven days, today first.
    #[serde(default)]
    pub history: Vec<AdminEmailDomainBlockHistory>,
}

/// Refused sign-ups of one day.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminEmailDomainBlockHistory {
    /// Unix time in seconds of the midnight that begins the day.
    pub day: String,
    /// Number of different networks that they came from.
    pub accounts: String,
    /// Number of sign-ups.
    pub uses: String,
}

/// Block of an email address in all spellings that reach the same mailbox.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminCanonicalEmailBlock {
    /// Id of the block.
    pub id: CanonicalEmailBlockId,
    /// SHA-256 of the canonical address, in hexadecimal digits.
    pub canonical_email_hash: String,
}

/// Block of the clients of a network.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminIpBlock {
    /// Id of the block.
    pub id: IpBlockId,
    /// The network, such as `192.0.2.0/24`.
    pub ip: String,
    /// `sign_up_requires_approval`, `sign_up_block` or `no_access`.
    pub severity: String,
    /// Comment for staff.
    pub comment: String,
    /// Time of its creation.
    pub created_at: Instant,
    /// Time from which on it has no effect; null if it never expires.
    pub expires_at: Option<Instant>,
}

/// Renders a block of an email domain.
#[must_use]
pub fn render_email_domain(block: &view::EmailDomainBlock) -> AdminEmailDomainBlock {
    AdminEmailDomainBlock {
        id: block.id,
        domain: block.domain.clone(),
        created_at: Instant(block.created_at),
        history: block.history.iter().map(render_day).collect(),
    }
}

fn render_day(day: &view::BlockDay) -> AdminEmailDomainBlockHistory {
    AdminEmailDomainBlockHistory {
        day: day.day.unix_seconds().to_string(),
        accounts: day.accounts.to_string(),
        uses: day.uses.to_string(),
    }
}

/// Renders a block of an email address.
#[must_use]
pub fn render_canonical_email(block: &view::CanonicalEmailBlock) -> AdminCanonicalEmailBlock {
    AdminCanonicalEmailBlock { id: block.id, canonical_email_hash: block.hash.clone() }
}

/// Renders a block of a network.
#[must_use]
pub fn render_ip(block: &view::IpBlock) -> AdminIpBlock {
    AdminIpBlock {
        id: block.id,
        ip: block.network.to_string(),
        severity: block.severity.as_str().to_owned(),
        comment: block.comment.clone(),
        created_at: Instant(block.created_at),
        expires_at: block.expires_at.map(Instant),
    }
}
