//! Properties of the server that use cases need.

use siskin_entities::Urls;
use siskin_persistence::{Conn, Tx, accounts, secrets};
use url::Url;

use crate::{Error, Result};

/// Key under which the database stores the base address.
const BASE_URL: &str = "base_url";

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

    /// Returns the instance at the stored base address, and stores the address if there is none
    /// yet. `given` is the address that the operator requests. `default_url` is the default for a
    /// first start without a request.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the address is invalid. [`Error::Conflict`] if the stored address
    /// differs from `given`, unless `change` is true.
    pub fn resolve(tx: &mut Tx<'_>, address: &BaseUrl) -> Result<ResolvedInstance> {
        let BaseUrl { given, default_url, change, test_hooks } = address;
        let given = given.as_deref().map(|given| Self::require(given, *test_hooks)).transpose()?;
        let first = match &given {
            Some(given) => given.clone(),
            None => Self::require(default_url, *test_hooks)?,
        };
        // If several processes start for the first time together, one of them decides.
        let stored = secrets::find_or_insert(tx, BASE_URL, first.urls.base())?;
        let stored = Self::require(&stored, *test_hooks)?;
        let (instance, before) = match given {
            Some(given) if given != stored => {
                if !change {
                    return Err(Error::Conflict(conflict_message(
                        stored.urls.base(),
                        given.urls.base(),
                    )));
                }
                secrets::replace(tx, BASE_URL, given.urls.base())?;
                (given, Some(stored.urls.base().to_owned()))
            }
            _ => (stored, None),
        };
        let accounts_under_other_url = accounts::count_not_under(tx, instance.urls.base())?;
        Ok(ResolvedInstance { instance, before, accounts_under_other_url })
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
