//! Rows that tests need before the use cases that make them, written past those.

use diesel::{ExpressionMethods as _, RunQueryDsl as _, insert_into};
use siskin_ids::{AccountId, TokenId};
use siskin_persistence::{
    Result, Tx,
    schema::{access_tokens, account_stats, accounts, users},
};

/// Adds a local account in good standing with its person; `base_url` is that of the instance.
/// The password is one that nobody can type.
///
/// # Errors
/// The name is taken.
pub fn local_account(tx: &mut Tx<'_>, username: &str, base_url: &str) -> Result<AccountId> {
    let (id, now) = (AccountId::new(tx.next_id()), tx.now().unix_ms());
    insert_into(accounts::table)
        .values((
            accounts::id.eq(id),
            accounts::username.eq(username),
            accounts::username_key.eq(username.to_lowercase()),
            accounts::search_text.eq(username.to_lowercase()),
            accounts::uri.eq(format!("{base_url}/users/{username}")),
            accounts::url.eq(format!("{base_url}/@{username}")),
            accounts::created_at.eq(now),
            accounts::updated_at.eq(now),
        ))
        .execute(&mut **tx)?;
    insert_into(account_stats::table)
        .values(account_stats::account_id.eq(id))
        .execute(&mut **tx)?;
    insert_into(users::table)
        .values((
            users::account_id.eq(id),
            users::email.eq(format!("{username}@example.com")),
            users::email_key.eq(format!("{}@example.com", username.to_lowercase())),
            users::password_hash.eq("!"),
            users::confirmed_at.eq(now),
            users::created_at.eq(now),
            users::updated_at.eq(now),
        ))
        .execute(&mut **tx)?;
    Ok(id)
}

/// Adds a token of no application; `hash` is its stored form, `scopes` are separated by spaces.
/// Without an account it acts for an application alone.
///
/// # Errors
/// The token is there already.
pub fn access_token(
    tx: &mut Tx<'_>,
    hash: &str,
    account: Option<AccountId>,
    scopes: &str,
) -> Result<TokenId> {
    let id = TokenId::new(tx.next_id());
    insert_into(access_tokens::table)
        .values((
            access_tokens::id.eq(id),
            access_tokens::token_hash.eq(hash),
            access_tokens::account_id.eq(account),
            access_tokens::scopes.eq(scopes),
            access_tokens::created_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(id)
}
