//! Tells other processes of the same instance at once how far events have got: by Redis, or what
//! speaks like it.
//!
//! Nothing but positions goes through it, so nothing depends on it: what is lost, repeated or said by
//! strangers costs a look at the table, and without it every process looks by itself a few times a
//! second.

use std::time::Duration;

use futures_util::StreamExt as _;
use redis::{AsyncCommands as _, Client, RedisError, RedisResult};
use siskin_services::{Error, Result};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use crate::App;

/// The channel of an instance ends with its domain: several can share a server.
const CHANNEL: &str = "siskin:events:";
const AFTER_ERROR: Duration = Duration::from_secs(1);
/// A server that does not answer by then is away.
const PATIENCE: Duration = Duration::from_secs(5);

impl App {
    /// Shares with other processes how far events have got, by the Redis server at `url`. To be
    /// called before [`App::start`], inside a tokio runtime; that the server is away for a while is
    /// no failure.
    ///
    /// # Errors
    /// [`Error::Invalid`] for what is no address of a Redis server.
    pub fn share_events(&self, url: &str) -> Result<()> {
        let client = Client::open(url)
            .map_err(|error| Error::invalid(format!("the address of Redis: {error}")))?;
        let channel = format!("{CHANNEL}{}", self.urls().domain());
        let placed = self.inner.bus.placed();
        self.spawn(publish(self.clone(), client.clone(), channel.clone(), placed));
        self.spawn(hear(self.clone(), client, channel));
        Ok(())
    }
}

/// Says every position that this process gave, or a later one, until the instance ends.
async fn publish(app: App, client: Client, channel: String, mut placed: watch::Receiver<i64>) {
    let mut complaint = Complaint::default();
    loop {
        let work = publish_some(&client, &channel, &mut placed, &mut complaint);
        match app.unless_stopped(work).await {
            None | Some(Ok(())) => return,
            Some(Err(error)) => complaint.about(&error),
        }
        if app.unless_stopped(sleep(AFTER_ERROR)).await.is_none() {
            return;
        }
    }
}

async fn publish_some(
    client: &Client,
    channel: &str,
    placed: &mut watch::Receiver<i64>,
    complaint: &mut Complaint,
) -> RedisResult<()> {
    let mut connection = in_time(client.get_multiplexed_async_connection()).await?;
    complaint.is_settled();
    while placed.changed().await.is_ok() {
        let position = *placed.borrow_and_update();
        let () = in_time(connection.publish(channel, position)).await?;
    }
    Ok(())
}

/// Has the relay look at the table when another process says that it has something new.
async fn hear(app: App, client: Client, channel: String) {
    let mut complaint = Complaint::default();
    loop {
        match app.unless_stopped(hear_some(&app, &client, &channel, &mut complaint)).await {
            None => return,
            Some(Ok(())) => {}
            Some(Err(error)) => complaint.about(&error),
        }
        if app.unless_stopped(sleep(AFTER_ERROR)).await.is_none() {
            return;
        }
    }
}

/// Until the line ends.
async fn hear_some(
    app: &App,
    client: &Client,
    channel: &str,
    complaint: &mut Complaint,
) -> RedisResult<()> {
    let mut line = in_time(client.get_async_pubsub()).await?;
    in_time(line.subscribe(channel)).await?;
    complaint.is_settled();
    // What was said before may have been missed.
    app.inner.background.relay.notify_one();
    let mut messages = line.on_message();
    while let Some(message) = messages.next().await {
        let position = message.get_payload::<String>()?.parse::<i64>();
        if position.is_ok_and(|position| position > app.inner.bus.position()) {
            app.inner.background.relay.notify_one();
        }
    }
    Ok(())
}

async fn in_time<T>(answer: impl Future<Output = RedisResult<T>>) -> RedisResult<T> {
    match timeout(PATIENCE, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into()),
    }
}

/// What is wrong is said once, until it is right again.
#[derive(Default)]
struct Complaint(bool);

impl Complaint {
    fn about(&mut self, error: &RedisError) {
        if !std::mem::replace(&mut self.0, true) {
            log::warn!("Redis is away, events of other processes come a little later: {error}");
        }
    }

    fn is_settled(&mut self) {
        if std::mem::take(&mut self.0) {
            log::info!("Redis is there again");
        }
    }
}
