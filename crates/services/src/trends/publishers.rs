//! Reviews of the websites that links lead to.

use std::collections::{BTreeMap, HashMap};

use siskin_entities::Review;
use siskin_ids::PreviewCardId;
use siskin_persistence::{
    Conn,
    trends::{self as rows, Entry},
};
use siskin_policy::trends::publisher_domains;
use siskin_text::normalise_domain;
use url::Url;

use crate::Result;

/// Maximum number of reviewed publishers that are listed.
const MAX_PUBLISHERS: i64 = 1000;

/// Reviews of the publishers of some links.
#[derive(Debug, Default)]
pub(super) struct Publishers {
    reviews: HashMap<PreviewCardId, Review>,
}

impl Publishers {
    /// Loads the reviews of the publishers of these entries.
    pub(super) fn of(conn: &mut Conn, entries: &[Entry<PreviewCardId>]) -> Result<Self> {
        let ids: Vec<PreviewCardId> = entries.iter().map(|entry| entry.id).collect();
        Self::of_links(conn, &ids)
    }

    /// Loads the reviews of the publishers of these links.
    pub(super) fn of_links(conn: &mut Conn, ids: &[PreviewCardId]) -> Result<Self> {
        let hosts = hosts(conn, ids)?;
        let known = reviews_for(conn, &hosts)?;
        let review = |host: &str| deciding(&known, host).map_or(Review::Unreviewed, |it| it.1);
        let reviews = hosts.iter().map(|(id, host)| (*id, review(host))).collect();
        Ok(Self { reviews })
    }

    /// Returns the review of the publisher of a link.
    pub(super) fn review(&self, id: PreviewCardId) -> Review {
        self.reviews.get(&id).copied().unwrap_or_default()
    }
}

/// A website that links lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publisher {
    pub domain: String,
    pub review: Review,
    /// Number of links that trend, or would trend after their approval, to which the review
    /// applies. Some of them may have a review of their own.
    pub links: usize,
}

/// Loads the publishers of everything that trends, and all reviewed ones, at most
/// [`MAX_PUBLISHERS`] of them. They are in the order of their domains. Runs four statements.
pub(super) fn list(conn: &mut Conn) -> Result<Vec<Publisher>> {
    let ids: Vec<PreviewCardId> = rows::links(conn)?.iter().map(|link| link.id).collect();
    let hosts = hosts(conn, &ids)?;
    let known = reviews_for(conn, &hosts)?;
    let mut found: BTreeMap<String, (Review, usize)> = reviewed(conn)?
        .into_iter()
        .chain(known.clone())
        .map(|(domain, review)| (domain, (review, 0)))
        .collect();
    for (_, host) in &hosts {
        let (domain, review) =
            deciding(&known, host).unwrap_or((host.as_str(), Review::Unreviewed));
        // Some addresses of links have a host that is no domain.
        if self::domain(domain).is_some_and(|known| known == domain) {
            found.entry(domain.to_owned()).or_insert((review, 0)).1 += 1;
        }
    }
    let publisher = |(domain, (review, links))| Publisher { domain, review, links };
    Ok(found.into_iter().map(publisher).collect())
}

/// Loads the reviewed publishers, at most [`MAX_PUBLISHERS`].
pub(super) fn reviewed(conn: &mut Conn) -> Result<Vec<(String, Review)>> {
    Ok(rows::all_publishers(conn, MAX_PUBLISHERS)?)
}

/// Loads the hosts of these links.
fn hosts(conn: &mut Conn, ids: &[PreviewCardId]) -> Result<Vec<(PreviewCardId, String)>> {
    let addresses = rows::addresses(conn, ids)?.into_iter();
    Ok(addresses.filter_map(|(id, url)| Some((id, host(&url)?))).collect())
}

/// Loads all reviews that apply to links to these hosts.
fn reviews_for(
    conn: &mut Conn,
    hosts: &[(PreviewCardId, String)],
) -> Result<HashMap<String, Review>> {
    let domains = hosts.iter().flat_map(|(_, host)| publisher_domains(host));
    Ok(rows::publishers(conn, domains)?)
}

/// Returns the publisher with the review that decides about links to a host.
fn deciding<'h>(known: &HashMap<String, Review>, host: &'h str) -> Option<(&'h str, Review)> {
    publisher_domains(host).find_map(|domain| Some((domain, *known.get(domain)?)))
}

fn host(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    // Both spellings of a domain, with and without the dot at its end, are the same publisher.
    Some(url.host_str()?.trim_end_matches('.').to_ascii_lowercase())
}

/// Returns the domain of a publisher in the form of [`host`]. Returns `None` if no link can have it
/// as its host. Examples are a name with a port, a pattern, and another spelling of an IP address.
pub(super) fn domain(typed: &str) -> Option<String> {
    let domain = normalise_domain(typed.strip_suffix('.').unwrap_or(typed))?;
    // URLs may contain other characters, too, but names in the DNS do not.
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
    let is_host = || host(&format!("https://{domain}/")).is_some_and(|host| host == domain);
    (domain.bytes().all(is_name) && is_host()).then_some(domain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_the_host_of_its_links() {
        for (typed, expected, link) in [
            ("News.Example", "news.example", "https://NEWS.example/birds"),
            ("Example.ORG.", "example.org", "https://example.org/"),
            ("example.org", "example.org", "https://example.org./birds"),
            ("bücher.example", "xn--bcher-kva.example", "https://bücher.example:8443/"),
            ("a_b.example", "a_b.example", "https://a_b.example/"),
            ("127.0.0.1", "127.0.0.1", "http://127.0.0.1:5180/"),
        ] {
            assert_eq!(domain(typed).as_deref(), Some(expected), "{typed}");
            assert_eq!(host(link).as_deref(), Some(expected), "{link}");
        }
    }

    #[test]
    fn names_that_no_link_has_are_no_domains() {
        for typed in [
            "",
            ".",
            "*",
            "*.example.org",
            "127.0.0.1:5180",
            "example.org:443",
            "0x7f.1",
            "bad domain!",
            "domain!",
            "example.org..",
            "https://example.org",
            "example.org/birds",
            "[::1]",
        ] {
            assert_eq!(domain(typed), None, "{typed}");
        }
    }
}
