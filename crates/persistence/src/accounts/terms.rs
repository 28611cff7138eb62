//! Index of the account search: for each position in an account's names, the text from there on is
//! one term. Terms are in byte order. A part of a name is therefore the prefix of a term, in any
//! script and on both engines.

use diesel::{QueryableByName, RunQueryDsl, sql_query, sql_types::BigInt};
use siskin_ids::AccountId;

use crate::{Conn, Result, Tx};

/// Maximum length of a term in characters. A longer word is found by its prefix, and then compared.
const MAX_TERM_CHARS: usize = 32;
/// Maximum number of characters of an account's names that are indexed.
const MAX_INDEXED_CHARS: usize = 400;

/// Rebuilds the index terms of an account.
pub(crate) fn refresh(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    sql_query(format!("DELETE FROM account_terms WHERE account_id = {account}"))
        .execute(&mut **tx)?;
    let terms = terms_of(&format!("id = {account}"), tx.is_sqlite());
    sql_query(format!("INSERT INTO account_terms (term, account_id) {terms}"))
        .execute(&mut **tx)?;
    Ok(())
}

/// Returns the accounts from `first` to `last` with index terms that differ from the correct ones.
pub(crate) fn misindexed(
    conn: &mut Conn,
    first: AccountId,
    last: AccountId,
) -> Result<Vec<AccountId>> {
    let right = terms_of(&format!("id BETWEEN {first} AND {last}"), conn.is_sqlite());
    let right = format!("SELECT term, account_id FROM ({right}) AS terms");
    let stored = format!(
        "SELECT term, account_id FROM account_terms WHERE account_id BETWEEN {first} AND {last}"
    );
    let found: Vec<Misindexed> = sql_query(format!(
        "SELECT DISTINCT account_id FROM (
             SELECT account_id FROM ({right} EXCEPT {stored}) AS missing
             UNION ALL SELECT account_id FROM ({stored} EXCEPT {right}) AS odd
         ) AS differing ORDER BY account_id"
    ))
    .load(conn)?;
    Ok(found.into_iter().map(|found| AccountId::new(found.account_id)).collect())
}

#[derive(QueryableByName)]
struct Misindexed {
    #[diesel(sql_type = BigInt)]
    account_id: i64,
}

/// Builds the SQL that selects the terms of the accounts that match `which`, with their account
/// ids. Of a remote domain, only the position of the first character yields a term, because all
/// accounts of the server share the rest.
fn terms_of(which: &str, is_sqlite: bool) -> String {
    let in_byte_order = if is_sqlite { "BINARY" } else { "\"C\"" };
    format!(
        "WITH RECURSIVE places (place) AS (
             SELECT 1 UNION ALL SELECT place + 1 FROM places
             WHERE place < {MAX_INDEXED_CHARS}
                 AND place < (SELECT MAX(length(search_text)) FROM accounts WHERE {which})
         )
         SELECT DISTINCT substr(search_text, place, {MAX_TERM_CHARS}) COLLATE {in_byte_order} AS term,
             id AS account_id
         FROM accounts CROSS JOIN places
         WHERE {which} AND place <= length(search_text)
             AND substr(search_text, place, 1) NOT IN (' ', '\n')
             AND (place <= length(username) + 2
                 OR place > length(username) + 1 + COALESCE(length(domain) + 1, 0))"
    )
}

/// Returns the range of the terms that start with `word`: lower bound inclusive, upper bound
/// exclusive, in byte order.
pub(crate) fn range(word: &str) -> (String, String) {
    let from: String = word.chars().take(MAX_TERM_CHARS).collect();
    let before = format!("{from}{}", char::MAX);
    (from, before)
}
