//! Client applications that users authorize to act for them.

use siskin_ids::ApplicationId;

use crate::time::Timestamp;

/// Registered client. Its secret is stored as a hash only and is not part of this view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Id of the application.
    pub id: ApplicationId,
    /// Name that users see.
    pub name: String,
    /// Address of its page; `None` if it has none.
    pub website: Option<String>,
    /// Public identifier for OAuth.
    pub client_id: String,
    /// Redirect URIs, compared character by character when a client requests an authorization code.
    pub redirect_uris: Vec<String>,
    /// Scopes as registered, separated by spaces.
    pub scopes: String,
    /// Time of registration.
    pub created_at: Timestamp,
}
