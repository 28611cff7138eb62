//! Domains of handles and of blocks.

use std::{borrow::Borrow, fmt};

use super::AddressError;

/// Domain of a server, as stored and compared: lower-case ASCII with punycode, no trailing dot, and
/// the port unless it is 443.
///
/// ```
/// use siskin_federation::address::Domain;
///
/// assert_eq!(Domain::parse("BÜCHER.example:443")?.as_str(), "xn--bcher-kva.example");
/// assert_eq!(Domain::parse("town.example:8443")?.as_str(), "town.example:8443");
/// assert!(Domain::parse("town.example/..").is_err());
/// # Ok::<(), siskin_federation::address::AddressError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Domain(Box<str>);

impl Domain {
    /// Parses a host, with or without a port.
    ///
    /// # Errors
    /// Returns [`AddressError::Host`] for anything that is no host: `/`, `\`, `@`, `%`, quotes,
    /// spaces, control and invisible characters, empty labels, a trailing dot, a bad port, an IPv6 address.
    /// Nothing is trimmed (CVE-2023-42451).
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let domain = normalised(text)?;
        let without_port = domain.strip_suffix(":443").unwrap_or(&domain);
        Ok(Self(without_port.into()))
    }

    /// Builds the domain of a normalised host.
    pub(super) fn of_host(host: &str, port: Option<u16>) -> Self {
        match port {
            Some(port) => Self(format!("{host}:{port}").into()),
            None => Self(host.into()),
        }
    }

    /// Returns the domain in its stored form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the host without the port.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.split(':').next().unwrap_or_default()
    }

    /// Returns the part of the host below which new hosts are counted together, so that wild-card
    /// names of the DNS do not look like many servers (CVE-2022-46405): its last two labels, or the
    /// last three if the second last has up to three letters and the last has two (`b.co.uk`).
    ///
    /// It is an estimate for rate limits. No rule of authorship uses it.
    #[must_use]
    pub fn family(&self) -> &str {
        let host = self.host();
        let is_number = host.rsplit('.').next().is_some_and(|label| {
            !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit())
        });
        if is_number {
            return host;
        }
        let mut labels = host.rsplit('.');
        let top = labels.next().map_or(0, str::len);
        let second = labels.next().map_or(0, str::len);
        let count = if top == 2 && second <= 3 { 3 } else { 2 };
        let dot = host.rmatch_indices('.').nth(count - 1).map(|(at, _)| at + 1);
        dot.and_then(|start| host.get(start..)).unwrap_or(host)
    }
}

/// Returns a host with its port, if there is one, in lower-case ASCII.
///
/// # Errors
/// Returns [`AddressError::Host`] as [`Domain::parse`] does.
pub(super) fn normalised(authority: &str) -> Result<String, AddressError> {
    // The URL standard allows more, such as quotes and braces, which no name of the DNS has.
    let is_allowed =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
    let domain = siskin_text::normalise_domain(authority);
    domain.filter(|domain| domain.bytes().all(is_allowed)).ok_or(AddressError::Host)
}

impl Borrow<str> for Domain {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Domain {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
