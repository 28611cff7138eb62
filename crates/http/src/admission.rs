//! Who may not call is told so, whatever else is wrong with the request.
//!
//! The extractors of a handler run at the same time, and the first fault ends them all. A faulty
//! parameter waits here until it is known that whoever sent it may call.

use actix_web::{HttpMessage as _, HttpRequest};
use tokio::sync::watch;

/// The question whether somebody may call, kept with the request until it is answered.
#[derive(Debug, Clone)]
pub(crate) struct Asked(watch::Receiver<bool>);

/// What answers the question; dropped without an answer where nobody may.
pub(crate) struct Admission(watch::Sender<bool>);

impl Admission {
    /// Asks the question for a request.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let (answer, asked) = watch::channel(false);
        request.extensions_mut().insert(Asked(asked));
        Self(answer)
    }

    /// Whoever calls may.
    pub(crate) fn grant(self) {
        // Nobody waits where no parameter is faulty.
        self.0.send(true).ok();
    }
}

impl Asked {
    /// The question that was asked so far for a request, if any was.
    pub(crate) fn of(request: &HttpRequest) -> Option<Self> {
        request.extensions().get().cloned()
    }

    /// Waits until it is known that somebody may call.
    pub(crate) async fn granted(mut self) {
        if self.0.wait_for(|granted| *granted).await.is_err() {
            // Refused: whatever refused it has ended the request, or is about to.
            std::future::pending::<()>().await;
        }
    }
}

/// Waits until it is known that somebody may call; not at all where nothing asks.
pub(crate) async fn decided(request: &HttpRequest) {
    if let Some(asked) = Asked::of(request) {
        asked.granted().await;
    }
}
