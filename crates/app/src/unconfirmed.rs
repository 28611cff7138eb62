//! Deletes accounts that never confirmed their email address.

use siskin_services::{
    Result,
    accounts::unconfirmed::{self, RemoveUnconfirmed},
};

use crate::{App, Finish, JobHandler, nothing_to_store};

/// Runs [`RemoveUnconfirmed`]. Finds the accounts before it opens a write transaction.
#[derive(Debug, Clone, Copy)]
pub struct UnconfirmedRemover;

impl JobHandler for UnconfirmedRemover {
    type Job = RemoveUnconfirmed;

    async fn run(&self, app: &App, _: RemoveUnconfirmed) -> Result<Finish> {
        let (settings, now) = (app.settings(), app.now());
        let overdue = app.read(move |conn| unconfirmed::overdue(conn, &settings, now)).await?;
        if overdue.is_empty() {
            return nothing_to_store();
        }
        Ok(Box::new(move |tx| unconfirmed::remove(tx, &overdue)))
    }
}
