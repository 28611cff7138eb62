//! Handles of remote accounts.

use std::fmt;

use siskin_text::username_key;

use super::{AddressError, Domain, Scheme, Schemes, Uri, is_hidden};

/// Maximum length of a user name, in bytes.
pub const MAX_NAME_BYTES: usize = 2048;

/// `name@domain`: the written name of a remote account.
///
/// Names have letters, digits and marks of any script, `_`, `.` and `-`, and at least one letter,
/// digit or underscore. Names of local accounts have stricter rules, which `siskin_text` checks.
///
/// ```
/// use siskin_federation::address::Handle;
///
/// let handle = Handle::parse("acct:Ålice.b@Town.example")?;
/// assert_eq!(handle.to_string(), "Ålice.b@town.example");
/// assert!(handle.is_same(&Handle::parse("@ålice.b@town.example")?));
/// # Ok::<(), siskin_federation::address::AddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Handle {
    name: String,
    domain: Domain,
}

impl Handle {
    /// Builds a handle of its parts.
    ///
    /// # Errors
    /// Returns [`AddressError::Name`] or [`AddressError::TooLong`] if the name is invalid.
    pub fn new(name: &str, domain: Domain) -> Result<Self, AddressError> {
        if name.len() > MAX_NAME_BYTES {
            return Err(AddressError::TooLong);
        }
        let is_shown = name.chars().any(|c| c.is_alphanumeric() || c == '_');
        if !is_shown || !name.chars().all(is_name_character) {
            return Err(AddressError::Name);
        }
        Ok(Self { name: name.to_owned(), domain })
    }

    /// Parses `name@domain`, with or without `acct:` and `@` in front.
    ///
    /// # Errors
    /// Returns the reason if the text is no handle. Nothing is trimmed.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let text = text.strip_prefix("acct:").unwrap_or(text);
        let text = text.strip_prefix('@').unwrap_or(text);
        let (name, domain) = text.split_once('@').ok_or(AddressError::Host)?;
        Self::new(name, Domain::parse(domain)?)
    }

    /// Returns the name in the case in which its server wrote it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the domain.
    #[must_use]
    pub const fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Returns `true` if both handles name the same account: names are compared by
    /// [`siskin_text::username_key`].
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.domain == other.domain && username_key(&self.name) == username_key(&other.name)
    }

    /// Returns `acct:name@domain`, the resource that `WebFinger` is asked about (RFC 7565).
    #[must_use]
    pub fn resource(&self) -> String {
        format!("acct:{self}")
    }

    /// Returns the address that answers which account this is (RFC 7033).
    ///
    /// # Errors
    /// Returns [`AddressError::TooLong`] if the encoded name makes the address too long.
    pub fn webfinger_address(&self, scheme: Scheme) -> Result<Uri, AddressError> {
        let resource: String =
            url::form_urlencoded::byte_serialize(self.resource().as_bytes()).collect();
        let scheme = scheme.as_str();
        let address =
            format!("{scheme}://{}/.well-known/webfinger?resource={resource}", self.domain);
        Uri::parse(&address, Schemes::HttpToo)
    }
}

fn is_name_character(c: char) -> bool {
    let is_word = c.is_alphanumeric() || siskin_text::is_word_character(c);
    matches!(c, '_' | '.' | '-') || (is_word && !is_hidden(c))
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.domain)
    }
}
