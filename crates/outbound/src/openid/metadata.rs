//! Metadata and keys of a provider, which are cached.

use std::{sync::Arc, time::Duration};

use openidconnect::{IssuerUrl, core::CoreProviderMetadata};
use siskin_entities::Timestamp;
use tokio::sync::Mutex;

use super::{OpenIdError, client::ProviderClient};

/// Age at which the metadata and the keys are requested again.
const LIFETIME: Duration = Duration::from_secs(3600);
/// Maximum age of the metadata and the keys while the provider does not answer.
const MAX_AGE: Duration = Duration::from_secs(86_400);
/// Pause after a request that failed. People who wait for the same request get its error, too.
const PAUSE: Duration = Duration::from_secs(5);
/// Minimum age at which an unknown key leads to a new request. So wrong tokens cannot cause many.
const MIN_AGE: Duration = Duration::from_secs(10);

/// Cache of the metadata, with the keys, of one provider.
#[derive(Debug, Default)]
pub(super) struct MetadataCache(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    known: Option<Known>,
    /// The last request failed, with this error, and the time of the next one.
    failed: Option<(OpenIdError, Timestamp)>,
}

#[derive(Debug, Clone)]
struct Known {
    metadata: Arc<CoreProviderMetadata>,
    at: Timestamp,
}

impl Known {
    fn is_younger_than(&self, age: Duration, now: Timestamp) -> bool {
        self.at <= now && now < self.at.after(age)
    }
}

impl MetadataCache {
    /// Returns the metadata. Requests it if it is old. Keeps it for a while if the request fails.
    pub(super) async fn get(
        &self,
        client: &ProviderClient,
        issuer: &IssuerUrl,
        now: Timestamp,
    ) -> Result<Arc<CoreProviderMetadata>, OpenIdError> {
        let mut state = self.0.lock().await;
        match &state.known {
            Some(known) if known.is_younger_than(LIFETIME, now) => Ok(Arc::clone(&known.metadata)),
            known => {
                let known = known.clone().filter(|known| known.is_younger_than(MAX_AGE, now));
                let requested = state.request(client, issuer, now).await;
                requested.or_else(|error| known.map(|known| known.metadata).ok_or(error))
            }
        }
    }

    /// Returns metadata that is newer than `former`, in which a key was missing. Returns `former`
    /// itself if it is too young.
    pub(super) async fn newer_than(
        &self,
        former: Arc<CoreProviderMetadata>,
        client: &ProviderClient,
        issuer: &IssuerUrl,
        now: Timestamp,
    ) -> Result<Arc<CoreProviderMetadata>, OpenIdError> {
        let mut state = self.0.lock().await;
        match &state.known {
            // Another sign-in has requested it meanwhile.
            Some(known) if !Arc::ptr_eq(&known.metadata, &former) => {
                Ok(Arc::clone(&known.metadata))
            }
            Some(known) if known.is_younger_than(MIN_AGE, now) => Ok(former),
            _ => state.request(client, issuer, now).await,
        }
    }
}

impl State {
    /// Requests the metadata and the keys, unless a request has just failed.
    async fn request(
        &mut self,
        client: &ProviderClient,
        issuer: &IssuerUrl,
        now: Timestamp,
    ) -> Result<Arc<CoreProviderMetadata>, OpenIdError> {
        if let Some((error, until)) = &self.failed
            && now < *until
            && until.before(PAUSE) <= now
        {
            return Err(error.clone());
        }
        match discover(client, issuer).await {
            Ok(metadata) => {
                let metadata = Arc::new(metadata);
                self.known = Some(Known { metadata: Arc::clone(&metadata), at: now });
                self.failed = None;
                Ok(metadata)
            }
            Err(error) => {
                self.failed = Some((error.clone(), now.after(PAUSE)));
                Err(error)
            }
        }
    }
}

/// Requests the metadata and the keys. The library checks that the metadata names the same issuer.
async fn discover(
    client: &ProviderClient,
    issuer: &IssuerUrl,
) -> Result<CoreProviderMetadata, OpenIdError> {
    let send = |request| client.send(request);
    let metadata = CoreProviderMetadata::discover_async(issuer.clone(), &send).await?;
    // People are sent there; the other addresses are checked at each request.
    let page = metadata.authorization_endpoint().url();
    client.require_secure(page).map_err(|error| OpenIdError::invalid(&error))?;
    Ok(metadata)
}
