//! The authorization server: OAuth 2 (RFC 6749) with PKCE (RFC 7636) and revocation (RFC 7009),
//! as far as the interface needs them: codes, client credentials and, where the operator wants
//! it, passwords. Tokens do not expire, so there is nothing to refresh.
//!
//! What the protocol refuses is a [`Refusal`], apart from what fails ([`crate::Error`]): a refusal
//! is an answer, and what was written before it (such as the end of a token whose code was stolen)
//! stays written. Knows no HTTP: where a refusal goes is the adapter's business.

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

pub use authorize::{Asked, Authorization, Checked, approve, check};
pub use authorized::{list, withdraw};
pub use client::ClientSecret;
pub use pkce::{Challenge, InvalidChallenge};
pub use redirect_uri::{InvalidRedirectUri, OUT_OF_BAND, RedirectUri};
pub use refusal::{Fault, Refusal};
pub use revoke::{Revocation, revoke};
pub use token::{Grant, Issued, TokenRequest, exchange};
pub use user_info::user_info;

/// What a step of the protocol comes to.
pub type Outcome<T> = Result<T, Refusal>;
