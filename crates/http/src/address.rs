//! The client address of a request: the peer, or the address that a trusted proxy forwards.

use std::{
    collections::HashSet,
    error::Error,
    fmt,
    net::{IpAddr, Ipv4Addr},
    sync::{Mutex, PoisonError},
};

use actix_web::{HttpRequest, web::Data};
use siskin_app::App;
use siskin_entities::Network;
use siskin_services::proxies::{self, MAX_UNTRUSTED};

/// Proxies with a trusted `X-Forwarded-For` header. Empty unless the operator configures some.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies {
    networks: Vec<Network>,
}

/// Error: the text is neither an address nor a network such as `10.0.0.0/8`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidProxy(String);

impl fmt::Display for InvalidProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is neither an address nor a network such as 10.0.0.0/8", self.0)
    }
}

impl Error for InvalidProxy {}

impl TrustedProxies {
    /// Parses addresses and networks.
    ///
    /// # Errors
    /// Returns the first text that is neither.
    pub fn parse<T: AsRef<str>>(
        proxies: impl IntoIterator<Item = T>,
    ) -> Result<Self, InvalidProxy> {
        let parse = |proxy: T| {
            let text = proxy.as_ref().trim();
            text.parse().map_err(|_| InvalidProxy(text.to_owned()))
        };
        Ok(Self { networks: proxies.into_iter().map(parse).collect::<Result<_, _>>()? })
    }

    /// Returns `true` if the address is one of the proxies.
    #[must_use]
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|network| network.contains(address))
    }

    /// Returns the address that a request comes from.
    ///
    /// `forwarded` holds the values of `X-Forwarded-For`, in order. Of the addresses in it and the
    /// peer, this returns the last one that is not a trusted proxy. Clients can forge everything
    /// before it.
    fn client<'a>(
        &self,
        peer: IpAddr,
        forwarded: impl DoubleEndedIterator<Item = &'a str>,
    ) -> IpAddr {
        let mut client = canonical(peer);
        for hop in forwarded.flat_map(|value| value.split(',')).collect::<Vec<_>>().iter().rev() {
            if !self.trusts(client) {
                break;
            }
            let Ok(address) = hop.trim().parse() else { break };
            client = canonical(address);
        }
        client
    }
}

/// Converts an IPv4 address that is written as an IPv6 address into the IPv4 address.
fn canonical(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

/// Returns the address that a trusted proxy forwards the request for. `None` if the peer is not a
/// trusted proxy.
pub(crate) fn forwarded(request: &HttpRequest) -> Option<IpAddr> {
    let trusted = request.app_data::<Data<TrustedProxies>>()?;
    let peer = request.peer_addr()?.ip();
    trusted.trusts(canonical(peer)).then(|| of(request))
}

/// Returns `true` if no block may refuse requests from this address: it belongs to this machine or
/// to a trusted proxy, which forwards the requests of others.
pub(crate) fn is_exempt(request: &HttpRequest, address: IpAddr) -> bool {
    let trusted = request.app_data::<Data<TrustedProxies>>();
    address.is_loopback() || trusted.is_some_and(|trusted| trusted.trusts(address))
}

/// Returns the address that a request comes from, or `None` if no block may refuse it.
pub(crate) fn unless_exempt(request: &HttpRequest) -> Option<IpAddr> {
    Some(of(request)).filter(|address| !is_exempt(request, *address))
}

/// Returns the address that a request comes from. Logs a peer that forwards requests without being
/// trusted.
pub(crate) fn of(request: &HttpRequest) -> IpAddr {
    let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
    let no_proxies = TrustedProxies::default();
    let trusted = request.app_data::<Data<TrustedProxies>>().map_or(&no_proxies, |trusted| trusted);
    let forwarded: Vec<&str> = request
        .headers()
        .get_all("x-forwarded-for")
        .filter_map(|value| value.to_str().ok())
        .collect();
    if !forwarded.is_empty() && !trusted.trusts(canonical(peer)) {
        record_untrusted(request, canonical(peer));
    }
    trusted.client(peer, forwarded.into_iter())
}

/// Peers that forwarded requests to this process without being trusted.
#[derive(Debug, Default)]
pub(crate) struct Untrusted(Mutex<HashSet<IpAddr>>);

impl Untrusted {
    /// Returns `true` if `peer` is new and there is room to remember it. The bound keeps clients
    /// from filling the log by sending the header.
    fn is_new(&self, peer: IpAddr) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.len() < MAX_UNTRUSTED && seen.insert(peer)
    }
}

fn record_untrusted(request: &HttpRequest, peer: IpAddr) {
    let seen = request.app_data::<Data<Untrusted>>();
    if !seen.is_some_and(|seen| seen.is_new(peer)) {
        return;
    }
    log::warn!(
        "{peer} sent X-Forwarded-For and is not in --trusted-proxies: if it is your proxy, add it \
         there; otherwise all clients behind it share one rate limit"
    );
    if let Some(app) = request.app_data::<Data<App>>() {
        let app = app.get_ref().clone();
        drop(actix_web::rt::spawn(async move {
            if let Err(error) = app.write(move |tx| proxies::record_untrusted(tx, peer)).await {
                log::warn!("cannot record the proxy {peer} for `siskin doctor`: {error}");
            }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(proxies: &[&str], peer: &str, forwarded: &[&str]) -> String {
        let proxies = TrustedProxies::parse(proxies).unwrap();
        proxies.client(peer.parse().unwrap(), forwarded.iter().copied()).to_string()
    }

    #[test]
    fn only_configured_proxies_are_trusted() {
        assert_eq!(client(&[], "127.0.0.1", &["9.9.9.9"]), "127.0.0.1");
        assert_eq!(client(&["10.0.0.1"], "127.0.0.1", &["9.9.9.9"]), "127.0.0.1");
        assert_eq!(client(&["10.0.0.0/8"], "11.0.0.1", &["9.9.9.9"]), "11.0.0.1");
    }

    #[test]
    fn the_last_untrusted_hop_is_the_client() {
        let proxies = &["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"];
        assert_eq!(client(proxies, "127.0.0.1", &["9.9.9.9"]), "9.9.9.9");
        assert_eq!(client(proxies, "127.0.0.1", &["6.6.6.6, 9.9.9.9, 10.2.3.4"]), "9.9.9.9");
        assert_eq!(client(proxies, "127.0.0.1", &["6.6.6.6", "9.9.9.9,10.2.3.4"]), "9.9.9.9");
        assert_eq!(client(proxies, "2001:db8::7", &["2a00::1"]), "2a00::1");
        assert_eq!(client(proxies, "::ffff:127.0.0.1", &["::ffff:9.9.9.9"]), "9.9.9.9");
        assert_eq!(client(proxies, "127.0.0.1", &["9.9.9.9, nonsense"]), "127.0.0.1");
        assert_eq!(client(proxies, "127.0.0.1", &[]), "127.0.0.1");
        assert_eq!(client(&["0.0.0.0/0"], "8.8.8.8", &["9.9.9.9"]), "9.9.9.9");
    }

    #[test]
    fn untrusted_peers_are_recorded_once_up_to_a_limit() {
        let untrusted = Untrusted::default();
        let address = |number: u8| IpAddr::from([10, 0, 0, number]);
        assert!(untrusted.is_new(address(1)) && !untrusted.is_new(address(1)));
        let recorded = (2..=255).filter(|number| untrusted.is_new(address(*number))).count();
        assert_eq!(recorded, MAX_UNTRUSTED - 1);
    }

    #[test]
    fn a_network_is_an_address_with_an_optional_length() {
        for wrong in ["", "x", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0"] {
            assert!(TrustedProxies::parse([wrong]).is_err(), "{wrong}");
        }
    }
}
