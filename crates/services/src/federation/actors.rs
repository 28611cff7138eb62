//! Documents of local accounts, and of the actor of the whole server.

use siskin_entities::{self as view, Account, Field, Urls};
use siskin_federation::{
    address::Handle,
    read::ActorKind,
    write::{self, Actor, Emoji, Multikey, Picture, ProfileField, RsaKey, Tag, TooLarge},
};
use siskin_persistence::{Conn, SnapshotVersion, accounts};
use siskin_text::{Hashtag, hashtags, parse};

use super::{
    document::{ActorParts, Answer, DocumentCache, Found, Parts, cached, remains, too_large},
    keys::{self, KeySet},
    names::{self, ActorNames},
    notes::emoji_id,
    owners,
};
use crate::Result;

pub use super::instance::find as instance;

/// Returns the document of the local account with this name. That of a suspended account has no
/// texts and pictures.
///
/// # Errors
/// [`crate::Error::NotFound`] if there is no such account, and if it is unconfirmed or pending
/// approval.
pub fn find(
    conn: &mut Conn,
    urls: &Urls,
    username: &str,
    cache: &dyn DocumentCache,
) -> Result<Answer> {
    let Some((account, version)) = owners::find(conn, username)? else {
        let id = urls.account_uri(username);
        return remains(conn, &id, &id).map(Answer::Found);
    };
    let Some(keys) = keys::load(conn, Some(account.id))? else {
        return Ok(Answer::WithoutKeys(Some(account.id)));
    };
    let document = cached(cache, Parts::Actor(parts(&account, version, &keys)), || {
        let aliases = accounts::aliases(conn, account.id)?.unwrap_or_default();
        written(&Texts::of(&account, &keys, aliases, urls)?)
    })?;
    Ok(Answer::Found(Found::Document(document)))
}

/// Returns all that the document of an account depends on.
fn parts(account: &Account, version: SnapshotVersion, keys: &KeySet) -> ActorParts {
    ActorParts {
        id: account.id,
        version,
        moved_to: account.moved.as_ref().map(|target| target.id),
        keys: public_keys(keys),
    }
}

/// Returns the public keys of an actor.
pub(super) fn public_keys(keys: &KeySet) -> Vec<String> {
    vec![keys.rsa.public.clone(), keys.ed25519.public.clone()]
}

/// An account with all texts that its view does not contain.
#[derive(Debug)]
struct Texts<'a> {
    account: &'a Account,
    keys: &'a KeySet,
    names: ActorNames,
    handle: Handle,
    page: String,
    icon: Option<PictureTexts<'a>>,
    image: Option<PictureTexts<'a>>,
    emojis: Vec<EmojiTexts<'a>>,
    /// Hashtags of the profile, with their pages.
    hashtags: Vec<(Hashtag, String)>,
    aliases: Vec<String>,
    moved_to: Option<String>,
}

#[derive(Debug)]
struct PictureTexts<'a> {
    url: String,
    media_type: &'static str,
    description: &'a str,
}

#[derive(Debug)]
struct EmojiTexts<'a> {
    id: String,
    shortcode: &'a str,
    picture: PictureTexts<'a>,
}

impl<'a> PictureTexts<'a> {
    fn of(file: &str, description: &'a str, urls: &Urls) -> Self {
        Self { url: urls.file(file), media_type: names::media_type(file), description }
    }

    fn picture(&self) -> Picture<'_> {
        let Self { url, media_type, description } = self;
        Picture { url, media_type, description }
    }
}

impl<'a> Texts<'a> {
    fn of(
        account: &'a Account,
        keys: &'a KeySet,
        aliases: Vec<String>,
        urls: &Urls,
    ) -> Result<Self> {
        let picture = |picture: &Option<view::Picture>, description: &'a str| {
            picture.as_ref().map(|picture| PictureTexts::of(&picture.file, description, urls))
        };
        let emojis = account.emojis.iter().map(|emoji| EmojiTexts {
            id: emoji_id(urls, &emoji.shortcode),
            shortcode: &emoji.shortcode,
            picture: PictureTexts::of(&emoji.picture.file, "", urls),
        });
        let tokens = parse(&account.note);
        let hashtags = hashtags(&tokens).into_iter();
        Ok(Self {
            account,
            keys,
            names: ActorNames::of_account(urls, &account.username),
            handle: names::handle(urls, &account.username)?,
            page: urls.profile(&account.username),
            icon: picture(&account.avatar, &account.avatar_description),
            image: picture(&account.header, &account.header_description),
            emojis: emojis.collect(),
            hashtags: hashtags.map(|tag| (tag.clone(), urls.tag(&tag.name))).collect(),
            aliases,
            moved_to: account.moved.as_deref().map(|target| names::actor_id(urls, target)),
        })
    }

    fn tags(&self) -> Vec<Tag<'_>> {
        let emojis = self.emojis.iter().map(|emoji| {
            let EmojiTexts { id, shortcode, picture } = emoji;
            Tag::Emoji(Emoji { id, shortcode, updated: None, picture: picture.picture() })
        });
        let hashtags = self.hashtags.iter();
        emojis
            .chain(hashtags.map(|(tag, page)| Tag::Hashtag { href: page, name: &tag.display }))
            .collect()
    }

    /// Returns the document without tags, fields and other lists.
    fn actor(&self) -> Actor<'_> {
        let (account, names) = (self.account, &self.names);
        let kind = if account.bot { ActorKind::Service } else { ActorKind::Person };
        Actor {
            handle: Some(&self.handle),
            name: &account.display_name,
            summary: &account.note_html,
            url: &self.page,
            created: Some(account.created_at),
            outbox: &names.outbox,
            followers: &names.followers,
            following: &names.following,
            featured: &names.featured,
            featured_tags: &names.featured_tags,
            shared_inbox: &names.shared_inbox,
            is_locked: account.locked,
            is_discoverable: account.discoverable == Some(true),
            is_indexable: account.indexable,
            is_memorial: account.memorial,
            is_suspended: account.state.suspended,
            rsa_key: Some(RsaKey { id: &names.rsa_key, pem: &self.keys.rsa.public }),
            icon: self.icon.as_ref().map(PictureTexts::picture),
            image: self.image.as_ref().map(PictureTexts::picture),
            moved_to: self.moved_to.as_deref(),
            ..Actor::new(&names.id, kind, &account.username, &names.inbox)
        }
    }
}

/// Writes the document of an account. One that is too large loses its tags, then its fields, then
/// its text.
fn written(texts: &Texts<'_>) -> Result<Vec<u8>> {
    let tags = texts.tags();
    let fields: Vec<ProfileField<'_>> = texts.account.fields.iter().map(field).collect();
    let multikeys = [multikey(&texts.names, texts.keys)];
    let aliases: Vec<&str> = texts.aliases.iter().map(String::as_str).collect();
    let domains: Vec<&str> = texts.account.attribution_domains.iter().map(String::as_str).collect();
    let whole = Actor {
        multikeys: &multikeys,
        fields: &fields,
        tags: &tags,
        also_known_as: &aliases,
        attribution_domains: &domains,
        ..texts.actor()
    };
    let without_tags = Actor { tags: &[], ..whole };
    let without_fields = Actor { fields: &[], ..without_tags };
    let without_text = Actor { summary: "", ..without_fields };
    let first = write::actor(&whole);
    [without_tags, without_fields, without_text]
        .iter()
        .fold(first, |written, smaller| written.or_else(|TooLarge| write::actor(smaller)))
        .map_err(too_large)
}

fn field(field: &Field) -> ProfileField<'_> {
    ProfileField { name: &field.name, value: &field.value_html }
}

/// Returns the key of an actor that makes proofs.
pub(super) fn multikey<'a>(names: &'a ActorNames, keys: &'a KeySet) -> Multikey<'a> {
    Multikey { id: &names.ed25519_key, multibase: &keys.ed25519.public }
}
