//! Order of authorization and parameters: authorization errors take precedence over parameter
//! errors, and the server does not read the body of a caller that is refused.
//!
//! The extractors of a handler run concurrently, and the first error ends them all. Reading the
//! body therefore waits here until the caller is authorized.

use actix_web::{HttpMessage as _, HttpRequest};
use futures_util::future::LocalBoxFuture;
use siskin_ids::AccountId;
use tokio::sync::watch;

/// The admitted caller: an account, or `None` for anonymous callers and applications.
type Caller = Option<AccountId>;

/// Waits for the outcome of the authorization. Stored with the request.
#[derive(Debug, Clone)]
pub(crate) struct PendingAuthorization(watch::Receiver<Option<Caller>>);

/// Reports the outcome of the authorization. Dropped without a report if the caller is refused.
pub(crate) struct Admission(watch::Sender<Option<Caller>>);

impl Admission {
    /// Starts the authorization of a request, so that readers of its body wait for the outcome.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let (sender, pending) = watch::channel(None);
        request.extensions_mut().insert(PendingAuthorization(pending));
        Self(sender)
    }

    /// Admits the caller.
    pub(crate) fn grant(self, caller: Caller) {
        // There is no receiver if the handler reads no parameters.
        self.0.send(Some(caller)).ok();
    }
}

impl PendingAuthorization {
    /// Returns the pending authorization of a request. `None` if no extractor has started one so
    /// far.
    pub(crate) fn of(request: &HttpRequest) -> Option<Self> {
        request.extensions().get().cloned()
    }

    /// Waits until the caller is admitted.
    pub(crate) async fn granted(mut self) -> Caller {
        match self.0.wait_for(Option::is_some).await {
            Ok(caller) => caller.flatten(),
            // The extractor that refused the caller ends the request.
            Err(_) => std::future::pending().await,
        }
    }
}

/// Returns the outcome of an extractor of pages that decides who may send the request. Errors of
/// the parameters wait until it succeeds, so that a refusal of the person takes precedence.
///
/// An extractor that consists of others calls this after it has started them: the parameters wait
/// for the last call.
pub(crate) fn before_parameters<T: 'static, E: 'static>(
    request: &HttpRequest,
    extractor: impl Future<Output = Result<T, E>> + 'static,
) -> LocalBoxFuture<'static, Result<T, E>> {
    let admission = Admission::of(request);
    Box::pin(async move {
        let extracted = extractor.await;
        if extracted.is_ok() {
            admission.grant(None);
        }
        extracted
    })
}

/// Waits until the caller is admitted. Returns at once if no extractor authorizes the request.
pub(crate) async fn wait_until_admitted(request: &HttpRequest) {
    if let Some(pending) = PendingAuthorization::of(request) {
        pending.granted().await;
    }
}
