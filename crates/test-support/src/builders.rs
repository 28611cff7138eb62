//! Rows that most tests need, written without the use cases that make them: those hash passwords,
//! which takes its time on purpose.

use siskin_entities::Protocol;
use siskin_ids::AccountId;
use siskin_persistence::{
    Error, Result, Tx,
    accounts::{NewAccount, NewUser, insert, insert_user},
};
use siskin_text::{search_fold, username_key};

/// The password of everybody that [`local_account`] makes.
pub const PASSWORD: &str = "correct horse";
/// Its hash, with parameters that cost as little as argon2 allows.
const PASSWORD_HASH: &str = "$argon2id$v=19$m=8,t=1,p=1$c2lza2luLXRlc3Qtc2FsdA\
     $dHPjzEmOo+lPQZxKGR2+D6KkU4FGBasm+fybs4bZCk8";

/// Adds a local account in good standing, whose person has the address `USERNAME@example.com` and
/// the password [`PASSWORD`]; `base_url` is that of the instance.
///
/// # Errors
/// [`Error::Duplicate`] where the name is taken.
pub fn local_account(tx: &mut Tx<'_>, username: &str, base_url: &str) -> Result<AccountId> {
    let username_key = username_key(username);
    let account = NewAccount {
        id: None,
        username,
        username_key: &username_key,
        domain: None,
        search_text: &search_fold(&format!("{username}\n")),
        uri: &format!("{base_url}/users/{username}"),
        url: &format!("{base_url}/@{username}"),
        protocol: Protocol::Local,
        reachable: true,
    };
    let id = insert(tx, &account)?.ok_or(Error::Duplicate)?;
    let user = NewUser {
        account: id,
        email: &format!("{username}@example.com"),
        email_key: &format!("{username_key}@example.com"),
        password_hash: PASSWORD_HASH,
        role: None,
        locale: None,
        confirmed: true,
        approved: true,
        sign_up_reason: None,
        sign_up_ip: None,
        application: None,
    };
    if insert_user(tx, &user)? { Ok(id) } else { Err(Error::Duplicate) }
}
