//! Revocation (RFC 7009) by the application that holds a token.

use siskin_persistence::{Tx, tokens};

use super::{ClientSecret, Fault, Outcome, Refusal, client};
use crate::{Result, secrets};

const NOT_YOURS: Refusal =
    Refusal::new(Fault::UnauthorizedClient, "The client is not allowed to revoke this token");

/// Request to revoke a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revocation {
    pub client: Option<ClientSecret>,
    /// `None` if the request contains no token.
    pub token: Option<String>,
}

/// Revokes a token. It is no error if the token is unknown or already revoked (RFC 7009, 2.2).
///
/// # Errors
/// Storage errors only. The outcome contains the refusal if the application may not revoke the
/// token.
pub fn revoke(tx: &mut Tx<'_>, request: &Revocation) -> Result<Outcome<()>> {
    let Some(token) = request.token.as_deref().filter(|token| !token.is_empty()) else {
        return Ok(Err(NOT_YOURS));
    };
    let Some((id, holder)) = tokens::find_application(tx, &secrets::hash(token))? else {
        return Ok(Ok(()));
    };
    match client::authenticate(tx, request.client.as_ref())? {
        Ok(application) if holder == Some(application.id) => {
            tokens::delete(tx, id)?;
            Ok(Ok(()))
        }
        _ => Ok(Err(NOT_YOURS)),
    }
}
