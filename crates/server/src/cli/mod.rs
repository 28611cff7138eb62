//! The command line: commands, options and exit codes.

mod bucket;
mod external_login;
mod file;
mod logging;
mod options;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use siskin_entities::Settings;

use crate::{commands, output};

pub use file::File;
pub use options::{Options, Resolved};

/// A server for a federated microblogging network, with the API of Mastodon.
#[derive(Debug, Parser)]
#[command(name = "siskin", version, after_long_help = settings_help())]
struct Cli {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server until SIGTERM or SIGINT
    Serve(commands::serve::Arguments),
    /// List, create, moderate and delete accounts
    #[command(subcommand)]
    Accounts(commands::accounts::Command),
    /// Show and change the roles of staff
    #[command(subcommand)]
    Roles(commands::roles::Command),
    /// Print what staff and the operator did
    Audit(commands::audit::Arguments),
    /// Create, list and revoke access tokens
    #[command(subcommand)]
    Tokens(commands::tokens::Command),
    /// List and remove client applications
    #[command(subcommand)]
    Apps(commands::apps::Command),
    /// Show and change settings; a running server follows within a second
    #[command(subcommand)]
    Settings(commands::settings::Command),
    /// Publish, change and withdraw announcements to all users
    #[command(subcommand)]
    Announcements(commands::announcements::Command),
    /// Block and allow other servers
    #[command(subcommand)]
    Domains(commands::domains::Command),
    /// Show how this server talks to others
    #[command(subcommand)]
    Federation(commands::federation::Command),
    /// Block email domains for sign-ups
    #[command(subcommand)]
    EmailDomainBlocks(commands::sign_up_blocks::email_domains::Command),
    /// Block email addresses for sign-ups, in all their spellings
    #[command(subcommand)]
    CanonicalEmailBlocks(commands::sign_up_blocks::canonical_emails::Command),
    /// Block networks
    #[command(subcommand)]
    IpBlocks(commands::sign_up_blocks::ips::Command),
    /// Show and change the rules of the instance
    #[command(subcommand)]
    Rules(commands::rules::Command),
    /// Show and change the texts about the instance: description, privacy policy, terms of service
    #[command(subcommand)]
    Texts(commands::texts::Command),
    /// Add, list and remove custom emojis
    #[command(subcommand)]
    Emojis(commands::emojis::Command),
    /// Show and review trending hashtags, links and statuses
    #[command(subcommand)]
    Trends(commands::trends::Command),
    /// Copy uploaded files from the folder to a bucket, or back
    #[command(subcommand)]
    Media(commands::media::Command),
    /// Send a test email
    #[command(subcommand)]
    Mail(commands::mail::Command),
    /// Migrate the database to the schema of this program; `serve` does so by itself
    Migrate(commands::migrate::Arguments),
    /// Check for inconsistencies: dangling references, wrong counters, missing files
    Doctor(commands::doctor::Arguments),
    /// Write all data (rows and media) to an archive, also while the server runs
    Backup(commands::backup::Arguments),
    /// Restore an archive into an empty database of either engine
    Restore(commands::restore::Arguments),
    /// Fill an empty database with a generated network, for trying clients and for benchmarks
    Demo(commands::demo::Arguments),
    /// For tests: fill an empty database with the applications, accounts and tokens of a file
    Seed(commands::seed::Arguments),
}

impl Command {
    /// Returns the default log filter. A command reports to the person who runs it; a server logs
    /// its work. Invalid HTTP is not logged, because clients could fill the log with it.
    const fn default_log_filter(&self) -> &'static str {
        match self {
            Self::Serve(_) => "info,actix_server=warn,actix_http=off",
            _ => "error",
        }
    }

    fn logs_access(&self) -> bool {
        matches!(self, Self::Serve(arguments) if arguments.access_log == Some(true))
    }
}

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    let Cli { options, command } = Cli::parse();
    let log = options.log.as_deref().unwrap_or(command.default_log_filter());
    logging::start(log, options.log_format.unwrap_or_default(), command.logs_access());
    match run(&options, command) {
        Ok(code) => code,
        Err(error) => {
            output::print_error(&format!("siskin: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options, command: Command) -> anyhow::Result<ExitCode> {
    let done = match command {
        Command::Serve(arguments) => commands::serve::run(options, &arguments),
        Command::Accounts(command) => commands::accounts::run(options, command),
        Command::Roles(command) => commands::roles::run(options, command),
        Command::Audit(arguments) => commands::audit::run(options, &arguments),
        Command::Tokens(command) => commands::tokens::run(options, &command),
        Command::Apps(command) => commands::apps::run(options, &command),
        Command::Settings(command) => commands::settings::run(options, &command),
        Command::Announcements(command) => commands::announcements::run(options, &command),
        Command::Domains(command) => commands::domains::run(options, &command),
        Command::Federation(command) => commands::federation::run(options, &command),
        Command::EmailDomainBlocks(command) => {
            commands::sign_up_blocks::email_domains::run(options, &command)
        }
        Command::CanonicalEmailBlocks(command) => {
            commands::sign_up_blocks::canonical_emails::run(options, &command)
        }
        Command::IpBlocks(command) => commands::sign_up_blocks::ips::run(options, &command),
        Command::Rules(command) => commands::rules::run(options, &command),
        Command::Texts(command) => commands::texts::run(options, &command),
        Command::Emojis(command) => commands::emojis::run(options, &command),
        Command::Trends(command) => commands::trends::run(options, &command),
        Command::Mail(command) => commands::mail::run(options, &command),
        Command::Media(command) => commands::media::run(options, &command),
        Command::Migrate(arguments) => return commands::migrate::run(options, &arguments),
        Command::Doctor(arguments) => return commands::doctor::run(options, &arguments),
        Command::Backup(arguments) => commands::backup::run(options, &arguments),
        Command::Restore(arguments) => commands::restore::run(options, &arguments),
        Command::Demo(arguments) => commands::demo::run(options, &arguments),
        Command::Seed(arguments) => commands::seed::run(options, &arguments),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// Returns the part of `siskin help` about settings that the environment can fix.
fn settings_help() -> String {
    let mut help = "Settings, stored in the database (`siskin settings`), or fixed by the \
                    environment or by the table [settings] of the file:\n"
        .to_owned();
    for setting in Settings::DESCRIPTIONS {
        let name = Settings::environment_name(setting.key);
        help.push_str(&format!("\n  {:28} {}\n    {}\n", setting.key, name, setting.about));
    }
    help.push_str("\nMAX_SEARCH_RESULTS also sets max_search_results.");
    help
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_valid() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_names_every_option_with_its_variable_and_every_setting() {
        let mut command = Cli::command();
        let help = command.render_long_help().to_string();
        for name in [
            "SISKIN_DATABASE_URL",
            "SISKIN_MEDIA_DIR",
            "SISKIN_S3_BUCKET",
            "SISKIN_BASE_URL",
            "SISKIN_DOMAIN",
            "SISKIN_CONFIG",
        ] {
            assert!(help.contains(name), "{name}");
        }
        for setting in Settings::DESCRIPTIONS {
            assert!(help.contains(setting.key), "{}", setting.key);
        }
    }
}
