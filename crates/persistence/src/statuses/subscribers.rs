//! Followers that subscribed to notifications about new statuses of an account.

use diesel::{dsl::not, prelude::*, sql_types::Text};
use siskin_ids::{AccountId, FollowId, StatusId};

use super::row_exists;
use crate::{
    Conn, Result,
    schema::{follows, mentions},
};

/// A status about which subscribers are notified.
#[derive(Debug, Clone, Copy)]
pub struct Announced<'a> {
    pub author: AccountId,
    pub status: StatusId,
    pub language: Option<&'a str>,
}

/// Returns followers of the author with `notify`, local or remote, that should be notified of the
/// status. It must be in one of the languages of their follow, and must not mention them, because
/// they get a notification of the mention. Returns at most `limit`, in the order of the follows,
/// after the follow `after`.
pub fn subscribers(
    conn: &mut Conn,
    announced: Announced<'_>,
    after: Option<FollowId>,
    limit: i64,
) -> Result<Vec<(FollowId, AccountId)>> {
    let mentioned = mentions::table
        .filter(mentions::status_id.eq(announced.status))
        .filter(mentions::account_id.eq(follows::account_id));
    let languages = ",".into_sql::<Text>().concat(follows::languages.assume_not_null()).concat(",");
    let language_pattern =
        announced.language.map_or_else(|| "%".to_owned(), |code| format!("%,{code},%"));
    Ok(follows::table
        .filter(follows::target_account_id.eq(announced.author))
        .filter(follows::notify.eq(true))
        .filter(follows::id.gt(after.map_or(0, FollowId::get)))
        .filter(follows::languages.is_null().or(languages.like(language_pattern)))
        .filter(not(row_exists!(mentioned)))
        .order(follows::id)
        .limit(limit)
        .select((follows::id, follows::account_id))
        .load(conn)?)
}
