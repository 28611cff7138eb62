//! Options of every command, from flags, the environment and the file, in this order.

use std::{env, path::PathBuf};

use anyhow::{Context, Result};
use clap::{Args, builder::BoolishValueParser};
use siskin_media::S3Options;
use siskin_outbound::openid::ProviderConfig;
use siskin_services::settings::FixedSettings;

use super::{bucket::Bucket, external_login, file::File, logging::LogFormat};

const DATABASE: &str = "sqlite://data/siskin.sqlite3";
const MEDIA: &str = "data/media";

/// The common options: where the data of an instance is, and how output and logs look.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Options {
    /// A TOML file with options (`database = "…"`) and a table `[settings]`; flags and the
    /// environment take precedence
    #[arg(long, global = true, env = "SISKIN_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,

    /// The database: sqlite://PATH or postgres://USER:PASSWORD@HOST/NAME
    /// [default: sqlite://data/siskin.sqlite3]
    #[arg(
        long,
        global = true,
        env = "SISKIN_DATABASE_URL",
        value_name = "URL",
        hide_env_values = true
    )]
    database: Option<String>,

    /// The folder for uploaded files; with a bucket, the folder for uploads in progress [default:
    /// data/media]
    #[arg(long, global = true, env = "SISKIN_MEDIA_DIR", value_name = "DIR")]
    media: Option<PathBuf>,

    #[command(flatten)]
    bucket: Bucket,

    /// The public address of the server, such as `https://example.org`; its host is the domain in
    /// handles [default: the address of the last start, else the bound address over http]
    #[arg(long, global = true, env = "SISKIN_BASE_URL", value_name = "URL")]
    base_url: Option<String>,

    /// The domain in handles, if it is not the host of the public address; it must pass requests
    /// for `/.well-known/webfinger` on to the server [default: the domain of the last start, else
    /// the host]
    #[arg(long = "domain", global = true, env = "SISKIN_DOMAIN", value_name = "DOMAIN")]
    handle_domain: Option<String>,

    /// For tests: enables `seed` and short durations
    #[arg(
        long, global = true, env = "SISKIN_TEST_HOOKS", value_parser = BoolishValueParser::new(),
        num_args = 0..=1, default_missing_value = "true", value_name = "BOOL"
    )]
    test_hooks: Option<bool>,

    /// The log filter for standard error: a level, or levels by module [default:
    /// info,actix_server=warn,actix_http=off for `serve`, error for commands]
    #[arg(long, global = true, env = "SISKIN_LOG", value_name = "FILTER")]
    pub log: Option<String>,

    /// The format of log lines [default: text]
    #[arg(long, global = true, env = "SISKIN_LOG_FORMAT", value_name = "FORMAT", value_enum)]
    pub log_format: Option<LogFormat>,

    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
}

/// The effective options.
#[derive(Debug, Clone)]
pub struct Resolved {
    pub database_url: String,
    pub media_dir: PathBuf,
    /// Bucket for uploaded files, if there is one.
    pub bucket: Option<S3Options>,
    pub base_url: Option<String>,
    /// Domain of handles, if it is not the host of the base URL.
    pub domain: Option<String>,
    pub test_hooks: bool,
    pub fixed_settings: FixedSettings,
    /// Providers by which people sign in.
    pub external_logins: Vec<ProviderConfig>,
    /// Remaining contents of the file, for commands that use them.
    pub file: File,
}

impl Options {
    /// Reads the file and the environment.
    ///
    /// # Errors
    /// The file cannot be read or has an unknown key, or a setting has a value of the wrong type.
    pub fn resolve(&self) -> Result<Resolved> {
        let file = match &self.config {
            None => File::default(),
            Some(path) => File::read(path)
                .with_context(|| format!("cannot use the file {}", path.display()))?,
        };
        let variables = env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        let external_logins = external_login::merge(file.external_login.clone(), variables)?;
        let issuers = external_logins.iter().map(|provider| provider.issuer.clone()).collect();
        let fixed_settings = FixedSettings::from_environment(|name| {
            let set = env::var(name).ok().filter(|value| !value.is_empty());
            set.or_else(|| file.setting(name))
        })?
        .with_providers(issuers)?;
        let or = |option: &Option<String>, filed: &Option<String>| option.clone().or(filed.clone());
        Ok(Resolved {
            database_url: or(&self.database, &file.database).unwrap_or_else(|| DATABASE.to_owned()),
            media_dir: self
                .media
                .clone()
                .or(file.media.clone())
                .unwrap_or_else(|| PathBuf::from(MEDIA)),
            bucket: self.bucket.or(file.s3.clone())?,
            base_url: or(&self.base_url, &file.base_url).filter(|url| !url.is_empty()),
            domain: or(&self.handle_domain, &file.domain).filter(|domain| !domain.is_empty()),
            test_hooks: self.test_hooks.or(file.test_hooks).unwrap_or_default(),
            fixed_settings,
            external_logins,
            file,
        })
    }
}
