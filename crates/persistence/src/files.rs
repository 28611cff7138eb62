//! Which stored files the rows name.

use std::collections::BTreeSet;

use diesel::{prelude::*, sql_query, sql_types::Text};

use crate::{Conn, Result};

/// Every column that names files.
const COLUMNS: &[(&str, &str)] = &[
    ("accounts", "avatar_file"),
    ("accounts", "avatar_still_file"),
    ("accounts", "header_file"),
    ("accounts", "header_still_file"),
    ("custom_emojis", "file"),
    ("custom_emojis", "still_file"),
    ("media_attachments", "file"),
    ("media_attachments", "preview_file"),
    ("media_attachments", "source_file"),
    ("preview_cards", "image_file"),
];

/// The names of all files that rows name.
///
/// # Errors
/// Those of storage.
pub fn named(conn: &mut Conn) -> Result<BTreeSet<String>> {
    #[derive(QueryableByName)]
    struct Named {
        #[diesel(sql_type = Text)]
        file: String,
    }
    let mut found = BTreeSet::new();
    for (table, column) in COLUMNS {
        let sql = format!("SELECT {column} AS file FROM {table} WHERE {column} IS NOT NULL");
        let named: Vec<Named> = sql_query(sql).load(conn)?;
        found.extend(named.into_iter().map(|named| named.file));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_that_names_files_is_looked_at() {
        let mut table = "";
        let mut columns = Vec::new();
        for line in include_str!("schema.rs").lines().map(str::trim) {
            if let Some((name, _)) = line.split_once(" (").filter(|_| line.ends_with('{')) {
                table = name;
            }
            if let Some((name, _)) = line
                .split_once(" -> ")
                .filter(|(name, _)| *name == "file" || name.ends_with("_file"))
            {
                columns.push((table, name));
            }
        }
        columns.sort_unstable();
        assert_eq!(columns, COLUMNS);
    }
}
