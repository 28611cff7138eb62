//! Remote servers that this one knows.

use diesel::{prelude::*, sql_query, sql_types::Text};

use crate::{Conn, Result};

/// Loads the domains of all known remote accounts, in order. Each is one step in an index, so the
/// number of accounts does not matter.
pub fn domains(conn: &mut Conn) -> Result<Vec<String>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Text)]
        domain: String,
    }
    let rows: Vec<Row> = sql_query(
        "WITH RECURSIVE known (domain) AS (
             SELECT MIN(domain) FROM accounts WHERE domain IS NOT NULL
             UNION ALL
             SELECT (SELECT MIN(accounts.domain) FROM accounts
                     WHERE accounts.domain IS NOT NULL AND accounts.domain > known.domain)
             FROM known WHERE known.domain IS NOT NULL
         )
         SELECT domain FROM known WHERE domain IS NOT NULL",
    )
    .load(conn)?;
    let mut domains: Vec<String> = rows.into_iter().map(|row| row.domain).collect();
    // The engines compare texts in different ways.
    domains.sort_unstable();
    Ok(domains)
}
