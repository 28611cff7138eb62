//! Actors: our accounts, and the actor of the whole server.

use siskin_entities::Timestamp;

use super::{
    node::Members,
    tags::{Picture, Tag},
};
use crate::{address::Handle, read::ActorKind};

/// Standard that this crate reads and writes, and peers can ask for (FEP-844e).
const SIGNATURES: (&str, &str) = ("https://datatracker.ietf.org/doc/html/rfc9421", "RFC-9421");

/// RSA key, which signs requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RsaKey<'a> {
    /// Id, such as `…#main-key`.
    pub id: &'a str,
    /// PEM with `SubjectPublicKeyInfo`, as [`PublicKey::to_pem`](crate::keys::PublicKey::to_pem)
    /// returns it.
    pub pem: &'a str,
}

/// Key that makes proofs (FEP-521a).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Multikey<'a> {
    /// Id, such as `…#ed25519-key`.
    pub id: &'a str,
    /// Key as [`PublicKey::to_multibase`](crate::keys::PublicKey::to_multibase) returns it.
    pub multibase: &'a str,
}

/// Row of the table on a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileField<'a> {
    /// Label as plain text.
    pub name: &'a str,
    /// Value as HTML.
    pub value: &'a str,
}

/// Account. Empty texts are absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Actor<'a> {
    /// Id.
    pub id: &'a str,
    /// Type.
    pub kind: ActorKind,
    /// Handle (FEP-2c59).
    pub handle: Option<&'a Handle>,
    /// User name.
    pub username: &'a str,
    /// Displayed name as plain text.
    pub name: &'a str,
    /// Text of the profile as HTML.
    pub summary: &'a str,
    /// Page of the profile.
    pub url: &'a str,
    /// Time of the sign-up. Only its day is shown.
    pub created: Option<Timestamp>,
    /// Address to which peers deliver.
    pub inbox: &'a str,
    /// Collection of its activities.
    pub outbox: &'a str,
    /// Collection of its followers.
    pub followers: &'a str,
    /// Collection of the accounts that it follows.
    pub following: &'a str,
    /// Collection of its pinned statuses.
    pub featured: &'a str,
    /// Collection of its featured hashtags.
    pub featured_tags: &'a str,
    /// Inbox of the whole server.
    pub shared_inbox: &'a str,
    /// Whether it decides about each follower by hand.
    pub is_locked: bool,
    /// Whether it wants to be recommended (FEP-5feb).
    pub is_discoverable: bool,
    /// Whether its public statuses may be found by search (FEP-5feb).
    pub is_indexable: bool,
    /// Whether its owner has died.
    pub is_memorial: bool,
    /// Whether staff suspended it. Its texts, pictures and tags are then left out.
    pub is_suspended: bool,
    /// Key that signs requests.
    pub rsa_key: Option<RsaKey<'a>>,
    /// Keys that make proofs.
    pub multikeys: &'a [Multikey<'a>],
    /// Avatar.
    pub icon: Option<Picture<'a>>,
    /// Header.
    pub image: Option<Picture<'a>>,
    /// Fields of the profile.
    pub fields: &'a [ProfileField<'a>],
    /// Emojis and hashtags of the profile.
    pub tags: &'a [Tag<'a>],
    /// Other ids of the same person.
    pub also_known_as: &'a [&'a str],
    /// Account to which it moved.
    pub moved_to: Option<&'a str>,
    /// Domains of pages that may name it as their author.
    pub attribution_domains: &'a [&'a str],
}

impl<'a> Actor<'a> {
    /// Returns an account with what peers require, and nothing else.
    #[must_use]
    pub const fn new(id: &'a str, kind: ActorKind, username: &'a str, inbox: &'a str) -> Self {
        Self {
            id,
            kind,
            handle: None,
            username,
            name: "",
            summary: "",
            url: "",
            created: None,
            inbox,
            outbox: "",
            followers: "",
            following: "",
            featured: "",
            featured_tags: "",
            shared_inbox: "",
            is_locked: false,
            is_discoverable: false,
            is_indexable: false,
            is_memorial: false,
            is_suspended: false,
            rsa_key: None,
            multikeys: &[],
            icon: None,
            image: None,
            fields: &[],
            tags: &[],
            also_known_as: &[],
            moved_to: None,
            attribution_domains: &[],
        }
    }

    pub(super) fn members(&self) -> Members<'a> {
        let shown = if self.is_suspended { self.without_texts() } else { *self };
        shown.head().followed_by(shown.keys()).followed_by(shown.profile())
    }

    fn without_texts(&self) -> Self {
        let (name, summary, fields, tags) = ("", "", &[][..], &[][..]);
        Self { name, summary, fields, tags, icon: None, image: None, ..*self }
    }

    /// Returns names, addresses and settings.
    fn head(&self) -> Members<'a> {
        let endpoints = Members::default().text("sharedInbox", self.shared_inbox);
        Members::with_id(self.id, self.kind.as_str())
            .text("webfinger", self.handle.map(ToString::to_string).unwrap_or_default())
            .text("preferredUsername", self.username)
            .text("name", self.name)
            .text("summary", self.summary)
            .text("url", self.url)
            .time("published", self.created.map(Timestamp::midnight))
            .text("inbox", self.inbox)
            .text("outbox", self.outbox)
            .text("followers", self.followers)
            .text("following", self.following)
            .text("featured", self.featured)
            .text("featuredTags", self.featured_tags)
            .object("endpoints", Some(endpoints))
            .flag("manuallyApprovesFollowers", self.is_locked)
            .flag("discoverable", self.is_discoverable)
            .flag("indexable", self.is_indexable)
            .flag("memorial", self.is_memorial)
    }

    fn keys(&self) -> Members<'a> {
        let rsa = self.rsa_key.map(|key| {
            let members = Members::default().text("id", key.id).text("owner", self.id);
            members.text("publicKeyPem", key.pem)
        });
        let multikeys = self.multikeys.iter().map(|key| {
            let members = Members::with_id(key.id, "Multikey").text("controller", self.id);
            members.text("publicKeyMultibase", key.multibase)
        });
        Members::default().object("publicKey", rsa).objects("assertionMethod", multikeys)
    }

    fn profile(&self) -> Members<'a> {
        let fields = self.fields.iter().map(|field| {
            Members::of("PropertyValue").text("name", field.name).text("value", field.value)
        });
        let mut members = Members::default()
            .object("icon", self.icon.map(|it| it.members()))
            .object("image", self.image.map(|it| it.members()))
            .objects("attachment", fields)
            .objects("tag", self.tags.iter().map(Tag::members))
            .texts("alsoKnownAs", self.also_known_as)
            .optional("movedTo", self.moved_to);
        if self.is_suspended {
            members = members.flag("suspended", true);
        }
        members
            .texts("attributionDomains", self.attribution_domains)
            .object("generator", Some(generator()))
    }
}

/// Returns what peers learn about this program.
fn generator<'a>() -> Members<'a> {
    let (href, name) = SIGNATURES;
    let standard = Members::default().text("href", href).text("name", name);
    Members::of("Application").objects("implements", std::iter::once(standard))
}

/// Actor of the whole server, of type `Application`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstanceActor<'a> {
    /// Id.
    pub id: &'a str,
    /// Handle. Its name is the host of its domain.
    pub handle: &'a Handle,
    /// Page about the server.
    pub url: &'a str,
    /// Address to which peers deliver.
    pub inbox: &'a str,
    /// Collection of its activities; empty if there is none.
    pub outbox: &'a str,
    /// Inbox of the whole server.
    pub shared_inbox: &'a str,
    /// Key that signs requests.
    pub rsa_key: RsaKey<'a>,
    /// Keys that make proofs.
    pub multikeys: &'a [Multikey<'a>],
}

impl<'a> InstanceActor<'a> {
    pub(super) fn members(&self) -> Members<'a> {
        let actor = Actor {
            handle: Some(self.handle),
            name: self.handle.domain().as_str(),
            url: self.url,
            outbox: self.outbox,
            shared_inbox: self.shared_inbox,
            // No account can follow it.
            is_locked: true,
            rsa_key: Some(self.rsa_key),
            multikeys: self.multikeys,
            ..Actor::new(self.id, ActorKind::Application, self.handle.name(), self.inbox)
        };
        actor.members()
    }
}
