//! `NodeInfo` 2.0 and 2.1, and its index.

use super::node::{Members, Node};

/// Version of the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeInfoVersion {
    /// 2.0
    V2_0,
    /// 2.1, which adds the addresses of the software.
    V2_1,
}

impl NodeInfoVersion {
    /// Returns the number.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2_0 => "2.0",
            Self::V2_1 => "2.1",
        }
    }

    const fn schema(self) -> &'static str {
        match self {
            Self::V2_0 => "http://nodeinfo.diaspora.software/ns/schema/2.0",
            Self::V2_1 => "http://nodeinfo.diaspora.software/ns/schema/2.1",
        }
    }

    /// Returns the media type of documents.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::V2_0 => {
                "application/json; profile=\"http://nodeinfo.diaspora.software/ns/schema/2.0#\""
            }
            Self::V2_1 => {
                "application/json; profile=\"http://nodeinfo.diaspora.software/ns/schema/2.1#\""
            }
        }
    }
}

/// Size of a server; `None` for what is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Accounts.
    pub users: Option<u64>,
    /// Accounts that were active within a month.
    pub active_month: Option<u64>,
    /// Accounts that were active within half a year.
    pub active_half_year: Option<u64>,
    /// Local statuses.
    pub statuses: Option<u64>,
}

/// What a server says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeInfo<'a> {
    /// Name of the software: lower-case letters, digits and hyphens.
    pub software: &'a str,
    /// Version of the software.
    pub version: &'a str,
    /// Address of its source code; empty if unknown. Only 2.1 shows it.
    pub repository: &'a str,
    /// Address of its page; empty if there is none. Only 2.1 shows it.
    pub homepage: &'a str,
    /// Size.
    pub usage: Usage,
    /// Whether people can sign up.
    pub has_open_registrations: bool,
    /// Name of the server.
    pub name: &'a str,
    /// Short description of the server.
    pub description: &'a str,
}

impl<'a> NodeInfo<'a> {
    pub(super) fn members(&self, version: NodeInfoVersion) -> Members<'a> {
        let mut software =
            Members::default().text("name", self.software).text("version", self.version);
        if version == NodeInfoVersion::V2_1 {
            software = software.text("repository", self.repository).text("homepage", self.homepage);
        }
        let users = Members::default()
            .count("total", self.usage.users)
            .count("activeMonth", self.usage.active_month)
            .count("activeHalfyear", self.usage.active_half_year);
        let usage = Members::default()
            .with("users", Node::Object(users))
            .count("localPosts", self.usage.statuses);
        let metadata = Members::default()
            .text("nodeName", self.name)
            .text("nodeDescription", self.description);
        let none = || Node::List(Vec::new());
        // The schema requires all of them.
        Members::default()
            .text("version", version.as_str())
            .with("software", Node::Object(software))
            .texts("protocols", &["activitypub"])
            .object(
                "services",
                Some(Members::default().with("inbound", none()).with("outbound", none())),
            )
            .with("usage", Node::Object(usage))
            .flag("openRegistrations", self.has_open_registrations)
            .with("metadata", Node::Object(metadata))
    }
}

/// Returns the index of both versions.
pub(super) fn index<'a>(version_2_0: &'a str, version_2_1: &'a str) -> Members<'a> {
    let versions = [(NodeInfoVersion::V2_0, version_2_0), (NodeInfoVersion::V2_1, version_2_1)];
    let links = versions.into_iter().map(|(version, address)| {
        Members::default().text("rel", version.schema()).text("href", address)
    });
    Members::default().objects("links", links)
}
