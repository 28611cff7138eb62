//! Answers of `WebFinger` (RFC 7033) and host metadata (RFC 6415).

use siskin_text::escape;

use super::{
    CONTENT_TYPE,
    node::{Members, Node},
    tags::Picture,
};
use crate::address::Handle;

/// Pattern of addresses at which a visitor from another server does something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JrdTemplate<'a> {
    /// Relation, such as `https://w3id.org/fep/3b86/Follow` (FEP-3b86).
    pub rel: &'a str,
    /// Pattern, with names in braces.
    pub template: &'a str,
}

/// Answer about an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jrd<'a> {
    /// Handle of the account.
    pub handle: &'a Handle,
    /// Id of its actor.
    pub actor: &'a str,
    /// Page of its profile.
    pub page: &'a str,
    /// Its avatar.
    pub avatar: Option<Picture<'a>>,
    /// Pattern of the page on which a visitor interacts by their own account, with `{uri}`.
    pub subscribe: &'a str,
    /// Other patterns.
    pub templates: &'a [JrdTemplate<'a>],
}

impl<'a> Jrd<'a> {
    pub(super) fn members(&self) -> Members<'a> {
        let page = link("http://webfinger.net/rel/profile-page");
        let mut links = vec![
            page.text("type", "text/html").text("href", self.page),
            link("self").text("type", CONTENT_TYPE).text("href", self.actor),
            template("http://ostatus.org/schema/1.0/subscribe", self.subscribe),
        ];
        links.extend(self.avatar.map(|picture| {
            let avatar = link("http://webfinger.net/rel/avatar");
            avatar.text("type", picture.media_type).text("href", picture.url)
        }));
        links.extend(self.templates.iter().map(|it| template(it.rel, it.template)));
        // A relation alone says nothing.
        links.retain(|link| link.iter().any(|(name, _)| matches!(name, "href" | "template")));
        let aliases: Vec<&str> =
            [self.page, self.actor].into_iter().filter(|it| !it.is_empty()).collect();
        Members::default()
            .text("subject", self.handle.resource())
            .texts("aliases", &aliases)
            .objects("links", links.into_iter())
    }
}

fn link(rel: &str) -> Members<'_> {
    Members::default().text("rel", rel)
}

fn template<'a>(rel: &'a str, template: &'a str) -> Members<'a> {
    link(rel).text("template", template)
}

/// Writes host metadata as XML. `template` is the address that answers about accounts; it contains
/// `{uri}`.
#[must_use]
pub fn host_meta(template: &str) -> Vec<u8> {
    let template = escape(template);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <XRD xmlns=\"http://docs.oasis-open.org/ns/xri/xrd-1.0\">\n  \
         <Link rel=\"lrdd\" template=\"{template}\"/>\n\
         </XRD>\n"
    )
    .into_bytes()
}

/// Writes host metadata as JSON.
#[must_use]
pub fn host_meta_json(template: &str) -> Vec<u8> {
    let link = link("lrdd").text("template", template);
    Members::default().with("links", Node::List(vec![Node::Object(link)])).into_bytes()
}
