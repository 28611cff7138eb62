//! Load benchmark of the server in its release build, compared with a baseline server.
//!
//! The sample data is that of `siskin demo`. For each scenario, the benchmark reports the processor
//! time of the server per request, requests per second, response times, memory and SQL statements.
//! It also reports the ratio to the baseline (`bin/siskin-floor.rs`: the same libraries with
//! minimal work). Only processor times and ratios are comparable between runs, because wall-clock
//! times depend on other load of the machine.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod in_process;
mod load;
mod process;
mod report;
mod scenarios;
mod world;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;
use load::{Load, Measured};
use process::Process;
use report::{Report, Row};
use scenarios::Scenario;
use world::World;

#[derive(Debug, Parser)]
#[command(about = "Measures a server under load")]
struct Arguments {
    /// Number of statuses
    #[arg(long, default_value_t = 2000)]
    statuses: u32,
    /// Number of accounts that write and read them
    #[arg(long, default_value_t = 50)]
    accounts: u32,
    /// Number of accounts that each account follows
    #[arg(long, default_value_t = 25)]
    follows: u32,
    /// Seconds per measurement
    #[arg(long, default_value_t = 3)]
    seconds: u32,
    /// Number of concurrent connections; one measurement per number
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16])]
    connections: Vec<u32>,
    /// Run only scenarios with this text in their name
    #[arg(long)]
    only: Option<String>,
    /// Database to use instead of a new SQLite file; it must be empty
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// The database was already filled by `siskin demo`
    #[arg(long, requires = "database")]
    filled: bool,
    /// Append the table to this file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    siskin_outbound::prepare_tls();
    let arguments = Arguments::parse();
    let is_selected = |name: &str| arguments.only.as_deref().is_none_or(|only| name.contains(only));
    let mut report = Report::new(&arguments);

    let floor = Process::floor().await?;
    for scenario in scenarios::of_floor() {
        report.floor(measure(&floor, &scenario, &arguments)?);
    }
    drop(floor);

    let world = World::create(&arguments)?;
    let server = Process::siskin(&world).await?;
    let scenarios = scenarios::of_siskin(&world, server.base()).await?;
    for scenario in scenarios.iter().filter(|scenario| is_selected(&scenario.name)) {
        report.row(measure(&server, scenario, &arguments)?);
    }
    report.memory(server.peak_memory()?);
    drop(server);

    let in_process = in_process::measure(&world, &scenarios, is_selected).await?;
    report.in_process(in_process);

    let table = report.table();
    println!("{table}");
    if let Some(path) = &arguments.record {
        report::append(path, &table).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

/// Measures one row: the scenario at each number of connections.
fn measure(process: &Process, scenario: &Scenario, arguments: &Arguments) -> Result<Row> {
    let warm = Load { seconds: 1, connections: 1 };
    warm.run(process, scenario)?;
    let mut measured = Vec::new();
    for &connections in &arguments.connections {
        let load = Load { seconds: arguments.seconds, connections };
        let one: Measured = load
            .run(process, scenario)
            .with_context(|| format!("{} at {connections} connections", scenario.name))?;
        measured.push(one);
    }
    eprint_progress(scenario);
    Ok(Row { name: scenario.name.clone(), measured })
}

#[expect(clippy::print_stderr, reason = "standard output is the table alone")]
fn eprint_progress(scenario: &Scenario) {
    eprintln!("measured: {}", scenario.name);
}
