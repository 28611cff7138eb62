//! Records activity of tokens and users.

use siskin_services::authentication::{self, Caller};

use crate::App;

impl App {
    /// Records the use of a token, at most once a day. Runs in the background, so the request does
    /// not wait. After a failure, the next request tries again.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn record_use(&self, caller: &Caller) {
        if !authentication::should_record_use(caller, self.now()) {
            return;
        }
        let (app, token, user) = (self.clone(), caller.token, caller.user);
        drop(tokio::spawn(async move {
            let recorded = app.write(move |tx| authentication::record_use(tx, token, user)).await;
            if let Err(error) = recorded {
                log::warn!("cannot record the use of a token: token={token} error={error:?}");
            }
        }));
    }
}
