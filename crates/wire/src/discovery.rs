//! `WebFinger` (RFC 7033) about accounts that no other server can talk to. The crate
//! `siskin-federation` has the answer about the others, `NodeInfo` and host metadata.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities as view;

use crate::urls::Urls;

/// Link in a discovery document.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Link {
    /// Relation of the target to the subject of the document.
    pub rel: Cow<'static, str>,
    /// Media type of the target; absent if unknown.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub media_type: Option<Cow<'static, str>>,
    /// Address of the target; empty if another server sends a template only.
    #[serde(default)]
    pub href: String,
}

/// `WebFinger` descriptor of an account.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct WebFinger {
    /// `acct:` URI of the account.
    pub subject: String,
    /// Other identifiers: profile page and URI.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Links to the profile page and other resources.
    #[serde(default)]
    pub links: Vec<Link>,
}

/// Renders the descriptor of a local account. It names no actor (`rel="self"`), because remote
/// servers would use that as an address for deliveries.
#[must_use]
pub fn render_web_finger(account: &view::Account, urls: &Urls) -> WebFinger {
    let profile = account.page(urls);
    let page = profile.clone().map(|href| Link {
        rel: "http://webfinger.net/rel/profile-page".into(),
        media_type: Some("text/html".into()),
        href,
    });
    WebFinger {
        subject: format!("acct:{}@{}", account.username, urls.domain()),
        aliases: profile.into_iter().chain([account.uri.clone()]).collect(),
        links: page.into_iter().collect(),
    }
}
