//! Cached responses of the translation service. The caller computes the key from the texts and the
//! languages. This module translates nothing.

use diesel::prelude::*;
use siskin_entities::Timestamp;

use crate::{Conn, Error, Result, Tx, conn::each, schema::translations};

/// A response of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranslatedTexts {
    /// Translated texts, in the order of the request.
    pub texts: Vec<String>,
    /// The source language that the service detected.
    pub detected: Option<String>,
}

/// Loads the answer with this key if it has not expired at `now`.
pub fn find(conn: &mut Conn, key: &str, now: Timestamp) -> Result<Option<TranslatedTexts>> {
    let found: Option<(String, Option<String>)> = translations::table
        .filter(translations::key.eq(key))
        .filter(translations::expires_at.gt(now.unix_ms()))
        .select((translations::texts, translations::detected))
        .first(conn)
        .optional()?;
    let Some((texts, detected)) = found else { return Ok(None) };
    let texts = serde_json::from_str(&texts).map_err(|_| Error::Damaged("translations.texts"))?;
    Ok(Some(TranslatedTexts { texts, detected }))
}

/// Stores an answer under a key until it expires. Replaces an earlier answer.
pub fn store(
    tx: &mut Tx<'_>,
    key: &str,
    answered: &TranslatedTexts,
    expires: Timestamp,
) -> Result<()> {
    let texts =
        serde_json::to_string(&answered.texts).map_err(|_| Error::Damaged("translations.texts"))?;
    let values = (
        translations::texts.eq(texts),
        translations::detected.eq(&answered.detected),
        translations::expires_at.eq(expires.unix_ms()),
    );
    let row = (translations::key.eq(key), values.clone());
    each!(&mut **tx, conn => diesel::insert_into(translations::table)
        .values(row)
        .on_conflict(translations::key)
        .do_update()
        .set(values)
        .execute(conn))?;
    Ok(())
}
