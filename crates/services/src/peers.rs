//! Remote servers that this one knows.

use std::collections::HashMap;

use siskin_entities::DomainSeverity;
use siskin_persistence::{Conn, instance_domains, peers};
use siskin_policy::domains::covering;

use crate::Result;

/// Returns the domains of known remote accounts in alphabetical order, without those that staff
/// suspended. Callers should cache the result.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn) -> Result<Vec<String>> {
    let mut domains = peers::domains(conn)?;
    let blocks = instance_domains::blocks_after(conn, None, i64::MAX)?;
    let severities: HashMap<&str, DomainSeverity> =
        blocks.iter().map(|block| (block.domain.as_str(), block.limits.severity)).collect();
    domains.retain(|domain| {
        let rule = covering(domain).into_iter().find_map(|covering| severities.get(covering));
        rule != Some(&DomainSeverity::Suspend)
    });
    Ok(domains)
}
