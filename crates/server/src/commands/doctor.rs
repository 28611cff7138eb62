//! `siskin doctor`.

use std::{process::ExitCode, time::Duration};

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use siskin_entities::feed::Feed;
use siskin_ids::{AccountId, ScheduledStatusId, StatusId};
use siskin_media::FileName;
use siskin_persistence::{
    Conn,
    doctor::{self, MissingRequest, WrongCounter},
    jobs,
};
use siskin_services::{
    Error,
    federation::base,
    feeds::FanOut,
    instance_domains::{self, WronglyLimited},
    jobs::Job as _,
    proxies,
    search::IndexStatuses,
    statuses,
};

use crate::{
    cli::Options,
    files::{self, Files},
    output::{print_json, print_line},
    site::Site,
};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Correct counters, rebuild the indexes of names and posts, insert missing notification
    /// requests, enqueue missing jobs of scheduled posts, discard incomplete timeline feeds, limit
    /// accounts of other servers as the domain blocks say, and delete unreferenced files
    #[arg(long)]
    fix: bool,
}

/// Runs the checks. Returns exit code 1 if a finding is not repaired.
pub fn run(options: &Options, arguments: &Arguments) -> Result<ExitCode> {
    let site = Site::open(options)?;
    let findings = examine(&site, arguments.fix)?;
    if arguments.fix {
        repair(&site, &findings)?;
    }
    findings.print(options)?;
    Ok(if findings.are_repaired() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The findings of all checks.
struct Findings {
    /// Descriptions of faults that cannot be repaired automatically.
    faults: Vec<String>,
    counters: Vec<WrongCounter>,
    /// Accounts that search does not find by their names.
    misindexed: Vec<AccountId>,
    /// Statuses that search does not find, or that are gone.
    wrongly_indexed: Vec<StatusId>,
    /// Requests that filtered notifications lack.
    missing_requests: Vec<MissingRequest>,
    /// Scheduled statuses without a job that publishes them.
    without_job: Vec<ScheduledStatusId>,
    /// Feeds (materialised timelines) that lack entries.
    incomplete: Vec<Feed>,
    /// Servers with accounts that are not limited as the domain blocks say.
    wrongly_limited: Vec<WronglyLimited>,
    /// Stored files that no row names.
    orphaned: Vec<FileName>,
    /// `true` if repairable findings are repaired.
    fixed: bool,
}

fn examine(site: &Site, fixed: bool) -> Result<Findings> {
    let now = site.store.now();
    // All checks use one snapshot, so that concurrent writes do not look like faults.
    let mut findings = site.read(|conn| {
        let mut faults = doctor::damaged_pages(conn)?;
        for found in doctor::dangling_references(conn)? {
            let (count, table, parent) = (found.count, &found.table, &found.parent);
            faults.push(format!("{count} rows of {table} refer to missing rows of {parent}"));
        }
        let newest = doctor::newest(conn)?;
        if newest > now.after(TOLERANCE) {
            faults.push(format!(
                "the newest row was created at {newest}, but the clock shows {now}: the clock was \
                 ahead or is behind, and new rows are dated {newest} until the clock has caught up"
            ));
        }
        for (address, last_seen) in proxies::untrusted(conn, now)? {
            faults.push(format!(
                "{address} sent X-Forwarded-For and is not in --trusted-proxies (last seen \
                 {last_seen}): if it is your proxy, all clients behind it share one rate limit"
            ));
        }
        match base::check(conn, &site.instance.urls) {
            Err(Error::Conflict(fault)) => faults.push(fault),
            checked => checked?,
        }
        Ok(Findings {
            faults,
            counters: doctor::wrong_counters(conn)?,
            misindexed: doctor::misindexed(conn)?,
            wrongly_indexed: wrongly_indexed(conn)?,
            missing_requests: doctor::missing_requests(conn)?,
            without_job: statuses::without_job(conn, now)?,
            incomplete: incomplete_feeds(conn)?,
            wrongly_limited: instance_domains::wrongly_limited(conn)?,
            orphaned: Vec::new(),
            fixed,
        })
    })?;
    let Files { missing, orphaned } = files::compare(site)?;
    findings.faults.extend(missing.iter().map(|file| format!("the file {file} is missing")));
    Ok(Findings { orphaned, ..findings })
}

/// Tolerated difference between two clocks.
const TOLERANCE: Duration = Duration::from_secs(60);

/// Returns incomplete feeds. Returns no feeds while jobs are still about to add entries.
fn incomplete_feeds(conn: &mut Conn) -> siskin_services::Result<Vec<Feed>> {
    if !jobs::payloads(conn, FanOut::KIND)?.is_empty() {
        return Ok(Vec::new());
    }
    Ok(doctor::incomplete_feeds(conn)?)
}

/// Returns the differences between the index of statuses and the statuses. Returns none while a job
/// is still about to index statuses.
fn wrongly_indexed(conn: &mut Conn) -> siskin_services::Result<Vec<StatusId>> {
    if !jobs::payloads(conn, IndexStatuses::KIND)?.is_empty() {
        return Ok(Vec::new());
    }
    Ok(doctor::wrongly_indexed(conn)?)
}

fn repair(site: &Site, findings: &Findings) -> Result<()> {
    for batch in doctor::batches(&findings.counters) {
        let batch = batch.to_vec();
        site.write(move |tx| Ok(doctor::repair(tx, &batch)?))?;
    }
    for batch in doctor::index_batches(&findings.misindexed) {
        let batch = batch.to_vec();
        site.write(move |tx| Ok(doctor::index(tx, &batch)?))?;
    }
    for batch in doctor::status_batches(&findings.wrongly_indexed) {
        let batch = batch.to_vec();
        site.write(move |tx| Ok(doctor::index_statuses(tx, &batch)?))?;
    }
    for batch in doctor::request_batches(&findings.missing_requests) {
        let batch = batch.to_vec();
        site.write(move |tx| Ok(doctor::insert_requests(tx, &batch)?))?;
    }
    for batch in doctor::feed_batches(&findings.incomplete) {
        let batch = batch.to_vec();
        site.write(move |tx| Ok(doctor::mark_stale(tx, &batch)?))?;
    }
    for id in findings.without_job.clone() {
        site.write(move |tx| statuses::enqueue_again(tx, id))?;
    }
    for WronglyLimited { domain, .. } in &findings.wrongly_limited {
        limit_again(site, domain)?;
    }
    if findings.orphaned.is_empty() {
        return Ok(());
    }
    files::remove(&site.media()?, &findings.orphaned)
}

/// Limits the accounts of a server as the domain blocks say.
fn limit_again(site: &Site, domain: &str) -> Result<()> {
    let mut after = None;
    loop {
        let domain = domain.to_owned();
        after = site.write(move |tx| instance_domains::limit_again(tx, &domain, after))?;
        if after.is_none() {
            return Ok(());
        }
    }
}

impl Findings {
    fn are_repaired(&self) -> bool {
        self.faults.is_empty() && (self.count_repairable() == 0 || self.fixed)
    }

    fn count_repairable(&self) -> usize {
        self.counters.len()
            + self.misindexed.len()
            + self.wrongly_indexed.len()
            + self.missing_requests.len()
            + self.without_job.len()
            + self.incomplete.len()
            + self.wrongly_limited.len()
            + self.orphaned.len()
    }

    fn print(&self, options: &Options) -> Result<()> {
        if options.json {
            return print_json(&self.as_json());
        }
        self.faults.iter().try_for_each(|fault| print_line(fault))?;
        let fixed = if self.fixed { " (fixed)" } else { "" };
        for WrongCounter { counter, id, stored, counted } in &self.counters {
            let stored = stored.map_or_else(|| "nothing".to_owned(), |stored| stored.to_string());
            let (table, column) = (counter.table, counter.column);
            print_line(&format!(
                "{table}.{column} of {id} is {stored}, but should be {counted}{fixed}"
            ))?;
        }
        for account in &self.misindexed {
            print_line(&format!("the search index lacks names of the account {account}{fixed}"))?;
        }
        for status in &self.wrongly_indexed {
            print_line(&format!("the search index is wrong about the status {status}{fixed}"))?;
        }
        for MissingRequest { recipient, sender } in &self.missing_requests {
            print_line(&format!(
                "filtered notifications of {recipient} by {sender} have no request{fixed}"
            ))?;
        }
        for id in &self.without_job {
            print_line(&format!("no job will publish the scheduled status {id}{fixed}"))?;
        }
        for feed in &self.incomplete {
            let timeline_name = timeline_name(*feed);
            print_line(&format!("stored entries of {timeline_name} are missing{fixed}"))?;
        }
        for WronglyLimited { domain, count } in &self.wrongly_limited {
            print_line(&format!(
                "accounts of {domain} that are not limited as the domain blocks say: {count}{fixed}"
            ))?;
        }
        for file in &self.orphaned {
            print_line(&format!("the file {file} is not referenced{fixed}"))?;
        }
        match self.faults.len() + self.count_repairable() {
            0 => print_line("No problems found"),
            1 => print_line("1 finding"),
            many => print_line(&format!("{many} findings")),
        }
    }

    fn as_json(&self) -> Value {
        let counters = self.counters.iter().map(|wrong| {
            json!({
                "table": wrong.counter.table,
                "column": wrong.counter.column,
                "id": wrong.id.to_string(),
                "stored": wrong.stored,
                "counted": wrong.counted,
                "fixed": self.fixed,
            })
        });
        let misindexed = self.misindexed.iter();
        let misindexed = misindexed
            .map(|account| json!({ "account": account.to_string(), "fixed": self.fixed }));
        let statuses = self.wrongly_indexed.iter();
        let statuses =
            statuses.map(|status| json!({ "status": status.to_string(), "fixed": self.fixed }));
        let requests = self.missing_requests.iter();
        let requests = requests.map(|MissingRequest { recipient, sender }| {
            json!({
                "account": recipient.to_string(),
                "from": sender.to_string(),
                "fixed": self.fixed,
            })
        });
        let without_job = self.without_job.iter();
        let without_job = without_job
            .map(|id| json!({ "scheduled_status": id.to_string(), "fixed": self.fixed }));
        let incomplete = self.incomplete.iter();
        let incomplete =
            incomplete.map(|feed| json!({ "feed": feed.id().to_string(), "fixed": self.fixed }));
        let limits = self.wrongly_limited.iter();
        let limits = limits.map(|WronglyLimited { domain, count }| {
            json!({ "domain": domain, "accounts": count, "fixed": self.fixed })
        });
        let orphaned = self.orphaned.iter();
        let orphaned = orphaned.map(|file| json!({ "file": file.as_str(), "fixed": self.fixed }));
        json!({
            "faults": self.faults,
            "counters": counters.collect::<Vec<_>>(),
            "misindexed": misindexed.collect::<Vec<_>>(),
            "statuses": statuses.collect::<Vec<_>>(),
            "requests": requests.collect::<Vec<_>>(),
            "forgotten": without_job.collect::<Vec<_>>(),
            "feeds": incomplete.collect::<Vec<_>>(),
            "limits": limits.collect::<Vec<_>>(),
            "orphaned": orphaned.collect::<Vec<_>>(),
        })
    }
}

fn timeline_name(feed: Feed) -> String {
    match feed {
        Feed::Home(account) => format!("the home timeline of {account}"),
        Feed::List(_, list) => format!("the timeline of the list {list}"),
    }
}
