//! Who asked to be told of what an account writes.

use diesel::{dsl::not, prelude::*, sql_types::Text};
use siskin_ids::{AccountId, FollowId, StatusId};

use super::finds;
use crate::{
    Conn, Result,
    schema::{follows, mentions},
};

/// A status that followers are told of.
#[derive(Debug, Clone, Copy)]
pub struct Announced<'a> {
    pub author: AccountId,
    pub status: StatusId,
    pub language: Option<&'a str>,
}

/// Followers of the author with `notify`, wherever they are, who are to be told of the status: it
/// is in one of the languages they follow in, and they are not told already because it names
/// them. At most `limit`, in the order of their follows, those after the follow `after`.
pub fn subscribers(
    conn: &mut Conn,
    announced: Announced<'_>,
    after: Option<FollowId>,
    limit: i64,
) -> Result<Vec<(FollowId, AccountId)>> {
    let named = mentions::table
        .filter(mentions::status_id.eq(announced.status))
        .filter(mentions::account_id.eq(follows::account_id));
    let languages = ",".into_sql::<Text>().concat(follows::languages.assume_not_null()).concat(",");
    let wanted = announced.language.map_or_else(|| "%".to_owned(), |code| format!("%,{code},%"));
    Ok(follows::table
        .filter(follows::target_account_id.eq(announced.author))
        .filter(follows::notify.eq(true))
        .filter(follows::id.gt(after.map_or(0, FollowId::get)))
        .filter(follows::languages.is_null().or(languages.like(wanted)))
        .filter(not(finds!(named)))
        .order(follows::id)
        .limit(limit)
        .select((follows::id, follows::account_id))
        .load(conn)?)
}
