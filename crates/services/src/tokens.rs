//! Tokens that the operator makes. Those that people ask for come from `oauth`.

use siskin_ids::AccountId;
use siskin_persistence::{
    Tx,
    tokens::{self, NewToken},
};
use siskin_policy::scopes::Scopes;

use crate::{Result, applications, secrets};

/// Issues a token of [`applications::of_the_operator`] for an account in whatever state, and
/// returns it: its hash alone is kept.
///
/// # Errors
/// Storage errors only.
pub fn issue(tx: &mut Tx<'_>, account: AccountId, scopes: &Scopes) -> Result<String> {
    let application = applications::of_the_operator(tx)?;
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
