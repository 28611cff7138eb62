//! The domain as pure values: what an account, a status, a relationship or a notification is,
//! and the rules that need no storage. No I/O, no JSON, no SQL.

pub mod account;
pub mod application;
pub mod card;
mod emoji;
pub mod instance;
pub mod marker;
pub mod media;
pub mod notification;
pub mod paging;
mod picture;
pub mod polls;
pub mod relationship;
pub mod rule;
mod scheduled;
pub mod session;
pub mod settings;
pub mod status;
pub mod suggestion;
pub mod tag;
pub mod time;
pub mod translation;
pub mod urls;

pub use account::{Account, AccountState, Credentials, Field, Protocol, Role};
pub use application::Application;
pub use card::{CardImage, CardKind, PreviewCard};
pub use emoji::CustomEmoji;
pub use instance::{InstanceCounts, InstanceFacts, InstanceLimits};
pub use marker::{Marker, MarkerTimeline, Markers};
pub use media::{Focus, MediaAttachment, MediaKind, MediaMeta, MediaStage};
pub use notification::{Notification, NotificationKind};
pub use paging::{Cursor, Page, PageRequest};
pub use picture::Picture;
pub use polls::Poll;
pub use relationship::Relationship;
pub use rule::Rule;
pub use scheduled::ScheduledStatus;
pub use session::{AuthorizedApplication, Session};
pub use settings::Settings;
pub use siskin_text::ContentType;
pub use status::{Status, StatusBody, StatusEdit, ViewerState, Visibility};
pub use suggestion::{Suggestion, SuggestionSource};
pub use tag::{Tag, TagDay};
pub use time::Timestamp;
pub use translation::Translation;
pub use urls::Urls;
