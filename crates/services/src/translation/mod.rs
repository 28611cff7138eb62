//! Statuses in other languages: which may be translated for whom, what of them is sent, and what
//! is kept of an answer.
//!
//! Who translates is not known here, and nobody is asked: the caller does that between
//! [`find`] and [`keep`], with no transaction open.

mod original;

use std::time::Duration;

use siskin_entities::{Status, Timestamp};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{Conn, Tx, accounts, translations};

use crate::{Error, Result, statuses};

pub use original::Original;
pub use translations::Answered;

/// How long an answer is good for. An edit is another text, so it is never shown for that.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// What somebody asked to read in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// As its reader sees it.
    pub status: Status,
    /// The language in which the reader uses this server, where they said so.
    pub locale: Option<String>,
}

/// A status that may be shown to a service of strangers: only what everybody may read is.
///
/// # Errors
/// [`Error::NotFound`] where it is gone, or not for this reader; [`Error::Forbidden`] where it is
/// not for everybody.
pub fn find(conn: &mut Conn, viewer: Option<AccountId>, id: StatusId) -> Result<Found> {
    let status = statuses::find(conn, viewer, id)?;
    if !status.shown().visibility.is_open() {
        return Err(Error::forbidden("Only public and unlisted posts can be translated"));
    }
    let reader = viewer.map(|viewer| accounts::credentials(conn, viewer)).transpose()?.flatten();
    Ok(Found { status, locale: reader.and_then(|reader| reader.locale) })
}

/// The answer that is kept under this key, if any.
///
/// # Errors
/// Storage errors only.
pub fn kept(conn: &mut Conn, key: &str, now: Timestamp) -> Result<Option<Answered>> {
    Ok(translations::find(conn, key, now)?)
}

/// Keeps an answer for those who ask for the same within a week.
///
/// # Errors
/// Storage errors only.
pub fn keep(tx: &mut Tx<'_>, key: &str, answered: &Answered) -> Result<()> {
    let expires = tx.now().after(KEPT);
    Ok(translations::keep(tx, key, answered, expires)?)
}
