//! Records activity of tokens and users.

use siskin_services::authentication::{self, Caller};

use crate::App;

impl App {
    /// Records the use of a token, at most once a day. Runs in the background, so the request does
    /// not wait. After a failure, the next request tries again.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn note_use(&self, caller: &Caller) {
        if !authentication::is_use_to_be_noted(caller, self.now()) {
            return;
        }
        let (app, token, person) = (self.clone(), caller.token, caller.person);
        drop(tokio::spawn(async move {
            let noted = app.write(move |tx| authentication::note_use(tx, token, person)).await;
            if let Err(error) = noted {
                log::warn!("cannot record the use of a token: token={token} error={error:?}");
            }
        }));
    }
}
