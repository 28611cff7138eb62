//! Stored files that rows refer to, and the audience of each file.

use std::collections::BTreeSet;

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{Bool, Text},
};

use crate::{
    Conn, Result,
    conn::each,
    prepared::prepared,
    schema::{
        accounts, custom_emojis, export_parts, instance_pictures, media_attachments, preview_cards,
    },
};

/// Generates the queries that run over each column of a list.
macro_rules! columns {
    ($($table:ident.$column:ident,)+) => {
        /// All columns with names of files.
        #[cfg(test)]
        const COLUMNS: &[(&str, &str)] = &[$((stringify!($table), stringify!($column))),+];

        /// Returns the names of all files that rows refer to.
        ///
        /// # Errors
        /// Storage errors.
        pub fn named(conn: &mut Conn) -> Result<BTreeSet<String>> {
            let mut found = BTreeSet::new();
            $(
                let named = $table::table.select($table::$column.nullable());
                found.extend(named.load::<Option<String>>(conn)?.into_iter().flatten());
            )+
            Ok(found)
        }

        /// Returns those of these files that rows refer to.
        ///
        /// # Errors
        /// Storage errors.
        pub fn referenced_of(conn: &mut Conn, files: &[String]) -> Result<BTreeSet<String>> {
            let mut found = BTreeSet::new();
            $(
                let named = $table::table
                    .filter($table::$column.eq_any(files))
                    .select($table::$column.nullable());
                found.extend(named.load::<Option<String>>(conn)?.into_iter().flatten());
            )+
            Ok(found)
        }
    };
}

columns! {
    accounts.avatar_file,
    accounts.avatar_still_file,
    accounts.header_file,
    accounts.header_still_file,
    custom_emojis.file,
    custom_emojis.still_file,
    export_parts.file,
    instance_pictures.file,
    media_attachments.file,
    media_attachments.preview_file,
    media_attachments.source_file,
    preview_cards.image_file,
}

/// The audience of a stored file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Every client, so caches may keep it.
    Everyone,
    /// Clients that know its address. It belongs to a private or direct status, or to none yet.
    Few,
}

/// Selects the rows that name a file, and whether the file is public. Excludes files of deleted
/// statuses and of suspended accounts. Includes uploads that never had a status: clients show them
/// while their owner writes.
const VISIBLE_FILES: &str = "
    SELECT COALESCE(s.visibility <= 1, FALSE) AS is_open FROM media_attachments m
        JOIN accounts a ON a.id = m.account_id LEFT JOIN statuses s ON s.id = m.status_id
        WHERE m.file = $1 AND a.suspended_at IS NULL AND a.reachable
            AND (s.id IS NOT NULL OR m.scheduled_status_id IS NOT NULL
                OR m.unattached_at = m.created_at)
    UNION ALL
    SELECT COALESCE(s.visibility <= 1, FALSE) FROM media_attachments m
        JOIN accounts a ON a.id = m.account_id LEFT JOIN statuses s ON s.id = m.status_id
        WHERE m.preview_file = $1 AND a.suspended_at IS NULL AND a.reachable
            AND (s.id IS NOT NULL OR m.scheduled_status_id IS NOT NULL
                OR m.unattached_at = m.created_at)
    UNION ALL SELECT TRUE FROM accounts WHERE avatar_file = $1 AND suspended_at IS NULL
    UNION ALL SELECT TRUE FROM accounts WHERE avatar_still_file = $1 AND suspended_at IS NULL
    UNION ALL SELECT TRUE FROM accounts WHERE header_file = $1 AND suspended_at IS NULL
    UNION ALL SELECT TRUE FROM accounts WHERE header_still_file = $1 AND suspended_at IS NULL
    UNION ALL SELECT TRUE FROM custom_emojis WHERE file = $1
    UNION ALL SELECT TRUE FROM custom_emojis WHERE still_file = $1
    UNION ALL SELECT TRUE FROM preview_cards WHERE image_file = $1
    UNION ALL SELECT TRUE FROM instance_pictures WHERE file = $1";

/// Returns the audience of a file; `None` if it is not served. Runs one statement of index lookups.
///
/// # Errors
/// Storage errors.
pub fn audience(conn: &mut Conn, file: &str) -> Result<Option<Audience>> {
    #[derive(QueryableByName)]
    struct VisibleFile {
        #[diesel(sql_type = Bool)]
        is_open: bool,
    }
    let query = sql_query(VISIBLE_FILES).bind::<Text, _>(file);
    let rows: Vec<VisibleFile> = each!(conn, conn => prepared(query).load(conn))?;
    let is_open = rows.iter().any(|row| row.is_open);
    let audience = if is_open { Audience::Everyone } else { Audience::Few };
    Ok((!rows.is_empty()).then_some(audience))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_with_file_names_is_listed() {
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
