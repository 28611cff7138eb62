//! Mail servers of the email addresses that people choose, because blocks of email domains apply to
//! them, too.

use std::sync::atomic::{AtomicU64, Ordering};

use siskin_services::{
    Result,
    sign_up_blocks::{self, MailServers},
};

use crate::App;

/// Counts the lookups of mail servers since the process started.
#[derive(Debug, Default)]
pub(crate) struct LookupMeter {
    answered: AtomicU64,
    failed: AtomicU64,
}

/// Lookups of mail servers since the process started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MailServerLookups {
    /// Lookups with a result, even if a domain has no mail servers.
    pub answered: u64,
    /// Lookups without a result. The email addresses counted as not blocked.
    pub failed: u64,
}

impl LookupMeter {
    pub(crate) fn counts(&self) -> MailServerLookups {
        MailServerLookups {
            answered: self.answered.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }
}

impl App {
    /// Returns the mail servers of an email address, for the use cases that check it. Asks the DNS
    /// only if a block could apply to them, and holds no database connection meanwhile. Returns none
    /// if the DNS does not answer within two seconds: an outage must not keep people out.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn mail_servers(&self, email: &str) -> Result<MailServers> {
        let Some(dns) = &self.inner.outbound.dns else { return Ok(MailServers::default()) };
        let email = email.to_owned();
        let needed = self.read(move |conn| sign_up_blocks::domain_to_look_up(conn, &email)).await?;
        let Some(domain) = needed else { return Ok(MailServers::default()) };
        let meter = &self.inner.mail_server_lookups;
        match dns.mail_servers(&domain).await {
            Ok(found) => {
                meter.answered.fetch_add(1, Ordering::Relaxed);
                Ok(MailServers::new(found.iter().map(ToString::to_string).collect()))
            }
            Err(error) => {
                meter.failed.fetch_add(1, Ordering::Relaxed);
                log::info!("an email address is checked without its mail servers: {error}");
                Ok(MailServers::default())
            }
        }
    }
}
