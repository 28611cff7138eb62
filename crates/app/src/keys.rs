//! Makes the keys of actors that have none.

use siskin_services::{
    Error, Result,
    federation::keys::{self, MakeKeys},
};

use crate::{App, Finish, JobHandler, Lane, nothing_to_store};

/// Runs [`MakeKeys`].
#[derive(Debug, Clone, Copy)]
pub struct KeyMaker;

impl JobHandler for KeyMaker {
    type Job = MakeKeys;

    const LANE: Lane = Lane::Keys;

    async fn run(&self, app: &App, job: MakeKeys) -> Result<Finish> {
        if !app.settings().federation_mode.is_on() {
            return nothing_to_store();
        }
        let missing = app.read(move |conn| keys::missing(conn, &job)).await?;
        for actor in &missing.actors {
            match app.make_keys(*actor).await {
                // It was deleted meanwhile.
                Ok(()) | Err(Error::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Box::new(move |tx| keys::make_rest(tx, &missing)))
    }
}
