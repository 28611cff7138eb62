//! Custom emojis of this server, and which of them texts name.

use std::collections::{BTreeSet, HashMap};

use diesel::prelude::*;
use siskin_entities::{AccountCore, CustomEmoji, Picture};
use siskin_ids::CustomEmojiId;
use siskin_text::shortcodes;

use crate::{Conn, Result, Tx, among::TextExpression as _, schema::custom_emojis};

/// More names than this are not asked for one by one: all emojis are fewer than a statement with
/// so many parameters is worth.
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

/// All emojis of this server by category and name; those without a category come last.
pub fn list(conn: &mut Conn) -> Result<Vec<CustomEmoji>> {
    let rows: Vec<EmojiRow> = custom_emojis::table
        .filter(custom_emojis::domain.is_null())
        .select(EmojiRow::as_select())
        .load(conn)?;
    let mut emojis: Vec<CustomEmoji> = rows.into_iter().map(CustomEmoji::from).collect();
    // The engines order texts in ways of their own.
    emojis.sort_by(|a, b| {
        let key = |emoji: &CustomEmoji| {
            (emoji.category.is_none(), emoji.category.clone(), emoji.shortcode.to_lowercase())
        };
        key(a).cmp(&key(b)).then_with(|| a.shortcode.cmp(&b.shortcode))
    });
    Ok(emojis)
}

/// The emoji of this server with this name.
pub fn find(conn: &mut Conn, shortcode: &str) -> Result<Option<CustomEmoji>> {
    let row: Option<EmojiRow> = custom_emojis::table
        .filter(custom_emojis::domain.is_null())
        .filter(custom_emojis::shortcode.eq(shortcode))
        .select(EmojiRow::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(CustomEmoji::from))
}

/// Adds an emoji whose name is free.
///
/// # Errors
/// [`crate::Error::Duplicate`] where it is not.
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

/// Replaces everything of the emoji with this name.
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

/// Removes the emoji with this name.
pub fn delete(tx: &mut Tx<'_>, shortcode: &str) -> Result<()> {
    let here = custom_emojis::domain.is_null();
    diesel::delete(custom_emojis::table.filter(here))
        .filter(custom_emojis::shortcode.eq(shortcode))
        .execute(&mut **tx)?;
    Ok(())
}

/// The emojis that a batch of texts names, found in one statement at most.
#[derive(Debug, Default)]
pub(crate) struct Named {
    by_name: HashMap<String, CustomEmoji>,
}

impl Named {
    /// Those that texts of this server's accounts name.
    pub(crate) fn in_texts<'t>(
        conn: &mut Conn,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Result<Self> {
        let names: BTreeSet<&str> = texts.into_iter().flat_map(shortcodes).collect();
        if names.is_empty() {
            return Ok(Self::default());
        }
        let here = custom_emojis::table
            .filter(custom_emojis::domain.is_null())
            .select(EmojiRow::as_select());
        let rows: Vec<EmojiRow> = if names.len() > NAMES_AT_ONCE {
            here.load(conn)?
        } else {
            here.filter(custom_emojis::shortcode.among_texts(names)).load(conn)?
        };
        let emojis = rows.into_iter().map(CustomEmoji::from);
        Ok(Self { by_name: emojis.map(|emoji| (emoji.shortcode.clone(), emoji)).collect() })
    }

    /// Those that these texts name, each once, in the order in which they stand there.
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

/// Gives each account the emojis that it names. Those of other servers have names of their own.
pub(crate) fn add_to_accounts(conn: &mut Conn, accounts: &mut [AccountCore]) -> Result<()> {
    let local = || accounts.iter().filter(|account| account.is_local());
    let named = Named::in_texts(conn, local().flat_map(texts_of))?;
    for account in accounts.iter_mut().filter(|account| account.is_local()) {
        account.emojis = named.of(texts_of(account));
    }
    Ok(())
}

/// Where an account can name emojis.
fn texts_of(account: &AccountCore) -> impl Iterator<Item = &str> {
    let fields = account.fields.iter().flat_map(|field| [&*field.name, &*field.value]);
    [&*account.display_name, &*account.note].into_iter().chain(fields)
}
