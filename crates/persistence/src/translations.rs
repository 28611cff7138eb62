//! Answers of the service that translates, kept for a while.

use diesel::prelude::*;
use siskin_entities::Timestamp;

use crate::{Conn, Error, Result, Tx, conn::each, schema::translations};

/// What the service answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub texts: Vec<String>,
    /// The language that it found out.
    pub detected: Option<String>,
}

/// What was kept under this key and is still good at `now`.
pub fn find(conn: &mut Conn, key: &str, now: Timestamp) -> Result<Option<Answered>> {
    let found: Option<(String, Option<String>)> = translations::table
        .filter(translations::key.eq(key))
        .filter(translations::expires_at.gt(now.unix_ms()))
        .select((translations::texts, translations::detected))
        .first(conn)
        .optional()?;
    let Some((texts, detected)) = found else { return Ok(None) };
    let texts = serde_json::from_str(&texts).map_err(|_| Error::Damaged("translations.texts"))?;
    Ok(Some(Answered { texts, detected }))
}

/// Keeps an answer under a key until it expires, in the place of one that was kept before.
pub fn keep(tx: &mut Tx<'_>, key: &str, answered: &Answered, expires: Timestamp) -> Result<()> {
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
