//! Which stored files the rows name.

use std::collections::BTreeSet;

use diesel::prelude::*;

use crate::{
    Conn, Result,
    schema::{accounts, custom_emojis, media_attachments, preview_cards},
};

/// Makes of a list of columns the questions that are asked of each.
macro_rules! columns {
    ($($table:ident.$column:ident,)+) => {
        /// Every column that names files.
        #[cfg(test)]
        const COLUMNS: &[(&str, &str)] = &[$((stringify!($table), stringify!($column))),+];

        /// The names of all files that rows name.
        ///
        /// # Errors
        /// Those of storage.
        pub fn named(conn: &mut Conn) -> Result<BTreeSet<String>> {
            let mut found = BTreeSet::new();
            $(
                let named = $table::table.select($table::$column.nullable());
                found.extend(named.load::<Option<String>>(conn)?.into_iter().flatten());
            )+
            Ok(found)
        }

        /// Which of these files rows name.
        ///
        /// # Errors
        /// Those of storage.
        pub fn named_among(conn: &mut Conn, files: &[String]) -> Result<BTreeSet<String>> {
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
    media_attachments.file,
    media_attachments.preview_file,
    media_attachments.source_file,
    preview_cards.image_file,
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
