//! What a use case must know of the server it runs in.

use siskin_entities::Urls;
use siskin_persistence::{Conn, Tx, accounts, secrets};
use url::Url;

use crate::{Error, Result};

/// The name under which the base address is kept.
const BASE_URL: &str = "base_url";

/// Where this instance lives. Settings that change while it runs are passed apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The addresses of this server; their domain is the one in handles.
    pub urls: Urls,
    /// Whether test hooks are on (`SISKIN_TEST_HOOKS`): shortest durations may be undercut.
    pub test_hooks: bool,
}

impl Instance {
    /// Returns the instance at `base_url`, whose domain is its `host[:port]`. `None` if it is no
    /// `http://` or `https://` address of a host alone.
    #[must_use]
    pub fn at(base_url: &str, test_hooks: bool) -> Option<Self> {
        let lower = base_url.to_ascii_lowercase();
        let has_scheme = lower.starts_with("http://") || lower.starts_with("https://");
        let url = Url::parse(base_url).ok().filter(|_| has_scheme)?;
        let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let anonymous = url.username().is_empty() && url.password().is_none();
        // Names of other scripts are written as on the wire, the usual port is left out.
        let base_url = url.origin().ascii_serialization();
        let (_, domain) = base_url.split_once("://").filter(|_| bare && anonymous)?;
        let urls = Urls::new(&base_url, domain, &format!("{base_url}/media"));
        Some(Self { urls, test_hooks })
    }

    /// Returns the instance at the address that the database remembers, and remembers the address
    /// if there is none yet. `given` is what the operator asks for, `otherwise` what a first start
    /// without a wish takes.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the address is none. [`Error::Conflict`] if another one than `given` is
    /// remembered, unless `change` is true.
    pub fn settle(tx: &mut Tx<'_>, address: &Address) -> Result<Settled> {
        let Address { given, otherwise, change, test_hooks } = address;
        let given = given.as_deref().map(|given| Self::require(given, *test_hooks)).transpose()?;
        let first = match &given {
            Some(given) => given.clone(),
            None => Self::require(otherwise, *test_hooks)?,
        };
        // Of processes that start together for the first time, one decides.
        let kept = secrets::find_or_insert(tx, BASE_URL, first.urls.base())?;
        let kept = Self::require(&kept, *test_hooks)?;
        let (instance, before) = match given {
            Some(given) if given != kept => {
                if !change {
                    return Err(Error::Conflict(elsewhere(kept.urls.base(), given.urls.base())));
                }
                secrets::replace(tx, BASE_URL, given.urls.base())?;
                (given, Some(kept.urls.base().to_owned()))
            }
            _ => (kept, None),
        };
        let strangers = accounts::count_not_under(tx, instance.urls.base())?;
        Ok(Settled { instance, before, strangers })
    }

    fn require(base_url: &str, test_hooks: bool) -> Result<Self> {
        Self::at(base_url, test_hooks).ok_or_else(|| {
            Error::invalid(format!(
                "the base address must be http(s)://HOST[:PORT] and no more, not {base_url}"
            ))
        })
    }

    /// Returns the base address that the database remembers.
    ///
    /// # Errors
    /// Storage errors only.
    pub fn remembered(conn: &mut Conn) -> Result<Option<String>> {
        Ok(secrets::find(conn, BASE_URL)?)
    }
}

fn elsewhere(kept: &str, given: &str) -> String {
    format!(
        "this server lives at {kept}, not at {given}: leave out --base-url (SISKIN_BASE_URL) to go \
         on as before, or run `siskin serve` once with --change-base-url, which gives everybody \
         another address"
    )
}

/// Which address a process asks for.
#[derive(Debug, Clone)]
pub struct Address {
    /// What the operator named.
    pub given: Option<String>,
    /// The address of a first start without a name.
    pub otherwise: String,
    /// Whether `given` may replace the remembered address.
    pub change: bool,
    pub test_hooks: bool,
}

/// Where an instance lives, as the database now remembers it.
#[derive(Debug, Clone)]
pub struct Settled {
    pub instance: Instance,
    /// The address that was replaced, if it was.
    pub before: Option<String>,
    /// How many local accounts were made at another address.
    pub strangers: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_is_host_and_port_of_the_base_url() {
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
