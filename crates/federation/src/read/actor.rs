//! Actors: accounts, groups and programs of other servers.

use siskin_entities::Timestamp;

use super::{
    ClaimedKey, Member, ReadError, Reader, RemotePicture, Tags, clean::sanitise, content, cut,
    limits, texts, time::time_of, values::page,
};
use crate::{
    address::{AddressError, Domain, Handle, Uri},
    json::Members,
};

/// Type of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActorKind {
    /// `Person`
    Person,
    /// `Service`, a bot.
    Service,
    /// `Group`, which passes on what its members write.
    Group,
    /// `Organization`
    Organization,
    /// `Application`, a program, often the actor of a whole server.
    Application,
}

impl ActorKind {
    const KNOWN: [(&'static str, Self); 5] = [
        ("Person", Self::Person),
        ("Service", Self::Service),
        ("Group", Self::Group),
        ("Organization", Self::Organization),
        ("Application", Self::Application),
    ];

    /// Returns the name of the type in documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::KNOWN.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// Returns `true` for types that programs control.
    #[must_use]
    pub const fn is_bot(self) -> bool {
        matches!(self, Self::Service | Self::Application)
    }

    /// Returns the type with this name.
    pub(super) fn known(name: &str) -> Option<Self> {
        Self::KNOWN.into_iter().find(|(known, _)| *known == name).map(|(_, kind)| kind)
    }
}

/// Row of the table on a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileField {
    /// Label, as plain text.
    pub name: String,
    /// Value as sanitised HTML.
    pub value: String,
}

/// Actor of another server. Everything in it is a claim of the server that sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// Id.
    pub id: Uri,
    /// Type.
    pub kind: ActorKind,
    /// User name: `preferredUsername`, or else the last part of the path of the id. It is valid in
    /// a [`Handle`].
    pub username: String,
    /// Handle that the actor claims (FEP-2c59); `None` if there is none. See
    /// [`Actor::claimed_handle`].
    pub webfinger: Option<Handle>,
    /// Displayed name on one line; `None` if there is none.
    pub name: Option<String>,
    /// Text of the profile as sanitised HTML.
    pub summary: String,
    /// Page of the profile, with `http` or `https`; `None` if there is none.
    pub url: Option<Uri>,
    /// Time when the account was created; `None` if unknown.
    pub published: Option<Timestamp>,
    /// Time of the last change; `None` if unknown.
    pub updated: Option<Timestamp>,
    /// Address to which activities are delivered.
    pub inbox: Uri,
    /// Inbox for all accounts of its server. It has the origin of the actor; others are ignored.
    pub shared_inbox: Option<Uri>,
    /// Collection of its activities; `None` if unknown.
    pub outbox: Option<Uri>,
    /// Collection of its followers; `None` if unknown.
    pub followers: Option<Uri>,
    /// Collection of the accounts that it follows; `None` if unknown.
    pub following: Option<Uri>,
    /// Collection of its pinned objects; `None` if unknown.
    pub featured: Option<Uri>,
    /// Collection of its featured hashtags; `None` if unknown.
    pub featured_tags: Option<Uri>,
    /// Whether it decides about each follower by hand.
    pub is_locked: bool,
    /// Whether it wants to be recommended; absent means no (FEP-5feb).
    pub is_discoverable: bool,
    /// Whether its public objects may be found by search; absent means no (FEP-5feb).
    pub is_indexable: bool,
    /// Whether its owner has died.
    pub is_memorial: bool,
    /// Whether its server suspended it.
    pub is_suspended: bool,
    /// Keys, at most [`limits::KEYS`]. An actor without keys can be shown, but it cannot sign.
    pub keys: Vec<ClaimedKey>,
    /// Avatar.
    pub icon: Option<RemotePicture>,
    /// Header.
    pub image: Option<RemotePicture>,
    /// Fields of the profile, at most [`limits::FIELDS`].
    pub fields: Vec<ProfileField>,
    /// Hashtags and emojis of the profile.
    pub tags: Tags,
    /// Other ids of the same person.
    pub also_known_as: Vec<Uri>,
    /// Id of the account to which it moved; `None` if it did not.
    pub moved_to: Option<Uri>,
    /// Domains of pages that may name it as their author.
    pub attribution_domains: Vec<Domain>,
    /// Addresses of the standards that its server implements (FEP-844e).
    pub implements: Vec<String>,
}

impl Actor {
    /// Returns the handle that the actor claims: its `webfinger`, else its user name at the domain
    /// of its id. It counts only after [`closes`](crate::rules::closes).
    ///
    /// # Errors
    /// Returns the reason if no handle can be built, which reading prevents.
    pub fn claimed_handle(&self) -> Result<Handle, AddressError> {
        self.webfinger.clone().map_or_else(|| self.own_handle(), Ok)
    }

    /// Returns the user name at the domain of the id: the handle if no other one closes.
    ///
    /// # Errors
    /// Returns the reason if no handle can be built, which reading prevents.
    pub fn own_handle(&self) -> Result<Handle, AddressError> {
        Handle::new(&self.username, self.id.domain())
    }

    /// Returns the inbox for what is not only for this actor: the shared one if there is one.
    #[must_use]
    pub fn delivery_inbox(&self) -> &Uri {
        self.shared_inbox.as_ref().unwrap_or(&self.inbox)
    }

    /// Returns `true` if its server says that it reads signatures of RFC 9421.
    #[must_use]
    pub fn implements_rfc9421(&self) -> bool {
        self.implements.iter().any(|it| it.trim_end_matches('/').ends_with("/rfc9421"))
    }
}

impl Reader {
    /// Reads an actor.
    pub(super) fn read_actor(self, members: Members<'_>) -> Result<Actor, ReadError> {
        let kind = members.types().find_map(ActorKind::known).ok_or(ReadError::UnknownType)?;
        let id = self.id(members)?;
        let username = username(members, &id)?;
        Ok(Actor {
            kind,
            username,
            webfinger: members.text("webfinger").and_then(|it| Handle::parse(it).ok()),
            name: members
                .natural("name")
                .and_then(|(name, _)| texts::line(name, limits::NAME_CHARACTERS)),
            summary: content::profile(members),
            url: page(members),
            published: time_of(members, "published"),
            updated: time_of(members, "updated"),
            inbox: self.only(members, Member::Inbox)?,
            shared_inbox: self.shared_inbox(members, &id),
            outbox: self.uri_of(members, "outbox"),
            followers: self.uri_of(members, "followers"),
            following: self.uri_of(members, "following"),
            featured: self.uri_of(members, "featured"),
            featured_tags: self.uri_of(members, "featuredTags"),
            is_locked: is_set(members, "manuallyApprovesFollowers"),
            is_discoverable: is_set(members, "discoverable"),
            is_indexable: is_set(members, "indexable"),
            is_memorial: is_set(members, "memorial"),
            is_suspended: is_set(members, "suspended"),
            keys: self.keys(members),
            icon: self.picture(members, "icon"),
            image: self.picture(members, "image"),
            fields: fields(members),
            tags: self.tags(members),
            also_known_as: self.uris_of(members, "alsoKnownAs", limits::ALIASES),
            moved_to: self.uri_of(members, "movedTo"),
            attribution_domains: attribution_domains(members),
            implements: implements(members),
            id,
        })
    }

    /// Returns the shared inbox, in `endpoints` or at the top (Misskey, Discourse). One of another
    /// origin would make this server deliver to a stranger.
    fn shared_inbox(self, members: Members<'_>, id: &Uri) -> Option<Uri> {
        let of_endpoints =
            members.object("endpoints").and_then(|it| self.uri_of(it, "sharedInbox"));
        let shared = of_endpoints.or_else(|| self.uri_of(members, "sharedInbox"))?;
        shared.has_origin_of(id).then_some(shared)
    }
}

fn is_set(members: Members<'_>, name: &str) -> bool {
    members.flag(name) == Some(true)
}

/// Returns the user name, which must be valid: the name of an account cannot be repaired.
fn username(members: Members<'_>, id: &Uri) -> Result<String, ReadError> {
    let name = match members.text("preferredUsername") {
        Some(name) => name,
        None => id.last_path_part().map(|part| part.trim_start_matches('@')).unwrap_or_default(),
    };
    match Handle::new(name, id.domain()) {
        Ok(_) => Ok(name.to_owned()),
        Err(AddressError::TooLong) => Err(ReadError::TooLong(Member::PreferredUsername)),
        Err(_) => Err(ReadError::Invalid(Member::PreferredUsername)),
    }
}

fn fields(members: Members<'_>) -> Vec<ProfileField> {
    let values = members.objects("attachment").filter(|it| it.is_a("PropertyValue"));
    values.filter_map(field).take(limits::FIELDS).collect()
}

fn field(members: Members<'_>) -> Option<ProfileField> {
    let name = texts::line(members.natural("name")?.0, limits::FIELD_CHARACTERS)?;
    // A limit in characters of text needs room for the tags around it.
    let value = members.text("value").unwrap_or_default();
    let value = value.get(..value.floor_char_boundary(8 * limits::FIELD_CHARACTERS));
    let value = cut::beginning(&sanitise(value.unwrap_or_default()), 2 * limits::FIELD_CHARACTERS);
    Some(ProfileField { name, value: without_paragraph(&value).to_owned() })
}

/// Returns the HTML of a single paragraph without its tags, as clients show a value in one line.
fn without_paragraph(html: &str) -> &str {
    let inner = html.strip_prefix("<p>").and_then(|rest| rest.strip_suffix("</p>"));
    inner.filter(|inner| !inner.contains("<p>")).unwrap_or(html)
}

fn attribution_domains(members: Members<'_>) -> Vec<Domain> {
    let texts = members.items("attributionDomains").filter_map(|it| it.as_str());
    let domains = texts.filter_map(|text| Domain::parse(text).ok());
    domains.take(limits::ATTRIBUTION_DOMAINS).collect()
}

fn implements(members: Members<'_>) -> Vec<String> {
    let generators = members.objects("generator").chain(std::iter::once(members));
    let standards = generators.flat_map(|it| it.objects("implements"));
    let addresses = standards.filter_map(|it| it.text("href").or_else(|| it.text("id")));
    addresses.filter(|it| it.len() <= 256).take(limits::LINKS).map(str::to_owned).collect()
}
