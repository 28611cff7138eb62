//! Accounts, as public profiles and as their owners see them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::{AccountId, RoleId};

use crate::{
    emoji::{self, CustomEmoji},
    lenient::{null_as_default, role_id, yes},
    time::{Day, Instant},
    urls::Urls,
};

/// Public profile. A suspended account keeps only its name, URLs and counters.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Account {
    /// Names, texts and flags. In JSON, the fields are those of the account itself.
    #[serde(flatten)]
    pub snapshot: AccountSnapshot,
    /// Counters. In JSON, the fields are those of the account itself.
    #[serde(flatten)]
    pub counts: AccountCounts,
    /// Account that the owner moved to; absent if they did not move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<Box<Self>>,
}

/// Account that the viewer mutes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct MutedAccount {
    /// The muted account. In JSON, the fields are those of the entity itself.
    #[serde(flatten)]
    pub account: Account,
    /// Null means never.
    pub mute_expires_at: Option<Instant>,
}

/// Account with its followers that the viewer follows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct FamiliarFollowers {
    /// Id of the account that is followed.
    pub id: AccountId,
    /// Followers of the account that the viewer follows, too.
    pub accounts: Vec<Account>,
}

/// Part that depends on the account's version only, so that its bytes can be cached.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent field of the interface")]
pub struct AccountSnapshot {
    /// Id of the account on this server.
    pub id: AccountId,
    /// Name without the domain.
    pub username: String,
    /// `username` for local accounts, `username@domain` for remote ones.
    pub acct: String,
    /// Name as plain text with emoji shortcodes; may be empty.
    pub display_name: String,
    /// Whether the owner approves follow requests manually.
    #[serde(default)]
    pub locked: bool,
    /// Whether the owner marked the account as automated.
    #[serde(default)]
    pub bot: bool,
    /// Whether the owner wants to be listed and suggested; null if they have not chosen.
    pub discoverable: Option<bool>,
    /// Whether the owner allows that public statuses are found by search.
    #[serde(default)]
    pub indexable: bool,
    /// Whether the account is a group. Siskin has none, so it always sends `false`.
    #[serde(default)]
    pub group: bool,
    /// Midnight at the start of the day of sign-up.
    pub created_at: Instant,
    /// Biography as HTML.
    pub note: String,
    /// Address of the profile page; null if unknown.
    pub url: Option<String>,
    /// Identifier of the account among servers; empty if the server sends none.
    #[serde(default)]
    pub uri: String,
    /// Address of the avatar, or of a placeholder.
    pub avatar: String,
    /// Address of the avatar without animation.
    pub avatar_static: String,
    /// Alternative text of the avatar; may be empty.
    #[serde(default)]
    pub avatar_description: String,
    /// Address of the header, or of a placeholder.
    pub header: String,
    /// Address of the header without animation.
    pub header_static: String,
    /// Alternative text of the header; may be empty.
    #[serde(default)]
    pub header_description: String,
    /// Whether the lists of followers and followed accounts are hidden.
    #[serde(default, deserialize_with = "null_as_default")]
    pub hide_collections: bool,
    /// Whether clients show the tab with media.
    #[serde(default = "yes")]
    pub show_media: bool,
    /// Whether the tab with media includes replies.
    #[serde(default = "yes")]
    pub show_media_replies: bool,
    /// Whether clients show the tab with featured content.
    #[serde(default = "yes")]
    pub show_featured: bool,
    /// Custom emojis in the display name, the biography and the fields.
    #[serde(default)]
    pub emojis: Vec<CustomEmoji>,
    /// Roles displayed on the profile; for local accounts only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<AccountRole>>,
    /// Rows of the profile's table, with values as HTML.
    #[serde(default)]
    pub fields: Vec<Field>,
    /// Whether moderators suspended the account. Only present if `true`, like the two fields below.
    #[serde(default, skip_serializing_if = "is_false")]
    pub suspended: bool,
    /// Whether moderators limited the account, so that clients hide it at first.
    #[serde(default, skip_serializing_if = "is_false")]
    pub limited: bool,
    /// Whether the profile commemorates an owner who died.
    #[serde(default, skip_serializing_if = "is_false")]
    pub memorial: bool,
}

/// Counters of an account. They change without a new version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub struct AccountCounts {
    /// Number of followers.
    pub followers_count: i64,
    /// Number of followed accounts.
    pub following_count: i64,
    /// Number of statuses and reblogs.
    pub statuses_count: i64,
    /// Day of the newest status; null if there is none.
    pub last_status_at: Option<Day>,
}

/// Row of the profile's table. `value` is HTML in [`Account`] and plain text in [`Source`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Field {
    /// Label as plain text.
    pub name: String,
    /// HTML in [`Account`], text as typed in [`Source`].
    pub value: String,
    /// Time when the page in the value was found to link back; null if it was not.
    pub verified_at: Option<Instant>,
}

/// Role as a badge on a profile.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AccountRole {
    /// Id of the role.
    #[serde(deserialize_with = "role_id")]
    pub id: RoleId,
    /// Name of the role.
    pub name: String,
    /// `#rrggbb`, or empty.
    pub color: String,
}

/// Role with its permissions.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Role {
    /// Id of the role; -99 is the base role of all users.
    #[serde(deserialize_with = "role_id")]
    pub id: RoleId,
    /// Name of the role; empty for the base role.
    pub name: String,
    /// `#rrggbb`, or empty.
    pub color: String,
    /// Bit mask in decimal.
    pub permissions: String,
    /// Whether the role is a badge on the profiles of its holders.
    pub highlighted: bool,
}

/// The base role of all users, without permissions.
impl Default for Role {
    fn default() -> Self {
        render_role(None)
    }
}

/// Account of the caller.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct CredentialAccount {
    /// Public profile. In JSON, the fields are those of the entity itself.
    #[serde(flatten)]
    pub account: Account,
    /// Editable texts and defaults.
    pub source: Source,
    /// Role of the caller.
    #[serde(default)]
    pub role: Role,
}

/// Editable profile texts as typed, and the defaults for new statuses.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Source {
    /// Default visibility of new statuses: a name of [`view::Visibility`].
    pub privacy: Cow<'static, str>,
    /// Whether new statuses are marked as sensitive by default.
    pub sensitive: bool,
    /// Default language of new statuses; null if it is detected.
    pub language: Option<String>,
    /// Biography as typed.
    pub note: String,
    /// Rows of the profile's table, with values as typed.
    pub fields: Vec<Field>,
    /// Number of pending follow requests.
    pub follow_requests_count: i64,
    /// Whether the lists of followers and followed accounts are hidden.
    #[serde(default, deserialize_with = "null_as_default")]
    pub hide_collections: bool,
    /// Whether the owner wants to be listed and suggested; null if they have not chosen.
    pub discoverable: Option<bool>,
    /// Whether the owner allows that public statuses are found by search.
    pub indexable: bool,
    /// Domains that may name the account as the author of articles.
    pub attribution_domains: Vec<String>,
    /// Accounts that may quote new statuses by default: a name of [`view::QuotePolicy`].
    pub quote_policy: Cow<'static, str>,
}

/// Renders a public profile.
#[must_use]
pub fn render(account: &view::Account, urls: &Urls) -> Account {
    Account {
        snapshot: render_snapshot(account, urls),
        counts: render_counts(account),
        moved: moved(account).map(|moved| Box::new(render(moved, urls))),
    }
}

/// Returns the account that the owner moved to, if it is displayed.
pub(crate) fn moved(account: &view::Account) -> Option<&view::Account> {
    account.moved.as_deref().filter(|_| !account.state.suspended)
}

/// Renders a muted account with the expiry of the mute.
#[must_use]
pub fn render_muted(
    account: &view::Account,
    until: Option<view::Timestamp>,
    urls: &Urls,
) -> MutedAccount {
    MutedAccount { account: render(account, urls), mute_expires_at: until.map(Instant) }
}

/// Renders the part of an account that depends on its id and version only.
pub(crate) fn render_snapshot(account: &view::AccountSnapshot, urls: &Urls) -> AccountSnapshot {
    let shown = AccountSnapshot {
        id: account.id,
        username: account.username.clone(),
        acct: account.acct(),
        display_name: account.display_name.clone(),
        locked: account.locked,
        bot: account.bot,
        discoverable: account.discoverable,
        indexable: account.indexable,
        group: false,
        created_at: Instant(account.created_at.midnight()),
        note: account.note_html.clone(),
        url: account.page(urls),
        uri: account.uri.clone(),
        avatar: urls.avatar(account.avatar.as_ref()),
        avatar_static: urls.avatar_still(account.avatar.as_ref()),
        avatar_description: account.avatar_description.clone(),
        header: urls.header(account.header.as_ref()),
        header_static: urls.header_still(account.header.as_ref()),
        header_description: account.header_description.clone(),
        hide_collections: account.hide_collections,
        show_media: account.show_media,
        show_media_replies: account.show_media_replies,
        show_featured: account.show_featured,
        emojis: emoji::render_all(&account.emojis, urls),
        roles: account.is_local().then(|| badges(account.role.as_ref())),
        fields: account.fields.iter().map(|field| render_field(field, &field.value_html)).collect(),
        suspended: account.state.suspended,
        limited: account.state.silenced,
        memorial: account.memorial,
    };
    if account.state.suspended { emptied(shown, urls) } else { shown }
}

/// Removes everything from a suspended account that its owner wrote or chose.
fn emptied(snapshot: AccountSnapshot, urls: &Urls) -> AccountSnapshot {
    AccountSnapshot {
        display_name: String::new(),
        locked: false,
        bot: false,
        discoverable: Some(false),
        indexable: false,
        note: String::new(),
        avatar: urls.avatar(None),
        avatar_static: urls.avatar(None),
        avatar_description: String::new(),
        header: urls.header(None),
        header_static: urls.header(None),
        header_description: String::new(),
        roles: snapshot.roles.map(|_| Vec::new()),
        fields: Vec::new(),
        emojis: Vec::new(),
        ..snapshot
    }
}

/// Renders the counters of an account.
pub(crate) fn render_counts(account: &view::Account) -> AccountCounts {
    AccountCounts {
        followers_count: account.followers_count,
        following_count: account.following_count,
        statuses_count: account.statuses_count,
        last_status_at: account.last_status_at.map(Day::of),
    }
}

/// Renders the account of the caller. `account` and `credentials` must belong together.
#[must_use]
pub fn render_own(
    account: &view::Account,
    credentials: &view::Credentials,
    urls: &Urls,
) -> CredentialAccount {
    CredentialAccount {
        account: render(account, urls),
        source: Source {
            privacy: credentials.default_privacy.as_str().into(),
            sensitive: credentials.default_sensitive,
            language: credentials.default_language.clone(),
            note: account.note.clone(),
            fields: account.fields.iter().map(|field| render_field(field, &field.value)).collect(),
            follow_requests_count: credentials.follow_requests_count,
            hide_collections: account.hide_collections,
            discoverable: account.discoverable,
            indexable: account.indexable,
            attribution_domains: account.attribution_domains.clone(),
            quote_policy: credentials.default_quote_policy.as_str().into(),
        },
        role: render_role(credentials.role.as_ref()),
    }
}

/// Renders a role with its permissions. `None` gives the base role of all users, without
/// permissions.
#[must_use]
pub fn render_role(role: Option<&view::Role>) -> Role {
    let Some(role) = role else { return render_role(Some(&view::Role::everyone())) };
    Role {
        id: role.id,
        name: role.name.clone(),
        color: role.color.clone(),
        permissions: role.permissions.to_string(),
        highlighted: role.highlighted,
    }
}

fn badges(role: Option<&view::Role>) -> Vec<AccountRole> {
    role.filter(|role| role.highlighted)
        .map(|role| AccountRole { id: role.id, name: role.name.clone(), color: role.color.clone() })
        .into_iter()
        .collect()
}

pub(crate) fn render_field(field: &view::Field, value: &str) -> Field {
    Field {
        name: field.name.clone(),
        value: value.to_owned(),
        verified_at: field.verified_at.map(Instant),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires this signature")]
fn is_false(value: &bool) -> bool {
    !value
}
