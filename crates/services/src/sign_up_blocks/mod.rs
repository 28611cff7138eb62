//! Blocks that keep people from signing up, managed by staff: of email domains, of email addresses,
//! and of networks. This module also enforces the blocks of email addresses.

pub mod canonical_emails;
pub mod email_domains;
pub mod ips;

use std::{net::IpAddr, time::Duration};

use siskin_entities::Network;
use siskin_ids::EmailDomainBlockId;
use siskin_persistence::{Conn, Tx, sign_up_blocks as rows};
use siskin_policy::{
    limits::MAX_BLOCK_DURATION,
    sign_up::{email_domain, email_domains as domains_of, mail_server_domains},
};

use crate::{Error, Field, FieldError, Result, accounts::email_key, secrets};

/// Number of bits of an IPv6 address that stand for one client, as for the rate limits.
const CLIENT_BITS: u8 = 64;

/// The mail servers of an email address that a person chooses, as the DNS names them. A block of an
/// email domain applies to its mail servers, too. Empty if they are not known: an outage of the DNS
/// must not keep people out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MailServers(Vec<String>);

impl MailServers {
    /// Takes the names of the servers, in lower-case ASCII, and their IP addresses.
    #[must_use]
    pub fn new(hosts: Vec<String>) -> Self {
        Self(hosts)
    }

    fn domains(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|host| mail_server_domains(host))
    }
}

/// Returns the domain for which the mail servers of an email address must be looked up before the
/// blocks can be checked. Returns `None` if no domain is blocked, or if the domain of the address
/// is.
///
/// # Errors
/// Storage errors only.
pub fn domain_to_look_up(conn: &mut Conn, email: &str) -> Result<Option<String>> {
    let key = email_key(email);
    let Some(domain) = email_domain(&key) else { return Ok(None) };
    let is_open = rows::email_domains::any(conn)?
        && rows::email_domains::of_domains(conn, domains_of(&key))?.is_empty();
    Ok(is_open.then(|| domain.to_owned()))
}

/// Checks that no block applies to an email address that a user chooses. The check comes before
/// the one for existing accounts, so that the answer does not depend on them.
///
/// # Errors
/// [`Error::InvalidFields`] if a block applies.
pub(crate) fn require_email_allowed(
    conn: &mut Conn,
    email: &str,
    mail_servers: &MailServers,
) -> Result<()> {
    let key = email_key(email);
    let is_blocked =
        !domain_blocks(conn, &key, mail_servers)?.is_empty() || is_canonically_blocked(conn, &key)?;
    if is_blocked { Err(blocked_email()) } else { Ok(()) }
}

/// Returns the blocks of email domains that apply to an address.
fn domain_blocks(
    conn: &mut Conn,
    key: &str,
    mail_servers: &MailServers,
) -> Result<Vec<EmailDomainBlockId>> {
    let domains = domains_of(key).chain(mail_servers.domains());
    Ok(rows::email_domains::of_domains(conn, domains)?)
}

/// Returns `true` if a block applies to the email address of a sign-up, and counts the refusal for
/// the history of the block.
pub(crate) fn refuse_email(
    tx: &mut Tx<'_>,
    key: &str,
    client: Option<IpAddr>,
    mail_servers: &MailServers,
) -> Result<bool> {
    let by_domain = domain_blocks(tx, key, mail_servers)?;
    let source = source_hash(client);
    for block in &by_domain {
        rows::email_domains::record_use(tx, *block, &source)?;
    }
    Ok(!by_domain.is_empty() || is_canonically_blocked(tx, key)?)
}

fn is_canonically_blocked(conn: &mut Conn, key: &str) -> Result<bool> {
    let hash = canonical_emails::hash_of_key(key);
    Ok(rows::canonical_emails::of_hash(conn, &hash)?.is_some())
}

/// Returns the error for a blocked email address. It is the same for each kind of block.
pub(crate) fn blocked_email() -> Error {
    Error::InvalidFields(vec![Field {
        name: "email",
        error: FieldError::Blocked,
        description: "is not allowed on this server".to_owned(),
    }])
}

/// Returns a hash of the network of a client, so that no address is stored.
fn source_hash(client: Option<IpAddr>) -> String {
    let network = client.map(|address| match address.to_canonical() {
        v4 @ IpAddr::V4(_) => Network::only(v4),
        v6 @ IpAddr::V6(_) => Network::of(v6, CLIENT_BITS),
    });
    secrets::hash(&network.map(|network| network.to_string()).unwrap_or_default())
}

/// Returns the lifetime of a block or an invite.
///
/// # Errors
/// [`Error::Invalid`] for a negative number of seconds, and for one above a hundred years.
pub(crate) fn lifetime(seconds: i64) -> Result<Duration> {
    let lifetime = u64::try_from(seconds).map(Duration::from_secs).ok();
    lifetime.filter(|lifetime| *lifetime <= MAX_BLOCK_DURATION).ok_or_else(|| {
        let most = MAX_BLOCK_DURATION.as_secs();
        Error::validation(format!("Expires in must be from 0 to {most} seconds"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_neighbours_of_an_ipv6_address_count_once() {
        let of = |address: &str| source_hash(Some(address.parse().unwrap()));
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), of("2001:db8:1:2::"));
        assert_ne!(of("2001:db8:1:2::"), of("2001:db8:1:3::"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert!(!of("192.0.2.1").contains("192"));
    }

    #[test]
    fn a_lifetime_is_at_most_a_hundred_years() {
        assert_eq!(lifetime(60).unwrap(), Duration::from_secs(60));
        assert_eq!(lifetime(0).unwrap(), Duration::ZERO);
        assert!(lifetime(3_155_760_000).is_ok());
        for wrong in [-1, 3_155_760_001, i64::MAX, i64::MIN] {
            assert!(lifetime(wrong).is_err(), "{wrong}");
        }
    }
}
