//! Sends emails.

use siskin_outbound::{Mail, MailError};
use siskin_services::{
    Error, Result,
    emails::{self, SendEmail},
};

use crate::{App, Finish, JobHandler, Lane, nothing_to_store};

/// Runs [`SendEmail`]. Stores the hash of the email's link before it sends the email. If the mail
/// server cannot accept it now, the job is retried later.
#[derive(Debug, Clone, Copy)]
pub struct EmailSender;

impl JobHandler for EmailSender {
    type Job = SendEmail;

    const LANE: Lane = Lane::Mail;

    async fn run(&self, app: &App, job: SendEmail) -> Result<Finish> {
        let Some(mailer) = app.mail() else {
            log::warn!("an email is dropped: no mail server is configured (--smtp-url)");
            return nothing_to_store();
        };
        let (instance, settings) = (app.instance().clone(), app.settings());
        let write =
            app.write(move |tx| emails::write(tx, &instance, &settings.site_title, &job.letter));
        let Some(rendered) = write.await? else { return nothing_to_store() };
        let mail = Mail { to: rendered.to, subject: rendered.subject, text: rendered.text };
        match mailer.send(&mail).await {
            Ok(()) => nothing_to_store(),
            Err(error @ MailError::Temporary(_)) => Err(Error::internal(error)),
            Err(error) => {
                log::warn!("an email is dropped, it cannot be delivered: {error}");
                nothing_to_store()
            }
        }
    }
}
