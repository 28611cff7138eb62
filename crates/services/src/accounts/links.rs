//! Verified links: a profile field is verified if its page links back to the profile by `rel="me"`.
//! This shows that both belong to the same owner.
//!
//! This module decides which links are due. A job fetches the page with no connection held.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{Account, Field};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx, accounts as rows};

use crate::{
    Result,
    jobs::{self, Job, TakesTurns},
};

/// Maximum length of a link that is fetched, in bytes.
const MAX_LINK_BYTES: usize = 2048;

/// Job that checks whether a page links back to a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyLink {
    pub account: AccountId,
    /// Value of the profile field, as typed.
    pub link: String,
}

impl Job for VerifyLink {
    const KIND: &'static str = "verify_link";
}

impl TakesTurns for VerifyLink {
    const PACE: Duration = Duration::from_secs(10);
}

/// Enqueues a check for every link in the profile fields that is not verified yet.
pub(super) fn enqueue(tx: &mut Tx<'_>, account: AccountId, fields: &[Field]) -> Result<()> {
    for field in fields.iter().filter(|field| is_due(field)) {
        let job = VerifyLink { account, link: field.value.clone() };
        jobs::enqueue_in_turn(tx, &job, account, Some(&field.value))?;
    }
    Ok(())
}

fn is_due(field: &Field) -> bool {
    let link = field.value.as_str();
    let is_web = ["https://", "http://"].iter().any(|scheme| {
        link.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
    });
    field.verified_at.is_none()
        && is_web
        && link.len() <= MAX_LINK_BYTES
        && !link.contains(char::is_whitespace)
}

/// Returns the address of the profile that the page must link to. Returns `None` if the field was
/// removed or verified meanwhile, or if the account is hidden.
///
/// # Errors
/// Storage errors only.
pub fn profile_of(conn: &mut Conn, job: &VerifyLink) -> Result<Option<String>> {
    let Some(account) = rows::find(conn, job.account)? else { return Ok(None) };
    let is_visible = account.is_local() && account.state.reachable && !account.state.suspended;
    Ok(account.url.clone().filter(|_| is_visible && is_pending(&account, job)))
}

fn is_pending(account: &Account, job: &VerifyLink) -> bool {
    account.fields.iter().any(|field| field.value == job.link && field.verified_at.is_none())
}

/// Marks the link as verified, unless the profile has changed meanwhile.
///
/// # Errors
/// Storage errors only.
pub fn mark_verified(tx: &mut Tx<'_>, job: &VerifyLink) -> Result<()> {
    rows::lock(tx, &[job.account])?;
    let Some(account) = rows::find(tx, job.account)? else { return Ok(()) };
    if !is_pending(&account, job) {
        return Ok(());
    }
    let now = tx.now();
    let mut fields = account.fields.clone();
    for field in fields.iter_mut().filter(|field| field.value == job.link) {
        field.verified_at.get_or_insert(now);
    }
    Ok(rows::update_fields(tx, job.account, &fields)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_that_are_whole_links_are_verified() {
        let due = |value: &str| {
            is_due(&Field {
                name: "x".to_owned(),
                value: value.to_owned(),
                value_html: String::new(),
                verified_at: None,
            })
        };
        assert!(due("https://ann.example") && due("HTTP://ann.example/a"));
        for value in ["", "ann", "ann.example", "see https://ann.example", "https://a b", "ftp://a"]
        {
            assert!(!due(value), "{value}");
        }
        assert!(!due(&format!("https://a.example/{}", "x".repeat(MAX_LINK_BYTES))));
    }
}
