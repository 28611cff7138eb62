//! The seed file: applications, accounts and tokens to create.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;
use siskin_ids::AccountId;
use siskin_services::accounts::profile::Changes;

/// A whole file. Unknown keys are refused instead of being ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    #[serde(default, rename = "comment")]
    _comment: Option<String>,
    /// Name of the site.
    title: Option<String>,
    #[serde(default)]
    settings: BTreeMap<String, Value>,
    #[serde(default)]
    pub apps: Vec<App>,
    #[serde(default)]
    pub accounts: Vec<Person>,
}

/// A client application.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct App {
    pub name: String,
    pub website: Option<String>,
    pub client_id: String,
    pub client_secret: String,
    /// Redirect URIs, separated by spaces or line breaks.
    pub redirect_uri: String,
    pub scopes: String,
}

/// An account. With a domain it is a remote account.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Person {
    /// Id as text or as a number.
    id: Option<Value>,
    pub username: String,
    pub domain: Option<String>,
    /// `activitypub` (the default) or `ostatus`, for remote accounts.
    pub protocol: Option<String>,
    pub email: Option<String>,
    pub password: Option<String>,
    pub role: Option<String>,
    pub locale: Option<String>,
    locked: Option<bool>,
    discoverable: Option<bool>,
    indexable: Option<bool>,
    display_name: Option<String>,
    note: Option<String>,
    /// Names of followed accounts; those of remote accounts with their domains.
    #[serde(default)]
    pub follows: Vec<String>,
    #[serde(default)]
    pub tokens: Vec<Token>,
}

/// An access token.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// Client id of an application in the file.
    pub client_id: Option<String>,
    pub token: String,
    pub scopes: String,
}

impl File {
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path);
        let text = text.with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("cannot use {}", path.display()))
    }

    /// Returns keys and values in text form, including the title.
    pub fn settings(&self) -> Result<Vec<(String, String)>> {
        let title = self.title.iter().map(|title| Ok(("site_title".to_owned(), title.clone())));
        let settings =
            self.settings.iter().map(|(key, value)| Ok((key.clone(), text(key, value)?)));
        title.chain(settings).collect()
    }
}

fn text(key: &str, value: &Value) -> Result<String> {
    Ok(match value {
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        _ => bail!("the setting {key} must be a string, a number, true or false"),
    })
}

impl Person {
    pub fn id(&self) -> Result<Option<AccountId>> {
        let id = match &self.id {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        Ok(Some(id.parse().with_context(|| format!("{id} is not a valid id"))?))
    }

    pub fn profile(&self) -> Changes {
        Changes {
            display_name: self.display_name.clone(),
            note: self.note.clone(),
            locked: self.locked,
            discoverable: self.discoverable.map(Some),
            indexable: self.indexable,
            ..Changes::default()
        }
    }
}
