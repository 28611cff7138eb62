//! The index of search: what stands at each place of an account's names, as terms in the order of
//! their bytes. A part of a name is then the beginning of a term, in any script, on both engines.

use diesel::{RunQueryDsl, sql_query};
use siskin_ids::AccountId;

use crate::{Result, Tx};

/// The longest term, in characters. Longer words are found by their beginning, and looked at.
const LONGEST: usize = 32;
/// How much of an account's names is indexed, in characters.
const PLACES: usize = 400;

/// Indexes an account anew. Of the domain of another server only its beginning is indexed: all of
/// its accounts share the rest.
pub(super) fn refresh(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let account = account.get();
    sql_query(format!("DELETE FROM account_terms WHERE account_id = {account}"))
        .execute(&mut **tx)?;
    sql_query(format!(
        "INSERT INTO account_terms (term, account_id)
         WITH RECURSIVE places (place) AS (
             SELECT 1 UNION ALL SELECT place + 1 FROM places WHERE place < {PLACES}
         )
         SELECT DISTINCT substr(search_text, place, {LONGEST}), id
         FROM accounts CROSS JOIN places
         WHERE id = {account} AND place <= length(search_text)
             AND substr(search_text, place, 1) NOT IN (' ', '\n')
             AND (place <= length(username) + 2
                 OR place > length(username) + 1 + COALESCE(length(domain) + 1, 0))"
    ))
    .execute(&mut **tx)?;
    Ok(())
}

/// The terms that begin as `word` does: from the first to before the second, in byte order.
pub(super) fn range(word: &str) -> (String, String) {
    let from: String = word.chars().take(LONGEST).collect();
    let before = format!("{from}{}", char::MAX);
    (from, before)
}
