//! Attacks an optimised server with default settings and 1 GiB of memory, while regular users use
//! it.
//!
//! Each attack is one function and stops by itself. Meanwhile, regular users measure `/health`, a
//! home timeline, posts, images and a stream. Every response must arrive within a second, and the
//! server must stay below 300 MB of resident memory. The program prints a line for each attack and
//! fails if one of them succeeds.
//!
//! Attackers and regular users have different addresses of the loopback network, as on the
//! internet. So limits per address affect the attackers only.

#![expect(clippy::print_stdout, reason = "the report of the attacks")]

mod attacks;
mod bystanders;
mod connection;
mod server;
mod site;

use std::{thread, time::Duration};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use tokio::runtime::{Builder, Runtime};

use self::{
    attacks::{ATTACKS, Attack},
    bystanders::Bystanders,
    server::Server,
};

#[derive(Debug, Parser)]
#[command(about = "Attacks a server while other clients use it")]
struct Arguments {
    /// Seconds that each attack runs
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Run only attacks with this text in their name
    #[arg(long)]
    only: Option<String>,
    /// Maximum resident memory of the server, in megabytes
    #[arg(long, default_value_t = 300)]
    memory: u64,
    /// Maximum response time for regular users, in milliseconds
    #[arg(long, default_value_t = 1000)]
    latency: u64,
    /// Memory limit of the server process, in megabytes; 0 means no limit
    #[arg(long, default_value_t = 1024)]
    address_space: u64,
}

fn main() -> Result<()> {
    siskin_outbound::prepare_tls();
    rlimit::increase_nofile_limit(8192)?;
    let arguments = Arguments::parse();
    let is_selected =
        |attack: &&Attack| arguments.only.as_deref().is_none_or(|only| attack.name.contains(only));
    let mut failed = Vec::new();
    for attack in ATTACKS.iter().filter(is_selected) {
        let faults = run(attack, &arguments)?;
        if !faults.is_empty() {
            failed.push(format!("{}: {}", attack.name, faults.join("; ")));
        }
    }
    ensure!(failed.is_empty(), "attacks succeeded:\n{}", failed.join("\n"));
    Ok(())
}

/// Runs one attack against a fresh server. Returns all exceeded limits.
fn run(attack: &Attack, arguments: &Arguments) -> Result<Vec<String>> {
    let runtime = runtime()?;
    let server = runtime.block_on(Server::start(arguments.address_space))?;
    let time = Duration::from_secs(arguments.seconds);
    // Regular users run on their own thread, so that they do not wait for the attackers in this
    // process.
    let (outcome, observations) = thread::scope(|scope| -> Result<_> {
        let bystanders = runtime.block_on(Bystanders::begin(&server))?;
        let attacking = scope.spawn(|| run_attack(attack, &server, time));
        let observations = runtime.block_on(async {
            while !attacking.is_finished() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            bystanders.end().await
        });
        Ok((attacking.join(), observations))
    })?;
    let log = server.log();
    let found = match outcome {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => {
            return Ok(report(attack, &observations, "", vec![format!("{error:#}"), log]));
        }
        Err(_) => {
            return Ok(report(attack, &observations, "", vec!["the attack panicked".to_owned()]));
        }
    };
    let mut faults =
        observations.faults(Duration::from_millis(arguments.latency), arguments.memory);
    if log.contains("panicked") {
        faults.push(log);
    }
    Ok(report(attack, &observations, &found, faults))
}

/// Runs the attack, and aborts it if it does not end.
fn run_attack(attack: &Attack, server: &Server, time: Duration) -> Result<String> {
    let limit = time + Duration::from_secs(60);
    let attacking = async { tokio::time::timeout(limit, (attack.run)(server, time)).await };
    runtime()?.block_on(attacking).context("the attack does not end")?
}

fn runtime() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

fn report(
    attack: &Attack,
    observations: &bystanders::Observations,
    found: &str,
    faults: Vec<String>,
) -> Vec<String> {
    let verdict = if faults.is_empty() { "withstood" } else { "SUCCEEDED" };
    println!("{:<12} {verdict}: {observations}; {found}", attack.name);
    for fault in &faults {
        println!("{:<12} {fault}", "");
    }
    faults
}
