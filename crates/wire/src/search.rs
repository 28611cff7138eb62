//! Search results.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use siskin_entities as view;

use crate::{
    account::Account,
    budget::{Budget, Keep, MAX_LIST_BYTES, write_rendered},
    pieces::{Pieces, write_accounts, write_statuses},
    status::Status,
    tag::{self, Tag},
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

/// Returns the JSON of [`Search`] with as many of these results as the budget allows. Accounts and
/// statuses have half of it each; hashtags are small.
#[must_use]
pub fn write(
    accounts: &[Arc<view::Account>],
    statuses: &[view::Status],
    hashtags: &[view::Tag],
    pieces: &Pieces<'_>,
) -> Vec<u8> {
    let half = Budget { bytes: MAX_LIST_BYTES / 2, keep: Keep::First };
    let mut out = b"{\"accounts\":".to_vec();
    write_accounts(&mut out, accounts, half, pieces);
    out.extend_from_slice(b",\"statuses\":");
    write_statuses(&mut out, statuses, half, pieces);
    out.extend_from_slice(b",\"hashtags\":");
    write_rendered(&mut out, hashtags, half, |found| tag::render(found, pieces.urls));
    out.push(b'}');
    out
}
