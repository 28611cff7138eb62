//! Assigns positions to committed events and publishes them on the bus.
//!
//! Every commit of this process wakes the relay. A timer covers events of other processes: of the
//! command line, or of an earlier server that died after its last commit.

use std::time::Duration;

use siskin_persistence::events::{
    self, DomainEvent, Event, FILTERS_CHANGED, IP_BLOCKS_CHANGED, SETTINGS_CHANGED,
};
use siskin_services::Result;
use tokio::time::{sleep, timeout};

use crate::{App, bus::CHUNK, workers::log_error};

const PERIOD: Duration = Duration::from_millis(200);
const AFTER_ERROR: Duration = Duration::from_secs(1);

pub(crate) async fn run(app: App) {
    loop {
        let rest = async {
            match publish_committed(&app).await {
                Ok(()) => {
                    let _ = timeout(PERIOD, app.inner.background.relay.notified()).await;
                }
                Err(error) => {
                    log_error("cannot publish events, retrying later", &error);
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
async fn publish_committed(app: &App) -> Result<()> {
    let mut assigned_any = false;
    loop {
        // Read before the snapshot is taken, so the snapshot contains what these commits wrote.
        let commits = app.store().commits();
        let published = app.inner.bus.position();
        let (waiting, events) = app
            .read(move |conn| {
                Ok((events::any_waiting(conn)?, events::since(conn, published, CHUNK)?))
            })
            .await?;
        if events.is_empty() {
            let assigned =
                waiting && app.write(|tx| Ok(events::assign_positions(tx, CHUNK)?)).await? > 0;
            if assigned {
                assigned_any = true;
                continue;
            }
            // Otherwise another process is about to assign the positions.
            if !waiting {
                app.inner.callers.processed(commits);
            }
            return Ok(());
        }
        for event in events {
            refresh(app, &event).await?;
            app.inner.bus.publish(event);
        }
        if assigned_any {
            app.inner.bus.announce();
        }
    }
}

/// Updates the caches of this process that the event makes stale, before any listener receives it.
async fn refresh(app: &App, event: &Event) -> Result<()> {
    match event.kind.as_str() {
        SETTINGS_CHANGED => app.reload_settings().await?,
        IP_BLOCKS_CHANGED => app.reload_ip_blocks().await?,
        FILTERS_CHANGED => {
            if let Ok(account) = event.payload.parse() {
                app.invalidate_filters(account);
            }
        }
        _ => {
            if let Some(DomainEvent::AccessEnded(access)) = DomainEvent::of(event) {
                app.inner.callers.invalidate(access);
            }
        }
    }
    Ok(())
}
