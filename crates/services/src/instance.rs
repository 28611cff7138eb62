//! What a use case must know of the server it runs in.

/// Where this instance lives. Settings that change while it runs are passed apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// `http(s)://host[:port]`, without a slash at the end.
    pub base_url: String,
    /// `host[:port]` of the base URL: the domain in handles.
    pub domain: String,
    /// Whether test hooks are on (`SISKIN_TEST_HOOKS`): shortest durations may be undercut.
    pub test_hooks: bool,
}

impl Instance {
    /// The instance at `base_url`; None where it is no `http://` or `https://` address.
    #[must_use]
    pub fn at(base_url: &str, test_hooks: bool) -> Option<Self> {
        let base_url = base_url.trim_end_matches('/');
        let (_, domain) =
            base_url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
        let plain = !domain.is_empty() && !domain.contains(['/', '?', '#', '@', ' ']);
        plain.then(|| Self {
            base_url: base_url.to_owned(),
            domain: domain.to_ascii_lowercase(),
            test_hooks,
        })
    }

    /// The profile page of a local account.
    #[must_use]
    pub fn profile_url(&self, username: &str) -> String {
        format!("{}/@{username}", self.base_url)
    }

    /// The name of a local account among servers.
    #[must_use]
    pub fn account_uri(&self, username: &str) -> String {
        format!("{}/users/{username}", self.base_url)
    }

    /// The page of a local status.
    #[must_use]
    pub fn status_url(&self, username: &str, id: siskin_ids::StatusId) -> String {
        format!("{}/@{username}/{id}", self.base_url)
    }

    /// The name of a local status among servers.
    #[must_use]
    pub fn status_uri(&self, username: &str, id: siskin_ids::StatusId) -> String {
        format!("{}/users/{username}/statuses/{id}", self.base_url)
    }

    /// The page of a hashtag; `name` is folded.
    #[must_use]
    pub fn tag_url(&self, name: &str) -> String {
        let mut url = format!("{}/tags/", self.base_url);
        for byte in name.bytes() {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                url.push(char::from(byte));
            } else {
                url.push_str(&format!("%{byte:02X}"));
            }
        }
        url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_is_host_and_port_of_the_base_url() {
        let instance = Instance::at("http://LocalHost:3000/", false).unwrap();
        assert_eq!(instance.domain, "localhost:3000");
        assert_eq!(instance.profile_url("ann"), "http://LocalHost:3000/@ann");
        assert_eq!(Instance::at("https://a.example/path", false), None);
        assert_eq!(Instance::at("ftp://a.example", false), None);
    }

    #[test]
    fn a_tag_is_percent_encoded_in_its_url() {
        let instance = Instance::at("https://a.example", false).unwrap();
        assert_eq!(instance.tag_url("日"), "https://a.example/tags/%E6%97%A5");
    }
}
