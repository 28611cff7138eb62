//! Domain views of local and remote accounts, as used by all layers above storage.

use std::{ops::Deref, sync::Arc};

use siskin_ids::{AccountId, RoleId};
use siskin_text::ContentType;

use crate::{
    emoji::CustomEmoji, picture::Picture, quote::QuotePolicy, rendered::Rendered,
    status::Visibility, time::Timestamp, urls::Urls,
};

/// Protocol through which this server knows an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// The account lives on this server.
    Local,
    /// The account lives on another server, which speaks `ActivityPub`.
    ActivityPub,
    /// The account comes from the older `OStatus` protocol and cannot be followed.
    OStatus,
}

impl Protocol {
    /// Returns the stored name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::ActivityPub => "activitypub",
            Self::OStatus => "ostatus",
        }
    }

    /// Returns the protocol with this stored name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Local, Self::ActivityPub, Self::OStatus].into_iter().find(|p| p.as_str() == name)
    }
}

/// One row of the table on a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Label, as plain text.
    pub name: String,
    /// Value as typed.
    pub value: String,
    /// Value as sanitised HTML.
    pub value_html: String,
    /// Time when the page in the value was found to link back; `None` if it was not.
    pub verified_at: Option<Timestamp>,
}

/// Restrictions of an account that its owner did not choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AccountState {
    /// Moderators suspended the account: it is shown as an empty shell.
    pub suspended: bool,
    /// Moderators limited the account: it is shown only to its followers and to direct look-ups.
    pub silenced: bool,
    /// `false` while a local account is unconfirmed or pending approval. Only the lookup endpoint
    /// finds such an account.
    pub reachable: bool,
}

/// Role of local users. `permissions` is the bit mask that Mastodon's API defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// Id of the role.
    pub id: RoleId,
    /// Name that is shown; empty for the base role.
    pub name: String,
    /// `#rrggbb`, or empty.
    pub color: String,
    /// Bit mask of permissions, as in Mastodon's API.
    pub permissions: i64,
    /// Rank of the role: a higher number may act on a lower one.
    pub position: i32,
    /// Whether the role is shown on the profile.
    pub highlighted: bool,
}

impl Role {
    /// Id of the base role of all users, which clients know for it.
    pub const EVERYONE: RoleId = RoleId::new(-99);

    /// Returns the base role of all users, without permissions.
    #[must_use]
    pub const fn everyone() -> Self {
        Self {
            id: Self::EVERYONE,
            name: String::new(),
            color: String::new(),
            permissions: 0,
            position: 0,
            highlighted: false,
        }
    }

    /// Returns `true` for the base role of all users.
    #[must_use]
    pub fn is_everyone(&self) -> bool {
        self.id == Self::EVERYONE
    }
}

/// Snapshot of an account: the part that depends on its version only, not on the viewer. It is
/// cached and shared by all views that contain the account.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent choice of the owner")]
pub struct AccountSnapshot {
    /// Id of the account on this server.
    pub id: AccountId,
    /// Name without the domain, in the case in which it was chosen.
    pub username: String,
    /// `None` for a local account.
    pub domain: Option<String>,
    /// Name as plain text with emoji shortcodes; may be empty.
    pub display_name: String,
    /// Biography as typed.
    pub note: String,
    /// Biography as sanitised HTML.
    pub note_html: String,
    /// Rows of the table on the profile.
    pub fields: Vec<Field>,
    /// `None` shows the placeholder.
    pub avatar: Option<Picture>,
    /// Alternative text of the avatar; may be empty.
    pub avatar_description: String,
    /// Banner image of the profile; `None` shows the placeholder.
    pub header: Option<Picture>,
    /// Alternative text of the header; may be empty.
    pub header_description: String,
    /// Custom emojis used in the display name, the note and the fields.
    pub emojis: Vec<CustomEmoji>,
    /// Whether the owner approves follow requests manually.
    pub locked: bool,
    /// Whether the owner marked the account as automated.
    pub bot: bool,
    /// Whether the owner wants to be listed and suggested; `None` if they have not chosen.
    pub discoverable: Option<bool>,
    /// Whether the owner allows that public statuses are found by search.
    pub indexable: bool,
    /// The owner hides the lists of followers and followed accounts.
    pub hide_collections: bool,
    /// Whether clients show the tab with media.
    pub show_media: bool,
    /// Whether the tab with media includes replies.
    pub show_media_replies: bool,
    /// Whether clients show the tab with featured content.
    pub show_featured: bool,
    /// Domains that may attribute their articles to this account.
    pub attribution_domains: Vec<String>,
    /// Whether the profile commemorates an owner who died.
    pub memorial: bool,
    /// Identifier of the account among servers.
    pub uri: String,
    /// Address of the profile page of a remote account; `None` if unknown. That of a local account
    /// follows from its name.
    pub url: Option<String>,
    /// Protocol through which the account is known.
    pub protocol: Protocol,
    /// Restrictions by the moderators.
    pub state: AccountState,
    /// Moderators marked all media of the account as sensitive.
    pub sensitized: bool,
    /// Time when the account was created.
    pub created_at: Timestamp,
    /// Role of the local user; `None` for remote accounts and for users without a role.
    pub role: Option<Role>,
}

impl AccountSnapshot {
    /// Builds a local account with this name, created at `created_at`, and nothing else: all texts
    /// and lists are empty, all flags are `false`, except that the profile shows all its tabs.
    ///
    /// ```
    /// use siskin_entities::{AccountSnapshot, Protocol, Timestamp};
    /// use siskin_ids::AccountId;
    ///
    /// let now = Timestamp::from_unix_ms(1_795_766_400_000);
    /// let remote = AccountSnapshot {
    ///     domain: Some("remote.example".to_owned()),
    ///     protocol: Protocol::ActivityPub,
    ///     ..AccountSnapshot::new(AccountId::new(7), "bob", now)
    /// };
    /// assert_eq!(remote.acct(), "bob@remote.example");
    /// ```
    #[must_use]
    pub fn new(id: AccountId, username: &str, created_at: Timestamp) -> Self {
        Self {
            id,
            username: username.to_owned(),
            domain: None,
            display_name: String::new(),
            note: String::new(),
            note_html: String::new(),
            fields: Vec::new(),
            avatar: None,
            avatar_description: String::new(),
            header: None,
            header_description: String::new(),
            emojis: Vec::new(),
            locked: false,
            bot: false,
            discoverable: None,
            indexable: false,
            hide_collections: false,
            show_media: true,
            show_media_replies: true,
            show_featured: true,
            attribution_domains: Vec::new(),
            memorial: false,
            uri: String::new(),
            url: None,
            protocol: Protocol::Local,
            state: AccountState { suspended: false, silenced: false, reachable: true },
            sensitized: false,
            created_at,
            role: None,
        }
    }

    /// Returns `true` if the account lives on this server.
    #[must_use]
    pub const fn is_local(&self) -> bool {
        self.domain.is_none()
    }

    /// Returns `username` for a local account, `username@domain` for a remote one.
    #[must_use]
    pub fn acct(&self) -> String {
        acct(&self.username, self.domain.as_deref())
    }

    /// Returns the address of its profile: on this server for a local account, otherwise the stored
    /// one. Returns `None` if a remote account has none.
    #[must_use]
    pub fn page(&self, urls: &Urls) -> Option<String> {
        if self.is_local() { Some(urls.profile(&self.username)) } else { self.url.clone() }
    }

    /// Returns the address of its profile, or its identifier among servers if it has none.
    #[must_use]
    pub fn page_or_uri(&self, urls: &Urls) -> String {
        self.page(urls).unwrap_or_else(|| self.uri.clone())
    }

    /// Returns the approximate memory use in bytes, including the cached JSON.
    #[must_use]
    pub fn memory(&self) -> usize {
        let texts = [&self.username, &self.display_name, &self.note_html, &self.uri];
        let texts: usize = texts.iter().map(|text| text.len()).sum();
        let line = |field: &Field| field.name.len() + field.value.len() + field.value_html.len();
        let lines: usize = self.fields.iter().map(line).sum();
        let emojis = EMOJI * self.emojis.len();
        self.note.len() + 2 * (size_of::<Rendered<Self>>() + texts + lines + emojis)
    }
}

/// Returns `username` for an account of this server, `username@domain` for a remote one.
#[must_use]
pub fn acct(username: &str, domain: Option<&str>) -> String {
    match domain {
        None => username.to_owned(),
        Some(domain) => format!("{username}@{domain}"),
    }
}

/// Assumed memory use of one emoji of an account, in bytes.
const EMOJI: usize = 256;

/// Account with its counters, complete enough to be rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Snapshot of the account. `Deref` makes its fields readable directly on the account.
    pub snapshot: Arc<Rendered<AccountSnapshot>>,
    /// Account that the owner moved to, if it is reachable and has not moved on itself.
    pub moved: Option<Arc<Self>>,
    /// Time of the newest status; `None` if there is none.
    pub last_status_at: Option<Timestamp>,
    /// Number of statuses and reblogs.
    pub statuses_count: i64,
    /// Number of followers.
    pub followers_count: i64,
    /// Number of followed accounts.
    pub following_count: i64,
}

impl Account {
    /// Builds the account of a snapshot, without followers and statuses.
    #[must_use]
    pub fn new(snapshot: AccountSnapshot) -> Self {
        Self {
            snapshot: Arc::new(snapshot.into()),
            moved: None,
            last_status_at: None,
            statuses_count: 0,
            followers_count: 0,
            following_count: 0,
        }
    }

    /// Returns the snapshot for changes. A shared snapshot is copied first, so that other views do
    /// not change. The cached JSON is dropped.
    pub fn snapshot_mut(&mut self) -> &mut AccountSnapshot {
        Arc::make_mut(&mut self.snapshot).get_mut()
    }
}

impl Deref for Account {
    type Target = AccountSnapshot;

    fn deref(&self) -> &AccountSnapshot {
        &self.snapshot
    }
}

/// Private preferences and login state of a local user, shown only to the account itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Id of the user's account.
    pub account_id: AccountId,
    /// Email address.
    pub email: String,
    /// Language code of the user interface; `None` if the user has not chosen one.
    pub locale: Option<String>,
    /// Role of the user; `None` stands for the base role.
    pub role: Option<Role>,
    /// Whether the email address is confirmed.
    pub confirmed: bool,
    /// Whether staff approved the sign-up, or no approval was needed.
    pub approved: bool,
    /// Staff disabled sign-in for this user.
    pub disabled: bool,
    /// Whether the account is suspended.
    pub suspended: bool,
    /// Visibility of new statuses if the client does not name one.
    pub default_privacy: Visibility,
    /// Whether new statuses are marked as sensitive if the client does not say.
    pub default_sensitive: bool,
    /// Language code of new statuses; `None` if it is detected.
    pub default_language: Option<String>,
    /// Content type of new statuses if the client does not name one.
    pub default_content_type: ContentType,
    /// Accounts that may quote new statuses if the client does not say.
    pub default_quote_policy: QuotePolicy,
    /// Number of pending follow requests.
    pub follow_requests_count: i64,
}
