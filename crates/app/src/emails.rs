//! Sends emails.

use std::time::Duration;

use siskin_entities::FilterContext;
use siskin_ids::{AccountId, NotificationId};
use siskin_outbound::{Mail, MailError};
use siskin_services::{
    Error, Result,
    emails::{self, Email, NotificationEmail, QueuedEmail, RenderedEmail, SendEmail},
};

use tokio::time::timeout;

use crate::{App, Finish, JobHandler, Lane, nothing_to_store};

/// How long a person waits for a test email.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);

impl App {
    /// Sends a test email to a user at once, and returns after the mail server has accepted it.
    ///
    /// # Errors
    /// [`Error::ExternalService`] with an explanation for the operator, if there is no mail server
    /// or if it did not accept the email.
    pub async fn send_test_email(&self, account: AccountId) -> Result<()> {
        let Some(mailer) = self.mail() else {
            return Err(Error::ExternalService("No mail server is configured.".to_owned()));
        };
        let (instance, settings) = (self.instance().clone(), self.settings());
        let rendered = self
            .read(move |conn| emails::write_test(conn, &instance, &settings.site_title, account))
            .await?;
        let failure = match timeout(TEST_TIMEOUT, mailer.send(&mail(rendered))).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error.explanation(),
            Err(_) => MailError::Temporary("it did not answer".to_owned()).explanation(),
        };
        Err(Error::ExternalService(failure))
    }
}

fn mail(rendered: RenderedEmail) -> Mail {
    let RenderedEmail { to, subject, text, html, unsubscribe } = rendered;
    Mail { to, subject, text, html, unsubscribe }
}

/// Runs [`SendEmail`]. If the mail server cannot accept the email now, the job is retried later.
#[derive(Debug, Clone, Copy)]
pub struct EmailSender;

impl JobHandler for EmailSender {
    type Job = SendEmail;

    const LANE: Lane = Lane::Mail;

    async fn run(&self, app: &App, job: SendEmail) -> Result<Finish> {
        match job.letter {
            QueuedEmail::Single(email) => single(app, email).await,
            QueuedEmail::AboutNotifications(email) => about_notifications(app, email).await,
        }
    }
}

/// Sends an email. Stores the hash of its link before that.
async fn single(app: &App, email: Email) -> Result<Finish> {
    let (instance, settings) = (app.instance().clone(), app.settings());
    let write = app.write(move |tx| emails::write(tx, &instance, &settings.site_title, &email));
    if let Some(rendered) = write.await? {
        send(app, rendered).await?;
    }
    nothing_to_store()
}

/// Sends an email about notifications, as their recipient sees them now.
async fn about_notifications(app: &App, email: NotificationEmail) -> Result<Finish> {
    let (now, urls) = (app.now(), app.urls().clone());
    let loaded = app.read(move |conn| emails::load(conn, &urls, email, now)).await?;
    let Some((recipient, summary)) = loaded else { return finish(email, None) };
    let (account, newest) = (recipient.account(), summary.newest);
    let marked = app.marked(Some(account), FilterContext::Notifications, summary).await?;
    let site = &app.settings().site_title;
    if let Some(rendered) = emails::compose(app.urls(), site, email, &recipient, &marked) {
        send(app, rendered).await?;
    }
    finish(email, Some(newest))
}

fn finish(email: NotificationEmail, newest: Option<NotificationId>) -> Result<Finish> {
    Ok(Box::new(move |tx| emails::finish(tx, email, newest)))
}

/// Sends an email. Drops it if it cannot be delivered.
///
/// # Errors
/// If the mail server cannot accept it now.
async fn send(app: &App, rendered: RenderedEmail) -> Result<()> {
    let Some(mailer) = app.mail() else {
        log::warn!("an email is dropped: no mail server is configured (--smtp-url)");
        return Ok(());
    };
    match mailer.send(&mail(rendered)).await {
        Ok(()) => Ok(()),
        Err(error @ MailError::Temporary(_)) => Err(Error::internal(error)),
        Err(error) => {
            log::warn!("an email is dropped, it cannot be delivered: {error}");
            Ok(())
        }
    }
}
