//! Blocks and allows of other servers by staff.
//!
//! A block hides the accounts of its domain, and ends or deletes nothing. So the end of a block
//! restores what it hid.

mod allows;
mod blocks;
mod import;
mod limits;
mod list_file;
mod preview;

pub use allows::{allow, disallow, find_allow, find_allow_by_domain, list_all_allows, list_allows};
pub use blocks::{
    BlockChanges, BlockRequest, Blocking, CONFLICT, ChangeRequest, NewDomainBlock, block, find,
    find_by_domain, list, list_all, prepare, prepare_changes, severity, shown, unblock, update,
};
pub use import::{IMPORTED_AT_ONCE, apply, dry_run, only_here};
pub use limits::{
    LimitDomain, LimitKnownDomains, Walk, WronglyLimited, limit_again, limit_domain, limit_found,
    limit_new_account, walk, wrongly_limited,
};
pub use list_file::{MAX_BYTES, MAX_LINES, ParsedLine, export, parse};
pub use preview::preview;

use siskin_entities::Urls;
use siskin_policy::domains::covers;
use siskin_text::normalise_domain;

use crate::{Error, Result};

/// Returns a domain in its stored form. Trims white space around it.
///
/// # Errors
/// [`Error::Invalid`] if the text is no domain name, or an IP address.
fn domain(typed: &str) -> Result<String> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Err(Error::validation("Domain can't be blank"));
    }
    let domain = normalise_domain(typed).filter(|domain| is_name(domain));
    domain.ok_or_else(|| Error::validation("Domain is not a valid domain name"))
}

/// Returns a domain that can be blocked, in its stored form.
///
/// # Errors
/// [`Error::Invalid`] if the text is no domain name, and if a block of it would cover this server.
fn blockable_domain(urls: &Urls, typed: &str) -> Result<String> {
    let is_own =
        |domain: String| [urls.domain(), urls.host()].iter().any(|own| covers(&domain, own));
    if normalise_domain(typed.trim()).is_some_and(is_own) {
        return Err(Error::validation("Domain is that of this server"));
    }
    domain(typed)
}

/// Returns `true` if a normalised domain consists of names, which the stars of an obfuscated domain
/// and the numbers of an IP address are not.
fn is_name(domain: &str) -> bool {
    let host = domain.split(':').next().unwrap_or_default();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let last = host.rsplit('.').next().unwrap_or_default();
    host.chars().all(is_part) && last.contains(|c: char| !c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls() -> Urls {
        Urls::new("https://social.here.example", "social.here.example", "https://m.example")
    }

    #[test]
    fn domains_are_normalised() {
        for (typed, stored) in [
            ("Bad.Example", "bad.example"),
            (" bad.example\n", "bad.example"),
            ("BÜCHER.example", "xn--bcher-kva.example"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("example", "example"),
            ("bad.example:3000", "bad.example:3000"),
            ("under_score.4chan", "under_score.4chan"),
        ] {
            assert_eq!(domain(typed).unwrap(), stored, "{typed}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for typed in [
            "",
            " ",
            "bad example",
            "https://bad.example",
            "bad.example/",
            "@bad.example",
            "*.bad.example",
            "ba*.exa***e",
            "bad..example",
            "bad.example.",
            "127.0.0.1",
            "10.1",
            "1.2.3.4:3000",
            "[::1]",
            "bad!.example",
        ] {
            assert!(matches!(domain(typed), Err(Error::Invalid(_))), "{typed:?}");
        }
    }

    #[test]
    fn this_server_cannot_be_blocked() {
        for typed in ["social.here.example", "SOCIAL.here.example", "here.example", "example"] {
            assert!(blockable_domain(&urls(), typed).is_err(), "{typed}");
        }
        for typed in ["other.example", "a.social.here.example", "cial.here.example"] {
            assert_eq!(blockable_domain(&urls(), typed).unwrap(), typed);
        }
    }
}
