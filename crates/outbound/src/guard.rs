//! Rules for allowed destinations, as far as the URL shows them.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

use crate::{FetchError, is_global};

/// Ports from 1024 up that other protocols use, so that a request must not be smuggled to them
/// (Fetch standard, "bad port").
const BAD_PORTS: &[u16] = &[
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
    6679, 6697, 10080,
];

/// Rules for destinations, with the exceptions that the operator configured.
#[derive(Debug, Clone, Default)]
pub(crate) struct Guard {
    allowed: Vec<SocketAddr>,
    /// Name and port of a server that may be reached on any address.
    trusted: Option<(String, u16)>,
}

/// Destination of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Server {
    /// The destination is allowed.
    Allowed,
    /// The destination depends on the addresses of the name. The caller then checks address and
    /// port.
    Named { name: String, port: u16 },
}

impl Guard {
    pub(crate) const fn new(allowed: Vec<SocketAddr>) -> Self {
        Self { allowed, trusted: None }
    }

    /// Returns a copy for the requests of one purpose. It also allows the server that the operator
    /// configured, even inside of the operator's network.
    pub(crate) fn trusting(&self, server: &Url) -> Result<Self, FetchError> {
        let mut guard = self.clone();
        let none = FetchError::Address("it has no host");
        let (Some(host), Some(port)) = (server.host(), server.port_or_known_default()) else {
            return Err(none);
        };
        match host {
            Host::Ipv4(address) => guard.allowed.push((address, port).into()),
            Host::Ipv6(address) => guard.allowed.push((address, port).into()),
            Host::Domain(name) => guard.trusted = Some((name.to_owned(), port)),
        }
        guard.check(server).map(|_| guard)
    }

    /// Returns `true` if the operator configured this server, on any address.
    pub(crate) fn trusts(&self, name: &str, port: u16) -> bool {
        self.trusted.as_ref().is_some_and(|(trusted, at)| trusted == name && *at == port)
    }

    /// Returns `true` if the operator configured any exceptions.
    pub(crate) fn has_exceptions(&self) -> bool {
        !self.allowed.is_empty()
    }

    /// Returns `true` if the operator allowed exactly this address.
    pub(crate) fn is_exception(&self, address: SocketAddr) -> bool {
        self.allowed.contains(&address)
    }

    /// Returns `true` if the host of the URL is an address that the operator allowed.
    pub(crate) fn is_exception_to(&self, url: &Url) -> bool {
        let address: Option<IpAddr> = match url.host() {
            Some(Host::Ipv4(address)) => Some(address.into()),
            Some(Host::Ipv6(address)) => Some(address.into()),
            Some(Host::Domain(_)) | None => None,
        };
        let address = address.zip(url.port_or_known_default());
        address.is_some_and(|address| self.is_exception(address.into()))
    }

    /// Returns `true` if a connection to this address is allowed.
    pub(crate) fn allows(&self, address: SocketAddr) -> bool {
        is_global(address.ip()) || self.is_exception(address)
    }

    /// Checks a URL as far as possible without a name lookup. Numeric hosts in any spelling are
    /// addresses here, because `url` parses them as such.
    pub(crate) fn check(&self, url: &Url) -> Result<Server, FetchError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(FetchError::Address("its scheme is neither http nor https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::Address("it contains credentials"));
        }
        let port = url.port_or_known_default();
        let (Some(host), Some(port)) = (url.host(), port) else {
            return Err(FetchError::Address("it has no host"));
        };
        match host {
            Host::Ipv4(address) => self.check_ip(address.into(), port),
            Host::Ipv6(address) => self.check_ip(address.into(), port),
            Host::Domain(name) => Ok(Server::Named { name: name.to_owned(), port }),
        }
    }

    fn check_ip(&self, address: IpAddr, port: u16) -> Result<Server, FetchError> {
        if self.is_exception((address, port).into()) {
            return Ok(Server::Allowed);
        }
        if !is_global(address) {
            return Err(FetchError::Private(address.to_string()));
        }
        check_port(port).map(|()| Server::Allowed)
    }
}

/// Allows the default ports and unprivileged ports.
pub(crate) fn check_port(port: u16) -> Result<(), FetchError> {
    if matches!(port, 80 | 443) || (port >= 1024 && !BAD_PORTS.contains(&port)) {
        Ok(())
    } else {
        Err(FetchError::Address("its port belongs to another service"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str) -> Result<Server, FetchError> {
        let guard =
            Guard::new(vec!["127.0.0.1:4000".parse().unwrap(), "[::1]:25".parse().unwrap()]);
        guard.check(&Url::parse(url).unwrap())
    }

    #[test]
    fn private_addresses_are_refused_in_every_spelling() {
        for url in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://0x7f.0.0.1/",
            "http://2130706433/",
            "http://0177.0.0.1/",
            "http://0x7f000001/",
            "http://１２７.0.0.1/",
            "http://127.0.0.1./",
            "http://%31%32%37.0.0.1/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[2002:7f00:1::]/",
            "http://169.254.169.254/latest",
            "http://0/",
            "https://[fe80::1]/",
            "http://127.0.0.1:4001/",
            "http://127.0.0.2:4000/",
            "http://[::ffff:127.0.0.1]:4000/",
        ] {
            assert!(matches!(check(url), Err(FetchError::Private(_))), "{url}");
        }
    }

    #[test]
    fn only_the_allowed_addresses_are_exceptions() {
        for url in ["http://127.0.0.1:4000/", "http://127.1:4000/x", "https://[::1]:25/"] {
            assert_eq!(check(url).unwrap(), Server::Allowed, "{url}");
        }
    }

    #[test]
    fn only_web_urls_without_a_login_are_accepted() {
        for url in [
            "ftp://example.com/",
            "file:///etc/passwd",
            "gopher://example.com/",
            "data:text/html,x",
            "javascript:1",
            "http://me@example.com/",
            "http://me:secret@example.com/",
            "http://:secret@example.com/",
            "http://8.8.8.8:25/",
            "https://8.8.8.8:22/",
            "http://8.8.8.8:6667/",
        ] {
            assert!(matches!(check(url), Err(FetchError::Address(_))), "{url}");
        }
        assert_eq!(check("https://8.8.8.8:8443/").unwrap(), Server::Allowed);
        let named = Server::Named { name: "xn--bcher-kva.example".to_owned(), port: 443 };
        assert_eq!(check("https://BÜCHER.example/").unwrap(), named);
    }
}
