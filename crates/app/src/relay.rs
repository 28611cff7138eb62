//! Assigns positions to committed events and publishes them on the bus.
//!
//! Every commit of this process wakes the relay. A timer covers events of other processes: of the
//! command line, or of an earlier server that died after its last commit.

use std::time::Duration;

use siskin_persistence::events::{self, Event, FILTERS_CHANGED, Happened, SETTINGS_CHANGED};
use siskin_services::Result;
use tokio::time::{sleep, timeout};

use crate::{App, bus::CHUNK, workers::complain};

const PERIOD: Duration = Duration::from_millis(200);
const AFTER_ERROR: Duration = Duration::from_secs(1);

pub(crate) async fn run(app: App) {
    loop {
        let rest = async {
            match forward(&app).await {
                Ok(()) => {
                    let _ = timeout(PERIOD, app.inner.background.relay.notified()).await;
                }
                Err(error) => {
                    complain("cannot publish events, retrying later", &error);
                    sleep(AFTER_ERROR).await;
                }
            }
        };
        if app.unless_stopped(rest).await.is_none() {
            return;
        }
    }
}

/// Publishes committed events that have not been published yet.
async fn forward(app: &App) -> Result<()> {
    let mut placed_any = false;
    loop {
        // Read before the snapshot is taken, so the snapshot contains what these commits wrote.
        let commits = app.store().commits();
        let said = app.inner.bus.position();
        let (waiting, events) = app
            .read(move |conn| Ok((events::any_waiting(conn)?, events::since(conn, said, CHUNK)?)))
            .await?;
        if events.is_empty() {
            let placed =
                waiting && app.write(|tx| Ok(events::assign_positions(tx, CHUNK)?)).await? > 0;
            if placed {
                placed_any = true;
                continue;
            }
            // Otherwise another process is about to assign the positions.
            if !waiting {
                app.inner.callers.heard(commits);
            }
            return Ok(());
        }
        for event in events {
            refresh(app, &event).await?;
            app.inner.bus.say(event);
        }
        if placed_any {
            app.inner.bus.share();
        }
    }
}

/// Updates the caches of this process that the event makes stale, before any listener receives it.
async fn refresh(app: &App, event: &Event) -> Result<()> {
    match event.kind.as_str() {
        SETTINGS_CHANGED => app.reload_settings().await?,
        FILTERS_CHANGED => {
            if let Ok(account) = event.payload.parse() {
                app.forget_filters(account);
            }
        }
        _ => {
            if let Some(Happened::AccessEnded(access)) = Happened::of(event) {
                app.inner.callers.forget(access);
            }
        }
    }
    Ok(())
}
