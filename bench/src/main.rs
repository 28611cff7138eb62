//! Load benchmark of the server in its release build, compared with a baseline server.
//!
//! The data is that of `siskin demo`: a plain world, and a moderated one with the relations and the
//! account states of real servers. For each scenario and world, the benchmark reports the processor
//! time of the server per request, requests per second, response times, memory and SQL statements.
//! It also reports the ratio to the baseline (`bin/siskin-floor.rs`: the same libraries with
//! minimal work). Only processor times and ratios are comparable between runs, because wall-clock
//! times depend on other load of the machine.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod arguments;
mod client;
mod in_process;
mod load;
mod people;
mod process;
mod push;
mod report;
mod scenarios;
mod site;
mod trends;
mod world;

use anyhow::{Context, Result};
use arguments::{Arguments, WorldKind};
use clap::Parser;
use load::Load;
use people::Person;
use process::Process;
use report::{Report, Row, WorldReport};
use scenarios::Scenario;
use siskin_test_support::{Engine, site::Site};
use world::World;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    siskin_outbound::prepare_tls();
    let arguments = Arguments::parse();
    arguments.check()?;
    let floor = measure_floor(&arguments).await?;
    for engine in arguments.engines() {
        let worlds = measure_worlds(&arguments, engine).await?;
        let table = Report { title: title(&arguments, engine), floor: &floor, worlds }.table();
        println!("{table}");
        if let Some(path) = &arguments.record {
            report::append(path, &table).with_context(|| format!("writing {}", path.display()))?;
        }
    }
    Ok(())
}

fn title(arguments: &Arguments, engine: Engine) -> String {
    let engine = match engine {
        Engine::Sqlite => "SQLite",
        Engine::Postgres => "PostgreSQL",
    };
    let Arguments { accounts, statuses, follows, seconds, .. } = arguments;
    format!(
        "{engine}, {accounts} accounts following {follows} each, {statuses} statuses, {seconds} s \
         each"
    )
}

async fn measure_floor(arguments: &Arguments) -> Result<Vec<Row>> {
    let floor = Process::floor().await?;
    let scenarios = scenarios::of_floor();
    scenarios.iter().map(|scenario| measure(&floor, scenario, arguments)).collect()
}

/// World under load.
struct Running {
    world: World,
    server: Process,
    people: Vec<Person>,
    /// Number of accounts that take turns.
    readers: usize,
    scenarios: Vec<Scenario>,
    rows: Vec<Row>,
}

/// Measures the worlds in turn, scenario by scenario, so that other load of the machine affects
/// them alike.
async fn measure_worlds(arguments: &Arguments, engine: Engine) -> Result<Vec<WorldReport>> {
    let site = site::start();
    let mut running = Vec::new();
    for kind in arguments.worlds() {
        running.push(start(arguments, engine, *kind, &site).await?);
    }
    let names: Vec<&str> = running
        .iter()
        .take(1)
        .flat_map(|first| first.scenarios.iter().map(|scenario| scenario.name))
        .filter(|name| arguments.selects(name))
        .collect();
    for name in &names {
        for one in &mut running {
            let found = one.scenarios.iter().find(|scenario| scenario.name == *name);
            if let Some(scenario) = found.filter(|_| one.world.kind.measures(name)) {
                one.rows.push(measure(&one.server, scenario, arguments)?);
                print_progress(name, one.world.kind);
            }
        }
    }
    for one in running.iter_mut().filter(|one| one.world.kind.measures(trends::NAME)) {
        if arguments.selects(trends::NAME) {
            measure_trends(one, arguments, &site).await?;
        }
    }
    let mut reports = Vec::new();
    for one in running {
        let is_pushed = arguments.selects(push::NAME) && one.world.kind == WorldKind::Plain;
        let pushed = match is_pushed {
            true => {
                let Running { world, server, people, .. } = &one;
                Some(push::measure(world, server, people, arguments.messages, &site).await?)
            }
            false => None,
        };
        let Running { world, server, scenarios, rows, readers, .. } = one;
        let memory = server.memory()?;
        drop(server);
        let is_measured = |scenario: &&Scenario| rows.iter().any(|row| row.name == scenario.name);
        let selected = scenarios.iter().filter(is_measured);
        let in_process = in_process::measure(&world, selected).await?;
        reports.push(WorldReport { kind: world.kind, readers, rows, memory, in_process, pushed });
    }
    Ok(reports)
}

/// Measures trends after everything else, because their statuses change all other pages.
async fn measure_trends(one: &mut Running, arguments: &Arguments, site: &Site) -> Result<()> {
    let Running { world, server, people, readers, .. } = &*one;
    let prepared = trends::prepare(world, server, people, *readers, site).await;
    let kind = world.kind;
    if let Some(scenario) = prepared.with_context(|| format!("trends of the {kind} world"))? {
        one.rows.push(measure(&one.server, &scenario, arguments)?);
        one.scenarios.push(scenario);
        print_progress(trends::NAME, kind);
    }
    Ok(())
}

async fn start(
    arguments: &Arguments,
    engine: Engine,
    kind: WorldKind,
    site: &Site,
) -> Result<Running> {
    let world = World::create(arguments, engine, kind)?;
    let server = Process::siskin(&world, site.address()).await?;
    let limit = arguments.readers(kind).limit();
    let people = people::load(&world, &server, limit)
        .await
        .with_context(|| format!("preparing the {kind} world"))?;
    let readers = people.len().min(limit);
    let scenarios = scenarios::of_siskin(&people, readers)?;
    Ok(Running { world, server, people, readers, scenarios, rows: Vec::new() })
}

/// Measures one row: the scenario at each number of connections.
fn measure(process: &Process, scenario: &Scenario, arguments: &Arguments) -> Result<Row> {
    warm_up(process, scenario)?;
    let mut measured = Vec::new();
    for &connections in &arguments.connections {
        let load = Load { seconds: arguments.seconds, connections, first: 0 };
        let one = load
            .run(process, scenario)
            .with_context(|| format!("{} at {connections} connections", scenario.name))?;
        measured.push(one);
    }
    Ok(Row { name: scenario.name, detail: scenario.detail.clone(), measured })
}

/// Sends each request at least once, so that caches and feeds are filled.
fn warm_up(process: &Process, scenario: &Scenario) -> Result<()> {
    let (all, mut sent) = (u64::try_from(scenario.requests.len())?, 0);
    while sent < all.max(1) {
        let connections = if sent == 0 { 1 } else { 16 };
        sent += Load { seconds: 1, connections, first: sent }
            .run(process, scenario)
            .with_context(|| format!("warming up {}", scenario.name))?
            .requests;
    }
    process.settle()
}

#[expect(clippy::print_stderr, reason = "standard output is the table alone")]
fn print_progress(scenario: &str, world: WorldKind) {
    eprintln!("measured: {scenario} in the {world} world");
}
