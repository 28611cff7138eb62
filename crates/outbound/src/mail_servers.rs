//! Mail servers of email domains, as the DNS names them (MX records).
//!
//! Visitors choose the domains, so the responses can be made by anyone. They are limited in number
//! and time, and nothing connects to the servers that they name.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use hickory_resolver::{
    Resolver,
    config::ResolveHosts,
    lookup::Lookup,
    net::{DnsError, NetError},
    proto::{
        op::ResponseCode,
        rr::{
            Name, RData,
            rdata::{A, CNAME, MX},
        },
    },
    system_conf::read_system_conf,
};
use thiserror::Error;
use tokio::{
    sync::Semaphore,
    time::{Instant, timeout_at},
};

use crate::dns_pool::DnsPool;

/// Port of the DNS servers of the machine.
const PORT: u16 = 53;
/// Maximum time of a lookup, with all its queries and with the wait for a turn.
const DEADLINE: Duration = Duration::from_secs(2);
/// Time after which a DNS server gets a query again, or the next server gets it.
const TIMEOUT: Duration = Duration::from_millis(800);
/// Number of repetitions of a query that got no response.
const REPETITIONS: usize = 1;
/// Maximum number of mail servers of a domain that are looked up for their addresses. They are the
/// ones with the lowest preference values, which get the email first. The names of all count.
const MAX_LOOKUPS: usize = 10;
/// Maximum number of addresses of a server that count.
const MAX_ADDRESSES: usize = 10;
/// Maximum number of lookups at the same time. Each has one query open, and so few sockets.
const MAX_AT_ONCE: usize = 64;
/// Maximum number of responses in the cache. A response has at most 64 KiB.
const CACHED_RESPONSES: u64 = 128;
/// Maximum time that a response is used again.
const MAX_AGE: Duration = Duration::from_secs(300);
/// The same for the response that there are no records.
const MAX_NEGATIVE_AGE: Duration = Duration::from_secs(60);

/// Servers that a [`DnsClient`] asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DnsServers {
    /// Those of the machine (`/etc/resolv.conf`).
    System,
    /// Recursive servers at these addresses.
    At(Vec<SocketAddr>),
}

/// Server that gets the email of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailServer {
    /// Name in lower-case ASCII, without a final dot.
    Name(String),
    Address(IpAddr),
}

impl fmt::Display for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(address) => address.fmt(f),
        }
    }
}

/// Lookup without a result. No message contains the domain.
#[derive(Debug, Error)]
pub enum LookupError {
    /// The DNS servers of the machine are not known.
    #[error("the DNS servers of this machine are not known: {0}")]
    NoServers(String),
    /// No DNS server gave a response in time.
    #[error("no DNS server answered in time")]
    NoResponse,
    /// The DNS servers could not answer the query.
    #[error("the DNS servers answered with an error")]
    Refused,
}

/// DNS client for mail servers. Clones share its cache.
#[derive(Clone)]
pub struct DnsClient {
    inner: Arc<Inner>,
}

struct Inner {
    servers: DnsServers,
    /// `None` before the first lookup, and after one without a response.
    resolver: Mutex<Option<Resolver<DnsPool>>>,
    turns: Semaphore,
}

impl fmt::Debug for DnsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DnsClient").field("servers", &self.inner.servers).finish_non_exhaustive()
    }
}

impl DnsClient {
    /// Creates a client. It sends nothing and reads no file before the first lookup.
    #[must_use]
    pub fn new(servers: DnsServers) -> Self {
        let turns = Semaphore::new(MAX_AT_ONCE);
        Self { inner: Arc::new(Inner { servers, resolver: Mutex::default(), turns }) }
    }

    /// Returns the servers that get the email of a domain: all names, and then the IPv4 addresses of
    /// the first ten, as far as they are found in time. `domain` is a name in ASCII, or an address.
    ///
    /// A domain without MX records is its own mail server (RFC 5321, 5.1). The list is empty if the
    /// domain does not exist, or accepts no email (RFC 7505).
    ///
    /// # Errors
    /// If the DNS does not answer within two seconds, or with an error.
    pub async fn mail_servers(&self, domain: &str) -> Result<Vec<MailServer>, LookupError> {
        if let Ok(address) = domain.parse() {
            return Ok(vec![MailServer::Address(address)]);
        }
        // What is no name in the DNS does not exist there.
        let Some(domain) = full_name(domain) else { return Ok(Vec::new()) };
        let end = Instant::now() + DEADLINE;
        let Ok(_turn) = timeout_at(end, self.inner.turns.acquire()).await else {
            return Err(LookupError::NoResponse);
        };
        let resolver = self.inner.resolver()?;
        let found = timeout_at(end, servers_of(&resolver, domain)).await;
        let mut servers = match found.unwrap_or(Err(LookupError::NoResponse)) {
            Ok(servers) => servers,
            Err(error) => {
                self.inner.forget_after(&error);
                return Err(error);
            }
        };
        let addresses = addresses_of(&resolver, &servers, end).await;
        servers.extend(addresses);
        Ok(servers)
    }
}

impl Inner {
    fn resolver(&self) -> Result<Resolver<DnsPool>, LookupError> {
        let mut resolver = self.resolver.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resolver) = &*resolver {
            return Ok(resolver.clone());
        }
        let new = build(&self.servers)?;
        *resolver = Some(new.clone());
        Ok(new)
    }

    /// Reads the configuration of the machine again for the next lookup if there was no response.
    /// Its DNS servers may have changed.
    fn forget_after(&self, error: &LookupError) {
        if matches!(error, LookupError::NoResponse) && self.servers == DnsServers::System {
            *self.resolver.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

fn build(servers: &DnsServers) -> Result<Resolver<DnsPool>, LookupError> {
    let no_servers = |error: NetError| LookupError::NoServers(error.to_string());
    let servers = match servers {
        DnsServers::System => {
            let (system, _) = read_system_conf().map_err(no_servers)?;
            let address = |ip: IpAddr| SocketAddr::new(ip, PORT);
            system.name_servers().iter().map(|server| address(server.ip)).collect()
        }
        DnsServers::At(addresses) => addresses.clone(),
    };
    let mut builder = DnsPool::new(servers, TIMEOUT).into_resolver();
    let options = builder.options_mut();
    options.timeout = TIMEOUT;
    options.attempts = REPETITIONS;
    // Every server understands queries without the extension for large datagrams.
    options.edns0 = false;
    options.use_hosts_file = ResolveHosts::Never;
    options.cache_size = CACHED_RESPONSES;
    options.positive_max_ttl = Some(MAX_AGE);
    options.negative_max_ttl = Some(MAX_NEGATIVE_AGE);
    builder.build().map_err(no_servers)
}

/// Returns the names of the mail servers, in the order in which they get email.
async fn servers_of(
    resolver: &Resolver<DnsPool>,
    domain: Name,
) -> Result<Vec<MailServer>, LookupError> {
    let found = match resolver.mx_lookup(domain.clone()).await {
        Ok(found) => found,
        Err(error) => {
            return match response_code(&error) {
                Some(ResponseCode::NoError) => Ok(vec![server(&domain)]),
                Some(ResponseCode::NXDomain) => Ok(Vec::new()),
                Some(_) => Err(LookupError::Refused),
                None => Err(LookupError::NoResponse),
            };
        }
    };
    let mut records: Vec<&MX> = records(&found, &domain).filter_map(mx).collect();
    records.sort_by_key(|record| record.preference);
    let mut servers = Vec::new();
    for record in records {
        let server = server(&record.exchange);
        // The root stands for no mail server.
        if !record.exchange.is_root() && !servers.contains(&server) {
            servers.push(server);
        }
    }
    Ok(servers)
}

/// Returns the code of a response without records. Returns `None` if there was no response.
fn response_code(error: &NetError) -> Option<ResponseCode> {
    match error {
        NetError::Dns(DnsError::NoRecordsFound(response)) => Some(response.response_code),
        _ => None,
    }
}

/// Returns the records that a response contains for a name, or for the name that it is an alias of.
fn records<'a>(found: &'a Lookup, name: &'a Name) -> impl Iterator<Item = &'a RData> {
    let last = found.answers().iter().fold(name, |name, record| match &record.data {
        RData::CNAME(CNAME(target)) if record.name == *name => target,
        _ => name,
    });
    let sections = found.message().all_sections();
    let own = sections.filter(move |record| record.name == *name || record.name == *last);
    own.map(|record| &record.data)
}

/// Returns the IPv4 addresses of the first servers, as far as they are found before `end`. Blocks of
/// IPv6 addresses do not exist.
async fn addresses_of(
    resolver: &Resolver<DnsPool>,
    servers: &[MailServer],
    end: Instant,
) -> Vec<MailServer> {
    let mut found = Vec::new();
    for server in servers.iter().take(MAX_LOOKUPS) {
        let MailServer::Name(name) = server else { continue };
        let Some(name) = full_name(name) else { continue };
        match timeout_at(end, resolver.ipv4_lookup(name.clone())).await {
            Ok(Ok(response)) => {
                let addresses = records(&response, &name).filter_map(address);
                found.extend(addresses.take(MAX_ADDRESSES));
            }
            Ok(Err(_)) => {}
            Err(_) => break,
        }
    }
    found
}

fn mx(data: &RData) -> Option<&MX> {
    if let RData::MX(record) = data { Some(record) } else { None }
}

fn address(data: &RData) -> Option<MailServer> {
    let RData::A(A(address)) = data else { return None };
    Some(MailServer::Address(IpAddr::V4(*address)))
}

/// Parses a name that is complete, even without a final dot.
fn full_name(text: &str) -> Option<Name> {
    let mut name = Name::from_ascii(text).ok()?;
    name.set_fqdn(true);
    Some(name)
}

/// Returns the server of this name. Some domains name an address by mistake.
fn server(name: &Name) -> MailServer {
    let text = name.to_ascii().to_ascii_lowercase();
    let text = text.trim_end_matches('.');
    text.parse().map_or_else(|_| MailServer::Name(text.to_owned()), MailServer::Address)
}

#[cfg(test)]
mod tests {
    use hickory_resolver::proto::{
        op::Query,
        rr::{Record, RecordType},
    };

    use super::*;

    #[test]
    fn only_records_of_the_name_and_its_alias_count() {
        let name = |text| full_name(text).unwrap();
        let mx = |exchange| RData::MX(MX::new(10, name(exchange)));
        let alias = |target| RData::CNAME(CNAME(name(target)));
        let answers = [
            ("other.example", mx("mx.other.example")),
            ("mail.example", alias("b.example")),
            ("b.example", alias("c.example")),
            ("b.example", mx("mx.b.example")),
            ("c.example", mx("mx.c.example")),
        ];
        let answers = answers.map(|(owner, data)| Record::from_rdata(name(owner), 60, data));
        let domain = name("Mail.example");
        let query = Query::query(domain.clone(), RecordType::MX);
        let found = Lookup::new_with_max_ttl(query, answers);
        let expected = [&alias("b.example"), &mx("mx.c.example")];
        assert_eq!(records(&found, &domain).collect::<Vec<_>>(), expected);
    }
}
