//! Texts about the instance that staff wrote, and the versions of the terms of service. A change
//! notifies all running servers, like a change of a setting.

use diesel::{
    dsl::exists,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::{TextName, Timestamp, time::Date};

use crate::{
    Conn, Result, Tx, events,
    schema::{instance_texts, terms_of_service},
};

/// Text in Markdown with the time of its last change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredText {
    pub text: String,
    pub updated_at: Timestamp,
}

/// Version of the terms of service in Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTerms {
    pub effective_date: Date,
    pub text: StoredText,
}

/// Loads the text with this name. Returns `None` if staff wrote none.
pub fn find(conn: &mut Conn, name: TextName) -> Result<Option<StoredText>> {
    let row: Option<(String, i64)> = instance_texts::table
        .find(name.as_str())
        .select((instance_texts::text, instance_texts::updated_at))
        .first(conn)
        .optional()?;
    Ok(row.map(stored))
}

/// Stores a text. Returns `false` if it was the same before; then its time stays.
pub fn set(tx: &mut Tx<'_>, name: TextName, text: &str) -> Result<bool> {
    let now = tx.now().unix_ms();
    let changed = sql_query(
        "INSERT INTO instance_texts (name, text, updated_at) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at
         WHERE instance_texts.text <> excluded.text",
    )
    .bind::<Text, _>(name.as_str())
    .bind::<Text, _>(text)
    .bind::<BigInt, _>(now)
    .execute(&mut **tx)?;
    notify_if(tx, name, changed)
}

/// Deletes a text, so that the default is shown. Returns `false` if there was none.
pub fn remove(tx: &mut Tx<'_>, name: TextName) -> Result<bool> {
    let removed = diesel::delete(instance_texts::table.find(name.as_str())).execute(&mut **tx)?;
    notify_if(tx, name, removed)
}

/// Loads all versions of the terms of service, the earliest first.
pub fn terms(conn: &mut Conn) -> Result<Vec<StoredTerms>> {
    let rows: Vec<(i64, String, i64)> = terms_of_service::table
        .order(terms_of_service::effective_date)
        .select((
            terms_of_service::effective_date,
            terms_of_service::text,
            terms_of_service::updated_at,
        ))
        .load(conn)?;
    let version = |(date, text, updated_at)| StoredTerms {
        effective_date: Date(Timestamp::from_unix_ms(date)),
        text: stored((text, updated_at)),
    };
    Ok(rows.into_iter().map(version).collect())
}

/// Loads the dates of all versions of the terms of service, the earliest first.
pub fn terms_dates(conn: &mut Conn) -> Result<Vec<Date>> {
    let dates: Vec<i64> = terms_of_service::table
        .order(terms_of_service::effective_date)
        .select(terms_of_service::effective_date)
        .load(conn)?;
    Ok(dates.into_iter().map(|date| Date(Timestamp::from_unix_ms(date))).collect())
}

/// Returns `true` if a version of the terms of service is in effect at `now`.
pub fn any_terms_in_effect(conn: &mut Conn, now: Timestamp) -> Result<bool> {
    let begun = terms_of_service::table.filter(terms_of_service::effective_date.le(now.unix_ms()));
    Ok(diesel::select(exists(begun)).get_result(conn)?)
}

/// Stores the version of the terms of service with this date. Returns `false` if it was the same
/// before.
pub fn set_terms(tx: &mut Tx<'_>, date: Date, text: &str) -> Result<bool> {
    let now = tx.now().unix_ms();
    let changed = sql_query(
        "INSERT INTO terms_of_service (effective_date, text, updated_at) VALUES ($1, $2, $3)
         ON CONFLICT (effective_date) DO UPDATE
             SET text = excluded.text, updated_at = excluded.updated_at
         WHERE terms_of_service.text <> excluded.text",
    )
    .bind::<BigInt, _>(date.0.midnight().unix_ms())
    .bind::<Text, _>(text)
    .bind::<BigInt, _>(now)
    .execute(&mut **tx)?;
    notify_if(tx, TextName::TermsOfService, changed)
}

/// Returns the time at which staff let the users know of the version with this date. Returns `None`
/// if they did not, and if there is no such version.
pub fn terms_announced_at(conn: &mut Conn, date: Date) -> Result<Option<Timestamp>> {
    let at: Option<Option<i64>> = terms_of_service::table
        .find(date.0.midnight().unix_ms())
        .select(terms_of_service::announced_at)
        .first(conn)
        .optional()?;
    Ok(at.flatten().map(Timestamp::from_unix_ms))
}

/// Stores that staff let the users know of the version with this date now. Returns `false` if there
/// is no such version.
pub fn announce_terms(tx: &mut Tx<'_>, date: Date) -> Result<bool> {
    let changed = diesel::update(terms_of_service::table.find(date.0.midnight().unix_ms()))
        .set(terms_of_service::announced_at.eq(tx.now().unix_ms()))
        .execute(&mut **tx)?;
    Ok(changed == 1)
}

/// Deletes the version of the terms of service with this date. Returns `false` if there was none.
pub fn remove_terms(tx: &mut Tx<'_>, date: Date) -> Result<bool> {
    let version = terms_of_service::table.find(date.0.midnight().unix_ms());
    let removed = diesel::delete(version).execute(&mut **tx)?;
    notify_if(tx, TextName::TermsOfService, removed)
}

fn stored((text, updated_at): (String, i64)) -> StoredText {
    StoredText { text, updated_at: Timestamp::from_unix_ms(updated_at) }
}

/// Notifies all running servers if rows were changed.
fn notify_if(tx: &mut Tx<'_>, name: TextName, changed: usize) -> Result<bool> {
    if changed > 0 {
        events::insert(tx, events::SETTINGS_CHANGED, name.as_str())?;
    }
    Ok(changed > 0)
}
