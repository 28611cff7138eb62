//! Discovery documents for other programs: `NodeInfo` 2.0 and 2.1
//! (<https://nodeinfo.diaspora.software/>), `WebFinger` (RFC 7033) and host metadata (RFC 6415).

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

/// Document at `/.well-known/nodeinfo`, with the URLs of the other versions.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct NodeInfoLinks {
    /// One link per supported version.
    pub links: Vec<Link>,
}

/// Renders the links to all versions of `NodeInfo`: `/nodeinfo/2.0` and `/nodeinfo/2.1`.
#[must_use]
pub fn render_node_info_links(urls: &Urls) -> NodeInfoLinks {
    let link = |version: NodeInfoVersion| Link {
        rel: version.schema().into(),
        media_type: None,
        href: urls.page(&format!("/nodeinfo/{}", version.as_str())),
    };
    NodeInfoLinks { links: vec![link(NodeInfoVersion::V2_0), link(NodeInfoVersion::V2_1)] }
}

/// Version of `NodeInfo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeInfoVersion {
    /// Version 2.0.
    V2_0,
    /// Version 2.1, which adds the address of the source code.
    V2_1,
}

impl NodeInfoVersion {
    /// Returns the version number.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2_0 => "2.0",
            Self::V2_1 => "2.1",
        }
    }

    /// Returns the version with this number.
    #[must_use]
    pub fn from_number(number: &str) -> Option<Self> {
        [Self::V2_0, Self::V2_1].into_iter().find(|version| version.as_str() == number)
    }

    /// Returns the schema URI, which is also the link relation and the profile of the media type.
    #[must_use]
    pub const fn schema(self) -> &'static str {
        match self {
            Self::V2_0 => "http://nodeinfo.diaspora.software/ns/schema/2.0",
            Self::V2_1 => "http://nodeinfo.diaspora.software/ns/schema/2.1",
        }
    }
}

/// Software, protocols and usage of the server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeInfo {
    /// Version of the document, such as `2.0`.
    pub version: Cow<'static, str>,
    /// The server program.
    pub software: Software,
    /// Protocols between servers, such as `activitypub`.
    pub protocols: Vec<Cow<'static, str>>,
    /// Connected services.
    pub services: Services,
    /// Whether visitors can sign up.
    pub open_registrations: bool,
    /// Numbers of users and statuses.
    pub usage: NodeUsage,
    /// Further facts, which the standard leaves to the program.
    pub metadata: Metadata,
}

/// Name and version of the server program.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Software {
    /// Name in lower case.
    pub name: Cow<'static, str>,
    /// Version of the program.
    pub version: String,
    /// Only in 2.1 and later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
}

/// Connected external services; none here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Services {
    /// Services from which the server imports statuses.
    pub inbound: Vec<Cow<'static, str>>,
    /// Services to which the server exports statuses.
    pub outbound: Vec<Cow<'static, str>>,
}

/// Usage of the server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NodeUsage {
    /// Numbers of users.
    pub users: NodeUsers,
    /// Number of statuses of local accounts.
    pub local_posts: i64,
}

/// Numbers of users; 0 if a server does not tell.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NodeUsers {
    /// Local accounts that can be used.
    pub total: i64,
    /// Those that were active in the last 30 days.
    pub active_month: i64,
    /// Those that were active in the last 180 days.
    pub active_halfyear: i64,
}

/// Facts that Siskin adds to the standard; empty from other servers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Metadata {
    /// Title of the instance.
    pub node_name: String,
    /// Description of the instance in one sentence.
    pub node_description: String,
    /// Compatible software.
    pub upstream: Upstream,
}

/// Compatible server software, for clients that do not know Siskin.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Upstream {
    /// Name of the software in lower case.
    pub name: Cow<'static, str>,
}

/// Renders the `NodeInfo` document of this version.
#[must_use]
pub fn render_node_info(facts: &view::InstanceFacts, version: NodeInfoVersion) -> NodeInfo {
    let repository = facts.source_url.clone().filter(|_| version == NodeInfoVersion::V2_1);
    NodeInfo {
        version: version.as_str().into(),
        software: Software {
            name: "siskin".into(),
            version: facts.software_version.clone(),
            repository,
        },
        protocols: vec!["activitypub".into()],
        services: Services::default(),
        open_registrations: facts.sign_up_open(),
        usage: NodeUsage {
            users: NodeUsers {
                total: facts.counts.users,
                active_month: facts.counts.active_month,
                active_halfyear: facts.counts.active_half_year,
            },
            local_posts: facts.counts.local_statuses,
        },
        metadata: Metadata {
            node_name: facts.title.clone(),
            node_description: facts.short_description.clone(),
            upstream: Upstream { name: "mastodon".into() },
        },
    }
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

/// Host metadata, which a client reads first if it knows only the domain.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct HostMeta {
    /// Templates of addresses.
    #[serde(default)]
    pub links: Vec<LinkTemplate>,
}

/// Link with `{uri}` as the placeholder for the requested resource.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct LinkTemplate {
    /// Relation of the target, such as `lrdd`.
    pub rel: Cow<'static, str>,
    /// Address with the placeholder.
    pub template: String,
}

/// Renders the host metadata for JSON.
#[must_use]
pub fn render_host_meta(urls: &Urls) -> HostMeta {
    let template = urls.page("/.well-known/webfinger?resource={uri}");
    HostMeta { links: vec![LinkTemplate { rel: "lrdd".into(), template }] }
}

/// Returns the host metadata as XML.
#[must_use]
pub fn write_host_meta(urls: &Urls) -> String {
    let links: String = render_host_meta(urls)
        .links
        .iter()
        .map(|link| {
            format!("  <Link rel=\"{}\" template=\"{}\"/>\n", link.rel, xml(&link.template))
        })
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <XRD xmlns=\"http://docs.oasis-open.org/ns/xri/xrd-1.0\">\n{links}</XRD>\n"
    )
}

/// Escapes `text` for an attribute value.
fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
