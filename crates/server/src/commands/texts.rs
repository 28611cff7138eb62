//! `siskin texts …`.

use std::{
    fs::{self, OpenOptions},
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    process::Command as Process,
};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use siskin_entities::{Actor, SourceText, TextName, time::Date};
use siskin_services::{
    instance_texts::{self, TextChange},
    settings,
};

use crate::{
    cli::Options,
    output::{print_json, print_line, print_text},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print a text in Markdown
    Show(Named),
    /// Replace a text by the one on standard input, Markdown in UTF-8
    Set(Changed),
    /// Change a text in the editor that $VISUAL or $EDITOR names
    Edit(Changed),
    /// Bring the default text back, or remove terms of service that are not in effect yet
    Reset(Named),
}

#[derive(Debug, Args)]
pub struct Named {
    name: Text,
    /// First day of the version of the terms of service, such as 2026-12-24
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    effective: Option<Date>,
}

#[derive(Debug, Args)]
pub struct Changed {
    #[command(flatten)]
    named: Named,
    /// Do not let the users know of the terms of service by email
    #[arg(long)]
    without_email: bool,
}

/// Name of a text on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Text {
    /// Some sentences of plain text; the setting site_description
    Description,
    /// Describes the server on the page /about
    ExtendedDescription,
    /// The page /privacy-policy
    PrivacyPolicy,
    /// The page /terms-of-service, which has versions
    TermsOfService,
}

impl Text {
    const fn name(self) -> TextName {
        match self {
            Self::Description => TextName::Description,
            Self::ExtendedDescription => TextName::ExtendedDescription,
            Self::PrivacyPolicy => TextName::PrivacyPolicy,
            Self::TermsOfService => TextName::TermsOfService,
        }
    }
}

fn parse_date(text: &str) -> Result<Date, String> {
    Date::parse(text).ok_or_else(|| "must be like 2026-12-24".to_owned())
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let site = Site::open(options)?;
    match command {
        Command::Show(named) => {
            let text = source(&site, named)?;
            if options.json { print_json(&to_json(&text)) } else { print_text(&text.text) }
        }
        Command::Set(Changed { named, without_email }) => {
            let mut text = Vec::new();
            std::io::stdin().read_to_end(&mut text).context("cannot read standard input")?;
            let text = String::from_utf8(text).context("the text is not UTF-8")?;
            let change = instance_texts::prepare(named.name.name(), &text, named.effective)?;
            store(options, &site, named, change.announced(!without_email))
        }
        Command::Edit(changed) => edit(options, &site, changed),
        Command::Reset(named) => {
            let change = instance_texts::prepare_removal(named.name.name(), named.effective)?;
            store(options, &site, named, change)
        }
    }
}

fn source(site: &Site, named: &Named) -> Result<SourceText> {
    let (name, date, now) = (named.name.name(), named.effective, site.store.now());
    site.read(|conn| {
        let settings = settings::load(conn, &site.fixed)?;
        instance_texts::source(conn, &settings, &site.instance.urls, name, date, now)
    })
    .with_context(|| format!("cannot find the text {}", described(named)))
}

/// Returns the text to edit. A version of the terms that does not exist begins with the present
/// terms.
fn before_edit(site: &Site, named: &Named) -> Result<String> {
    if named.name != Text::TermsOfService {
        return Ok(source(site, named)?.text);
    }
    ensure!(named.effective.is_some(), "pass the first day of the terms with --effective");
    let present = Named { name: named.name, effective: None };
    let found = source(site, named).or_else(|_| source(site, &present));
    Ok(found.map(|text| text.text).unwrap_or_default())
}

fn store(options: &Options, site: &Site, named: &Named, change: TextChange) -> Result<()> {
    let fixed = site.fixed.clone();
    let changed = site
        .write(move |tx| instance_texts::set(tx, &fixed, Actor::Operator, &change))
        .with_context(|| format!("cannot change the text {}", described(named)))?;
    if options.json {
        return print_json(&json!({ "name": named.name.name().as_str(), "changed": changed }));
    }
    let done = if changed { "Changed" } else { "No change of" };
    print_line(&format!("{done} the text {}", described(named)))
}

fn described(named: &Named) -> String {
    let name = named.name.name().as_str();
    named.effective.map_or_else(|| name.to_owned(), |date| format!("{name} of {date}"))
}

/// Lets the operator change a text in an editor, and stores the result. If that fails, the file
/// with the changed text stays.
fn edit(options: &Options, site: &Site, changed: &Changed) -> Result<()> {
    let Changed { named, without_email } = changed;
    let variable = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let Some(editor) = variable("VISUAL").or_else(|| variable("EDITOR")) else {
        bail!("name your editor in the environment variable EDITOR, or use `siskin texts set`");
    };
    let name = named.name.name();
    let before = before_edit(site, named)?;
    let file = new_file(name, &before)?;
    if let Err(error) = run_editor(&editor, &file) {
        // Nothing was changed.
        drop(fs::remove_file(&file));
        return Err(error);
    }
    let stored = || -> Result<()> {
        let text = fs::read_to_string(&file).context("cannot read the edited text")?;
        let change = instance_texts::prepare(name, &text, named.effective)?;
        store(options, site, named, change.announced(!without_email))
    };
    stored().with_context(|| format!("your text is in {}", file.display()))?;
    fs::remove_file(&file).with_context(|| format!("cannot delete {}", file.display()))
}

/// Writes the text to a new file, which no other user can have prepared.
fn new_file(name: TextName, text: &str) -> Result<PathBuf> {
    let file_name = format!("siskin-{}-{}.md", name.as_str(), std::process::id());
    let path = std::env::temp_dir().join(file_name);
    let created = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = created.with_context(|| format!("cannot create {}", path.display()))?;
    file.write_all(text.as_bytes())?;
    Ok(path)
}

/// Runs the editor, which may have arguments of its own.
fn run_editor(editor: &str, file: &Path) -> Result<()> {
    let mut words = editor.split_whitespace();
    let program = words.next().context("the editor has no name")?;
    let status = Process::new(program).args(words).arg(file).status();
    let status = status.with_context(|| format!("cannot run the editor {program}"))?;
    ensure!(status.success(), "the editor failed");
    Ok(())
}

fn to_json(text: &SourceText) -> Value {
    let date = |date: &Date| date.to_string();
    json!({
        "name": text.name.as_str(),
        "text": text.text,
        "updated_at": text.updated_at.map(|time| time.to_string()),
        "default": text.is_default,
        "effective_date": text.effective_date.as_ref().map(date),
        "versions": text.versions.iter().map(date).collect::<Vec<_>>(),
        "announced_at": text.announced_at.map(|time| time.to_string()),
    })
}
