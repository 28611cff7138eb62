//! Client applications that people let act for them.

use siskin_ids::ApplicationId;

use crate::time::Timestamp;

/// A registered client; its secret is stored as a hash only and is not part of this view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    pub id: ApplicationId,
    pub name: String,
    pub website: Option<String>,
    pub client_id: String,
    /// Compared character by character when a code is asked for.
    pub redirect_uris: Vec<String>,
    /// As registered, separated by spaces.
    pub scopes: String,
    pub created_at: Timestamp,
}
