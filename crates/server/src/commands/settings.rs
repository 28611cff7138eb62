//! `siskin settings …`.

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use siskin_entities::{
    Settings,
    settings::{Description, InvalidSetting},
};
use siskin_services::settings;

use crate::{
    cli::Options,
    output::{say, say_json},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the value in force
    Get(Get),
    /// Change a value; a running server follows within a second
    Set(Set),
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
    /// Numbers and words as `siskin settings list` shows them; true or false
    #[arg(allow_hyphen_values = true)]
    value: String,
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let site = Site::open(options)?;
    match command {
        Command::Get(Get { key }) => get(options, &site, key),
        Command::Set(set) => self::set(options, &site, set),
        Command::List => list(options, &site),
    }
}

fn in_force(site: &Site) -> Result<Settings> {
    site.read(|conn| settings::load(conn, &site.fixed))
}

fn get(options: &Options, site: &Site, key: &str) -> Result<()> {
    let settings = in_force(site)?;
    if options.json {
        return say_json(&shown(site, &settings, description(key)?)?);
    }
    say(&settings.get(key)?)
}

fn set(options: &Options, site: &Site, set: &Set) -> Result<()> {
    let (key, value, fixed) = (set.key.clone(), set.value.clone(), site.fixed.clone());
    site.write(move |tx| settings::set(tx, &fixed, &key, &value))?;
    get(options, site, &set.key)
}

fn list(options: &Options, site: &Site) -> Result<()> {
    let settings = in_force(site)?;
    if options.json {
        let all = Settings::DESCRIPTIONS.iter().map(|setting| shown(site, &settings, setting));
        return say_json(&all.collect::<Result<Vec<_>>>()?);
    }
    for Description { key, about } in Settings::DESCRIPTIONS {
        let fixed = match site.fixed.contains(key) {
            true => format!(" (fixed: {} or the file)", Settings::environment_name(key)),
            false => String::new(),
        };
        say(&format!("{key} = {}{fixed}\n    {about}", settings.get(key)?))?;
    }
    Ok(())
}

fn description(key: &str) -> Result<&'static Description> {
    let found = Settings::DESCRIPTIONS.iter().find(|description| description.key == key);
    Ok(found.ok_or_else(|| InvalidSetting::UnknownKey(key.to_owned()))?)
}

fn shown(site: &Site, settings: &Settings, setting: &Description) -> Result<Value> {
    Ok(json!({
        "key": setting.key,
        "value": settings.get(setting.key)?,
        "default": Settings::default().get(setting.key)?,
        "about": setting.about,
        "fixed": site.fixed.contains(setting.key),
    }))
}
