//! What a use case must know of the server it runs in.

use siskin_entities::Urls;
use siskin_persistence::{Conn, Tx, secrets};

use crate::Result;

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
    /// The instance at `base_url`, whose domain is its `host[:port]`; None where it is no
    /// `http://` or `https://` address of a host alone.
    #[must_use]
    pub fn at(base_url: &str, test_hooks: bool) -> Option<Self> {
        let base_url = base_url.trim_end_matches('/').to_ascii_lowercase();
        let (_, domain) =
            base_url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
        let plain = !domain.is_empty() && !domain.contains(['/', '?', '#', '@', ' ']);
        plain.then(|| Self {
            urls: Urls::new(&base_url, domain, &format!("{base_url}/media")),
            test_hooks,
        })
    }

    /// Keeps the base address for programs that are not told it; returns the one that was kept
    /// before where that was another.
    ///
    /// # Errors
    /// Storage errors only.
    pub fn remember(&self, tx: &mut Tx<'_>) -> Result<Option<String>> {
        let before = Self::remembered(tx)?.filter(|before| before != self.urls.base());
        secrets::replace(tx, BASE_URL, self.urls.base())?;
        Ok(before)
    }

    /// The base address that was kept last.
    ///
    /// # Errors
    /// Storage errors only.
    pub fn remembered(conn: &mut Conn) -> Result<Option<String>> {
        Ok(secrets::find(conn, BASE_URL)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_is_host_and_port_of_the_base_url() {
        let instance = Instance::at("http://LocalHost:3000/", false).unwrap();
        assert_eq!(instance.urls.domain(), "localhost:3000");
        assert_eq!(instance.urls.profile("ann"), "http://localhost:3000/@ann");
        assert_eq!(Instance::at("https://a.example/path", false), None);
        assert_eq!(Instance::at("ftp://a.example", false), None);
    }
}
