//! Sign-in at external providers by OpenID Connect (Core 1.0, the authorization code flow with
//! PKCE). [`OpenIdProvider`] sends people to a provider, exchanges the code that they bring back,
//! and checks everything that the provider answers.
//!
//! A provider is at an address that the operator configured, which may be private. Its answers are
//! not trusted. This module knows no accounts, sessions or cookies.

mod client;
mod config;
mod error;
mod metadata;
mod provider;

pub use config::{InvalidProvider, ProviderConfig};
pub use error::OpenIdError;
pub use provider::{FlowSecrets, OpenIdProvider, StartedFlow};
