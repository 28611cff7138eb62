//! Sample data for the measurements.

use std::{path::PathBuf, process::Command};

use anyhow::{Result, ensure};
use siskin_server::Config;
use tempfile::TempDir;

use crate::{Arguments, process::beside};

/// Filled database in a temporary folder, deleted on drop.
#[derive(Debug)]
pub struct World {
    folder: TempDir,
    database: String,
}

impl World {
    /// Fills a database with `siskin demo`, or uses one that is already filled.
    pub fn create(arguments: &Arguments) -> Result<Self> {
        let folder = TempDir::new()?;
        let file = folder.path().join("siskin.sqlite3");
        let database =
            arguments.database.clone().unwrap_or_else(|| format!("sqlite://{}", file.display()));
        let world = Self { folder, database };
        if arguments.filled {
            return Ok(world);
        }
        world.run(&[
            "demo",
            "--plain",
            "--accounts",
            &arguments.accounts.to_string(),
            "--statuses",
            &arguments.statuses.to_string(),
            "--follows",
            &arguments.follows.to_string(),
        ])?;
        Ok(world)
    }

    /// Returns a command that runs the `siskin` binary of this build on this database.
    pub fn siskin(&self) -> Result<Command> {
        let mut command = Command::new(beside("siskin")?);
        command
            .env_clear()
            .env("SISKIN_DATABASE_URL", &self.database)
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

    /// Returns the configuration for a server in this process, which counts its SQL statements.
    pub fn config(&self) -> Config {
        let mut config = Config::new(&self.database);
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
