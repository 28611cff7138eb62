//! Ids and other addresses, and their origins.

use std::{borrow::Borrow, fmt};

use url::Url;

use super::{AddressError, Domain, domain, is_hidden};

/// Maximum length of an address, in bytes.
pub const MAX_URI_BYTES: usize = 2048;

/// Schemes that an address may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Schemes {
    /// Only `https`, as between servers.
    #[default]
    Https,
    /// `https` and `http`: for pages that are only linked, and for tests without TLS.
    HttpToo,
}

/// Scheme of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheme {
    /// Without TLS.
    Http,
    /// With TLS.
    Https,
}

impl Scheme {
    /// Returns the name without the colon.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// Returns the port of addresses that name none.
    #[must_use]
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    fn of(name: &str, allowed: Schemes) -> Option<Self> {
        if name.eq_ignore_ascii_case("https") {
            return Some(Self::Https);
        }
        let is_http = allowed == Schemes::HttpToo && name.eq_ignore_ascii_case("http");
        is_http.then_some(Self::Http)
    }
}

/// Scheme, host and port of an address (RFC 6454). Two addresses belong to the same server only if
/// all three are equal: no rule looks at suffixes or at parent domains.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    scheme: Scheme,
    host: String,
    port: u16,
}

impl Origin {
    /// Returns the scheme.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the host in lower-case ASCII, without the port.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the port, also if it is the default one.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Returns the domain of handles on this server: the host, with the port unless it is the
    /// default one.
    #[must_use]
    pub fn domain(&self) -> Domain {
        Domain::of_host(&self.host, (self.port != self.scheme.default_port()).then_some(self.port))
    }
}

/// Displays as `https://host` or `https://host:port`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.as_str(), self.domain())
    }
}

/// Address of a document, which is also its id. It is compared and stored byte for byte as sent.
///
/// It has at most [`MAX_URI_BYTES`] bytes, an allowed scheme, a host in the form of [`Domain`], no
/// credentials, and no white space, control or invisible characters. All programs read the same
/// host in it.
///
/// ```
/// use siskin_federation::address::{Schemes, Uri};
///
/// let note = Uri::parse("https://Town.example/notes/1#a", Schemes::Https)?;
/// let key = Uri::parse("https://town.example:443/users/b#main-key", Schemes::Https)?;
/// assert_eq!(note.as_str(), "https://Town.example/notes/1#a");
/// assert_eq!(note.origin(), key.origin());
/// # Ok::<(), siskin_federation::address::AddressError>(())
/// ```
#[derive(Clone)]
pub struct Uri {
    text: Box<str>,
    origin: Origin,
}

impl Uri {
    /// Parses an address.
    ///
    /// # Errors
    /// Returns the reason if the text is no address of an allowed scheme.
    pub fn parse(text: &str, schemes: Schemes) -> Result<Self, AddressError> {
        if text.len() > MAX_URI_BYTES {
            return Err(AddressError::TooLong);
        }
        if text.chars().any(is_forbidden) {
            return Err(AddressError::Character);
        }
        let (scheme, rest) = text.split_once("://").ok_or(AddressError::Scheme)?;
        let scheme = Scheme::of(scheme, schemes).ok_or(AddressError::Scheme)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let origin = origin_of(scheme, authority)?;
        is_read_alike(text, &origin)
            .then(|| Self { text: text.into(), origin })
            .ok_or(AddressError::Host)
    }

    /// Returns the address as it was sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns scheme, host and port.
    #[must_use]
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the domain of handles on its server.
    #[must_use]
    pub fn domain(&self) -> Domain {
        self.origin.domain()
    }

    /// Returns `true` if both addresses have the same scheme, host and port.
    #[must_use]
    pub fn has_origin_of(&self, other: &Self) -> bool {
        self.origin == other.origin
    }

    /// Returns the part after the first `#`, or `None` if there is no `#`.
    #[must_use]
    pub fn fragment(&self) -> Option<&str> {
        self.text.split_once('#').map(|(_, fragment)| fragment)
    }

    /// Returns the address without its fragment: the document that a client asks the server for.
    #[must_use]
    pub fn without_fragment(&self) -> Self {
        let text = self.text.split('#').next().unwrap_or_default();
        Self { text: text.into(), origin: self.origin.clone() }
    }

    /// Returns `true` if a request for this id ends at `answered`. They may differ only as clients
    /// write the same request in several ways: case of the host, default port, percent-encoding of
    /// characters outside of ASCII, a missing slash after the host. Fragments must be equal.
    #[must_use]
    pub fn is_same_request(&self, answered: &Self) -> bool {
        if self == answered {
            return true;
        }
        match (Url::parse(&self.text), Url::parse(&answered.text)) {
            (Ok(one), Ok(other)) => one == other,
            _ => false,
        }
    }

    /// Returns the last part of the path that is not empty, without query and fragment. Returns
    /// `None` if the path is empty.
    #[must_use]
    pub fn last_path_part(&self) -> Option<&str> {
        let (_, rest) = self.text.split_once("://")?;
        let path = rest.split(['?', '#']).next()?.split_once('/')?.1;
        path.rsplit('/').find(|part| !part.is_empty())
    }
}

/// Returns `true` for characters that no address may have. Clients drop or convert some of them, so
/// that the requested address would not be the checked one.
fn is_forbidden(c: char) -> bool {
    matches!(c, '\\' | '<' | '>' | '"') || c.is_whitespace() || is_hidden(c)
}

fn origin_of(scheme: Scheme, authority: &str) -> Result<Origin, AddressError> {
    if authority.contains('@') {
        return Err(AddressError::Credentials);
    }
    let normalised = domain::normalised(authority)?;
    match normalised.split_once(':') {
        Some((host, port)) => {
            let port = port.parse().map_err(|_| AddressError::Host)?;
            Ok(Origin { scheme, host: host.to_owned(), port })
        }
        None => Ok(Origin { scheme, port: scheme.default_port(), host: normalised }),
    }
}

/// Returns `true` if the parser of HTTP clients finds the same server in the address. It reads
/// `0x7f.1` as `127.0.0.1`, for example.
fn is_read_alike(text: &str, origin: &Origin) -> bool {
    Url::parse(text).is_ok_and(|url| {
        url.scheme() == origin.scheme.as_str()
            && url.host_str() == Some(origin.host.as_str())
            && url.port_or_known_default() == Some(origin.port)
    })
}

impl PartialEq for Uri {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Uri {}

impl PartialOrd for Uri {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Uri {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text.cmp(&other.text)
    }
}

impl std::hash::Hash for Uri {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

/// Sets of addresses can be searched by text.
impl Borrow<str> for Uri {
    fn borrow(&self) -> &str {
        &self.text
    }
}

impl AsRef<str> for Uri {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text)
    }
}
