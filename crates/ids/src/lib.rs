//! 64-bit time-ordered identifiers: one newtype per kind of record, and the generator.
//!
//! An id is `(unix_ms << 16) | sequence`, a decimal string in the API. This crate depends on no
//! other crate of the project.

#![warn(missing_docs)]

mod generator;
mod typed;

pub use generator::{Generator, NODES, NodeOutOfRange, RESERVED_NODES, first_id_at, unix_ms_of};
pub use typed::{
    AccountId, AnnouncementId, AppealId, ApplicationId, AuditEntryId, BlockId, BookmarkId,
    CanonicalEmailBlockId, ConversationId, CustomEmojiId, DomainBlockId, EmailDomainBlockId,
    EndorsementId, EventId, ExportId, FavouriteId, FeaturedTagId, FilterId, FilterKeywordId,
    FilterStatusId, FollowId, FollowRequestId, InstanceDomainAllowId, InstanceDomainBlockId,
    InvalidId, InviteId, IpBlockId, JobId, ListAccountId, ListId, MediaId, MuteId, NotificationId,
    NotificationRequestId, PollId, PollOptionId, PreviewCardId, PushSubscriptionId, ReportId,
    ReportNoteId, RoleId, RuleId, ScheduledStatusId, SessionId, StatusId, StrikeId, TagFollowId,
    TagId, TokenId, WarningPresetId,
};

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
