//! `siskin emojis …`.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use siskin_entities::{Actor, CustomEmoji};
use siskin_media::{Media, Purpose};
use siskin_persistence::Tx;
use siskin_services::{
    emojis::{self, Added},
    media::upload_error,
};

use crate::{
    cli::Options,
    emoji_archive::{self, Member},
    files::blocking,
    output::{Listing, print_json, print_line},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add every picture of an archive as an emoji named after its file: cat.png becomes :cat:
    Import(Import),
    /// Print the emojis by category
    List,
    /// Remove emojis
    Delete(Delete),
}

#[derive(Debug, Args)]
pub struct Import {
    /// A zip or tar (compressed with gzip or not) of PNG, JPEG, GIF and WebP files
    archive: PathBuf,
    /// The category that clients show them under
    #[arg(long)]
    category: Option<String>,
    /// Replace emojis with the same names instead of skipping them
    #[arg(long)]
    overwrite: bool,
    /// Hide them in the emoji pickers of clients
    #[arg(long)]
    unlisted: bool,
}

#[derive(Debug, Args)]
pub struct Delete {
    /// The names, without colons
    #[arg(required = true)]
    shortcodes: Vec<String>,
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let site = Site::open(options)?;
    match command {
        Command::Import(import) => {
            let outcome = Importer::new(&site, import)?.run()?;
            let printed =
                if options.json { print_json(&outcome.as_json()) } else { outcome.print() };
            printed?;
            ensure!(outcome.has_some(), "the archive contains no usable image");
            Ok(())
        }
        Command::List => {
            let emojis = site.read(emojis::list)?;
            let mut listing = Listing::new(options.json);
            emojis.iter().try_for_each(|emoji| listing.entry(&line(emoji), &to_json(emoji)))?;
            listing.end()
        }
        Command::Delete(Delete { shortcodes }) => {
            // Deletes either all of them or none.
            let names = shortcodes.clone();
            site.write(move |tx| {
                names.iter().try_for_each(|name| emojis::delete(tx, Actor::Operator, name))
            })
            .with_context(|| format!("cannot delete the emojis {}", shortcodes.join(", ")))?;
            if options.json {
                return print_json(&json!({ "shortcodes": shortcodes, "are": "deleted" }));
            }
            print_line(&format!("Deleted: {}", shortcodes.join(", ")))
        }
    }
}

/// Imports the files of an archive, one after the other.
struct Importer<'a> {
    site: &'a Site,
    import: &'a Import,
    media: Media,
    outcome: Outcome,
}

/// The outcome of an import.
#[derive(Debug, Default)]
struct Outcome {
    added: Vec<String>,
    replaced: Vec<String>,
    /// Names that existed already.
    existing: Vec<String>,
    /// Path of the file and reason.
    refused: Vec<(String, String)>,
}

impl<'a> Importer<'a> {
    fn new(site: &'a Site, import: &'a Import) -> Result<Self> {
        Ok(Self { site, import, media: site.media()?, outcome: Outcome::default() })
    }

    fn run(mut self) -> Result<Outcome> {
        let import = self.import;
        emoji_archive::each(&import.archive, |member| self.take(member))
            .with_context(|| format!("cannot import the archive {}", import.archive.display()))?;
        Ok(self.outcome)
    }

    fn take(&mut self, member: Member) -> Result<()> {
        let Member { path, stem, content } = member;
        let import = self.import;
        let prepared = match emojis::prepare(&stem, import.category.as_deref(), !import.unlisted) {
            Ok(prepared) => prepared,
            Err(why) => return self.refuse(path, why.to_string()),
        };
        let name = stem.clone();
        if !import.overwrite && self.site.read(move |conn| emojis::exists(conn, &name))? {
            self.outcome.existing.push(stem);
            return Ok(());
        }
        let picture = match blocking(self.media.store_picture(content, Purpose::EMOJI))? {
            Ok(picture) => picture,
            Err(siskin_media::Error::Refused(why)) => {
                return self.refuse(path, format!("it {why}"));
            }
            Err(error) => return Err(upload_error("The picture", error).into()),
        };
        let row = picture.clone();
        let put = move |tx: &mut Tx<'_>| emojis::put(tx, Actor::Operator, &prepared, &row);
        match self.site.write(put) {
            Ok(Added::New) => self.outcome.added.push(stem),
            Ok(Added::Replaced) => self.outcome.replaced.push(stem),
            Err(error) => {
                blocking(self.media.discard(picture.into_files()))?;
                return Err(error);
            }
        }
        Ok(())
    }

    fn refuse(&mut self, path: String, why: String) -> Result<()> {
        self.outcome.refused.push((path, why));
        Ok(())
    }
}

impl Outcome {
    fn as_json(&self) -> Value {
        let refused = self.refused.iter().map(|(file, why)| json!({ "file": file, "why": why }));
        json!({
            "added": self.added,
            "replaced": self.replaced,
            "kept": self.existing,
            "refused": refused.collect::<Vec<_>>(),
        })
    }

    fn print(&self) -> Result<()> {
        for (names, what) in [
            (&self.added, "added"),
            (&self.replaced, "replaced"),
            (&self.existing, "skipped because they exist (--overwrite replaces them)"),
        ] {
            if !names.is_empty() {
                print_line(&format!("{} {what}: {}", names.len(), names.join(", ")))?;
            }
        }
        for (file, why) in &self.refused {
            print_line(&format!("skipped {file}: {why}"))?;
        }
        Ok(())
    }

    /// Returns `true` if at least one file was imported, or its emoji existed already.
    fn has_some(&self) -> bool {
        !(self.added.is_empty() && self.replaced.is_empty() && self.existing.is_empty())
    }
}

fn line(emoji: &CustomEmoji) -> String {
    let category = emoji.category.as_deref().unwrap_or("(no category)");
    let hidden = if emoji.visible_in_picker { "" } else { " (unlisted)" };
    format!(":{}: {category}{hidden}", emoji.shortcode)
}

fn to_json(emoji: &CustomEmoji) -> Value {
    json!({
        "shortcode": emoji.shortcode,
        "category": emoji.category,
        "visible_in_picker": emoji.visible_in_picker,
        "file": emoji.picture.file,
    })
}
