//! Blocks that keep people from signing up: of email domains, of email addresses, and of networks.

use siskin_ids::{CanonicalEmailBlockId, EmailDomainBlockId, IpBlockId};

use crate::{
    Network, Timestamp,
    named::{names, parses},
};

/// Block of all email addresses at a domain and its subdomains.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmailDomainBlock {
    /// Id of the block.
    pub id: EmailDomainBlockId,
    /// Domain in lower-case ASCII.
    pub domain: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// Refused sign-ups of the last seven days, today first.
    pub history: Vec<BlockDay>,
}

/// Refused sign-ups of one day (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockDay {
    /// The midnight that begins the day.
    pub day: Timestamp,
    /// Number of different networks that they came from.
    pub accounts: i64,
    /// Number of sign-ups.
    pub uses: i64,
}

/// Block of an email address in all spellings that reach the same mailbox. The address itself is
/// not stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CanonicalEmailBlock {
    /// Id of the block.
    pub id: CanonicalEmailBlockId,
    /// SHA-256 of the canonical address, in lower-case hexadecimal digits.
    pub hash: String,
}

/// Effect of an [`IpBlock`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IpBlockSeverity {
    /// Sign-ups wait for the approval of the staff, even if registrations are open.
    SignUpRequiresApproval,
    /// Sign-ups are refused.
    SignUpBlock,
    /// All requests are refused.
    NoAccess,
}

names!(IpBlockSeverity {
    SignUpRequiresApproval = "sign_up_requires_approval",
    SignUpBlock = "sign_up_block",
    NoAccess = "no_access",
});
parses!(
    /// Error for a name that is no effect of a block.
    IpBlockSeverity, UnknownSeverity: "unknown severity"
);

/// Block of the clients of a network.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IpBlock {
    /// Id of the block.
    pub id: IpBlockId,
    /// Addresses that it applies to.
    pub network: Network,
    /// What it refuses.
    pub severity: IpBlockSeverity,
    /// Comment of the staff, for the staff.
    pub comment: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it loses its effect. `None` if it never does.
    pub expires_at: Option<Timestamp>,
}

impl IpBlock {
    /// Returns `true` if the block has an effect at this time.
    #[must_use]
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|expires_at| now < expires_at)
    }
}
