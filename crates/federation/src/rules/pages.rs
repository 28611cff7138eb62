//! Rule 12: pages for people.

use crate::{
    address::{Domain, Uri},
    read::Actor,
};

/// Returns the domain of the page of an object if it differs from that of its id. It is shown with
/// the link, because the object proves nothing about it.
#[must_use]
pub fn foreign_host(id: &Uri, page: &Uri) -> Option<Domain> {
    let domain = page.domain();
    (domain != id.domain()).then_some(domain)
}

/// Returns `true` if an actor, in its own document, allows the pages of this domain to name it as
/// their author (GHSA-rwcw). Domains are compared as a whole.
#[must_use]
pub fn attribution_counts(author: &Actor, page: &Uri) -> bool {
    let domain = page.domain();
    author.attribution_domains.contains(&domain)
}
