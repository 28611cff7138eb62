//! Applications that a user has authorized.

use siskin_entities::AuthorizedApplication;
use siskin_ids::{AccountId, ApplicationId};
use siskin_persistence::{Conn, Tx, tokens};
use siskin_policy::scopes::Scopes;

use crate::{Error, Result};

/// Lists the applications that hold tokens of the user, the one authorized last first.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn, account: AccountId) -> Result<Vec<AuthorizedApplication>> {
    let mut listed: Vec<AuthorizedApplication> = Vec::new();
    for grant in tokens::granted_by(conn, account)? {
        let known = listed.iter_mut().find(|known| known.application.id == grant.application.id);
        match known {
            Some(known) => {
                known.scopes = united(&known.scopes, &grant.scopes)?;
                known.authorized_at = known.authorized_at.min(grant.created_at);
                known.last_used_at = known.last_used_at.max(grant.last_used_at);
            }
            None => listed.push(AuthorizedApplication {
                application: grant.application,
                scopes: grant.scopes,
                authorized_at: grant.created_at,
                last_used_at: grant.last_used_at,
            }),
        }
    }
    Ok(listed)
}

fn united(one: &str, other: &str) -> Result<String> {
    Ok(Scopes::parse(&format!("{one} {other}")).map_err(Error::internal)?.to_string())
}

/// Revokes every token and every code of the user that an application holds.
///
/// # Errors
/// [`Error::NotFound`] if it holds none.
pub fn withdraw(tx: &mut Tx<'_>, account: AccountId, application: ApplicationId) -> Result<()> {
    match tokens::delete_of_application(tx, account, application)? {
        0 => Err(Error::NotFound),
        _ => Ok(()),
    }
}
