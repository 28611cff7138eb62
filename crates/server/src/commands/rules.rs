//! `siskin rules …`.

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use siskin_entities::{Actor, Rule};
use siskin_ids::RuleId;
use siskin_services::rules;

use crate::{
    cli::Options,
    output::{Listing, print_json, print_line},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add a rule after the others
    Add(Add),
    /// Print the rules in order
    List,
    /// Remove a rule
    Delete(Delete),
}

#[derive(Debug, Args)]
pub struct Add {
    text: String,
    /// An explanation of the rule
    #[arg(long, default_value = "")]
    hint: String,
}

#[derive(Debug, Args)]
pub struct Delete {
    id: RuleId,
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let site = Site::open(options)?;
    match command {
        Command::Add(add) => {
            let new = rules::prepare(&add.text, &add.hint)?;
            let rule = site.write(move |tx| rules::add(tx, Actor::Operator, &new))?;
            if options.json { print_json(&to_json(&rule)) } else { print_line(&line(&rule)) }
        }
        Command::List => {
            let rules = site.read(rules::list)?;
            let mut listing = Listing::new(options.json);
            rules.iter().try_for_each(|rule| listing.entry(&line(rule), &to_json(rule)))?;
            listing.end()
        }
        Command::Delete(Delete { id }) => {
            let id = *id;
            site.write(move |tx| rules::delete(tx, Actor::Operator, id))
                .with_context(|| format!("cannot delete the rule {id}"))?;
            if options.json {
                return print_json(&json!({ "id": id, "is": "deleted" }));
            }
            print_line(&format!("Deleted the rule {id}"))
        }
    }
}

fn line(rule: &Rule) -> String {
    let hint = if rule.hint.is_empty() { String::new() } else { format!(" ({})", rule.hint) };
    format!("{} {}{hint}", rule.id, rule.text)
}

fn to_json(rule: &Rule) -> Value {
    json!({ "id": rule.id, "text": rule.text, "hint": rule.hint })
}
