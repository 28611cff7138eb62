//! What a search found.

use serde::Serialize;

use crate::{account::Account, status::Status, tag::Tag};

/// The finds of each kind, those that fit best first; an empty list where none were asked for.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Search {
    pub accounts: Vec<Account>,
    pub statuses: Vec<Status>,
    pub hashtags: Vec<Tag>,
}
