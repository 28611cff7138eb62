//! Custom emojis. The operator adds them; all users can use them.

use siskin_entities::{Actor, AuditAction, AuditTarget, CustomEmoji, Picture, TargetKind};
use siskin_ids::CustomEmojiId;
use siskin_persistence::{Conn, Tx, emojis};
use siskin_policy::limits::MAX_EMOJI_CATEGORY_CHARS;
use siskin_text::{MAX_SHORTCODE_LENGTH, TextLimit, is_blank, valid_shortcode};

use crate::{Error, Result, audit, media};

/// Checked name, category and visibility of an emoji. Its picture is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    shortcode: String,
    category: Option<String>,
    visible_in_picker: bool,
}

/// Result of adding an emoji.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// There was no emoji with this name.
    New,
    /// It replaced an emoji with the same name.
    Replaced,
}

/// Lists all emojis by category and name.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn) -> Result<Vec<CustomEmoji>> {
    Ok(emojis::list(conn)?)
}

/// Returns the emoji with this name.
///
/// # Errors
/// [`Error::NotFound`] if there is none, also for a text that no emoji can have as its name.
pub fn find(conn: &mut Conn, shortcode: &str) -> Result<CustomEmoji> {
    if !valid_shortcode(shortcode) {
        return Err(Error::NotFound);
    }
    emojis::find(conn, shortcode)?.ok_or(Error::NotFound)
}

/// Returns `true` if there is an emoji with this name.
///
/// # Errors
/// Storage errors only.
pub fn exists(conn: &mut Conn, shortcode: &str) -> Result<bool> {
    Ok(valid_shortcode(shortcode) && emojis::find(conn, shortcode)?.is_some())
}

/// Checks the name and category of an emoji. A blank category means none.
///
/// # Errors
/// [`Error::Invalid`] with the reason.
pub fn prepare(
    shortcode: &str,
    category: Option<&str>,
    visible_in_picker: bool,
) -> Result<Prepared> {
    if !valid_shortcode(shortcode) {
        return Err(Error::invalid(format!(
            "the name of an emoji must have 2 to {MAX_SHORTCODE_LENGTH} characters: letters from a \
             to z, digits and underscores"
        )));
    }
    let category = category.map(str::trim).filter(|category| !is_blank(category));
    if category.is_some_and(|it| !TextLimit::of(MAX_EMOJI_CATEGORY_CHARS).fits_code_points(it)) {
        return Err(Error::invalid(format!(
            "a category may have at most {MAX_EMOJI_CATEGORY_CHARS} characters"
        )));
    }
    Ok(Prepared {
        shortcode: shortcode.to_owned(),
        category: category.map(str::to_owned),
        visible_in_picker,
    })
}

/// Adds an emoji with a stored picture, or replaces the one with the same name.
///
/// # Errors
/// Storage errors only.
pub fn put(tx: &mut Tx<'_>, actor: Actor, prepared: &Prepared, picture: &Picture) -> Result<Added> {
    let emoji = CustomEmoji {
        shortcode: prepared.shortcode.clone(),
        picture: picture.clone(),
        category: prepared.category.clone(),
        visible_in_picker: prepared.visible_in_picker,
    };
    match emojis::find(tx, &emoji.shortcode)? {
        None => {
            emojis::insert(tx, &emoji)?;
            record(tx, actor, AuditAction::Create, &emoji.shortcode)?;
            Ok(Added::New)
        }
        Some(before) => {
            emojis::update(tx, &emoji)?;
            record(tx, actor, AuditAction::Update, &emoji.shortcode)?;
            media::discard(tx, [before.picture])?;
            Ok(Added::Replaced)
        }
    }
}

/// Adds an emoji with a stored picture.
///
/// # Errors
/// [`Error::Invalid`] if there is one with the same name.
pub fn add(tx: &mut Tx<'_>, actor: Actor, prepared: &Prepared, picture: &Picture) -> Result<()> {
    if exists(tx, &prepared.shortcode)? {
        return Err(Error::invalid("an emoji with this name exists already"));
    }
    put(tx, actor, prepared, picture).map(drop)
}

/// Changes the category and the visibility of the emoji with this name. It keeps its picture.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this name.
pub fn change(tx: &mut Tx<'_>, actor: Actor, prepared: &Prepared) -> Result<()> {
    let before = find(tx, &prepared.shortcode)?;
    let after = CustomEmoji {
        category: prepared.category.clone(),
        visible_in_picker: prepared.visible_in_picker,
        ..before.clone()
    };
    if after == before {
        return Ok(());
    }
    emojis::update(tx, &after)?;
    record(tx, actor, AuditAction::Update, &after.shortcode)
}

/// Deletes an emoji. Texts that contain it then show its name.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this name.
pub fn delete(tx: &mut Tx<'_>, actor: Actor, shortcode: &str) -> Result<()> {
    let emoji = find(tx, shortcode)?;
    record(tx, actor, AuditAction::Delete, shortcode)?;
    emojis::delete(tx, shortcode)?;
    media::discard(tx, [emoji.picture])
}

/// Records what was done with the emoji of this name, which is stored.
fn record(tx: &mut Tx<'_>, actor: Actor, action: AuditAction, shortcode: &str) -> Result<()> {
    let target = AuditTarget {
        kind: TargetKind::CustomEmoji,
        id: emojis::id_of(tx, shortcode)?.map(CustomEmojiId::get),
        name: format!(":{shortcode}:"),
    };
    audit::record(tx, actor, action, &target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_categories_have_their_limits() {
        assert!(prepare("blob_cat2", Some("Cats & more"), true).is_ok());
        for bad in ["", "x", "a-b", "é2", "a b", &"x".repeat(MAX_SHORTCODE_LENGTH + 1)] {
            assert!(prepare(bad, None, true).is_err(), "{bad}");
        }
        assert_eq!(prepare("cat", Some(" "), true).unwrap().category, None);
        assert!(prepare("cat", Some(&"é".repeat(100)), true).is_ok());
        assert!(prepare("cat", Some(&"é".repeat(101)), true).is_err());
    }
}
