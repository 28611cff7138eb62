//! Who asked to be told of what an account writes.

use diesel::{
    dsl::{exists, not, sql},
    prelude::*,
    sql_types::{Bool, Text},
};
use siskin_ids::{AccountId, StatusId};

use crate::{
    Result, Tx,
    schema::{accounts, follows, mentions, mutes, users},
};

/// Local followers of `author` with `notify` who are to be told of this status: it is in one of
/// the languages they follow in, and they neither mute the author's notifications nor are told
/// already because it names them.
pub fn subscribers(
    tx: &mut Tx<'_>,
    author: AccountId,
    status: StatusId,
    language: Option<&str>,
) -> Result<Vec<AccountId>> {
    let now = tx.now().unix_ms();
    let muting = mutes::table
        .filter(mutes::account_id.eq(follows::account_id))
        .filter(mutes::target_account_id.eq(author))
        .filter(mutes::hide_notifications.eq(true))
        .filter(mutes::expires_at.is_null().or(mutes::expires_at.gt(now)));
    let named = mentions::table
        .filter(mentions::status_id.eq(status))
        .filter(mentions::account_id.eq(follows::account_id));
    let here = users::table
        .inner_join(accounts::table)
        .filter(users::account_id.eq(follows::account_id))
        .filter(accounts::suspended_at.is_null());
    let mut query = follows::table
        .filter(follows::target_account_id.eq(author))
        .filter(follows::notify.eq(true))
        .filter(exists(here))
        .filter(not(exists(muting)))
        .filter(not(exists(named)))
        .order(follows::id)
        .select(follows::account_id)
        .into_boxed();
    if let Some(language) = language {
        let in_language = sql::<Bool>("',' || follows.languages || ',' LIKE ")
            .bind::<Text, _>(format!("%,{language},%"));
        query = query.filter(follows::languages.is_null().or(in_language));
    }
    Ok(query.load(&mut **tx)?)
}
