//! Configuration of a provider.

use std::fmt;

use siskin_policy::external_login::MAX_PROVIDER_NAME_CHARS;
use thiserror::Error;
use url::{Host, Url};

/// Maximum length of an id, in characters.
const MAX_ID_LENGTH: usize = 32;

/// What the operator configured about a provider.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderConfig {
    /// Short name in addresses of this server: lower-case letters, digits and hyphens.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Identifier of the provider, exactly as it names itself.
    pub issuer: String,
    pub client_id: String,
    /// `None` for a public client.
    pub client_secret: Option<String>,
    /// Scopes to request besides `openid`.
    pub scopes: Vec<String>,
    /// Whether the provider is trusted to verify email addresses.
    pub trusts_emails: bool,
}

impl fmt::Debug for ProviderConfig {
    /// Omits the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderConfig")
            .field("id", &self.id)
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

/// Configuration that cannot be used. No message contains a secret.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidProvider {
    /// The id is empty, too long or contains other characters.
    #[error("the id must have 1 to {MAX_ID_LENGTH} lower-case letters, digits or hyphens")]
    Id,
    /// The name is empty, too long, or has several lines.
    #[error("the name must be one line of 1 to {MAX_PROVIDER_NAME_CHARS} characters")]
    Name,
    /// The issuer is not the URL of a provider.
    #[error(
        "the issuer must be a URL that begins with https://, without a query; http:// is possible \
         only for this machine, such as http://127.0.0.1:8080"
    )]
    Issuer,
    /// The client id is empty or contains characters that it cannot have.
    #[error("the client id must not be empty, and have no spaces or control characters")]
    ClientId,
    /// The client secret contains characters that it cannot have.
    #[error("the client secret must have no spaces or control characters")]
    ClientSecret,
    /// A scope is no scope.
    #[error("{0:?} is not a scope")]
    Scope(String),
}

impl ProviderConfig {
    /// Checks all values.
    ///
    /// # Errors
    /// [`InvalidProvider`] names the first wrong one.
    pub fn validate(&self) -> Result<(), InvalidProvider> {
        self.check().map(drop)
    }

    /// Checks all values, and returns the URL of the issuer.
    pub(super) fn check(&self) -> Result<Url, InvalidProvider> {
        if !is_id(&self.id) {
            return Err(InvalidProvider::Id);
        }
        if !is_name(&self.name) {
            return Err(InvalidProvider::Name);
        }
        let issuer = parse_issuer(&self.issuer).ok_or(InvalidProvider::Issuer)?;
        if !is_visible(&self.client_id) {
            return Err(InvalidProvider::ClientId);
        }
        if self.client_secret.as_deref().is_some_and(|secret| !is_visible(secret)) {
            return Err(InvalidProvider::ClientSecret);
        }
        match self.scopes.iter().find(|scope| !is_scope(scope)) {
            Some(scope) => Err(InvalidProvider::Scope(scope.clone())),
            None => Ok(issuer),
        }
    }
}

fn is_id(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=MAX_ID_LENGTH).contains(&text.len()) && text.bytes().all(is_allowed)
}

fn is_name(text: &str) -> bool {
    let length = text.chars().count();
    (1..=MAX_PROVIDER_NAME_CHARS).contains(&length)
        && !text.trim().is_empty()
        && !text.chars().any(char::is_control)
}

/// Parses an issuer (OpenID Connect Discovery 1.0, section 3). Secrets are sent to it, so plain
/// http is possible only within this machine.
fn parse_issuer(text: &str) -> Option<Url> {
    let issuer = Url::parse(text).ok()?;
    let is_plain = issuer.query().is_none()
        && issuer.fragment().is_none()
        && issuer.username().is_empty()
        && issuer.password().is_none();
    let is_private = match issuer.host()? {
        Host::Domain(name) => name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    };
    let is_secure = issuer.scheme() == "https" || (issuer.scheme() == "http" && is_private);
    (is_plain && is_secure).then_some(issuer)
}

/// Returns `true` for a text of visible characters.
fn is_visible(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Returns `true` for one scope (RFC 6749, 3.3).
fn is_scope(text: &str) -> bool {
    is_visible(text) && !text.contains(['"', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> ProviderConfig {
        ProviderConfig {
            id: "main".to_owned(),
            name: "Main".to_owned(),
            issuer: "https://id.example/realms/main".to_owned(),
            client_id: "siskin".to_owned(),
            client_secret: Some("hidden".to_owned()),
            scopes: vec!["email".to_owned()],
            trusts_emails: false,
        }
    }

    #[test]
    fn wrong_values_are_named() {
        assert!(good().check().is_ok());
        assert!(ProviderConfig { client_secret: None, ..good() }.check().is_ok());
        for id in ["", "Main", "a/b", "a b", "ä", &"x".repeat(33)] {
            let config = ProviderConfig { id: id.to_owned(), ..good() };
            assert_eq!(config.check(), Err(InvalidProvider::Id), "{id}");
        }
        for name in ["", " ", "a\nb", &"x".repeat(61)] {
            let config = ProviderConfig { name: name.to_owned(), ..good() };
            assert_eq!(config.check(), Err(InvalidProvider::Name), "{name}");
        }
        for client_id in ["", "a b", "a\n"] {
            let config = ProviderConfig { client_id: client_id.to_owned(), ..good() };
            assert_eq!(config.check(), Err(InvalidProvider::ClientId), "{client_id}");
        }
        let config = ProviderConfig { client_secret: Some("hidden one".to_owned()), ..good() };
        let error = config.check().unwrap_err();
        assert_eq!(error, InvalidProvider::ClientSecret);
        assert!(!error.to_string().contains("hidden"));
        let config = ProviderConfig { scopes: vec!["a b".to_owned()], ..good() };
        assert_eq!(config.check(), Err(InvalidProvider::Scope("a b".to_owned())));
    }

    #[test]
    fn secrets_are_sent_over_https_or_within_the_machine() {
        for good in [
            "https://id.example",
            "https://id.example/",
            "https://10.0.0.1:8443/realms/a",
            "http://127.0.0.1:8080",
            "http://localhost:8080/a",
            "http://[::1]:80/",
        ] {
            assert!(parse_issuer(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "id.example",
            "http://id.example",
            "http://10.0.0.1",
            "ftp://127.0.0.1",
            "https://id.example/?a=b",
            "https://id.example/#a",
            "https://me:secret@id.example/",
            "https://",
        ] {
            assert!(parse_issuer(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn debug_output_hides_the_secret() {
        assert!(!format!("{:?}", good()).contains("hidden"));
    }
}
