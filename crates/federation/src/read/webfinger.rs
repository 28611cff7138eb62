//! Answers of `WebFinger` (RFC 7033) and of host metadata (RFC 6415).

use super::{Member, ReadError, Reader, limits};
use crate::{
    address::{AddressError, Handle, Schemes, Uri},
    json::{Contexts, JsonError, Members, document},
    rules::MediaType,
};

/// Link of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JrdLink {
    /// Relation.
    pub rel: String,
    /// Media type; `None` if there is none.
    pub media_type: Option<String>,
    /// Address; `None` if there is none.
    pub href: Option<Uri>,
    /// Pattern of addresses; `None` if there is none.
    pub template: Option<String>,
}

/// Answer of `WebFinger` about an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jrd {
    /// What the answer is about, as sent; `None` if it does not say so.
    pub subject: Option<String>,
    /// Other addresses of the account.
    pub aliases: Vec<Uri>,
    /// Links, at most [`limits::LINKS`].
    pub links: Vec<JrdLink>,
}

impl Jrd {
    /// Returns the handle that the answer is about; `None` if its subject is none.
    #[must_use]
    pub fn handle(&self) -> Option<Handle> {
        self.subject.as_deref().and_then(|it| Handle::parse(it.strip_prefix("acct:")?).ok())
    }

    /// Returns the id of the actor: the first link `self` with a media type of documents.
    #[must_use]
    pub fn actor(&self) -> Option<&Uri> {
        let is_document = |it: &JrdLink| {
            it.media_type.as_deref().is_some_and(|it| MediaType::parse(it).is_some())
        };
        self.link("self", is_document).and_then(|it| it.href.as_ref())
    }

    /// Returns the page of the profile.
    #[must_use]
    pub fn page(&self) -> Option<&Uri> {
        let page = self.link("http://webfinger.net/rel/profile-page", |it| it.href.is_some());
        page.and_then(|it| it.href.as_ref())
    }

    /// Returns the pattern of the page on which a visitor interacts by their own account. It
    /// contains `{uri}`.
    #[must_use]
    pub fn subscribe_template(&self) -> Option<&str> {
        let link = self.link("http://ostatus.org/schema/1.0/subscribe", |it| it.template.is_some());
        link.and_then(|it| it.template.as_deref()).filter(|it| it.contains("{uri}"))
    }

    fn link(&self, rel: &str, is_wanted: impl Fn(&JrdLink) -> bool) -> Option<&JrdLink> {
        self.links.iter().find(|it| it.rel == rel && is_wanted(it))
    }
}

/// Pattern of addresses at which a server answers about its accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LrddTemplate(String);

impl LrddTemplate {
    /// Returns the address that answers about a resource, such as `acct:name@domain`.
    ///
    /// # Errors
    /// Returns the reason if the result is no address of an allowed scheme.
    pub fn address(&self, resource: &str, schemes: Schemes) -> Result<Uri, AddressError> {
        let encoded: String = url::form_urlencoded::byte_serialize(resource.as_bytes()).collect();
        Uri::parse(&self.0.replacen("{uri}", &encoded, 1), schemes)
    }

    fn new(text: &str) -> Option<Self> {
        text.contains("{uri}").then(|| Self(text.to_owned()))
    }
}

impl Reader {
    /// Reads an answer of `WebFinger`.
    ///
    /// # Errors
    /// Returns the reason if it is no JSON object, or larger than [`limits::WEBFINGER_BYTES`].
    pub fn jrd(self, bytes: &[u8]) -> Result<Jrd, ReadError> {
        let value = document(limited(bytes)?, Contexts::None)?;
        let members = Members::of(&value).ok_or(ReadError::Missing(Member::Links))?;
        let links = members.objects("links").take(limits::LINKS);
        Ok(Jrd {
            subject: members.text("subject").map(|it| it.chars().take(4096).collect()),
            aliases: self.uris_of(members, "aliases", limits::LINKS),
            links: links.filter_map(|it| self.jrd_link(it)).collect(),
        })
    }

    fn jrd_link(self, members: Members<'_>) -> Option<JrdLink> {
        let rel = members.text("rel")?;
        // Only the page may have `http`: it is not fetched.
        let schemes = if rel == "self" { self.schemes } else { Schemes::HttpToo };
        Some(JrdLink {
            rel: rel.to_owned(),
            media_type: members.text("type").map(str::to_owned),
            href: members.text("href").and_then(|it| Uri::parse(it, schemes).ok()),
            template: members.text("template").map(str::to_owned),
        })
    }

    /// Reads host metadata, as XML or JSON, and returns where the server answers about accounts.
    ///
    /// # Errors
    /// Returns the reason if it is neither, or names no such address.
    pub fn host_meta(self, bytes: &[u8]) -> Result<LrddTemplate, ReadError> {
        let bytes = limited(bytes)?;
        if bytes.trim_ascii_start().starts_with(b"{") {
            let jrd = self.jrd(bytes)?;
            let link = jrd.link("lrdd", |it| it.template.is_some());
            let template = link.and_then(|it| LrddTemplate::new(it.template.as_deref()?));
            return template.ok_or(ReadError::Missing(Member::Links));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| ReadError::Xml)?;
        xml_templates(text).next().ok_or(ReadError::Xml)
    }
}

fn limited(bytes: &[u8]) -> Result<&[u8], ReadError> {
    if bytes.len() > limits::WEBFINGER_BYTES {
        return Err(JsonError::TooLarge.into());
    }
    Ok(bytes)
}

/// Returns the patterns of the links `lrdd` in XML that answer in JSON. Only tags `Link` are looked
/// at, so entities and document types of XML have no effect.
fn xml_templates(text: &str) -> impl Iterator<Item = LrddTemplate> {
    let tags = text.split('<').skip(1).filter_map(|piece| piece.strip_prefix("Link"));
    let links = tags.take(limits::LINKS).filter(|tag| tag.starts_with(char::is_whitespace));
    links.filter_map(|tag| {
        let is_lrdd = xml_attribute(tag, "rel").as_deref() == Some("lrdd");
        let is_xml = xml_attribute(tag, "type").is_some_and(|it| it.contains("xrd+xml"));
        // A link of a type that only XML has may still answer in JSON if it is asked so.
        let template = xml_attribute(tag, "template").filter(|_| is_lrdd)?;
        LrddTemplate::new(&template).filter(|_| !is_xml || template.contains("/webfinger"))
    })
}

/// Returns an attribute in the rest of a tag, with its entities resolved.
fn xml_attribute(tag: &str, name: &str) -> Option<String> {
    let mut rest = tag;
    loop {
        let (before, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, next) = after.get(1..)?.split_once(quote)?;
        if before.trim() == name {
            return Some(resolved(value));
        }
        rest = next;
    }
}

fn resolved(value: &str) -> String {
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(value.to_owned(), |text, (entity, c)| text.replace(entity, c))
}
