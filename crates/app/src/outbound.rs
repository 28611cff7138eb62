//! The ways out of the machine.

use std::sync::Arc;

use siskin_outbound::{HttpClient, Mailer, translation::Translator};

use crate::App;

/// What an instance reaches other servers with.
#[derive(Debug, Clone)]
pub struct Outbound {
    pub http: HttpClient,
    /// None where the operator named no mail server.
    pub mail: Option<Mailer>,
    /// None where the operator named no service that translates.
    pub translator: Option<Arc<dyn Translator>>,
}

impl App {
    /// The client for other people's servers. Whoever uses it holds no connection to the database.
    #[must_use]
    pub fn http(&self) -> &HttpClient {
        &self.inner.outbound.http
    }

    /// What sends mail; None where the operator named no mail server.
    #[must_use]
    pub fn mail(&self) -> Option<&Mailer> {
        self.inner.outbound.mail.as_ref()
    }
}
