//! Who asked to be told of what an account writes.

use diesel::{
    dsl::{not, sql},
    prelude::*,
    sql_types::{Bool, Text},
};
use siskin_ids::{AccountId, StatusId};

use super::finds;
use crate::{
    Conn, Result,
    schema::{follows, mentions},
};

/// Followers of `author` with `notify`, wherever they are, who are to be told of this status: it
/// is in one of the languages they follow in, and they are not told already because it names them.
pub fn subscribers(
    conn: &mut Conn,
    author: AccountId,
    status: StatusId,
    language: Option<&str>,
) -> Result<Vec<AccountId>> {
    let named = mentions::table
        .filter(mentions::status_id.eq(status))
        .filter(mentions::account_id.eq(follows::account_id));
    let mut query = follows::table
        .filter(follows::target_account_id.eq(author))
        .filter(follows::notify.eq(true))
        .filter(not(finds!(named)))
        .order(follows::id)
        .select(follows::account_id)
        .into_boxed();
    if let Some(language) = language {
        let in_language = sql::<Bool>("',' || follows.languages || ',' LIKE ")
            .bind::<Text, _>(format!("%,{language},%"));
        query = query.filter(follows::languages.is_null().or(in_language));
    }
    Ok(query.load(conn)?)
}
