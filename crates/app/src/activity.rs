//! Notes who is active.

use siskin_services::authentication::{self, Caller};

use crate::App;

impl App {
    /// Notes in passing that a token is used: once a day, behind the request and without holding
    /// it up. Where it fails, the next request tries again.
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
                log::warn!("token={token} the use of a token was not noted: {error:?}");
            }
        }));
    }
}
