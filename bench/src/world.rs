//! Generated data for the measurements.

use std::{path::PathBuf, process::Command};

use anyhow::{Result, ensure};
use siskin_server::Config;
use siskin_test_support::{Engine, TestDatabase};
use tempfile::TempDir;

use crate::{
    arguments::{Arguments, WorldKind},
    client::text,
    process::beside,
};

/// Number of tokens that one run of `siskin` creates.
const TOKENS: usize = 500;

/// Filled database, with a temporary folder for media. Both are deleted on drop, unless the
/// database was given.
#[derive(Debug)]
pub struct World {
    pub kind: WorldKind,
    folder: TempDir,
    database_url: String,
    /// Database on a private PostgreSQL server.
    database: Option<TestDatabase>,
}

impl World {
    /// Fills a database with `siskin demo`, or uses one that is already filled.
    pub fn create(arguments: &Arguments, engine: Engine, kind: WorldKind) -> Result<Self> {
        let folder = TempDir::new()?;
        let (database_url, database) = match (arguments.database(kind), engine) {
            (Some(url), _) => (url.to_owned(), None),
            (None, Engine::Sqlite) => {
                let file = folder.path().join("siskin.sqlite3");
                (format!("sqlite://{}", file.display()), None)
            }
            (None, Engine::Postgres) => {
                let database = TestDatabase::empty(engine);
                (database.url().to_owned(), Some(database))
            }
        };
        let world = Self { kind, folder, database_url, database };
        if arguments.filled {
            return Ok(world);
        }
        let numbers = [arguments.accounts, arguments.statuses, arguments.follows];
        let [accounts, statuses, follows] = numbers.map(|number| number.to_string());
        let mut command = vec![
            "demo",
            "--plain",
            "--accounts",
            &accounts,
            "--statuses",
            &statuses,
            "--follows",
            &follows,
        ];
        match kind {
            WorldKind::Plain => {}
            WorldKind::Moderated => command.push("--moderated"),
            WorldKind::Quoting => command.push("--quoting"),
        }
        world.run(&command)?;
        if let Some(database) = &world.database {
            // The private server has no autovacuum.
            database.execute("ANALYZE");
        }
        Ok(world)
    }

    /// Returns a command that runs the `siskin` binary of this build on this database.
    pub fn siskin(&self) -> Result<Command> {
        let mut command = Command::new(beside("siskin")?);
        command
            .env_clear()
            .env("SISKIN_DATABASE_URL", &self.database_url)
            .env("SISKIN_MEDIA_DIR", self.media())
            .env("SISKIN_BASE_URL", "http://localhost:3000");
        Ok(command)
    }

    /// Runs a subcommand of `siskin` and returns its output.
    pub fn run(&self, arguments: &[&str]) -> Result<String> {
        let output = self.siskin()?.args(arguments).output()?;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "siskin {arguments:?}: {error}");
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Creates an access token for each of these accounts, in their order. An account that occurs
    /// several times gets several tokens.
    pub fn tokens(&self, usernames: &[&str]) -> Result<Vec<String>> {
        let mut tokens = Vec::new();
        for some in usernames.chunks(TOKENS) {
            let mut command = vec!["tokens", "create", "--scopes", "read write push"];
            command.extend(some.iter().flat_map(|name| ["--account", name]));
            for line in self.run(&command)?.lines() {
                tokens.push(text(&serde_json::from_str(line)?, "access_token")?);
            }
        }
        ensure!(tokens.len() == usernames.len(), "not every account got a token");
        Ok(tokens)
    }

    /// Returns the configuration for a server in this process, which counts its SQL statements.
    pub fn config(&self) -> Config {
        let mut config = Config::new(&self.database_url);
        config.bind = "127.0.0.1:0".to_owned();
        config.media_dir = self.media();
        config.base_url = Some("http://localhost:3000".to_owned());
        config.count_statements = true;
        config.fixed_settings.push(("rate_limits.enabled".to_owned(), "false".to_owned()));
        config
    }

    fn media(&self) -> PathBuf {
        self.folder.path().join("media")
    }
}
