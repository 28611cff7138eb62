//! The bodies of answers that say what went wrong.

use std::{collections::BTreeMap, sync::Arc};

use serde::Serialize;
use siskin_entities::Account as View;

use crate::{
    account::{self, Account},
    urls::Urls,
};

/// What went wrong, in words for the person at the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Error {
    pub error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_description: Option<String>,
}

/// What is wrong with each field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ValidationError {
    pub error: String,
    pub details: BTreeMap<String, Vec<Fault>>,
}

/// Accounts that a post mentions and the client did not expect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnexpectedAccounts {
    pub error: String,
    pub unexpected_accounts: Vec<Account>,
}

/// One thing wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    #[serde(rename = "error")]
    pub code: FaultCode,
    /// In words for the person at the client.
    pub description: String,
}

/// What kind of thing is wrong with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum FaultCode {
    /// The e-mail provider is not allowed here.
    #[serde(rename = "ERR_BLOCKED")]
    Blocked,
    /// No mail can be sent there.
    #[serde(rename = "ERR_UNREACHABLE")]
    Unreachable,
    /// Someone has it already.
    #[serde(rename = "ERR_TAKEN")]
    Taken,
    /// Nobody may have it.
    #[serde(rename = "ERR_RESERVED")]
    Reserved,
    /// It must be agreed to.
    #[serde(rename = "ERR_ACCEPTED")]
    Accepted,
    #[serde(rename = "ERR_BLANK")]
    Blank,
    #[serde(rename = "ERR_INVALID")]
    Invalid,
    #[serde(rename = "ERR_TOO_LONG")]
    TooLong,
    #[serde(rename = "ERR_TOO_SHORT")]
    TooShort,
    /// It is none of the values that can be chosen.
    #[serde(rename = "ERR_INCLUSION")]
    Inclusion,
}

/// The plain body: one sentence.
#[must_use]
pub fn plain(error: &str) -> Error {
    Error { error: error.to_owned(), error_description: None }
}

/// The body of OAuth 2 (RFC 6749, 5.2): a code for the program, a sentence for the person.
#[must_use]
pub fn described(code: &str, description: &str) -> Error {
    Error { error: code.to_owned(), error_description: Some(description.to_owned()) }
}

/// The body for a form with wrong fields; each fault is a field's name and what is wrong with it.
#[must_use]
pub fn invalid(error: &str, faults: impl IntoIterator<Item = (String, Fault)>) -> ValidationError {
    let mut details = BTreeMap::<String, Vec<Fault>>::new();
    for (field, fault) in faults {
        details.entry(field).or_default().push(fault);
    }
    ValidationError { error: error.to_owned(), details }
}

/// Renders the answer to a post that mentions accounts which the client did not expect.
#[must_use]
pub fn unexpected_accounts(error: &str, accounts: &[Arc<View>], urls: &Urls) -> UnexpectedAccounts {
    UnexpectedAccounts {
        error: error.to_owned(),
        unexpected_accounts: accounts.iter().map(|one| account::render(one, urls)).collect(),
    }
}
