//! Bodies of error responses.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use siskin_entities::Account as View;

use crate::{
    account::{self, Account},
    urls::Urls,
};

/// Error with a message for the user of the client.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Error {
    /// Message for the user, or a code of OAuth.
    pub error: String,
    /// Message for the user if `error` is a code; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_description: Option<String>,
}

/// Errors of the fields of a form.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ValidationError {
    /// Message that sums up all errors.
    pub error: String,
    /// Errors by the name of their field.
    #[serde(default)]
    pub details: BTreeMap<String, Vec<Fault>>,
}

/// Accounts that a post mentions although the client did not expect them.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct UnexpectedAccounts {
    /// Message for the user of the client.
    pub error: String,
    /// Mentioned accounts that the client did not list.
    pub unexpected_accounts: Vec<Account>,
}

/// Error of one field.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Fault {
    /// Kind of the error.
    #[serde(rename = "error")]
    pub code: FaultCode,
    /// Message for the user of the client.
    pub description: String,
}

/// Kind of an error of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub enum FaultCode {
    /// The email provider is not allowed on this server.
    #[serde(rename = "ERR_BLOCKED")]
    Blocked,
    /// The address cannot receive email.
    #[serde(rename = "ERR_UNREACHABLE")]
    Unreachable,
    /// The value is already in use.
    #[serde(rename = "ERR_TAKEN")]
    Taken,
    /// The value is reserved.
    #[serde(rename = "ERR_RESERVED")]
    Reserved,
    /// The terms must be accepted.
    #[serde(rename = "ERR_ACCEPTED")]
    Accepted,
    /// The value is empty.
    #[serde(rename = "ERR_BLANK")]
    Blank,
    /// The value has the wrong form.
    #[serde(rename = "ERR_INVALID")]
    Invalid,
    /// The value is longer than allowed.
    #[serde(rename = "ERR_TOO_LONG")]
    TooLong,
    /// The value is shorter than allowed.
    #[serde(rename = "ERR_TOO_SHORT")]
    TooShort,
    /// The value is not one of the allowed values.
    #[serde(rename = "ERR_INCLUSION")]
    Inclusion,
    /// A code of another server. Siskin never sends it.
    #[serde(rename = "ERR_OTHER", other)]
    Other,
}

/// Builds the plain body with one sentence.
#[must_use]
pub fn plain(error: &str) -> Error {
    Error { error: error.to_owned(), error_description: None }
}

/// Builds the body of OAuth 2 (RFC 6749, 5.2): a code for the program, a sentence for the user.
#[must_use]
pub fn described(code: &str, description: &str) -> Error {
    Error { error: code.to_owned(), error_description: Some(description.to_owned()) }
}

/// Builds the body for a form with invalid fields. Each fault is a field name with its error.
#[must_use]
pub fn invalid(error: &str, faults: impl IntoIterator<Item = (String, Fault)>) -> ValidationError {
    let mut details = BTreeMap::<String, Vec<Fault>>::new();
    for (field, fault) in faults {
        details.entry(field).or_default().push(fault);
    }
    ValidationError { error: error.to_owned(), details }
}

/// Renders the response to a post that mentions accounts which the client did not expect.
#[must_use]
pub fn unexpected_accounts(error: &str, accounts: &[Arc<View>], urls: &Urls) -> UnexpectedAccounts {
    UnexpectedAccounts {
        error: error.to_owned(),
        unexpected_accounts: accounts.iter().map(|one| account::render(one, urls)).collect(),
    }
}
