//! Announces the position of new events to other processes of the same instance, through Redis or a
//! compatible server.
//!
//! Only positions go through it, and nothing depends on it. A message that is lost, repeated or
//! forged costs one query of the event table. Without it, every process polls the table a few times
//! a second.

use std::time::Duration;

use futures_util::StreamExt as _;
use redis::{AsyncCommands as _, Client, RedisError, RedisResult};
use siskin_services::{Error, Result};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use crate::App;

/// Prefix of the channel name. The domain of the instance follows, so several instances can share a
/// server.
const CHANNEL: &str = "siskin:events:";
const AFTER_ERROR: Duration = Duration::from_secs(1);
/// Timeout after which a server counts as unreachable.
const TIMEOUT: Duration = Duration::from_secs(5);

impl App {
    /// Announces the position of events to other processes, through the Redis server at `url`. Must
    /// be called before [`App::start`], inside a tokio runtime. A temporary outage of the server is
    /// no error.
    ///
    /// # Errors
    /// [`Error::Invalid`] if `url` is no address of a Redis server.
    pub fn share_events(&self, url: &str) -> Result<()> {
        let client = Client::open(url)
            .map_err(|error| Error::invalid(format!("invalid Redis URL: {error}")))?;
        let channel = format!("{CHANNEL}{}", self.urls().domain());
        let assigned = self.inner.bus.assigned();
        self.spawn(publish(self.clone(), client.clone(), channel.clone(), assigned));
        self.spawn(listen(self.clone(), client, channel));
        Ok(())
    }
}

/// Announces every position that this process assigned, or a later one, until the instance stops.
async fn publish(app: App, client: Client, channel: String, mut assigned: watch::Receiver<i64>) {
    let mut outage = OutageLog::default();
    loop {
        let work = publish_positions(&client, &channel, &mut assigned, &mut outage);
        match app.unless_stopped(work).await {
            None | Some(Ok(())) => return,
            Some(Err(error)) => outage.report(&error),
        }
        if app.unless_stopped(sleep(AFTER_ERROR)).await.is_none() {
            return;
        }
    }
}

async fn publish_positions(
    client: &Client,
    channel: &str,
    assigned: &mut watch::Receiver<i64>,
    outage: &mut OutageLog,
) -> RedisResult<()> {
    let mut connection = with_timeout(client.get_multiplexed_async_connection()).await?;
    outage.clear();
    while assigned.changed().await.is_ok() {
        let position = *assigned.borrow_and_update();
        let () = with_timeout(connection.publish(channel, position)).await?;
    }
    Ok(())
}

/// Wakes the relay when another process announces a new position.
async fn listen(app: App, client: Client, channel: String) {
    let mut outage = OutageLog::default();
    loop {
        match app.unless_stopped(listen_once(&app, &client, &channel, &mut outage)).await {
            None => return,
            Some(Ok(())) => {}
            Some(Err(error)) => outage.report(&error),
        }
        if app.unless_stopped(sleep(AFTER_ERROR)).await.is_none() {
            return;
        }
    }
}

/// Listens on one connection until it closes.
async fn listen_once(
    app: &App,
    client: &Client,
    channel: &str,
    outage: &mut OutageLog,
) -> RedisResult<()> {
    let mut pubsub = with_timeout(client.get_async_pubsub()).await?;
    with_timeout(pubsub.subscribe(channel)).await?;
    outage.clear();
    // Announcements before the subscription may have been missed.
    app.inner.background.relay.notify_one();
    let mut messages = pubsub.on_message();
    while let Some(message) = messages.next().await {
        let position = message.get_payload::<String>()?.parse::<i64>();
        if position.is_ok_and(|position| position > app.inner.bus.position()) {
            app.inner.background.relay.notify_one();
        }
    }
    Ok(())
}

async fn with_timeout<T>(response: impl Future<Output = RedisResult<T>>) -> RedisResult<T> {
    match timeout(TIMEOUT, response).await {
        Ok(response) => response,
        Err(_) => Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into()),
    }
}

/// Logs an outage once, until it has ended.
#[derive(Default)]
struct OutageLog(bool);

impl OutageLog {
    fn report(&mut self, error: &RedisError) {
        if !std::mem::replace(&mut self.0, true) {
            log::warn!(
                "Redis is unreachable, events of other processes arrive with a delay: {error}"
            );
        }
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.0) {
            log::info!("Redis is reachable again");
        }
    }
}
