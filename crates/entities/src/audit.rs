//! The audit log: what staff and the operator did.

use siskin_ids::{AccountId, AuditEntryId};

use crate::{
    Timestamp,
    named::{names, parses},
};

/// Who did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Actor {
    /// A member of staff.
    Staff(AccountId),
    /// The operator, by a command.
    Operator,
}

impl Actor {
    /// Returns the account of a member of staff. `None` for the operator.
    #[must_use]
    pub const fn account(self) -> Option<AccountId> {
        match self {
            Self::Staff(account) => Some(account),
            Self::Operator => None,
        }
    }
}

/// What was done with the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuditAction {
    /// Let all users know of terms of service by email.
    Announce,
    /// Approved a sign-up, an appeal, or something that would trend.
    Approve,
    /// Assigned a report to oneself.
    Assign,
    /// Replaced the email address of a user.
    ChangeEmail,
    /// Replaced the password of a user.
    ChangePassword,
    /// Changed the role of an account.
    ChangeRole,
    /// Confirmed the email address of a user.
    Confirm,
    /// Created a record.
    Create,
    /// Created an access token for an account.
    CreateToken,
    /// Deleted a record, a status, or the data of an account.
    Delete,
    /// Disabled the login of a user.
    Disable,
    /// Enabled the login of a user again.
    Enable,
    /// Marked the media of an account or a status as sensitive.
    MarkSensitive,
    /// Rejected a sign-up, an appeal, or something that would trend.
    Reject,
    /// Removed the logins at external providers of a user.
    RemoveExternalLogins,
    /// Removed the second factor of a user.
    RemoveSecondFactor,
    /// Opened a resolved report again.
    Reopen,
    /// Resolved a report.
    Resolve,
    /// Undid the rejection of a sign-up.
    Restore,
    /// Let a failed job run again.
    Retry,
    /// Revoked an access token.
    RevokeToken,
    /// Silenced an account.
    Silence,
    /// Suspended an account.
    Suspend,
    /// Ended the assignment of a report.
    Unassign,
    /// Ended the marking of the media of an account as sensitive.
    UnmarkSensitive,
    /// Ended the silence of an account.
    Unsilence,
    /// Ended the suspension of an account.
    Unsuspend,
    /// Changed a record.
    Update,
    /// Warned an account.
    Warn,
}

names!(AuditAction {
    Announce = "announce",
    Approve = "approve",
    Assign = "assign",
    ChangeEmail = "change_email",
    ChangePassword = "change_password",
    ChangeRole = "change_role",
    Confirm = "confirm",
    Create = "create",
    CreateToken = "create_token",
    Delete = "delete",
    Disable = "disable",
    Enable = "enable",
    MarkSensitive = "mark_sensitive",
    Reject = "reject",
    RemoveExternalLogins = "remove_external_logins",
    RemoveSecondFactor = "remove_second_factor",
    Reopen = "reopen",
    Resolve = "resolve",
    Restore = "restore",
    Retry = "retry",
    RevokeToken = "revoke_token",
    Silence = "silence",
    Suspend = "suspend",
    Unassign = "unassign",
    UnmarkSensitive = "unmark_sensitive",
    Unsilence = "unsilence",
    Unsuspend = "unsuspend",
    Update = "update",
    Warn = "warn",
});
parses!(
    /// Error for a name that is no action of the audit log.
    AuditAction, UnknownAuditAction: "unknown action"
);

/// Kind of an [`AuditTarget`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TargetKind {
    /// An account, local or remote.
    Account,
    /// An announcement.
    Announcement,
    /// An appeal against a strike.
    Appeal,
    /// A client application.
    Application,
    /// A block of an email address in all its spellings.
    CanonicalEmailBlock,
    /// A custom emoji.
    CustomEmoji,
    /// A server that may federate.
    DomainAllow,
    /// A block of a server.
    DomainBlock,
    /// A block of email addresses at a domain.
    EmailDomainBlock,
    /// The picture of the instance.
    InstancePicture,
    /// A text about the instance, such as the privacy policy.
    InstanceText,
    /// An invite, by which a user lets others sign up.
    Invite,
    /// A block of IP addresses.
    IpBlock,
    /// A background job.
    Job,
    /// A link that may trend.
    Link,
    /// A website with links that may trend.
    LinkPublisher,
    /// A report.
    Report,
    /// A note of staff on a report.
    ReportNote,
    /// A role.
    Role,
    /// A rule of the instance.
    Rule,
    /// A setting.
    Setting,
    /// A status.
    Status,
    /// A hashtag.
    Tag,
    /// A text for warnings that staff use again.
    WarningPreset,
}

names!(TargetKind {
    Account = "account",
    Announcement = "announcement",
    Appeal = "appeal",
    Application = "application",
    CanonicalEmailBlock = "canonical_email_block",
    CustomEmoji = "custom_emoji",
    DomainAllow = "domain_allow",
    DomainBlock = "domain_block",
    EmailDomainBlock = "email_domain_block",
    InstancePicture = "instance_picture",
    InstanceText = "instance_text",
    Invite = "invite",
    IpBlock = "ip_block",
    Job = "job",
    Link = "link",
    LinkPublisher = "link_publisher",
    Report = "report",
    ReportNote = "report_note",
    Role = "role",
    Rule = "rule",
    Setting = "setting",
    Status = "status",
    Tag = "tag",
    WarningPreset = "warning_preset",
});
parses!(
    /// Error for a name that is no kind of target.
    TargetKind, UnknownTargetKind: "unknown kind of target"
);

/// What an action changed. It names the target as it was called at that time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AuditTarget {
    /// Kind of the target.
    pub kind: TargetKind,
    /// Number of the id. `None` for targets without one, such as settings.
    pub id: Option<i64>,
    /// Name of the target, such as `@bob` or a domain. It contains no text of users.
    pub name: String,
}

/// An entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AuditEntry {
    /// Id, which orders the log.
    pub id: AuditEntryId,
    /// Who did it.
    pub actor: Actor,
    /// Name of the member of staff at that time; empty for the operator.
    pub actor_name: String,
    /// What was done.
    pub action: AuditAction,
    /// What it was done to.
    pub target: AuditTarget,
    /// When it was done.
    pub created_at: Timestamp,
}
