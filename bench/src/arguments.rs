//! Command line of the benchmark.

use std::{fmt, path::PathBuf, str::FromStr};

use anyhow::{Result, ensure};
use clap::{Parser, ValueEnum};
use siskin_test_support::Engine;

use crate::scenarios::HOME;

#[derive(Debug, Parser)]
#[command(about = "Measures a server under load")]
pub struct Arguments {
    /// Number of statuses
    #[arg(long, default_value_t = 2000)]
    pub statuses: u32,
    /// Number of accounts that write and read them
    #[arg(long, default_value_t = 50)]
    pub accounts: u32,
    /// Number of accounts that each account follows
    #[arg(long, default_value_t = 25)]
    pub follows: u32,
    /// Generated data to measure [default: all, or plain with --database]
    #[arg(long, value_enum)]
    world: Option<Worlds>,
    /// Number of accounts that read in turn, or all [default: 8 in the plain world, 500 in the
    /// moderated one; fewer if there are fewer accounts]
    #[arg(long, value_name = "NUMBER")]
    readers: Option<Readers>,
    /// Database engines; one table per engine. One that is not installed is left out
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["sqlite", "postgres"])]
    engine: Vec<EngineName>,
    /// Seconds per measurement
    #[arg(long, default_value_t = 3)]
    pub seconds: u32,
    /// Number of concurrent connections; one measurement per number
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16])]
    pub connections: Vec<u32>,
    /// Run only scenarios with one of these texts in their name
    #[arg(long, value_name = "TEXT", value_delimiter = ',')]
    only: Vec<String>,
    /// Database to use instead of a new one; it must be empty. For several worlds, give one for
    /// each, in their order
    #[arg(long, value_name = "URL", conflicts_with = "engine")]
    database: Vec<String>,
    /// The databases were already filled by `siskin demo`
    #[arg(long, requires = "database")]
    pub filled: bool,
    /// Number of push messages for one post, at least
    #[arg(long, default_value_t = 1000)]
    pub messages: usize,
    /// Append the tables to this file
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// Choice of the generated data.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Worlds {
    /// As `siskin demo --plain` makes it
    Plain,
    /// As `siskin demo --plain --moderated` makes it
    Moderated,
    /// As `siskin demo --plain --quoting` makes it; only home timelines are measured
    Quoting,
    /// The first two
    Both,
    All,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EngineName {
    Sqlite,
    Postgres,
}

/// One kind of generated data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorldKind {
    Plain,
    Moderated,
    Quoting,
}

impl WorldKind {
    /// Returns `true` if the scenario with this name is measured in this world. Quotes make a
    /// difference to pages of statuses, for which home timelines are the example.
    pub fn measures(self, name: &str) -> bool {
        self != Self::Quoting || name == HOME
    }
}

impl fmt::Display for WorldKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Plain => "plain",
            Self::Moderated => "moderated",
            Self::Quoting => "quoting",
        })
    }
}

/// Number of accounts that take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    AtMost(usize),
    All,
}

impl Readers {
    /// Returns the maximum number.
    pub const fn limit(self) -> usize {
        match self {
            Self::AtMost(number) => number,
            Self::All => usize::MAX,
        }
    }
}

impl FromStr for Readers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            _ if text == "all" => Ok(Self::All),
            Ok(number) if number > 0 => Ok(Self::AtMost(number)),
            _ => Err("must be a number above 0, or all".to_owned()),
        }
    }
}

impl Arguments {
    /// Checks options that exclude each other.
    ///
    /// # Errors
    /// If the databases are not one for each world, all of one engine.
    pub fn check(&self) -> Result<()> {
        let databases = &self.database;
        ensure!(
            databases.is_empty() || databases.len() == self.worlds().len(),
            "one database holds one world: give --database once for each world of --world"
        );
        ensure!(
            databases.iter().all(|url| self.engines() == [engine_of(url)]),
            "all databases must be of one engine"
        );
        Ok(())
    }

    /// Returns the given database for a world.
    pub fn database(&self, world: WorldKind) -> Option<&str> {
        let place = self.worlds().iter().position(|kind| *kind == world)?;
        self.database.get(place).map(String::as_str)
    }

    /// Returns the worlds to measure.
    pub fn worlds(&self) -> &'static [WorldKind] {
        match (self.world, self.database.first()) {
            (Some(Worlds::Plain), _) | (None, Some(_)) => &[WorldKind::Plain],
            (Some(Worlds::Moderated), _) => &[WorldKind::Moderated],
            (Some(Worlds::Quoting), _) => &[WorldKind::Quoting],
            (Some(Worlds::Both), _) => &[WorldKind::Plain, WorldKind::Moderated],
            (Some(Worlds::All), _) | (None, None) => {
                &[WorldKind::Plain, WorldKind::Moderated, WorldKind::Quoting]
            }
        }
    }

    /// Returns the number of readers in a world.
    pub fn readers(&self, world: WorldKind) -> Readers {
        self.readers.unwrap_or(Readers::AtMost(match world {
            WorldKind::Plain | WorldKind::Quoting => 8,
            WorldKind::Moderated => 500,
        }))
    }

    /// Returns the engines to measure. Prints which of them are not installed.
    pub fn engines(&self) -> Vec<Engine> {
        if let Some(url) = self.database.first() {
            return vec![engine_of(url)];
        }
        let engines = self.engine.iter().map(|name| match name {
            EngineName::Sqlite => Engine::Sqlite,
            EngineName::Postgres => Engine::Postgres,
        });
        engines.filter(|engine| engine.is_available()).collect()
    }

    /// Returns `true` if the scenario with this name is to be measured.
    pub fn selects(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| name.contains(only))
    }
}

fn engine_of(url: &str) -> Engine {
    if url.starts_with("postgres") { Engine::Postgres } else { Engine::Sqlite }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Arguments {
        Arguments::try_parse_from([&["siskin-bench"], arguments].concat()).unwrap()
    }

    #[test]
    fn each_world_has_its_number_of_readers_unless_one_is_given() {
        let numbers = |arguments: &[&str]| {
            let arguments = parse(arguments);
            [WorldKind::Plain, WorldKind::Moderated].map(|world| arguments.readers(world).limit())
        };
        assert_eq!(numbers(&[]), [8, 500]);
        assert_eq!(numbers(&["--readers", "20"]), [20, 20]);
        assert_eq!(numbers(&["--readers", "all"]), [usize::MAX; 2]);
        assert!("0".parse::<Readers>().is_err() && "some".parse::<Readers>().is_err());
    }

    #[test]
    fn scenarios_are_selected_by_name_and_world() {
        assert!(parse(&[]).selects("home"));
        let some = parse(&["--only", "home,stat"]);
        assert!(some.selects("home") && some.selects("status") && !some.selects("find"));
        assert!(WorldKind::Quoting.measures("home") && !WorldKind::Quoting.measures("find"));
        assert!(WorldKind::Moderated.measures("find"));
    }

    #[test]
    fn given_databases_hold_one_world_each() {
        let database = ["--database", "sqlite://x"];
        assert_eq!(parse(&[]).worlds().len(), 3);
        assert_eq!(parse(&database).worlds(), [WorldKind::Plain]);
        let moderated = parse(&[&database[..], &["--world", "moderated"]].concat());
        assert_eq!(moderated.worlds(), [WorldKind::Moderated]);
        assert!(moderated.check().is_ok());
        let both = [&database[..], &["--world", "both"]].concat();
        assert!(parse(&both).check().is_err());
        let of_each = parse(&[&both[..], &["--database", "sqlite://y"]].concat());
        assert!(of_each.check().is_ok());
        let databases = [WorldKind::Plain, WorldKind::Moderated, WorldKind::Quoting]
            .map(|world| of_each.database(world));
        assert_eq!(databases, [Some("sqlite://x"), Some("sqlite://y"), None]);
        let mixed = parse(&[&both[..], &["--database", "postgres://y"]].concat());
        assert!(mixed.check().is_err());
    }
}
