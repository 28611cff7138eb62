//! Sends emails.

use siskin_outbound::{Mail, MailError};
use siskin_services::{
    Error, Result,
    letters::{self, SendLetter},
};

use crate::{App, Finish, JobHandler, Lane, nothing_to_store};

/// Runs [`SendLetter`]. Stores the hash of the email's link before it sends the email. If the mail
/// server cannot accept it now, the job is retried later.
#[derive(Debug, Clone, Copy)]
pub struct LetterSender;

impl JobHandler for LetterSender {
    type Job = SendLetter;

    const LANE: Lane = Lane::Mail;

    async fn run(&self, app: &App, job: SendLetter) -> Result<Finish> {
        let Some(mailer) = app.mail() else {
            log::warn!("an email is dropped: no mail server is configured (--smtp-url)");
            return nothing_to_store();
        };
        let (instance, settings) = (app.instance().clone(), app.settings());
        let write =
            app.write(move |tx| letters::write(tx, &instance, &settings.site_title, &job.letter));
        let Some(written) = write.await? else { return nothing_to_store() };
        let mail = Mail { to: written.to, subject: written.subject, text: written.text };
        match mailer.send(&mail).await {
            Ok(()) => nothing_to_store(),
            Err(error @ MailError::NotNow(_)) => Err(Error::internal(error)),
            Err(error) => {
                log::warn!("an email is dropped, it cannot be delivered: {error}");
                nothing_to_store()
            }
        }
    }
}
