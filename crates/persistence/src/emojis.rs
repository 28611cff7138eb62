//! Custom emojis of this server, and their shortcodes in texts.

use std::collections::{BTreeSet, HashMap};

use diesel::prelude::*;
use siskin_entities::{AccountSnapshot, CustomEmoji, Picture};
use siskin_ids::CustomEmojiId;
use siskin_text::shortcodes;

use crate::{Conn, Result, Tx, equals_any::TextExpression as _, schema::custom_emojis};

/// Maximum number of names to look up. For more names, one query loads all emojis, which costs less
/// than a statement with that many parameters.
const NAMES_AT_ONCE: usize = 500;

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = custom_emojis)]
struct EmojiRow {
    shortcode: String,
    category: Option<String>,
    file: String,
    still_file: Option<String>,
    visible_in_picker: bool,
}

impl From<EmojiRow> for CustomEmoji {
    fn from(row: EmojiRow) -> Self {
        Self {
            shortcode: row.shortcode,
            picture: Picture { file: row.file, still: row.still_file },
            category: row.category,
            visible_in_picker: row.visible_in_picker,
        }
    }
}

/// Loads all emojis of this server, sorted by category and name. Those without a category come
/// last.
pub fn list(conn: &mut Conn) -> Result<Vec<CustomEmoji>> {
    let rows: Vec<EmojiRow> = custom_emojis::table
        .filter(custom_emojis::domain.is_null())
        .select(EmojiRow::as_select())
        .load(conn)?;
    let mut emojis: Vec<CustomEmoji> = rows.into_iter().map(CustomEmoji::from).collect();
    // The engines sort texts differently.
    emojis.sort_by(|a, b| {
        let key = |emoji: &CustomEmoji| {
            (emoji.category.is_none(), emoji.category.clone(), emoji.shortcode.to_lowercase())
        };
        key(a).cmp(&key(b)).then_with(|| a.shortcode.cmp(&b.shortcode))
    });
    Ok(emojis)
}

/// Loads the emoji of this server with this shortcode.
pub fn find(conn: &mut Conn, shortcode: &str) -> Result<Option<CustomEmoji>> {
    let row: Option<EmojiRow> = custom_emojis::table
        .filter(custom_emojis::domain.is_null())
        .filter(custom_emojis::shortcode.eq(shortcode))
        .select(EmojiRow::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(CustomEmoji::from))
}

/// Returns the id of the emoji of this server with this shortcode.
pub fn id_of(conn: &mut Conn, shortcode: &str) -> Result<Option<CustomEmojiId>> {
    Ok(custom_emojis::table
        .filter(custom_emojis::domain.is_null())
        .filter(custom_emojis::shortcode.eq(shortcode))
        .select(custom_emojis::id)
        .first(conn)
        .optional()?)
}

/// Inserts an emoji.
///
/// # Errors
/// [`crate::Error::Duplicate`] if the shortcode is taken.
pub fn insert(tx: &mut Tx<'_>, emoji: &CustomEmoji) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::insert_into(custom_emojis::table)
        .values((
            custom_emojis::id.eq(CustomEmojiId::new(tx.next_id())),
            custom_emojis::shortcode.eq(&emoji.shortcode),
            custom_emojis::category.eq(&emoji.category),
            custom_emojis::file.eq(&emoji.picture.file),
            custom_emojis::still_file.eq(&emoji.picture.still),
            custom_emojis::visible_in_picker.eq(emoji.visible_in_picker),
            custom_emojis::created_at.eq(now),
            custom_emojis::updated_at.eq(now),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Replaces all attributes of the emoji with this shortcode.
pub fn update(tx: &mut Tx<'_>, emoji: &CustomEmoji) -> Result<()> {
    let here = custom_emojis::domain.is_null();
    diesel::update(custom_emojis::table.filter(here))
        .filter(custom_emojis::shortcode.eq(&emoji.shortcode))
        .set((
            custom_emojis::category.eq(&emoji.category),
            custom_emojis::file.eq(&emoji.picture.file),
            custom_emojis::still_file.eq(&emoji.picture.still),
            custom_emojis::visible_in_picker.eq(emoji.visible_in_picker),
            custom_emojis::updated_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes the emoji with this shortcode.
pub fn delete(tx: &mut Tx<'_>, shortcode: &str) -> Result<()> {
    let here = custom_emojis::domain.is_null();
    diesel::delete(custom_emojis::table.filter(here))
        .filter(custom_emojis::shortcode.eq(shortcode))
        .execute(&mut **tx)?;
    Ok(())
}

/// Loads the emojis of this server with these shortcodes, by their shortcodes. May also return
/// others. Runs one statement, or none without shortcodes.
pub fn named(conn: &mut Conn, names: &BTreeSet<&str>) -> Result<HashMap<String, CustomEmoji>> {
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let here =
        custom_emojis::table.filter(custom_emojis::domain.is_null()).select(EmojiRow::as_select());
    let rows: Vec<EmojiRow> = if names.len() > NAMES_AT_ONCE {
        here.load(conn)?
    } else {
        here.filter(custom_emojis::shortcode.equals_any_text(names)).load(conn)?
    };
    let emojis = rows.into_iter().map(CustomEmoji::from);
    Ok(emojis.map(|emoji| (emoji.shortcode.clone(), emoji)).collect())
}

/// The emojis that a batch of texts contains, loaded with one statement at most.
#[derive(Debug, Default)]
pub(crate) struct TextEmojis {
    by_name: HashMap<String, CustomEmoji>,
}

impl TextEmojis {
    /// Loads the emojis that these texts of local accounts contain.
    pub(crate) fn in_texts<'t>(
        conn: &mut Conn,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Result<Self> {
        let names: BTreeSet<&str> = texts.into_iter().flat_map(shortcodes).collect();
        Ok(Self { by_name: named(conn, &names)? })
    }

    /// Returns the emojis that these texts contain, without duplicates, in order of first
    /// appearance.
    pub(crate) fn of<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Vec<CustomEmoji> {
        if self.by_name.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<CustomEmoji> = Vec::new();
        for name in texts.into_iter().flat_map(shortcodes) {
            let is_new = found.iter().all(|emoji| emoji.shortcode != name);
            found.extend(self.by_name.get(name).filter(|_| is_new).cloned());
        }
        found
    }
}

/// Sets the emojis of each local account. Remote accounts use the emojis of their own server.
pub(crate) fn add_to_accounts(conn: &mut Conn, accounts: &mut [AccountSnapshot]) -> Result<()> {
    let local = || accounts.iter().filter(|account| account.is_local());
    let named = TextEmojis::in_texts(conn, local().flat_map(texts_of))?;
    for account in accounts.iter_mut().filter(|account| account.is_local()) {
        account.emojis = named.of(texts_of(account));
    }
    Ok(())
}

/// Returns the texts of an account that can contain emojis.
fn texts_of(account: &AccountSnapshot) -> impl Iterator<Item = &str> {
    let fields = account.fields.iter().flat_map(|field| [&*field.name, &*field.value]);
    [&*account.display_name, &*account.note].into_iter().chain(fields)
}
