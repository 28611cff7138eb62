//! `siskin serve`.

use std::{
    env, net::SocketAddr, num::NonZeroUsize, os::unix::process::CommandExt as _, path::Path,
    process::Command,
};

use anyhow::{Context, Result, ensure};
use clap::{Args, builder::BoolishValueParser};
use siskin_media::Tools;
use siskin_outbound::DnsServers;
use siskin_services::setup;
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    Config, Running, Secret, Translation,
    cli::{Options, Resolved},
    commands::mail::MailOptions,
    output::print_line,
    start,
};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The address to listen on; port 0 picks a free one [default: 127.0.0.1:3000]
    #[arg(long, env = "SISKIN_BIND", value_name = "HOST:PORT")]
    bind: Option<String>,

    /// The address for Prometheus metrics, under /metrics; without this option they are not served
    #[arg(long, env = "SISKIN_METRICS_BIND", value_name = "HOST:PORT")]
    metrics_bind: Option<String>,

    /// Log a line for each answered request, without query, headers and names
    #[arg(
        long, env = "SISKIN_ACCESS_LOG", value_parser = BoolishValueParser::new(),
        num_args = 0..=1, default_missing_value = "true", value_name = "BOOL"
    )]
    pub access_log: Option<bool>,

    /// Change the address of the server and of its accounts to --base-url, instead of keeping the
    /// stored one
    #[arg(long)]
    change_base_url: bool,

    /// Addresses or networks of proxies with a trusted X-Forwarded-For header, separated by commas;
    /// by default none, not even loopback
    #[arg(long, env = "SISKIN_TRUSTED_PROXIES", value_name = "LIST", value_delimiter = ',')]
    trusted_proxies: Option<Vec<String>>,

    /// The maximum number of open connections for one address, without streams; for clients of a
    /// trusted proxy, of requests in progress [default: 256]
    #[arg(long, env = "SISKIN_CONNECTIONS_PER_ADDRESS", value_name = "NUMBER")]
    connections_per_address: Option<NonZeroUsize>,

    /// Private addresses that outgoing requests may connect to, separated by commas
    #[arg(long, env = "SISKIN_OUTBOUND_ALLOW", value_name = "IP:PORT,…", value_delimiter = ',')]
    outbound_allow: Option<Vec<String>>,

    /// The DNS servers that look up the mail servers of email domains while a domain is blocked,
    /// separated by commas; "none" looks up nothing [default: those of /etc/resolv.conf]
    #[arg(long, env = "SISKIN_DNS_SERVERS", value_name = "IP:PORT,…", value_delimiter = ',')]
    dns_servers: Option<Vec<String>>,

    /// The Redis server (redis://HOST:PORT) by which several processes on one PostgreSQL database
    /// share events at once; without it they poll a few times a second
    #[arg(long, env = "SISKIN_REDIS_URL", value_name = "URL", hide_env_values = true)]
    redis_url: Option<String>,

    #[command(flatten)]
    mail: MailOptions,

    /// The folder of ffmpeg and ffprobe, which process videos and audio; "none" accepts pictures
    /// only [default: search PATH]
    #[arg(long, env = "SISKIN_FFMPEG", value_name = "DIR")]
    ffmpeg: Option<String>,

    /// The backend for translations of posts: libretranslate, deepl or none [default: none]
    #[arg(long, env = "SISKIN_TRANSLATION_BACKEND", value_name = "NAME")]
    translation_backend: Option<String>,

    /// The address of the translation backend, which may be in your private network [default for
    /// deepl: the address for the kind of key]
    #[arg(long, env = "SISKIN_TRANSLATION_URL", value_name = "URL")]
    translation_url: Option<String>,

    /// The API key of the translation backend
    #[arg(long, env = "SISKIN_TRANSLATION_API_KEY", value_name = "KEY", hide_env_values = true)]
    translation_api_key: Option<Secret>,
}

pub fn run(options: &Options, arguments: &Arguments) -> Result<()> {
    let config = config(options.resolve()?, arguments)?;
    limit_address_space();
    raise_file_limit();
    // HTTP has threads of its own; the tasks here mostly wait.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(config))
}

/// Restarts the program, as the same process, with few arenas of the allocator. glibc reserves 64
/// MiB of address space for each of up to eight arenas per processor. This exceeds an address space
/// limit of 1 GiB (`ulimit -v`). Only an environment variable that is set from the start changes
/// it.
fn limit_address_space() {
    if !cfg!(target_env = "gnu") || env::var_os(ARENAS).is_some() {
        return;
    }
    let Ok(program) = env::current_exe() else { return };
    let error = Command::new(program).args(env::args_os().skip(1)).env(ARENAS, MAX_ARENAS).exec();
    log::warn!("cannot set {ARENAS}: {error}");
}

const ARENAS: &str = "MALLOC_ARENA_MAX";
const MAX_ARENAS: &str = "4";

/// Raises the limit of open files to the maximum for this process: the usual 1,024 are few for
/// connections. If that fails, the server works with the current limit.
fn raise_file_limit() {
    match rlimit::increase_nofile_limit(MAX_FILES) {
        Ok(files) if files < FEW_FILES => {
            log::warn!(
                "the limit of open files is {files}: raise it with `ulimit -n` to allow more \
                 connections"
            );
        }
        Ok(_) => {}
        Err(error) => log::warn!("cannot raise the limit of open files: {error}"),
    }
}

/// Number of open files that connections and everything else can use.
const MAX_FILES: u64 = 32_768;
const FEW_FILES: u64 = 4096;

fn config(options: Resolved, arguments: &Arguments) -> Result<Config> {
    let file = options.file;
    let mail = arguments.mail.or(&file);
    let mut config = Config::new(options.database_url);
    if let Some(bind) = arguments.bind.clone().or(file.bind) {
        config.bind = bind;
    }
    config.metrics_bind =
        arguments.metrics_bind.clone().or(file.metrics_bind).filter(|address| !address.is_empty());
    config.media_dir = options.media_dir;
    config.bucket = options.bucket;
    config.tools = tools(arguments.ffmpeg.clone().or(file.ffmpeg).as_deref())?;
    config.base_url = options.base_url;
    config.domain = options.domain;
    ensure!(
        config.base_url.is_some() || !arguments.change_base_url,
        "--change-base-url requires --base-url with the new address"
    );
    config.change_base_url = arguments.change_base_url;
    config.test_hooks = options.test_hooks;
    config.fixed_settings = options.fixed_settings.values().to_vec();
    config.external_logins = options.external_logins;
    config.trusted_proxies =
        given(arguments.trusted_proxies.clone().or(file.trusted_proxies)).collect();
    if let Some(limit) = arguments.connections_per_address.or(file.connections_per_address) {
        config.connections_per_address = limit.get();
    }
    config.redis_url = arguments.redis_url.clone().or(file.redis_url).filter(|url| !url.is_empty());
    (config.smtp_url, config.mail_from) = (mail.smtp_url, mail.mail_from);
    let set = |option: &Option<String>, filed: Option<String>| {
        option.clone().or(filed).filter(|value| !value.is_empty())
    };
    config.translation = Translation::named(
        set(&arguments.translation_backend, file.translation_backend).as_deref(),
        set(&arguments.translation_url, file.translation_url),
        arguments
            .translation_api_key
            .clone()
            .or(file.translation_api_key)
            .filter(|key| !key.is_empty()),
    )?;
    config.outbound_allow = given(arguments.outbound_allow.clone().or(file.outbound_allow))
        .map(|text| address(&text))
        .collect::<Result<_>>()?;
    config.dns_servers = dns_servers(arguments.dns_servers.clone().or(file.dns_servers))?;
    Ok(config)
}

/// Returns the servers of the list, or those of the machine if it is empty.
fn dns_servers(list: Option<Vec<String>>) -> Result<Option<DnsServers>> {
    let entries: Vec<String> = given(list).collect();
    match entries.as_slice() {
        [] => Ok(Some(DnsServers::System)),
        [only] if only == "none" => Ok(None),
        _ => {
            let addresses = entries.iter().map(|text| address(text)).collect::<Result<_>>()?;
            Ok(Some(DnsServers::At(addresses)))
        }
    }
}

/// Returns the programs for videos and audio. Logs it if they are not found and no folder is
/// configured.
fn tools(folder: Option<&str>) -> Result<Option<Tools>> {
    match folder {
        Some("none") => Ok(None),
        None | Some("") => {
            let found = Tools::find();
            if found.is_none() {
                log::warn!("ffmpeg and ffprobe were not found: only images can be uploaded");
            }
            Ok(found)
        }
        Some(folder) => {
            let found = Tools::in_folder(Path::new(folder));
            Ok(Some(
                found.with_context(|| format!("{folder} does not contain ffmpeg and ffprobe"))?,
            ))
        }
    }
}

/// Returns the entries of a list that are not empty: an empty variable counts as absent.
fn given(list: Option<Vec<String>>) -> impl Iterator<Item = String> {
    let entries = list.into_iter().flatten().map(|entry| entry.trim().to_owned());
    entries.filter(|entry| !entry.is_empty())
}

fn address(text: &str) -> Result<SocketAddr> {
    text.parse().with_context(|| format!("{text} is not IP:PORT"))
}

async fn serve(config: Config) -> Result<()> {
    // Installed before the start, so that a signal during the start is not lost.
    let (mut terminate, mut interrupt) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let mut hangup = signal(SignalKind::hangup())?;
    let mut running = start(config).await?;
    print_greeting(&running).await?;
    loop {
        tokio::select! {
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
            // A closed terminal sends it, and so do scripts that expect a reload.
            _ = hangup.recv() => log::info!(
                "SIGHUP: nothing to reload, settings take effect at once and options need a restart"
            ),
            ended = running.ended() => return ended,
        }
    }
    log::info!("stopping: finishing the requests in progress");
    running.stop().await
}

/// Logs the addresses of the server, and how to create the first account.
async fn print_greeting(running: &Running) -> Result<()> {
    let urls = running.app.urls();
    let bound = format!("http://{}", running.address);
    let listening =
        if urls.base() == bound { String::new() } else { format!(", listening on {bound}") };
    print_line(&format!(
        "Siskin {} answers on {}{listening}",
        env!("CARGO_PKG_VERSION"),
        urls.base()
    ))?;
    let Some(token) = running.app.write(setup::offer).await? else { return Ok(()) };
    print_line(
        "There is no account yet. Create the first account, that of the owner, in a browser at",
    )?;
    print_line(&format!("    {}", urls.page(&format!("/setup?token={token}"))))?;
    print_line("(the link works once), or with")?;
    print_line("    siskin accounts create NAME --email you@example.org --role Owner")
}
