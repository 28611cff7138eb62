//! Reviews of the websites that links lead to.

use std::collections::HashMap;

use siskin_entities::Review;
use siskin_ids::PreviewCardId;
use siskin_persistence::{
    Conn,
    trends::{self as rows, Entry},
};
use siskin_policy::trends::publisher_domains;
use url::Url;

use crate::Result;

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
        let hosts: Vec<(PreviewCardId, String)> = rows::addresses(conn, ids)?
            .into_iter()
            .filter_map(|(id, url)| Some((id, host(&url)?)))
            .collect();
        let domains = hosts.iter().flat_map(|(_, host)| publisher_domains(host));
        let known = rows::publishers(conn, domains)?;
        let review = |host: &str| {
            publisher_domains(host)
                .find_map(|domain| known.get(domain))
                .copied()
                .unwrap_or_default()
        };
        let reviews = hosts.iter().map(|(id, host)| (*id, review(host))).collect();
        Ok(Self { reviews })
    }

    /// Returns the review of the publisher of a link.
    pub(super) fn review(&self, id: PreviewCardId) -> Review {
        self.reviews.get(&id).copied().unwrap_or_default()
    }
}

fn host(address: &str) -> Option<String> {
    Some(Url::parse(address).ok()?.host_str()?.to_ascii_lowercase())
}
