//! Authorization comes before the parameters of a request: a caller that may not call is told so,
//! whatever else is wrong with the request, and its body is not read.
//!
//! The extractors of a handler run at the same time, and the first fault ends them all. The reading of
//! the body waits here until it is known who calls.

use actix_web::{HttpMessage as _, HttpRequest};
use siskin_ids::AccountId;
use tokio::sync::watch;

/// Who was admitted: an account, or `None` for anonymous callers and applications.
type Caller = Option<AccountId>;

/// The question who calls, kept with the request until it is answered.
#[derive(Debug, Clone)]
pub(crate) struct Asked(watch::Receiver<Option<Caller>>);

/// Answers the question; dropped without an answer if the caller is refused.
pub(crate) struct Admission(watch::Sender<Option<Caller>>);

impl Admission {
    /// Asks the question for a request.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let (answer, asked) = watch::channel(None);
        request.extensions_mut().insert(Asked(asked));
        Self(answer)
    }

    /// Admits the caller.
    pub(crate) fn grant(self, caller: Caller) {
        // Nobody listens if the handler reads no parameters.
        self.0.send(Some(caller)).ok();
    }
}

impl Asked {
    /// Returns the question that an extractor asked so far for a request.
    pub(crate) fn of(request: &HttpRequest) -> Option<Self> {
        request.extensions().get().cloned()
    }

    /// Waits until the caller is admitted.
    pub(crate) async fn granted(mut self) -> Caller {
        match self.0.wait_for(Option::is_some).await {
            Ok(caller) => caller.flatten(),
            // Refused: the extractor that refused it ends the request.
            Err(_) => std::future::pending().await,
        }
    }
}

/// Waits until the caller is admitted; not at all if no extractor asks.
pub(crate) async fn decided(request: &HttpRequest) {
    if let Some(asked) = Asked::of(request) {
        asked.granted().await;
    }
}
