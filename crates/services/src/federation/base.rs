//! The address of this server in the network. Other servers bind keys and handles to it, so it does
//! not change any more once a document has left.

use siskin_entities::Urls;
use siskin_persistence::{Conn, Tx, secrets};

use crate::{Error, Result};

/// Key under which the database stores the address: base URL and domain of handles, separated by a
/// space.
const NAME: &str = "federation_address";

/// Fixes the address of this server for ever. Call it before the first document leaves.
///
/// # Errors
/// Storage errors only.
pub fn fix(tx: &mut Tx<'_>, urls: &Urls) -> Result<()> {
    secrets::find_or_insert(tx, NAME, &stored(urls))?;
    Ok(())
}

/// Returns `true` if a document has left, so the address cannot change any more.
///
/// # Errors
/// Storage errors only.
pub fn is_fixed(conn: &mut Conn) -> Result<bool> {
    Ok(secrets::find(conn, NAME)?.is_some())
}

/// Checks that this server has the address under which others know it.
///
/// # Errors
/// [`Error::Conflict`] if it has another one.
pub fn check(conn: &mut Conn, urls: &Urls) -> Result<()> {
    match secrets::find(conn, NAME)? {
        Some(fixed) if fixed != stored(urls) => Err(Error::Conflict(changed(&fixed, urls))),
        Some(_) | None => Ok(()),
    }
}

fn stored(urls: &Urls) -> String {
    format!("{} {}", urls.base(), urls.domain())
}

fn changed(fixed: &str, urls: &Urls) -> String {
    let (base, domain) = fixed.split_once(' ').unwrap_or((fixed, ""));
    let (new_base, new_domain) = (urls.base(), urls.domain());
    format!(
        "other servers know this server by the address {base} and handles of {domain}, so it \
         cannot change to {new_base} and handles of {new_domain}: they would take all its accounts \
         for new ones"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_both_addresses() {
        let old = Urls::new("https://social.a.example", "a.example", "");
        let new = Urls::new("https://b.example", "b.example", "");
        let message = changed(&stored(&old), &new);
        assert!(message.contains("https://social.a.example and handles of a.example"), "{message}");
        assert!(message.contains("https://b.example and handles of b.example"), "{message}");
    }
}
