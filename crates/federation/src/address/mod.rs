//! Addresses and names of the network: what is an id, which server it belongs to, and what a handle
//! may be.
//!
//! Everything here is refused rather than repaired. A trimmed or decoded address may belong to
//! another server than the one that the sender checked (CVE-2023-42451).

mod domain;
mod handle;
#[cfg(test)]
mod tests;
mod uri;

pub use domain::Domain;
pub use handle::{Handle, MAX_NAME_BYTES};
pub use uri::{MAX_URI_BYTES, Origin, Scheme, Schemes, Uri};

/// Reason why a text is no address or name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum AddressError {
    /// It is longer than its limit in bytes.
    #[error("the address is too long")]
    TooLong,
    /// It has a control character, white space, an invisible character or one that is not allowed
    /// in addresses.
    #[error("the address has a forbidden character")]
    Character,
    /// It does not begin with an allowed scheme.
    #[error("the address has no allowed scheme")]
    Scheme,
    /// It has a user name or a password before the host.
    #[error("the address has credentials")]
    Credentials,
    /// Its host is no domain in the form of [`Domain`], or programs read it differently.
    #[error("the address has no valid host")]
    Host,
    /// Its user name is empty, or has characters that names may not have.
    #[error("the handle has no valid name")]
    Name,
}

impl AddressError {
    /// Returns the stable name of the reason, for counters and logs.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::TooLong => "address_too_long",
            Self::Character => "address_character",
            Self::Scheme => "address_scheme",
            Self::Credentials => "address_credentials",
            Self::Host => "address_host",
            Self::Name => "address_name",
        }
    }
}

/// Returns `true` for characters that show nothing, or that change the direction of a text.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control() || (!c.is_ascii() && siskin_text::is_blank(c.encode_utf8(&mut [0; 4])))
}
