//! `siskin demo`.

use anyhow::Result;
use clap::Args;
use serde_json::json;

use crate::{
    cli::Options,
    demo::{self, Counts, Size},
    output::{print_error, print_json, print_line},
    site::Site,
};

#[derive(Debug, Args)]
pub struct Arguments {
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    accounts: u32,
    #[arg(long, default_value_t = 2000)]
    statuses: u32,
    /// The number of accounts that each account follows
    #[arg(long, default_value_t = 25)]
    follows: u32,
    /// Without pictures, polls and texts of unusual length, as in the benchmarks
    #[arg(long)]
    plain: bool,
    /// Also with suspended, silenced, unapproved and unconfirmed accounts, accounts of other
    /// servers, blocks, mutes, blocked domains, filters, lists and followed hashtags, as on a real
    /// server
    #[arg(long)]
    moderated: bool,
    /// Also with quotes: a third of the statuses quote an earlier one
    #[arg(long)]
    quoting: bool,
    /// The same seed makes the same network
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn run(options: &Options, arguments: &Arguments) -> Result<()> {
    let site = Site::open_or_create(options)?.settled()?;
    let size = Size {
        accounts: usize::try_from(arguments.accounts)?,
        statuses: usize::try_from(arguments.statuses)?,
        follows: usize::try_from(arguments.follows)?,
        varied: !arguments.plain,
        moderated: arguments.moderated,
        quoting: arguments.quoting,
    };
    print_error("Generating the demo data. Do not use the database until this is complete.");
    let login = demo::run(&site, size, arguments.seed)?;
    let others = arguments.moderated.then(|| Counts::of(size.accounts));
    if options.json {
        let mut made = json!({
            "username": login.username,
            "password": login.password,
            "accounts": size.accounts,
            "statuses": size.statuses,
        });
        if let Some(counts) = others {
            made["moderated"] = json!({
                "remote": counts.remote,
                "suspended": counts.suspended,
                "silenced": counts.silenced,
                "unapproved": counts.pending,
                "unconfirmed": counts.unconfirmed,
                "blocked_domains": counts.blocked_domains,
            });
        }
        return print_json(&made);
    }
    print_line(&format!("Created {} accounts and {} statuses.", size.accounts, size.statuses))?;
    if let Some(counts) = others {
        let Counts { remote, suspended, silenced, pending, unconfirmed, blocked_domains } = counts;
        print_line(&format!(
            "{suspended} of the accounts are suspended, {silenced} are silenced. Also created \
             {pending} unapproved and {unconfirmed} unconfirmed accounts, {remote} accounts of \
             other servers, and {blocked_domains} blocks of domains."
        ))?;
    }
    print_line(&format!(
        "Sign in as {} (the owner) or as any other account; the password is always {}",
        login.username, login.password
    ))
}
