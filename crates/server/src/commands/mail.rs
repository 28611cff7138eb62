//! `siskin mail …`, and the options of the mail server.

use std::env;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::json;
use siskin_outbound::{Mail, Mailer};
use siskin_services::Instance;
use siskin_text::escape;

use crate::{
    cli::{File, Options},
    files::blocking,
    output::{print_json, print_line},
    site::Site,
};

const SMTP_URL: &str = "SISKIN_SMTP_URL";
const MAIL_FROM: &str = "SISKIN_MAIL_FROM";

/// The options of the operator's mail server.
#[derive(Debug, Clone, Default, Args)]
pub struct MailOptions {
    /// The mail server: smtps://USER:PASSWORD@HOST, smtp://USER:PASSWORD@HOST:587?tls=required, or
    /// smtp://HOST without encryption; without this option no email is sent
    #[arg(long, env = SMTP_URL, value_name = "URL", hide_env_values = true)]
    pub smtp_url: Option<String>,

    /// The sender of emails: an address, or `Name <address>` (default: `siskin@HOST`)
    #[arg(long, env = MAIL_FROM, value_name = "ADDRESS")]
    pub mail_from: Option<String>,
}

impl MailOptions {
    /// Fills in absent options from the file. Empty values count as absent.
    pub fn or(&self, file: &File) -> Self {
        let set = |given: &Option<String>, filed: &Option<String>| {
            given.clone().or(filed.clone()).filter(|value| !value.is_empty())
        };
        Self {
            smtp_url: set(&self.smtp_url, &file.smtp_url),
            mail_from: set(&self.mail_from, &file.mail_from),
        }
    }

    /// Returns the options for a command without flags for the mail server.
    pub fn from_environment(file: &File) -> Self {
        let given = Self { smtp_url: env::var(SMTP_URL).ok(), mail_from: env::var(MAIL_FROM).ok() };
        given.or(file)
    }
}

/// Builds a mailer for the server at `smtp_url`. The default sender is `siskin@HOST`.
///
/// # Errors
/// If one of the two is invalid.
pub fn mailer(smtp_url: &str, from: Option<&str>, instance: &Instance) -> Result<Mailer> {
    let host = instance.urls.host();
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    let from = from.map_or_else(|| format!("siskin@{host}"), str::to_owned);
    Mailer::new(smtp_url, &from).context("check --smtp-url and --mail-from")
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Send an email to an address, as the server would, and print the result
    Test(Test),
}

#[derive(Debug, Args)]
pub struct Test {
    /// The recipient
    address: String,
    #[command(flatten)]
    mail: MailOptions,
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let Command::Test(Test { address, mail }) = command;
    let site = Site::open(options)?;
    let MailOptions { smtp_url, mail_from } = mail.or(&site.options.file);
    let smtp_url = smtp_url.context(
        "no mail server is configured: --smtp-url (SISKIN_SMTP_URL) is missing, so the server \
         sends no email",
    )?;
    let mailer = mailer(&smtp_url, mail_from.as_deref(), &site.instance)?;
    let base = site.instance.urls.base();
    let words = format!("The server at {base} can send email to this address.");
    let mail = Mail {
        to: address.clone(),
        subject: format!("Test email from {}", site.instance.urls.domain()),
        text: format!("{words}\n"),
        html: format!("<p>{}</p>\n", escape(&words)),
        unsubscribe: None,
    };
    blocking(mailer.send(&mail))?.with_context(|| format!("cannot send an email to {address}"))?;
    if options.json {
        return print_json(&json!({ "to": address, "is": "sent" }));
    }
    print_line(&format!("The mail server accepted the email to {address}"))
}
