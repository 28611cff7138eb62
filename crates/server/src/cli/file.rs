//! The configuration file.

use std::{collections::BTreeMap, fs, num::NonZeroUsize, path::Path, path::PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use siskin_entities::Settings;
use toml::Value;

use super::{bucket::Bucket, external_login::ExternalLogin};
use crate::Secret;

/// The contents of the file, under the names of the flags.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub bind: Option<String>,
    pub metrics_bind: Option<String>,
    pub database: Option<String>,
    pub media: Option<PathBuf>,
    pub base_url: Option<String>,
    pub domain: Option<String>,
    pub test_hooks: Option<bool>,
    pub trusted_proxies: Option<Vec<String>>,
    pub connections_per_address: Option<NonZeroUsize>,
    pub outbound_allow: Option<Vec<String>>,
    pub dns_servers: Option<Vec<String>>,
    pub redis_url: Option<String>,
    pub smtp_url: Option<String>,
    pub mail_from: Option<String>,
    pub ffmpeg: Option<String>,
    #[serde(default)]
    pub(super) s3: Bucket,
    pub translation_backend: Option<String>,
    pub translation_url: Option<String>,
    pub translation_api_key: Option<Secret>,
    #[serde(default)]
    pub(super) external_login: Vec<ExternalLogin>,
    /// Keys with dots may be written as tables: `[settings.limits]`.
    #[serde(default)]
    settings: BTreeMap<String, Value>,
    /// Settings by the names of their environment variables.
    #[serde(skip)]
    by_variable: BTreeMap<String, String>,
}

impl File {
    pub(super) fn read(path: &Path) -> Result<Self> {
        Self::parse(&fs::read_to_string(path)?)
    }

    fn parse(text: &str) -> Result<Self> {
        let mut file: Self = toml::from_str(text)?;
        let mut flat = Vec::new();
        for (key, value) in &file.settings {
            flatten(key, value, &mut flat)?;
        }
        for (key, value) in flat {
            // Checks the type of the value before anything starts.
            Settings::default().set(&key, &value).context("in the table [settings]")?;
            file.by_variable.insert(Settings::environment_name(&key), value);
        }
        Ok(file)
    }

    /// Returns the value of the setting that this environment variable would fix.
    pub(super) fn setting(&self, variable: &str) -> Option<String> {
        self.by_variable.get(variable).cloned()
    }
}

fn flatten(key: &str, value: &Value, flat: &mut Vec<(String, String)>) -> Result<()> {
    let text = match value {
        Value::Table(table) => {
            for (name, value) in table {
                flatten(&format!("{key}.{name}"), value, flat)?;
            }
            return Ok(());
        }
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(yes) => yes.to_string(),
        Value::Float(_) | Value::Datetime(_) | Value::Array(_) => {
            bail!("the setting {key} must be a string, an integer, true or false")
        }
    };
    flat.push((key.to_owned(), text));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_found_by_their_variables() {
        let file = File::parse(
            "bind = \"127.0.0.1:80\"\n[settings]\nregistrations = \"open\"\n\
             \"rate_limits.sign_in\" = 9\n[settings.rate_limits]\nenabled = false\n",
        )
        .unwrap();
        assert_eq!(file.bind.as_deref(), Some("127.0.0.1:80"));
        assert_eq!(file.setting("SISKIN_REGISTRATIONS").as_deref(), Some("open"));
        assert_eq!(file.setting("SISKIN_RATE_LIMITS_SIGN_IN").as_deref(), Some("9"));
        assert_eq!(file.setting("SISKIN_RATE_LIMITS_ENABLED").as_deref(), Some("false"));
        assert_eq!(file.setting("SISKIN_SITE_TITLE"), None);
    }

    #[test]
    fn unknown_keys_and_wrong_types_are_refused() {
        for text in [
            "bnid = \"127.0.0.1:80\"",
            "bind = 80",
            "[s3]\nbuckets = \"a\"",
            "[settings]\nregistration = \"open\"",
            "[settings]\nregistrations = \"maybe\"",
            "[settings]\nmax_bio_chars = 1.5",
        ] {
            assert!(File::parse(text).is_err(), "{text}");
        }
    }
}
