//! Properties of the server that use cases need.

use siskin_entities::Urls;
use siskin_federation::address::Domain;
use siskin_persistence::{Conn, Tx, accounts, secrets};
use url::Url;

use crate::{Error, Result, federation::base};

/// Key under which the database stores the base address.
const BASE_URL: &str = "base_url";
/// Key under which the database stores the domain of handles, if the operator chose one.
const DOMAIN: &str = "handle_domain";

/// Addresses of this instance. Settings that change at runtime are passed separately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The addresses of this server. Their domain is the one in handles.
    pub urls: Urls,
    /// Whether test hooks are on (`SISKIN_TEST_HOOKS`). They allow durations below the minimum.
    pub test_hooks: bool,
}

impl Instance {
    /// Returns the instance at `base_url`. Its domain is the `host[:port]` of the URL. Returns
    /// `None` unless the URL consists of `http://` or `https://` and a host with an optional port.
    #[must_use]
    pub fn at(base_url: &str, test_hooks: bool) -> Option<Self> {
        let lower = base_url.to_ascii_lowercase();
        let has_scheme = lower.starts_with("http://") || lower.starts_with("https://");
        let url = Url::parse(base_url).ok().filter(|_| has_scheme)?;
        let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let anonymous = url.username().is_empty() && url.password().is_none();
        // The origin writes international domain names in ASCII, and omits the default port.
        let base_url = url.origin().ascii_serialization();
        let (_, domain) = base_url.split_once("://").filter(|_| bare && anonymous)?;
        let urls = Urls::new(&base_url, domain, &format!("{base_url}/media"));
        Some(Self { urls, test_hooks })
    }

    /// Returns the instance with another domain in its handles, such as `example.org` for a server
    /// at `https://social.example.org`. Returns `None` if the text is no domain.
    #[must_use]
    pub fn with_domain(self, domain: &str) -> Option<Self> {
        let domain = Domain::parse(domain).ok()?;
        let base = self.urls.base();
        let urls = Urls::new(base, domain.as_str(), &format!("{base}/media"));
        Some(Self { urls, ..self })
    }

    /// Returns the instance at the stored base address, and stores the address if there is none
    /// yet. `given` is the address that the operator requests, `domain` the domain of handles.
    /// `default_url` is the default for a first start without a request.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the address or the domain is invalid. [`Error::Conflict`] if the
    /// stored address differs from `given`, unless `change` is true, and for any change if other
    /// servers know the address.
    pub fn resolve(tx: &mut Tx<'_>, address: &BaseUrl) -> Result<ResolvedInstance> {
        let BaseUrl { given, domain, default_url, change, test_hooks } = address;
        let given = given.as_deref().map(|given| Self::require(given, *test_hooks)).transpose()?;
        let first = match &given {
            Some(given) => given.clone(),
            None => Self::require(default_url, *test_hooks)?,
        };
        // If several processes start for the first time together, one of them decides.
        let stored = secrets::find_or_insert(tx, BASE_URL, first.urls.base())?;
        let stored = Self::require(&stored, *test_hooks)?;
        let before = stored.urls.base().to_owned();
        let instance = given.unwrap_or(stored).with_resolved_domain(tx, domain.as_deref())?;
        base::check(tx, &instance.urls)?;
        let before = Some(before).filter(|before| *before != instance.urls.base());
        if let Some(before) = &before {
            if !change {
                return Err(Error::Conflict(conflict_message(before, instance.urls.base())));
            }
            secrets::replace(tx, BASE_URL, instance.urls.base())?;
        }
        let accounts_under_other_url = accounts::count_not_under(tx, instance.urls.base())?;
        Ok(ResolvedInstance { instance, before, accounts_under_other_url })
    }

    /// Returns the instance with the stored domain of handles. Stores `given` before, if there is
    /// one: the host of the base address stands for no other domain.
    fn with_resolved_domain(self, tx: &mut Tx<'_>, given: Option<&str>) -> Result<Self> {
        let stored = secrets::find(tx, DOMAIN)?;
        let Some(domain) = given.or(stored.as_deref()) else { return Ok(self) };
        let instance = self.require_domain(domain)?;
        let chosen = Some(instance.urls.domain()).filter(|domain| *domain != instance.urls.host());
        if given.is_some() && stored.as_deref() != chosen {
            if let Some(stored) = &stored {
                secrets::take(tx, DOMAIN, stored)?;
            }
            if let Some(chosen) = chosen {
                secrets::find_or_insert(tx, DOMAIN, chosen)?;
            }
        }
        Ok(instance)
    }

    fn require_domain(self, domain: &str) -> Result<Self> {
        self.with_domain(domain).ok_or_else(|| {
            Error::invalid(format!("the domain of handles must be HOST[:PORT], not {domain}"))
        })
    }

    fn require(base_url: &str, test_hooks: bool) -> Result<Self> {
        Self::at(base_url, test_hooks).ok_or_else(|| {
            Error::invalid(format!(
                "the base address must be http(s)://HOST[:PORT] without a path, not {base_url}"
            ))
        })
    }

    /// Returns the stored base address.
    ///
    /// # Errors
    /// Storage errors only.
    pub fn stored_base_url(conn: &mut Conn) -> Result<Option<String>> {
        Ok(secrets::find(conn, BASE_URL)?)
    }

    /// Returns the stored domain of handles. Returns `None` if it is the host of the base address.
    ///
    /// # Errors
    /// Storage errors only.
    pub fn stored_domain(conn: &mut Conn) -> Result<Option<String>> {
        Ok(secrets::find(conn, DOMAIN)?)
    }

    /// Returns the instance at the stored base address, with the stored domain of handles.
    ///
    /// # Errors
    /// Storage errors only.
    pub(crate) fn stored(conn: &mut Conn) -> Result<Option<Self>> {
        let Some(here) = Self::stored_base_url(conn)?.and_then(|base| Self::at(&base, false))
        else {
            return Ok(None);
        };
        Ok(match Self::stored_domain(conn)? {
            Some(domain) => here.with_domain(&domain),
            None => Some(here),
        })
    }
}

fn conflict_message(stored: &str, given: &str) -> String {
    format!(
        "the address of this server is {stored}, not {given}: omit --base-url (SISKIN_BASE_URL) to \
         keep the address, or run `siskin serve` once with --change-base-url, which changes the \
         handles of all accounts"
    )
}

/// Base address that a process requests at its start.
#[derive(Debug, Clone)]
pub struct BaseUrl {
    /// Address from the operator's configuration.
    pub given: Option<String>,
    /// Domain of handles from the operator's configuration. `None` keeps the stored one, or else
    /// the host of the address.
    pub domain: Option<String>,
    /// Default address for the first start.
    pub default_url: String,
    /// Whether `given` may replace the stored address.
    pub change: bool,
    pub test_hooks: bool,
}

/// Instance at the address that the database now stores.
#[derive(Debug, Clone)]
pub struct ResolvedInstance {
    pub instance: Instance,
    /// Address that was replaced, if any.
    pub before: Option<String>,
    /// Number of local accounts that were created under another address.
    pub accounts_under_other_url: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_is_the_host_and_port_of_the_base_url() {
        let instance = Instance::at("http://LocalHost:3000/", false).unwrap();
        assert_eq!(instance.urls.domain(), "localhost:3000");
        assert_eq!(instance.urls.profile("ann"), "http://localhost:3000/@ann");
        let base =
            |text: &str| Instance::at(text, false).map(|instance| instance.urls.base().to_owned());
        assert_eq!(
            base("https://B\u{fc}cher.example:443").unwrap(),
            "https://xn--bcher-kva.example"
        );
        assert_eq!(base("http://[::1]:3000").unwrap(), "http://[::1]:3000");
        let split = Instance::at("https://social.a.example:8443", false).unwrap();
        let split = split.with_domain("B\u{fc}cher.example").unwrap();
        assert_eq!(split.urls.domain(), "xn--bcher-kva.example");
        assert_eq!(split.urls.base(), "https://social.a.example:8443");
        assert_eq!(split.urls.file("a.png"), "https://social.a.example:8443/media/a.png");
        for none in ["", "https://a.example", "a.example/", "me@a.example"] {
            assert_eq!(split.clone().with_domain(none), None, "{none}");
        }
        for none in [
            "",
            "a.example",
            "https:a.example",
            "https://a.example/path",
            "https://a.example?",
            "https://me@a.example",
            "https://a b.example",
            "https://a.example:99999",
            "https://[::1",
            "ftp://a.example",
        ] {
            assert_eq!(base(none), None, "{none}");
        }
    }
}
