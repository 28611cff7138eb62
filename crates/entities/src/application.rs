//! Client applications that users authorize to act for them.

use siskin_ids::ApplicationId;

use crate::time::Timestamp;

/// Registered client. Its secret is stored as a hash only and is not part of this view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    pub id: ApplicationId,
    pub name: String,
    pub website: Option<String>,
    pub client_id: String,
    /// Redirect URIs, compared character by character when a client requests an authorization code.
    pub redirect_uris: Vec<String>,
    /// Scopes as registered, separated by spaces.
    pub scopes: String,
    pub created_at: Timestamp,
}
