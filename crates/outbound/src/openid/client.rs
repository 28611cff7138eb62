//! Requests to one provider.

use std::time::Duration;

use openidconnect::{HttpRequest, HttpResponse};
use url::Url;

use crate::{FetchError, HttpClient, Limits, Method, Request};

/// Metadata and keys of large providers have about 30 KB. No redirect is followed, because secrets
/// are sent along.
const LIMITS: Limits = Limits { bytes: 256 << 10, time: Duration::from_secs(10), redirects: 0 };

/// HTTP client for the requests that the protocol library builds.
#[derive(Debug, Clone)]
pub(super) struct ProviderClient {
    http: HttpClient,
    issuer: Url,
}

impl ProviderClient {
    /// Creates a client that may also reach the host of the issuer if it is private. Other hosts
    /// that the provider names must be public.
    pub(super) fn new(http: &HttpClient, issuer: Url) -> Result<Self, FetchError> {
        Ok(Self { http: http.trusting(&issuer)?, issuer })
    }

    /// Checks an address that the provider named: it uses https or has the origin of the issuer.
    pub(super) fn require_secure(&self, url: &Url) -> Result<(), FetchError> {
        if url.scheme() == "https" || url.origin() == self.issuer.origin() {
            Ok(())
        } else {
            Err(FetchError::Address("it does not use https"))
        }
    }

    pub(super) async fn send(&self, request: HttpRequest) -> Result<HttpResponse, FetchError> {
        let (head, body) = request.into_parts();
        let url = head.uri.to_string();
        let parsed = Url::parse(&url).map_err(|_| FetchError::Address("it is malformed"))?;
        self.require_secure(&parsed)?;
        let plain =
            if head.method == Method::POST { Request::post(url, body) } else { Request::get(url) };
        let request = head
            .headers
            .iter()
            .fold(plain, |request, (name, value)| request.with(name.clone(), value.clone()));
        let received = self.http.send(&request, LIMITS).await?;
        let mut response = HttpResponse::new(received.body);
        *response.status_mut() = received.status;
        *response.headers_mut() = received.headers;
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_the_provider_names_are_secure() {
        let issuer = Url::parse("http://127.0.0.1:8080/realms/main").unwrap();
        let client = ProviderClient::new(&HttpClient::new("test", Vec::new()), issuer).unwrap();
        let is_secure = |url: &str| client.require_secure(&Url::parse(url).unwrap()).is_ok();
        assert!(is_secure("http://127.0.0.1:8080/token"));
        assert!(is_secure("https://keys.example/"));
        for insecure in ["http://127.0.0.1:8081/", "http://keys.example/", "javascript:alert(1)"] {
            assert!(!is_secure(insecure), "{insecure}");
        }
    }
}
