//! Tokens that the operator creates, lists and revokes. The module `oauth` issues tokens to users.

use siskin_ids::{AccountId, TokenId};
use siskin_persistence::{
    Conn, Tx,
    tokens::{self, NewToken},
};
use siskin_policy::scopes::Scopes;

use crate::{Error, LISTED_AT_ONCE, Result, applications, secrets};

pub use siskin_persistence::tokens::ListedToken;

/// Issues a token of [`applications::operator_application`] for an account in any state. Returns
/// the token; the database stores only its hash.
///
/// # Errors
/// Storage errors only.
pub fn issue(tx: &mut Tx<'_>, account: AccountId, scopes: &Scopes) -> Result<String> {
    let application = applications::operator_application(tx)?;
    let token = secrets::generate();
    tokens::insert(
        tx,
        &NewToken {
            hash: &secrets::hash(&token),
            application: Some(application.id),
            account: Some(account),
            scopes: &scopes.to_string(),
        },
    )?;
    Ok(token)
}

/// Lists the next thousand tokens with ids above `after`, of one account or of all.
///
/// # Errors
/// Storage errors only.
pub fn list(
    conn: &mut Conn,
    account: Option<AccountId>,
    after: TokenId,
) -> Result<Vec<ListedToken>> {
    Ok(tokens::list(conn, account, after, LISTED_AT_ONCE)?)
}

/// Revokes a token. Its streams end.
///
/// # Errors
/// [`Error::NotFound`].
pub fn revoke(tx: &mut Tx<'_>, id: TokenId) -> Result<()> {
    if tokens::delete(tx, id)? { Ok(()) } else { Err(Error::NotFound) }
}
