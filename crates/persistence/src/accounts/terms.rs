//! The index of search: what stands at each place of an account's names, as terms in the order of
//! their bytes. A part of a name is then the beginning of a term, in any script, on both engines.

use diesel::{QueryableByName, RunQueryDsl, sql_query, sql_types::BigInt};
use siskin_ids::AccountId;

use crate::{Conn, Result, Tx};

/// The longest term, in characters. Longer words are found by their beginning, and looked at.
const LONGEST: usize = 32;
/// How much of an account's names is indexed, in characters.
const PLACES: usize = 400;

/// Indexes an account anew.
pub(crate) fn refresh(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    sql_query(format!("DELETE FROM account_terms WHERE account_id = {account}"))
        .execute(&mut **tx)?;
    let terms = terms_of(&format!("id = {account}"), tx.is_sqlite());
    sql_query(format!("INSERT INTO account_terms (term, account_id) {terms}"))
        .execute(&mut **tx)?;
    Ok(())
}

/// Which of the accounts from `first` to `last` have other terms in the index than they should.
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

/// The terms of the accounts that `which` chooses, with whose they are. Of the domain of another
/// server only its beginning is a term: all of its accounts share the rest.
fn terms_of(which: &str, is_sqlite: bool) -> String {
    let in_byte_order = if is_sqlite { "BINARY" } else { "\"C\"" };
    format!(
        "WITH RECURSIVE places (place) AS (
             SELECT 1 UNION ALL SELECT place + 1 FROM places
             WHERE place < {PLACES}
                 AND place < (SELECT MAX(length(search_text)) FROM accounts WHERE {which})
         )
         SELECT DISTINCT substr(search_text, place, {LONGEST}) COLLATE {in_byte_order} AS term,
             id AS account_id
         FROM accounts CROSS JOIN places
         WHERE {which} AND place <= length(search_text)
             AND substr(search_text, place, 1) NOT IN (' ', '\n')
             AND (place <= length(username) + 2
                 OR place > length(username) + 1 + COALESCE(length(domain) + 1, 0))"
    )
}

/// The terms that begin as `word` does: from the first to before the second, in byte order.
pub(super) fn range(word: &str) -> (String, String) {
    let from: String = word.chars().take(LONGEST).collect();
    let before = format!("{from}{}", char::MAX);
    (from, before)
}
