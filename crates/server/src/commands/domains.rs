//! `siskin domains …`.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use siskin_entities::{
    Actor, DomainBlockImport, DomainLimits, DomainSeverity, ImportResult, ImportedLine,
    InstanceDomainAllow, InstanceDomainBlock,
};
use siskin_services::instance_domains::{
    self, BlockRequest, Blocking, ChangeRequest, IMPORTED_AT_ONCE,
};

use crate::{
    cli::Options,
    output::{Listing, print_json, print_line, print_text},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print all blocked and allowed domains, the oldest first
    List,
    /// Block a domain with its subdomains, or change its block
    Block(Block),
    /// End the block of a domain; its accounts become visible again
    Unblock(Named),
    /// Allow a domain, for servers that federate with allowed ones only
    Allow(Named),
    /// Remove a domain from the allowed ones
    Disallow(Named),
    /// Print all blocks as a CSV file that other servers can import
    Export,
    /// Import a CSV file of blocks
    Import(Import),
}

#[derive(Debug, Args)]
pub struct Block {
    domain: String,
    /// What happens to its accounts; silence for a new block
    #[arg(long, value_enum)]
    severity: Option<Severity>,
    /// Do not fetch its media
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    reject_media: Option<bool>,
    /// Ignore its reports
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    reject_reports: Option<bool>,
    /// Show others the domain with most characters replaced
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    obfuscate: Option<bool>,
    /// Reason for staff
    #[arg(long)]
    private_comment: Option<String>,
    /// Reason that others may see
    #[arg(long)]
    public_comment: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Severity {
    Noop,
    Silence,
    Suspend,
}

impl From<Severity> for DomainSeverity {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Noop => Self::Noop,
            Severity::Silence => Self::Silence,
            Severity::Suspend => Self::Suspend,
        }
    }
}

#[derive(Debug, Args)]
pub struct Named {
    domain: String,
}

#[derive(Debug, Args)]
pub struct Import {
    file: PathBuf,
    /// Only print what would be done
    #[arg(long)]
    dry_run: bool,
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let site = Site::open(options)?;
    match command {
        Command::List => list(options, &site),
        Command::Block(block) => {
            let stored = block_or_change(&site, block)?;
            report(options, &block_line(&stored), &block_json(&stored))
        }
        Command::Unblock(Named { domain }) => {
            let ended = unblock(&site, domain)?;
            report(options, &format!("Unblocked {}", ended.domain), &block_json(&ended))
        }
        Command::Allow(Named { domain }) => {
            let typed = domain.clone();
            let allowed =
                site.write(move |tx| instance_domains::allow(tx, Actor::Operator, &typed))?;
            report(options, &allow_line(&allowed), &allow_json(&allowed))
        }
        Command::Disallow(Named { domain }) => {
            let ended = disallow(&site, domain)?;
            report(options, &format!("Disallowed {}", ended.domain), &allow_json(&ended))
        }
        Command::Export => {
            let list =
                site.read(|conn| instance_domains::export(&instance_domains::list_all(conn)?))?;
            print_text(list.trim_end())
        }
        Command::Import(import) => import_file(options, &site, import),
    }
}

/// Creates a block. If the domain has one already, changes it.
fn block_or_change(site: &Site, block: &Block) -> Result<InstanceDomainBlock> {
    let existing =
        site.read(|conn| match instance_domains::find_by_domain(conn, &block.domain) {
            Err(siskin_services::Error::NotFound) => Ok(None),
            found => found.map(Some),
        })?;
    let severity = block.severity.map(DomainSeverity::from);
    if let Some(existing) = existing {
        let changes = instance_domains::prepare_changes(&ChangeRequest {
            severity,
            reject_media: block.reject_media,
            reject_reports: block.reject_reports,
            private_comment: block.private_comment.clone().map(Some),
            public_comment: block.public_comment.clone().map(Some),
            obfuscate: block.obfuscate,
        })?;
        return site
            .write(move |tx| instance_domains::update(tx, Actor::Operator, existing.id, &changes));
    }
    let request = BlockRequest {
        domain: block.domain.clone(),
        limits: DomainLimits {
            severity: severity.unwrap_or(DomainSeverity::Silence),
            reject_media: block.reject_media.unwrap_or_default(),
            reject_reports: block.reject_reports.unwrap_or_default(),
        },
        private_comment: block.private_comment.clone(),
        public_comment: block.public_comment.clone(),
        obfuscate: block.obfuscate.unwrap_or_default(),
    };
    let new = instance_domains::prepare(&site.instance.urls, &request)?;
    match site.write(move |tx| instance_domains::block(tx, Actor::Operator, &new))? {
        Blocking::Created(created) => Ok(created),
        Blocking::Conflict(existing) => {
            anyhow::bail!("the block of {} is at least as strict", existing.domain)
        }
    }
}

fn unblock(site: &Site, domain: &str) -> Result<InstanceDomainBlock> {
    let typed = domain.to_owned();
    site.write(move |tx| {
        let id = instance_domains::find_by_domain(tx, &typed)?.id;
        instance_domains::unblock(tx, Actor::Operator, id)
    })
    .with_context(|| format!("cannot unblock {domain}"))
}

fn disallow(site: &Site, domain: &str) -> Result<InstanceDomainAllow> {
    let typed = domain.to_owned();
    site.write(move |tx| {
        let id = instance_domains::find_allow_by_domain(tx, &typed)?.id;
        instance_domains::disallow(tx, Actor::Operator, id)
    })
    .with_context(|| format!("cannot disallow {domain}"))
}

fn import_file(options: &Options, site: &Site, import: &Import) -> Result<()> {
    let name = import.file.display();
    let file = fs::read(&import.file).with_context(|| format!("cannot read {name}"))?;
    let parsed = instance_domains::parse(&site.instance.urls, &file)?;
    let result = if import.dry_run {
        site.read(|conn| instance_domains::dry_run(conn, &parsed))?
    } else {
        let mut lines = Vec::with_capacity(parsed.len());
        for some in parsed.chunks(IMPORTED_AT_ONCE) {
            let some = some.to_vec();
            lines
                .extend(site.write(move |tx| instance_domains::apply(tx, Actor::Operator, &some))?);
        }
        let only_here = site.read(|conn| instance_domains::only_here(conn, &parsed))?;
        DomainBlockImport { is_dry_run: false, lines, only_here }
    };
    print_import(options, &result)?;
    let refused = result.count(ImportResult::Invalid) + result.count(ImportResult::Conflicting);
    ensure!(refused < result.lines.len(), "no line was accepted");
    Ok(())
}

fn print_import(options: &Options, import: &DomainBlockImport) -> Result<()> {
    let counts: Vec<(ImportResult, usize)> =
        ImportResult::ALL.into_iter().map(|result| (result, import.count(result))).collect();
    let is_shown = |line: &&ImportedLine| line.result != ImportResult::Unchanged;
    if options.json {
        let mut json = json!({
            "dry_run": import.is_dry_run,
            "lines": import.lines.iter().map(imported_json).collect::<Vec<_>>(),
            "repeated": import.repeated().into_iter().map(repeated_json).collect::<Vec<_>>(),
            "only_here": import.only_here,
        });
        for (result, count) in counts {
            json[result.as_str()] = json!(count);
        }
        return print_json(&json);
    }
    import.lines.iter().filter(is_shown).try_for_each(|line| print_line(&imported_line(line)))?;
    for (domain, numbers) in import.repeated() {
        let numbers = numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        print_line(&format!("lines {numbers}: {domain} gets their strictest values"))?;
    }
    for domain in &import.only_here {
        print_line(&format!("only here: {domain}"))?;
    }
    let counts: Vec<String> =
        counts.iter().map(|(result, count)| format!("{count} {}", result.as_str())).collect();
    print_line(&counts.join(", "))
}

fn imported_line(line: &ImportedLine) -> String {
    let severity = line.values.as_ref().map(|values| values.limits.severity.as_str());
    let detail = severity.or(line.problem.as_deref()).unwrap_or_default();
    format!("line {}: {} {}: {detail}", line.number, line.result.as_str(), line.domain)
}

fn imported_json(line: &ImportedLine) -> Value {
    json!({
        "line": line.number,
        "domain": line.domain,
        "result": line.result.as_str(),
        "error": line.problem,
        "severity": line.values.as_ref().map(|values| values.limits.severity.as_str()),
    })
}

fn repeated_json((domain, lines): (&str, Vec<u64>)) -> Value {
    json!({ "domain": domain, "lines": lines })
}

fn list(options: &Options, site: &Site) -> Result<()> {
    let blocks = site.read(instance_domains::list_all)?;
    let allows = site.read(instance_domains::list_all_allows)?;
    let mut listing = Listing::new(options.json);
    blocks.iter().try_for_each(|it| listing.entry(&block_line(it), &block_json(it)))?;
    allows.iter().try_for_each(|it| listing.entry(&allow_line(it), &allow_json(it)))?;
    listing.end()
}

fn report(options: &Options, line: &str, value: &Value) -> Result<()> {
    if options.json { print_json(value) } else { print_line(line) }
}

/// Returns a line with the domain, what the block limits, and the first line of each comment.
fn block_line(block: &InstanceDomainBlock) -> String {
    let limits = block.limits;
    let mut line = format!("{} {}", block.domain, limits.severity.as_str());
    for (is_set, word) in [
        (limits.reject_media, " reject_media"),
        (limits.reject_reports, " reject_reports"),
        (block.obfuscate, " obfuscate"),
    ] {
        if is_set {
            line.push_str(word);
        }
    }
    for comment in [&block.public_comment, &block.private_comment].into_iter().flatten() {
        line.push_str(": ");
        line.push_str(comment.lines().next().unwrap_or_default());
    }
    line
}

fn allow_line(allow: &InstanceDomainAllow) -> String {
    format!("{} allowed", allow.domain)
}

fn block_json(block: &InstanceDomainBlock) -> Value {
    json!({
        "id": block.id,
        "domain": block.domain,
        "severity": block.limits.severity.as_str(),
        "reject_media": block.limits.reject_media,
        "reject_reports": block.limits.reject_reports,
        "private_comment": block.private_comment,
        "public_comment": block.public_comment,
        "obfuscate": block.obfuscate,
        "created_at": block.created_at.to_string(),
    })
}

fn allow_json(allow: &InstanceDomainAllow) -> Value {
    json!({
        "id": allow.id,
        "domain": allow.domain,
        "severity": "allowed",
        "created_at": allow.created_at.to_string(),
    })
}
