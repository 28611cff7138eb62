//! Texts that staff use again when they warn accounts.

use siskin_entities::{Actor, AuditAction, TargetKind, WarningPreset};
use siskin_ids::WarningPresetId;
use siskin_persistence::{Conn, Tx, warning_presets as rows};
use siskin_policy::limits::{MAX_PRESET_TITLE_CHARS, MAX_STRIKE_CHARS, MAX_WARNING_PRESETS};
use siskin_text::{TextLimit, is_blank};

use crate::{Error, Result, audit};

pub use siskin_persistence::warning_presets::NewPreset;

/// Returns all texts, ordered by title.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn) -> Result<Vec<WarningPreset>> {
    let mut all = rows::list(conn, most())?;
    all.sort_by_key(|preset| preset.title.to_lowercase());
    Ok(all)
}

fn most() -> i64 {
    i64::try_from(MAX_WARNING_PRESETS).unwrap_or(i64::MAX)
}

/// Returns the text with this id.
///
/// # Errors
/// [`Error::NotFound`] if there is none.
pub fn find(conn: &mut Conn, id: WarningPresetId) -> Result<WarningPreset> {
    rows::find(conn, id)?.ok_or(Error::NotFound)
}

/// Checks a text, and trims white space around it and its title.
///
/// # Errors
/// [`Error::Invalid`] for a blank text, and beyond the limits.
pub fn prepare(title: &str, text: &str) -> Result<NewPreset> {
    let (title, text) = (title.trim(), text.trim());
    if is_blank(text) {
        return Err(Error::validation("Text can't be blank"));
    }
    if !TextLimit::of(MAX_STRIKE_CHARS).fits_code_points(text) {
        return Err(Error::validation(format!(
            "Text is too long (maximum is {MAX_STRIKE_CHARS} characters)"
        )));
    }
    if !TextLimit::of(MAX_PRESET_TITLE_CHARS).fits_code_points(title) {
        return Err(Error::validation(format!(
            "Title is too long (maximum is {MAX_PRESET_TITLE_CHARS} characters)"
        )));
    }
    Ok(NewPreset { title: title.to_owned(), text: text.to_owned() })
}

/// Adds a text.
///
/// # Errors
/// [`Error::Invalid`] if there are [`MAX_WARNING_PRESETS`] already.
pub fn add(tx: &mut Tx<'_>, actor: Actor, new: &NewPreset) -> Result<WarningPresetId> {
    if rows::list(tx, most())?.len() >= MAX_WARNING_PRESETS {
        return Err(Error::validation(format!(
            "There are too many texts (maximum is {MAX_WARNING_PRESETS})"
        )));
    }
    let id = rows::insert(tx, new)?;
    record(tx, actor, AuditAction::Create, id, (&new.title, &new.text))?;
    Ok(id)
}

/// Changes a text. Warnings that contain it stay as they are.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id.
pub fn edit(tx: &mut Tx<'_>, actor: Actor, id: WarningPresetId, new: &NewPreset) -> Result<()> {
    find(tx, id)?;
    if rows::update(tx, id, new)? {
        record(tx, actor, AuditAction::Update, id, (&new.title, &new.text))?;
    }
    Ok(())
}

/// Deletes a text. Warnings that contain it stay as they are.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id.
pub fn delete(tx: &mut Tx<'_>, actor: Actor, id: WarningPresetId) -> Result<()> {
    let preset = find(tx, id)?;
    if rows::delete(tx, id)? {
        record(tx, actor, AuditAction::Delete, id, (&preset.title, &preset.text))
    } else {
        Err(Error::NotFound)
    }
}

/// Returns what names a text: its title, or the beginning of the text.
#[must_use]
pub fn name(preset: &WarningPreset) -> String {
    name_of(&preset.title, &preset.text)
}

fn name_of(title: &str, text: &str) -> String {
    audit::beginning(if is_blank(title) { text } else { title })
}

fn record(
    tx: &mut Tx<'_>,
    actor: Actor,
    action: AuditAction,
    id: WarningPresetId,
    (title, text): (&str, &str),
) -> Result<()> {
    let target = audit::target(TargetKind::WarningPreset, id.get(), name_of(title, text));
    audit::record(tx, actor, action, &target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_for_warnings_has_limits() {
        let prepared = prepare(" Spam\n", " No advertising.\n").unwrap();
        assert_eq!((&*prepared.title, &*prepared.text), ("Spam", "No advertising."));
        assert!(prepare("", &"é".repeat(MAX_STRIKE_CHARS)).is_ok());
        assert!(prepare("", &"é".repeat(MAX_STRIKE_CHARS + 1)).is_err());
        assert!(prepare(&"é".repeat(MAX_PRESET_TITLE_CHARS + 1), "x").is_err());
        assert!(prepare("Spam", " \u{200B}\n").is_err());
    }

    #[test]
    fn a_text_without_a_title_is_named_by_its_beginning() {
        let id = WarningPresetId::new(1);
        let named = |title: &str, text: &str| {
            name(&WarningPreset { id, title: title.to_owned(), text: text.to_owned() })
        };
        assert_eq!(named("Spam", "No advertising."), "Spam");
        assert_eq!(named("", "No advertising.\nAt all."), "No advertising.");
    }
}
