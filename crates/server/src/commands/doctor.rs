//! `siskin doctor`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use siskin_persistence::doctor::{self, WrongCounter};

use crate::{
    cli::Options,
    output::{say, say_json},
    site::Site,
};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Set wrong counters to what is there
    #[arg(long)]
    fix: bool,
}

/// Exits with 1 where something is found that is not mended.
pub fn run(options: &Options, arguments: &Arguments) -> Result<ExitCode> {
    let site = Site::open(options)?;
    // One snapshot: what is written meanwhile must not look like a fault.
    let (faults, wrong) = site.read(|conn| {
        let mut faults = doctor::damaged_pages(conn)?;
        for found in doctor::dangling_references(conn)? {
            let (count, table, parent) = (found.count, &found.table, &found.parent);
            faults.push(format!("{count} rows of {table} refer to {parent} that are not there"));
        }
        Ok((faults, doctor::wrong_counters(conn)?))
    })?;
    if arguments.fix {
        repair(&site, &wrong)?;
    }
    tell(options, &faults, &wrong, arguments.fix)?;
    let healthy = faults.is_empty() && (wrong.is_empty() || arguments.fix);
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn repair(site: &Site, wrong: &[WrongCounter]) -> Result<()> {
    for batch in doctor::batches(wrong) {
        let batch = batch.to_vec();
        site.write(move |tx| Ok(doctor::repair(tx, &batch)?))?;
    }
    Ok(())
}

fn tell(options: &Options, faults: &[String], wrong: &[WrongCounter], fixed: bool) -> Result<()> {
    if options.json {
        let counters = wrong.iter().map(|wrong| {
            json!({
                "table": wrong.counter.table,
                "column": wrong.counter.column,
                "id": wrong.id.to_string(),
                "stored": wrong.stored,
                "counted": wrong.counted,
                "fixed": fixed,
            })
        });
        let counters: Vec<_> = counters.collect();
        return say_json(&json!({ "faults": faults, "counters": counters }));
    }
    faults.iter().try_for_each(|fault| say(fault))?;
    for WrongCounter { counter, id, stored, counted } in wrong {
        let stored = stored.map_or_else(|| "nothing".to_owned(), |stored| stored.to_string());
        let (table, column, fixed) =
            (counter.table, counter.column, if fixed { " (fixed)" } else { "" });
        say(&format!("{table}.{column} of {id} says {stored}, there are {counted}{fixed}"))?;
    }
    match faults.len() + wrong.len() {
        0 => say("Nothing is wrong"),
        1 => say("1 finding"),
        many => say(&format!("{many} findings")),
    }
}
