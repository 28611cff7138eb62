//! Dry run of a domain block.

use std::collections::HashSet;

use siskin_entities::{DomainBlockPreview, DomainLimits, InstanceDomainBlock, Urls};
use siskin_persistence::{Conn, instance_domains as rows};
use siskin_policy::domains::{conflict, covering, covers};

use super::{blockable_domain, list_all};
use crate::{LISTED_AT_ONCE, Result};

/// Returns what a new domain block would change. Subdomains with blocks of their own stay as they
/// are.
///
/// # Errors
/// [`crate::Error::Invalid`] for a text that is no domain that can be blocked.
pub fn preview(
    conn: &mut Conn,
    urls: &Urls,
    typed: &str,
    limits: DomainLimits,
) -> Result<DomainBlockPreview> {
    let domain = blockable_domain(urls, typed)?;
    let present = rows::covering(conn, covering(&domain))?;
    let conflict = conflict(&domain, limits, &present).cloned();
    let ruled = ruled_domains(conn, &domain)?;
    let effect = rows::effect(conn, &ruled, limits.severity)?;
    Ok(DomainBlockPreview { domain, severity: limits.severity, effect, conflict })
}

/// Returns the known domains that a block of this domain rules: those that it covers, without those
/// that a longer block covers.
fn ruled_domains(conn: &mut Conn, domain: &str) -> Result<Vec<String>> {
    let is_longer =
        |block: &InstanceDomainBlock| block.domain != domain && covers(domain, &block.domain);
    let blocks = list_all(conn)?;
    let exceptions: HashSet<&str> =
        blocks.iter().filter(|it| is_longer(it)).map(|it| it.domain.as_str()).collect();
    let is_exception = |known: &str| covering(known).iter().any(|it| exceptions.contains(it));
    let (mut ruled, mut after) = (Vec::new(), String::new());
    loop {
        let known = rows::domains_after(conn, &after, LISTED_AT_ONCE)?;
        let Some(last) = known.last() else { return Ok(ruled) };
        after.clone_from(last);
        ruled.extend(known.into_iter().filter(|it| covers(domain, it) && !is_exception(it)));
    }
}
