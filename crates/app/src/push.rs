//! Sends push messages to the push services of clients.

use futures_util::{StreamExt as _, stream};
use siskin_entities::{FilterContext, Timestamp};
use siskin_outbound::{
    Url,
    push::{ClientKeys, Encoding, OutgoingPush, PushOutcome, PushSender},
};
use siskin_services::{
    Error, Result,
    push::{self, DeliverPushes, Delivery},
    vapid,
};
use siskin_wire::push::message_json;
use tokio::sync::OnceCell;

use crate::{App, Finish, JobHandler, Lane, nothing_to_store};

/// Maximum number of messages of one job that are sent at the same time. At most two jobs send to
/// the same push service.
const AT_ONCE: usize = 8;

/// Runs [`DeliverPushes`]. If the push service cannot accept a message now, another job for it is
/// enqueued. So an unreachable service leaves no dead letters.
#[derive(Debug, Default)]
pub struct PushDeliverer {
    /// Holds the key of this server, which never changes.
    sender: OnceCell<PushSender>,
}

impl JobHandler for PushDeliverer {
    type Job = DeliverPushes;

    const LANE: Lane = Lane::Push;

    async fn run(&self, app: &App, job: DeliverPushes) -> Result<Finish> {
        let sender = self.sender(app).await?;
        let attempts = job.attempts;
        let composed = compose(app, sender, job).await?;
        let (contact, now) = (contact(app), app.now());
        let outcomes: Vec<(Delivery, PushOutcome)> = stream::iter(composed)
            .map(|one| send(app, sender, one, &contact, now))
            .buffer_unordered(AT_ONCE)
            .collect()
            .await;
        let now = app.now();
        for (delivery, outcome) in &outcomes {
            log_outcome(&host(delivery), outcome);
        }
        if outcomes.iter().all(|(_, outcome)| *outcome == PushOutcome::Accepted) {
            return nothing_to_store();
        }
        Ok(Box::new(move |tx| push::finish(tx, &outcomes, attempts, now)))
    }
}

impl PushDeliverer {
    async fn sender(&self, app: &App) -> Result<&PushSender> {
        let create = || async {
            let key = app.read(vapid::key).await?;
            let key = key.ok_or_else(|| Error::internal("there is no key for push messages"))?;
            Ok(PushSender::new(key))
        };
        self.sender.get_or_try_init(create).await
    }
}

/// A message with the delivery that it belongs to.
struct Composed {
    delivery: Delivery,
    message: Vec<u8>,
}

/// Loads what a job delivers, and writes the messages. Leaves out what the filters of a recipient
/// hide.
async fn compose(app: &App, sender: &PushSender, job: DeliverPushes) -> Result<Vec<Composed>> {
    let (reader, key, now) = (app.clone(), sender.key().clone(), app.now());
    // Read before the snapshot, so that filters that change meanwhile are not cached.
    let changes = app.filter_changes();
    app.read(move |conn| {
        let mut composed = Vec::new();
        for delivery in push::load(conn, &job, now)? {
            let account = delivery.recipient.owner.account;
            let filters = reader.filters_in(conn, account, changes)?;
            let notification = delivery.notification.clone();
            let marked = filters.mark(FilterContext::Notifications, now, notification);
            let message = push::compose(reader.urls(), &key, &delivery.recipient, &marked);
            if let Some(message) = message {
                composed.push(Composed { delivery, message: message_json(&message) });
            }
        }
        Ok(composed)
    })
    .await
}

async fn send(
    app: &App,
    sender: &PushSender,
    composed: Composed,
    contact: &str,
    now: Timestamp,
) -> (Delivery, PushOutcome) {
    let Composed { delivery, message } = composed;
    let Delivery { recipient, notification } = &delivery;
    let keys = match ClientKeys::parse(&recipient.p256dh, &recipient.auth) {
        Ok(keys) => keys,
        Err(error) => return (delivery, PushOutcome::Refused { why: error.to_string() }),
    };
    let encoding =
        if recipient.subscription.standard { Encoding::Standard } else { Encoding::Draft };
    let outgoing = OutgoingPush {
        endpoint: &recipient.subscription.endpoint,
        keys: &keys,
        encoding,
        message: &message,
        ttl: push::ttl(notification, now),
    };
    let outcome = sender.send(app.http(), &outgoing, contact, now).await;
    (delivery, outcome)
}

fn log_outcome(host: &str, outcome: &PushOutcome) {
    match outcome {
        PushOutcome::Accepted => {}
        PushOutcome::Gone => {
            log::info!("a push subscription at {host} is deleted: its client is gone");
        }
        PushOutcome::Later { why, .. } => {
            log::info!("a push message to {host} is retried or given up: {why}");
        }
        PushOutcome::Refused { why } => log::info!("a push message to {host} is dropped: {why}"),
    }
}

/// Returns the address at which push services reach the operator.
fn contact(app: &App) -> String {
    let settings = app.settings();
    if settings.contact_email.is_empty() {
        app.urls().base().to_owned()
    } else {
        format!("mailto:{}", settings.contact_email)
    }
}

/// Returns the host of the endpoint for the log. Its path is a secret.
fn host(delivery: &Delivery) -> String {
    let url = Url::parse(&delivery.recipient.subscription.endpoint).ok();
    url.as_ref().and_then(Url::host_str).unwrap_or("an unknown host").to_owned()
}
