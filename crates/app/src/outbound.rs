//! Outbound connections of an instance.

use std::sync::Arc;

use siskin_outbound::{
    DnsClient, HttpClient, Mailer, openid::OpenIdProvider, translation::Translator,
};

use crate::App;

/// Clients with which an instance reaches other servers.
#[derive(Debug, Clone)]
pub struct Outbound {
    pub http: HttpClient,
    /// `None` if the operator wants no lookups of mail servers.
    pub dns: Option<DnsClient>,
    /// `None` if the operator configured no mail server.
    pub mail: Option<Mailer>,
    /// `None` if the operator configured no translation service.
    pub translator: Option<Arc<dyn Translator>>,
    /// Providers of external logins.
    pub providers: Vec<Arc<OpenIdProvider>>,
}

impl App {
    /// Returns the HTTP client for remote servers. Callers must hold no database connection while
    /// they use it.
    #[must_use]
    pub fn http(&self) -> &HttpClient {
        &self.inner.outbound.http
    }

    /// Returns the mailer, or `None` if the operator configured no mail server.
    #[must_use]
    pub fn mail(&self) -> Option<&Mailer> {
        self.inner.outbound.mail.as_ref()
    }
}
