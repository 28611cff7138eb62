//! Authentication of OAuth clients.

use std::fmt;

use siskin_entities::Application;
use siskin_persistence::{Conn, applications};
use subtle::ConstantTimeEq;

use super::{Fault, Outcome, Refusal};
use crate::{Result, secrets};

const UNKNOWN: Refusal =
    Refusal::new(Fault::InvalidClient, "The client is unknown or failed to authenticate");

/// Credentials of an application.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientSecret {
    pub client_id: String,
    pub client_secret: String,
}

impl fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientSecret").field("client_id", &self.client_id).finish_non_exhaustive()
    }
}

/// Returns the application with this id and secret.
pub(super) fn authenticate(
    conn: &mut Conn,
    proof: Option<&ClientSecret>,
) -> Result<Outcome<Application>> {
    let Some(proof) = proof else { return Ok(Err(UNKNOWN)) };
    let Some(client) = applications::find_client(conn, &proof.client_id)? else {
        return Ok(Err(UNKNOWN));
    };
    let secret_hash = secrets::hash(&proof.client_secret);
    let same: bool = secret_hash.as_bytes().ct_eq(client.secret_hash.as_bytes()).into();
    Ok(if same { Ok(client.application) } else { Err(UNKNOWN) })
}
