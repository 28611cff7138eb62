//! Search results.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use siskin_entities as view;

use crate::{
    account::{self, Account},
    budget::{Budget, write_rendered},
    status::Status,
    tag::Tag,
    urls::Urls,
};

/// Results of each kind, best match first. A kind that was not requested has an empty list.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Search {
    /// Accounts.
    pub accounts: Vec<Account>,
    /// Statuses.
    pub statuses: Vec<Status>,
    /// Hashtags.
    pub hashtags: Vec<Tag>,
}

/// Returns the JSON of [`Search`] with as many of these accounts as the budget allows.
#[must_use]
pub fn write_accounts(found: &[Arc<view::Account>], urls: &Urls) -> Vec<u8> {
    let mut out = b"{\"accounts\":".to_vec();
    write_rendered(&mut out, found, Budget::FIRST, |found| account::render(found, urls));
    out.extend_from_slice(b",\"statuses\":[],\"hashtags\":[]}");
    out
}
