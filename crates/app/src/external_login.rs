//! Sign-in at external providers. `outbound` speaks with them; `services::external_login` decides
//! what the answer means. No database connection is held during a request to a provider.

use std::sync::Arc;

use siskin_entities::{ExternalPerson, ExternalProvider};
use siskin_outbound::openid::{OpenIdError, OpenIdProvider};
use siskin_services::{
    Error, Result,
    external_login::{Flow, Purpose, seal_flow},
};

use crate::App;

const NO_ANSWER: &str = "The sign-in provider does not answer properly";
const CODE_REFUSED: &str = "This sign-in was finished before, or took too long";

/// A sign-in that begins: where the browser goes, and what its cookie carries meanwhile.
#[derive(Debug, Clone)]
pub struct Departure {
    pub url: String,
    pub cookie: String,
}

impl App {
    /// Returns the providers that the operator configured, in the order of the configuration.
    pub fn providers(&self) -> impl Iterator<Item = &ExternalProvider> {
        self.inner.outbound.providers.iter().map(|provider| provider.shown())
    }

    /// Returns the provider, if there is exactly one.
    #[must_use]
    pub fn only_provider(&self) -> Option<&ExternalProvider> {
        match &*self.inner.outbound.providers {
            [only] => Some(only.shown()),
            _ => None,
        }
    }

    /// Begins a sign-in at the provider with this id.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown provider; [`Error::ExternalService`] if it does not
    /// answer properly.
    pub async fn depart(&self, id: &str, purpose: Purpose) -> Result<Departure> {
        let (provider, now) = (self.provider(id)?, self.now());
        let asks_again = matches!(purpose, Purpose::Prove { .. });
        let begun = provider.begin(&self.redirect_uri(id), asks_again, now).await;
        let begun = begun.map_err(|error| failed(id, &error))?;
        let flow = Flow::new(id.to_owned(), begun.secrets, purpose, now);
        let cookie = self.read(move |conn| seal_flow(conn, &flow)).await?;
        Ok(Departure { url: begun.url, cookie })
    }

    /// Exchanges the code that a person brought back from a provider, and returns who they are.
    ///
    /// # Errors
    /// [`Error::Gone`] if the provider does not accept the code; [`Error::ExternalService`] if its
    /// answer is not valid; [`Error::NotFound`] for a provider that is not configured any more.
    pub async fn identify(&self, flow: &Flow, code: String) -> Result<ExternalPerson> {
        let id = &*flow.provider;
        let (provider, redirect_uri) = (self.provider(id)?, self.redirect_uri(id));
        let found = provider.finish(&redirect_uri, &flow.secrets, code, self.now()).await;
        found.map_err(|error| failed(id, &error))
    }

    fn provider(&self, id: &str) -> Result<Arc<OpenIdProvider>> {
        let mut providers = self.inner.outbound.providers.iter();
        providers.find(|provider| provider.shown().id == id).cloned().ok_or(Error::NotFound)
    }

    /// Returns the address to which the provider sends people back.
    fn redirect_uri(&self, id: &str) -> String {
        self.urls().page(&format!("/auth/external/{id}/callback"))
    }
}

/// Logs the failure of a sign-in at a provider, and returns the error for the person.
fn failed(id: &str, error: &OpenIdError) -> Error {
    match error {
        OpenIdError::CodeRefused(_) => {
            log::info!("a sign-in at the provider {id} failed: {error}");
            Error::Gone(CODE_REFUSED.to_owned())
        }
        OpenIdError::Unreachable(_) | OpenIdError::Invalid(_) => {
            log::warn!("a sign-in at the provider {id} failed: {error}");
            Error::ExternalService(NO_ANSWER.to_owned())
        }
    }
}
