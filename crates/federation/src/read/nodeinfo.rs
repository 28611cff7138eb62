//! `NodeInfo` 2.0 and 2.1: what a server says about its software and size. It is for the operator
//! to look at; no rule depends on it.

use super::{Member, ReadError, Reader, limits, texts};
use crate::{
    address::Uri,
    json::{Contexts, JsonError, Members, Value, document},
};

/// Relations of the index, the newest first.
const VERSIONS: [&str; 4] = [
    "http://nodeinfo.diaspora.software/ns/schema/2.1",
    "https://nodeinfo.diaspora.software/ns/schema/2.1",
    "http://nodeinfo.diaspora.software/ns/schema/2.0",
    "https://nodeinfo.diaspora.software/ns/schema/2.0",
];

/// Claimed size of a server; `None` for what is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NodeInfoUsage {
    /// Accounts.
    pub users: Option<u64>,
    /// Accounts that were active within a month.
    pub active_month: Option<u64>,
    /// Accounts that were active within half a year.
    pub active_half_year: Option<u64>,
    /// Local statuses.
    pub statuses: Option<u64>,
}

/// Claims of a server about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeInfo {
    /// Name of its software in lower case; `None` if unknown.
    pub software: Option<String>,
    /// Version of its software; `None` if unknown.
    pub version: Option<String>,
    /// Names of its protocols.
    pub protocols: Vec<String>,
    /// Whether people can sign up; `None` if unknown.
    pub has_open_registrations: Option<bool>,
    /// Size.
    pub usage: NodeInfoUsage,
}

/// Number of characters of a name or version.
const CHARACTERS: usize = 64;

impl Reader {
    /// Reads the index at `/.well-known/nodeinfo`. Returns the address of the newest document that
    /// can be read. The caller fetches it like any other address, through the guard.
    ///
    /// # Errors
    /// Returns the reason if there is no such address.
    pub fn node_info_index(self, bytes: &[u8]) -> Result<Uri, ReadError> {
        let value = document(limited(bytes)?, Contexts::None)?;
        let members = Members::of(&value).ok_or(ReadError::Missing(Member::Links))?;
        let links: Vec<Members<'_>> = members.objects("links").take(limits::LINKS).collect();
        let of_version =
            |version: &str| links.iter().copied().find(|it| it.text("rel") == Some(version));
        let link = VERSIONS.into_iter().find_map(of_version);
        let link = link.ok_or(ReadError::Missing(Member::Links))?;
        self.uri_of(link, "href").ok_or(ReadError::Invalid(Member::Links))
    }

    /// Reads a document of `NodeInfo`. Everything in it is optional.
    ///
    /// # Errors
    /// Returns the reason if it is no JSON object, or larger than [`limits::NODE_INFO_BYTES`].
    pub fn node_info(self, bytes: &[u8]) -> Result<NodeInfo, ReadError> {
        let value = document(limited(bytes)?, Contexts::None)?;
        let members = Members::of(&value).ok_or(ReadError::Missing(Member::Links))?;
        let software = members.object("software");
        let text = |name| software?.text(name).and_then(|it| texts::line(it, CHARACTERS));
        let protocols = members.items("protocols").filter_map(Value::as_str).take(limits::LINKS);
        Ok(NodeInfo {
            software: text("name").map(|name| name.to_lowercase()),
            version: text("version"),
            protocols: protocols.filter_map(|it| texts::line(it, CHARACTERS)).collect(),
            has_open_registrations: members.flag("openRegistrations"),
            usage: usage(members),
        })
    }
}

fn limited(bytes: &[u8]) -> Result<&[u8], ReadError> {
    if bytes.len() > limits::NODE_INFO_BYTES {
        return Err(JsonError::TooLarge.into());
    }
    Ok(bytes)
}

fn usage(members: Members<'_>) -> NodeInfoUsage {
    let usage = members.object("usage");
    let users = usage.and_then(|it| it.object("users"));
    let count = |members: Option<Members<'_>>, name| members.and_then(|it| it.count(name));
    NodeInfoUsage {
        users: count(users, "total"),
        active_month: count(users, "activeMonth"),
        active_half_year: count(users, "activeHalfyear"),
        statuses: count(usage, "localPosts"),
    }
}
