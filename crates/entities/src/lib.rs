//! The domain as pure values: what an account, a status, a relationship or a notification is,
//! and the rules that need no storage. No I/O, no JSON, no SQL.

#![warn(missing_docs)]

pub mod account;
pub mod activity;
pub mod admin_account;
pub mod announcement;
pub mod application;
pub mod audit;
pub mod card;
mod conversation;
mod decision;
mod email;
mod emoji;
pub mod export;
pub mod external_login;
pub mod feed;
pub mod filters;
mod first_step;
pub mod instance;
pub mod instance_domain;
mod instance_picture;
pub mod instance_text;
pub mod invite;
pub mod job;
pub mod list;
pub mod marker;
pub mod measure;
pub mod media;
mod named;
mod network;
pub mod notification;
pub mod paging;
mod picture;
pub mod polls;
pub mod push;
pub mod quote;
pub mod relationship;
mod rendered;
pub mod report;
mod review;
pub mod rule;
mod scheduled;
pub mod search;
pub mod session;
pub mod settings;
pub mod sign_up_block;
pub mod status;
pub mod strike;
pub mod suggestion;
pub mod tag;
pub mod time;
pub mod translation;
mod trend;
pub mod urls;
pub mod usage;
mod viewer_details;
pub mod viewer_relations;
mod warning_preset;

pub use account::{
    Account, AccountSnapshot, AccountState, Credentials, Field, Protocol, Role, acct,
};
pub use activity::{Week, WeeklyActivity};
pub use admin_account::{
    AccountOrigin, AdminAccount, AdminAccountState, AdminUser, SignUpAction, UsedIp,
};
pub use announcement::{Announcement, AnnouncementReaction, ShownAnnouncement};
pub use application::Application;
pub use audit::{Actor, AuditAction, AuditEntry, AuditTarget, TargetKind};
pub use card::{CardImage, CardKind, PreviewCard};
pub use conversation::Conversation;
pub use decision::{DecisionResult, ReportAction, UndoAction};
pub use email::EmailTopic;
pub use emoji::CustomEmoji;
pub use export::{ArchivePart, Export, ExportKind, ExportPart};
pub use external_login::{ExternalIdentity, ExternalPerson, ExternalProvider};
pub use filters::{Filter, FilterContext, FilterSet, Marked};
pub use first_step::{FirstStep, StepState};
pub use instance::{Feeds, FeedsByOrigin, InstanceCounts, InstanceFacts, InstanceLimits};
pub use instance_domain::{
    BlockValues, DomainBlockEffect, DomainBlockImport, DomainBlockPreview, DomainLimits,
    DomainSeverity, ImportResult, ImportedLine, InstanceDomainAllow, InstanceDomainBlock,
    ShownDomainBlock,
};
pub use instance_picture::{InstancePicture, PictureVersion};
pub use instance_text::{
    InstanceTexts, ShownText, SourceText, TermsOfService, TermsVersion, TextName,
};
pub use invite::Invite;
pub use job::{JobState, StoredJob};
pub use list::{List, RepliesPolicy};
pub use marker::{Marker, MarkerTimeline, Markers};
pub use measure::{Cohort, DayRange, Dimension, DimensionKey, Frequency, Measure, MeasureKey};
pub use media::{Focus, MediaAttachment, MediaKind, MediaMeta, MediaStage};
pub use network::{InvalidNetwork, Network};
pub use notification::{
    GroupKey, GroupedNotifications, Notification, NotificationGroup, NotificationKind,
    NotificationPolicy, NotificationRecord, NotificationRequest, PendingNotifications,
    PolicyAction, PolicyRule,
};
pub use paging::{Cursor, Page, PageRequest};
pub use picture::Picture;
pub use polls::Poll;
pub use push::{NotificationType, PushAlerts, PushMessage, PushPolicy, PushSubscription};
pub use quote::{Quote, QuoteApproval, QuotePermission, QuotePolicy, QuoteState};
pub use relationship::Relationship;
pub use rendered::Rendered;
pub use report::{AdminReport, Report, ReportCategory, ReportNote, ShownReport};
pub use review::Review;
pub use rule::Rule;
pub use scheduled::ScheduledStatus;
pub use search::StatusQuery;
pub use session::{AuthorizedApplication, Session};
pub use settings::Settings;
pub use sign_up_block::{
    BlockDay, CanonicalEmailBlock, EmailDomainBlock, IpBlock, IpBlockSeverity, UnknownSeverity,
};
pub use siskin_text::ContentType;
pub use status::{
    RenderedStatus, Status, StatusBody, StatusDraft, StatusEdit, StatusSnapshot, StatusSource,
    ViewerState, Visibility,
};
pub use strike::{Appeal, AppealState, Strike, StrikeAction, StrikeStatus};
pub use suggestion::{Suggestion, SuggestionSource};
pub use tag::{FeaturedTag, Tag, TagDay};
pub use time::Timestamp;
pub use translation::Translation;
pub use trend::{ReviewedTag, TrendingLink};
pub use urls::Urls;
pub use usage::StorageUsage;
pub use viewer_details::{QuoteDetails, ViewerDetails};
pub use viewer_relations::{ListMembers, RelationParts, ViewerRelations};
pub use warning_preset::WarningPreset;

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
