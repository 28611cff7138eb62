//! Accounts, local and remote, as everything above storage sees them.

use std::{ops::Deref, sync::Arc};

use siskin_ids::{AccountId, RoleId};
use siskin_text::ContentType;

use crate::{
    emoji::CustomEmoji, picture::Picture, rendered::Rendered, status::Visibility, time::Timestamp,
};

/// Which protocol an account came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// It lives here.
    Local,
    /// It lives on another server and speaks `ActivityPub`.
    ActivityPub,
    /// It came by the earlier inter-server protocol and cannot be followed (`interface.md`, Errors 7).
    OStatus,
}

impl Protocol {
    /// The stored name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::ActivityPub => "activitypub",
            Self::OStatus => "ostatus",
        }
    }

    /// The protocol with this stored name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Local, Self::ActivityPub, Self::OStatus].into_iter().find(|p| p.as_str() == name)
    }
}

/// One line of a profile's table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// As typed.
    pub value: String,
    /// Sanitised HTML.
    pub value_html: String,
    pub verified_at: Option<Timestamp>,
}

/// What limits an account, other than what its owner chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AccountState {
    /// Moderators froze the account: it is shown as an empty shell.
    pub suspended: bool,
    /// Moderators limited it: seen by those who follow it or ask for it.
    pub silenced: bool,
    /// False while a local account is unconfirmed or unapproved: only lookup finds it
    /// (`interface.md`, "Account").
    pub reachable: bool,
}

/// A role of local users; `permissions` is the bit mask of the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    pub id: RoleId,
    pub name: String,
    pub color: String,
    pub permissions: i64,
    /// Who stands above whom: a higher number acts on a lower one.
    pub position: i32,
    /// Whether the role is shown on the profile.
    pub highlighted: bool,
}

/// What of an account stays as it is for as long as its version does: shared by all that show it,
/// and kept between them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent choice of the owner")]
pub struct AccountCore {
    pub id: AccountId,
    pub username: String,
    /// None for a local account.
    pub domain: Option<String>,
    pub display_name: String,
    /// As typed.
    pub note: String,
    /// Sanitised HTML.
    pub note_html: String,
    pub fields: Vec<Field>,
    /// None shows the placeholder.
    pub avatar: Option<Picture>,
    /// What the avatar shows, in words; may be empty.
    pub avatar_description: String,
    /// The picture above the profile; None shows the placeholder.
    pub header: Option<Picture>,
    pub header_description: String,
    /// Those that the display name, the note and the fields name.
    pub emojis: Vec<CustomEmoji>,
    pub locked: bool,
    pub bot: bool,
    pub discoverable: Option<bool>,
    pub indexable: bool,
    /// The owner hides whom they follow and who follows them.
    pub hide_collections: bool,
    /// Which pages of the profile clients show: of media, of media in replies, of what is featured.
    pub show_media: bool,
    pub show_media_replies: bool,
    pub show_featured: bool,
    /// Domains whose articles may name the account as their author.
    pub attribution_domains: Vec<String>,
    pub memorial: bool,
    pub uri: String,
    pub url: Option<String>,
    pub protocol: Protocol,
    pub state: AccountState,
    pub created_at: Timestamp,
    /// The local user's role; None for remote accounts and for people without one.
    pub role: Option<Role>,
    /// Raised by every change to any of these.
    pub version: i64,
    /// What the world is shown of these, once it was written.
    pub rendered: Rendered,
}

impl AccountCore {
    /// Whether the account lives on this server.
    #[must_use]
    pub const fn is_local(&self) -> bool {
        self.domain.is_none()
    }

    /// `username` for a local account, `username@domain` for a remote one.
    #[must_use]
    pub fn acct(&self) -> String {
        match &self.domain {
            None => self.username.clone(),
            Some(domain) => format!("{}@{domain}", self.username),
        }
    }

    /// Bytes of memory that it takes together with what is rendered of it, roughly.
    #[must_use]
    pub fn memory(&self) -> usize {
        let texts = [&self.username, &self.display_name, &self.note_html, &self.uri];
        let texts: usize = texts.iter().map(|text| text.len()).sum();
        let line = |field: &Field| field.name.len() + field.value.len() + field.value_html.len();
        let lines: usize = self.fields.iter().map(line).sum();
        let emojis = EMOJI * self.emojis.len();
        self.note.len() + 2 * (size_of::<Self>() + texts + lines + emojis)
    }
}

/// What an emoji of an account takes, in bytes.
const EMOJI: usize = 256;

/// An account with its counters, complete enough to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// What its version names; its fields are read as if they were here.
    pub core: Arc<AccountCore>,
    /// The account that its owner moved to, where that can be reached and has not moved on.
    pub moved: Option<Arc<Self>>,
    pub last_status_at: Option<Timestamp>,
    pub statuses_count: i64,
    pub followers_count: i64,
    pub following_count: i64,
}

impl Account {
    /// The core, to be changed here and nowhere else that it is shown.
    pub fn core_mut(&mut self) -> &mut AccountCore {
        let core = Arc::make_mut(&mut self.core);
        core.rendered = Rendered::default();
        core
    }
}

impl Deref for Account {
    type Target = AccountCore;

    fn deref(&self) -> &AccountCore {
        &self.core
    }
}

/// What a local person chose for their own use; shown to nobody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    pub account_id: AccountId,
    pub email: String,
    pub locale: Option<String>,
    pub role: Option<Role>,
    pub confirmed: bool,
    pub approved: bool,
    /// Staff took the right to sign in.
    pub disabled: bool,
    pub suspended: bool,
    pub default_privacy: Visibility,
    pub default_sensitive: bool,
    pub default_language: Option<String>,
    /// What their statuses are written in where a client does not say.
    pub default_content_type: ContentType,
    pub follow_requests_count: i64,
}
