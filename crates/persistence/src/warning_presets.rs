//! Texts that staff use again when they warn accounts.

use diesel::prelude::*;
use siskin_entities::WarningPreset;
use siskin_ids::WarningPresetId;

use crate::{Conn, Result, Tx, schema::warning_presets};

/// A text that is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPreset {
    pub title: String,
    pub text: String,
}

/// Loads up to `limit` texts, the oldest first.
pub fn list(conn: &mut Conn, limit: i64) -> Result<Vec<WarningPreset>> {
    let rows: Vec<(WarningPresetId, String, String)> = warning_presets::table
        .order(warning_presets::id)
        .limit(limit)
        .select((warning_presets::id, warning_presets::title, warning_presets::text))
        .load(conn)?;
    Ok(rows.into_iter().map(|(id, title, text)| WarningPreset { id, title, text }).collect())
}

/// Loads the text with this id.
pub fn find(conn: &mut Conn, id: WarningPresetId) -> Result<Option<WarningPreset>> {
    let row: Option<(String, String)> = warning_presets::table
        .find(id)
        .select((warning_presets::title, warning_presets::text))
        .first(conn)
        .optional()?;
    Ok(row.map(|(title, text)| WarningPreset { id, title, text }))
}

/// Inserts a text.
pub fn insert(tx: &mut Tx<'_>, new: &NewPreset) -> Result<WarningPresetId> {
    let (id, now) = (WarningPresetId::new(tx.next_id()), tx.now().unix_ms());
    diesel::insert_into(warning_presets::table)
        .values((
            warning_presets::id.eq(id),
            warning_presets::title.eq(&new.title),
            warning_presets::text.eq(&new.text),
            warning_presets::created_at.eq(now),
            warning_presets::updated_at.eq(now),
        ))
        .execute(&mut **tx)?;
    Ok(id)
}

/// Changes a text. Returns `false` if it is so already, or if there is none with this id. Of several
/// simultaneous callers with the same texts, one gets `true`.
pub fn update(tx: &mut Tx<'_>, id: WarningPresetId, new: &NewPreset) -> Result<bool> {
    let differs = warning_presets::title.ne(&new.title).or(warning_presets::text.ne(&new.text));
    let changed = diesel::update(warning_presets::table.find(id).filter(differs))
        .set((
            warning_presets::title.eq(&new.title),
            warning_presets::text.eq(&new.text),
            warning_presets::updated_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(changed == 1)
}

/// Deletes a text. Returns `false` if there is none with this id.
pub fn delete(tx: &mut Tx<'_>, id: WarningPresetId) -> Result<bool> {
    Ok(diesel::delete(warning_presets::table.find(id)).execute(&mut **tx)? == 1)
}
