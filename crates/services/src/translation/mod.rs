//! Translation of statuses: permission to translate, texts to send, and cached responses.
//!
//! This module does not know the translation service. The caller sends the request between [`find`]
//! and [`store`], with no transaction open.

mod original;

use std::time::Duration;

use siskin_entities::{Status, Timestamp};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{Conn, Tx, accounts, translations};

use crate::{Error, Result, statuses};

pub use original::Original;
pub use translations::TranslatedTexts;

/// How long a response is cached. An edited status has another text and so another cache key.
const TTL: Duration = Duration::from_secs(7 * 24 * 3600);

/// Status to be translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// As the viewer sees it.
    pub status: Status,
    /// Interface language of the viewer, if set.
    pub locale: Option<String>,
}

/// Returns a status for translation. Only public and unlisted statuses may be sent to a third-party
/// service.
///
/// # Errors
/// [`Error::NotFound`] if it does not exist, or is hidden from `viewer`; [`Error::Forbidden`] if it
/// is neither public nor unlisted.
pub fn find(conn: &mut Conn, viewer: Option<AccountId>, id: StatusId) -> Result<Found> {
    let status = statuses::find(conn, viewer, id)?;
    if !status.displayed().visibility.is_open() {
        return Err(Error::forbidden("Only public and unlisted posts can be translated"));
    }
    let credentials =
        viewer.map(|viewer| accounts::credentials(conn, viewer)).transpose()?.flatten();
    Ok(Found { status, locale: credentials.and_then(|credentials| credentials.locale) })
}

/// Returns the cached response for this key, if any.
///
/// # Errors
/// Storage errors only.
pub fn cached(conn: &mut Conn, key: &str, now: Timestamp) -> Result<Option<TranslatedTexts>> {
    Ok(translations::find(conn, key, now)?)
}

/// Caches a response for a week.
///
/// # Errors
/// Storage errors only.
pub fn store(tx: &mut Tx<'_>, key: &str, answered: &TranslatedTexts) -> Result<()> {
    let expires = tx.now().after(TTL);
    Ok(translations::store(tx, key, answered, expires)?)
}
