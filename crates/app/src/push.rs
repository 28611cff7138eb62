//! Sends push messages to the push services of clients.

use siskin_entities::{FilterContext, Timestamp};
use siskin_outbound::{
    Url,
    push::{ClientKeys, Encoding, OutgoingPush, PushOutcome, PushSender},
};
use siskin_services::{
    Error, Result,
    push::{self, DeliverPush, Delivery},
    vapid,
};
use siskin_wire::push::message_json;
use tokio::sync::OnceCell;

use crate::{App, Finish, JobHandler, Lane, nothing_to_store};

/// Runs [`DeliverPush`]. If the push service cannot accept the message now, another job for it is
/// enqueued. So an unreachable service leaves no dead letters.
#[derive(Debug, Default)]
pub struct PushDeliverer {
    /// Holds the key of this server, which never changes.
    sender: OnceCell<PushSender>,
}

impl JobHandler for PushDeliverer {
    type Job = DeliverPush;

    const LANE: Lane = Lane::Push;

    async fn run(&self, app: &App, job: DeliverPush) -> Result<Finish> {
        let now = app.now();
        let Some(delivery) = app.read(move |conn| push::load(conn, &job, now)).await? else {
            return nothing_to_store();
        };
        let sender = self.sender(app).await?;
        let Some(message) = message(app, sender, &delivery).await? else {
            return nothing_to_store();
        };
        let outcome = send(app, sender, &delivery, &message, now).await?;
        let host = host(&delivery);
        match outcome {
            PushOutcome::Accepted => nothing_to_store(),
            PushOutcome::Gone => {
                log::info!("a push subscription at {host} is deleted: its client is gone");
                Ok(Box::new(move |tx| push::remove_gone(tx, job.subscription)))
            }
            PushOutcome::Later { after, why } => {
                let next = push::next_attempt(&job, &delivery.notification, app.now(), after);
                let Some(at) = next else {
                    log::info!("a push message to {host} is dropped: {why}");
                    return nothing_to_store();
                };
                log::info!("a push message to {host} is retried at {at}: {why}");
                let recipient = delivery.recipient;
                Ok(Box::new(move |tx| push::retry(tx, &job, &recipient, at)))
            }
            PushOutcome::Refused { why } => {
                log::info!("a push message to {host} is dropped: {why}");
                nothing_to_store()
            }
        }
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

/// Returns the payload. Returns `None` if the recipient's filters hide the notification.
async fn message(app: &App, sender: &PushSender, delivery: &Delivery) -> Result<Option<Vec<u8>>> {
    let Delivery { recipient, notification } = delivery;
    let viewer = Some(recipient.owner.account);
    let marked = app.marked(viewer, FilterContext::Notifications, notification.clone()).await?;
    let message = push::compose(app.urls(), sender.key(), recipient, &marked);
    Ok(message.as_ref().map(message_json))
}

async fn send(
    app: &App,
    sender: &PushSender,
    delivery: &Delivery,
    message: &[u8],
    now: Timestamp,
) -> Result<PushOutcome> {
    let Delivery { recipient, notification } = delivery;
    let keys = ClientKeys::parse(&recipient.p256dh, &recipient.auth).map_err(Error::internal)?;
    let encoding =
        if recipient.subscription.standard { Encoding::Standard } else { Encoding::Draft };
    let outgoing = OutgoingPush {
        endpoint: &recipient.subscription.endpoint,
        keys: &keys,
        encoding,
        message,
        ttl: push::ttl(notification, now),
    };
    Ok(sender.send(app.http(), &outgoing, &contact(app), now).await)
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
