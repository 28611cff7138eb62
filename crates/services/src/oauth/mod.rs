//! Authorization server: OAuth 2 (RFC 6749) with PKCE (RFC 7636) and revocation (RFC 7009), as far
//! as the API needs them. It supports authorization codes, client credentials and, if the operator
//! enables it, passwords. Tokens do not expire, so there are no refresh tokens.
//!
//! A protocol error is a [`Refusal`], separate from a failure ([`crate::Error`]). A refusal is a
//! regular response, so the transaction commits what was written before it. For example, a token
//! stays revoked if its code was stolen. This module knows no HTTP: the adapter decides where a
//! refusal is sent.

mod authorize;
mod authorized;
mod client;
mod pkce;
mod redirect_uri;
mod refusal;
mod revoke;
mod scope;
mod token;
mod user_info;

pub use authorize::{Authorization, AuthorizationParams, Checked, approve, check};
pub use authorized::{list, withdraw};
pub use client::ClientSecret;
pub use pkce::{Challenge, InvalidChallenge};
pub use redirect_uri::{InvalidRedirectUri, OUT_OF_BAND, RedirectUri};
pub use refusal::{Fault, Refusal};
pub use revoke::{Revocation, revoke};
pub use token::{Grant, Issued, TokenRequest, exchange};
pub use user_info::user_info;

/// Result of a protocol step.
pub type Outcome<T> = Result<T, Refusal>;
