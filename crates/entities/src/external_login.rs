//! Logins at external providers, by which people sign in without a password of this server.

use crate::Timestamp;

/// An external provider, as pages name it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExternalProvider {
    /// Short name in addresses of this server.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Identifier of the provider: a URL, to which the subjects of its people belong.
    pub issuer: String,
}

/// A person as a provider describes them, in an answer that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExternalPerson {
    /// Identifier of the provider.
    pub issuer: String,
    /// Identifier of the person at the provider. It never changes.
    pub subject: String,
    /// Email address, if the provider names one.
    pub email: Option<String>,
    /// Whether the provider has verified that the address is the person's, and the operator trusts
    /// the provider in this.
    pub email_is_verified: bool,
    /// User name at the provider, if it names one. It may be unsuitable for this server.
    pub username: Option<String>,
    /// When the person last proved to the provider who they are, if it tells that.
    pub authenticated_at: Option<Timestamp>,
}

/// A login at a provider that signs in to an account here.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExternalIdentity {
    /// Identifier of the provider.
    pub issuer: String,
    /// When it was linked to the account.
    pub linked_at: Timestamp,
    /// When it last signed in.
    pub last_used_at: Timestamp,
}
