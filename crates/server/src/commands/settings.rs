//! `siskin settings …`.

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use siskin_entities::{
    Actor, Settings,
    settings::{Description, InvalidSetting},
};
use siskin_services::settings;

use crate::{
    cli::Options,
    commands::mail::MailOptions,
    output::{Listing, print_error, print_json, print_text},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the effective value
    Get(Get),
    /// Change a value; a running server follows within a second
    Set(Set),
    /// Reset a setting to its default
    Reset(Get),
    /// Print all settings with their values
    List,
}

#[derive(Debug, Args)]
pub struct Get {
    key: String,
}

#[derive(Debug, Args)]
pub struct Set {
    key: String,
    /// A number or word in the form that `siskin settings list` prints; true or false
    #[arg(allow_hyphen_values = true)]
    value: String,
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let site = Site::open(options)?;
    match command {
        Command::Get(Get { key }) => get(options, &site, key),
        Command::Set(set) => self::set(options, &site, set),
        Command::Reset(Get { key }) => reset(options, &site, key),
        Command::List => list(options, &site),
    }
}

fn effective(site: &Site) -> Result<Settings> {
    site.read(|conn| settings::load(conn, &site.fixed))
}

fn get(options: &Options, site: &Site, key: &str) -> Result<()> {
    let settings = effective(site)?;
    if options.json {
        return print_json(&to_json(site, &settings, description(key)?)?);
    }
    print_text(&settings.get(key)?)
}

fn set(options: &Options, site: &Site, set: &Set) -> Result<()> {
    let (key, value, fixed) = (set.key.clone(), set.value.clone(), site.fixed.clone());
    site.write(move |tx| settings::set(tx, Actor::Operator, &fixed, &key, &value))?;
    if effective(site)?.email_confirmation && set.key == "email_confirmation" {
        let mail = MailOptions::from_environment(&site.options.file);
        if mail.smtp_url.is_none() {
            print_error(
                "Without a mail server (`siskin serve --smtp-url`), new users cannot confirm their \
                 email address. `siskin accounts confirm NAME` confirms it for them.",
            );
        }
    }
    get(options, site, &set.key)
}

fn reset(options: &Options, site: &Site, key: &str) -> Result<()> {
    let (owned, fixed) = (key.to_owned(), site.fixed.clone());
    site.write(move |tx| settings::reset(tx, Actor::Operator, &fixed, &owned))?;
    get(options, site, key)
}

fn list(options: &Options, site: &Site) -> Result<()> {
    let settings = effective(site)?;
    let mut listing = Listing::new(options.json);
    for setting in Settings::DESCRIPTIONS {
        let Description { key, about, .. } = setting;
        let fixed = match site.fixed.contains(key) {
            true => format!(" (fixed: {} or the file)", Settings::environment_name(key)),
            false => String::new(),
        };
        let line = format!("{key} = {}{fixed}\n    {about}", settings.get(key)?);
        listing.entry(&line, &to_json(site, &settings, setting)?)?;
    }
    listing.end()
}

fn description(key: &str) -> Result<&'static Description> {
    let found = Settings::DESCRIPTIONS.iter().find(|description| description.key == key);
    Ok(found.ok_or_else(|| InvalidSetting::UnknownKey(key.to_owned()))?)
}

fn to_json(site: &Site, settings: &Settings, setting: &Description) -> Result<Value> {
    Ok(json!({
        "key": setting.key,
        "value": settings.get(setting.key)?,
        "default": Settings::default().get(setting.key)?,
        "about": setting.about,
        "fixed": site.fixed.contains(setting.key),
    }))
}
