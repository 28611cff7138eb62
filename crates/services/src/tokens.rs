//! Tokens that the operator makes. Those that people ask for come from `oauth`.

use siskin_ids::AccountId;
use siskin_persistence::{
    Tx,
    tokens::{self, NewToken},
};
use siskin_policy::scopes::Scopes;

use crate::{Result, secrets};

/// Issues a token of no application for an account in whatever state, and returns it: its hash
/// alone is kept.
///
/// # Errors
/// Storage errors only.
pub fn issue(tx: &mut Tx<'_>, account: AccountId, scopes: &Scopes) -> Result<String> {
    let token = secrets::generate();
    tokens::insert(
        tx,
        &NewToken {
            hash: &secrets::hash(&token),
            application: None,
            account: Some(account),
            scopes: &scopes.to_string(),
        },
    )?;
    Ok(token)
}
