//! The domain as pure values: what an account, a status, a relationship or a notification is,
//! and the rules that need no storage. No I/O, no JSON, no SQL.

#![warn(missing_docs)]

pub mod account;
pub mod announcement;
pub mod application;
pub mod audit;
pub mod card;
mod conversation;
mod email;
mod emoji;
pub mod feed;
pub mod filters;
pub mod instance;
pub mod list;
pub mod marker;
pub mod media;
mod named;
pub mod notification;
pub mod paging;
mod picture;
pub mod polls;
pub mod push;
pub mod quote;
pub mod relationship;
mod rendered;
mod review;
pub mod rule;
mod scheduled;
pub mod search;
pub mod session;
pub mod settings;
pub mod status;
pub mod suggestion;
pub mod tag;
pub mod time;
pub mod translation;
mod trend;
pub mod urls;
mod viewer_details;
pub mod viewer_relations;

pub use account::{Account, AccountSnapshot, AccountState, Credentials, Field, Protocol, Role};
pub use announcement::{Announcement, AnnouncementReaction, ShownAnnouncement};
pub use application::Application;
pub use audit::{Actor, AuditAction, AuditEntry, AuditTarget, TargetKind};
pub use card::{CardImage, CardKind, PreviewCard};
pub use conversation::Conversation;
pub use email::EmailTopic;
pub use emoji::CustomEmoji;
pub use filters::{Filter, FilterContext, FilterSet, Marked};
pub use instance::{Feeds, FeedsByOrigin, InstanceCounts, InstanceFacts, InstanceLimits};
pub use list::{List, RepliesPolicy};
pub use marker::{Marker, MarkerTimeline, Markers};
pub use media::{Focus, MediaAttachment, MediaKind, MediaMeta, MediaStage};
pub use notification::{
    GroupKey, GroupedNotifications, Notification, NotificationGroup, NotificationKind,
    NotificationPolicy, NotificationRequest, PendingNotifications, PolicyAction, PolicyRule,
};
pub use paging::{Cursor, Page, PageRequest};
pub use picture::Picture;
pub use polls::Poll;
pub use push::{NotificationType, PushAlerts, PushMessage, PushPolicy, PushSubscription};
pub use quote::{Quote, QuoteApproval, QuotePermission, QuotePolicy, QuoteState};
pub use relationship::Relationship;
pub use rendered::Rendered;
pub use review::Review;
pub use rule::Rule;
pub use scheduled::ScheduledStatus;
pub use search::StatusQuery;
pub use session::{AuthorizedApplication, Session};
pub use settings::Settings;
pub use siskin_text::ContentType;
pub use status::{
    RenderedStatus, Status, StatusBody, StatusDraft, StatusEdit, StatusSnapshot, StatusSource,
    ViewerState, Visibility,
};
pub use suggestion::{Suggestion, SuggestionSource};
pub use tag::{FeaturedTag, Tag, TagDay};
pub use time::Timestamp;
pub use translation::Translation;
pub use trend::{ReviewedTag, TrendingLink};
pub use urls::Urls;
pub use viewer_details::{QuoteDetails, ViewerDetails};
pub use viewer_relations::{ListMembers, RelationParts, ViewerRelations};

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
