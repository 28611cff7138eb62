//! Registered client applications.

use serde::Serialize;
use siskin_entities as view;
use siskin_ids::ApplicationId;

/// Client application as it sees itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Application {
    pub id: ApplicationId,
    pub name: String,
    pub website: Option<String>,
    pub scopes: Vec<String>,
    pub redirect_uris: Vec<String>,
    /// The same URIs, one per line.
    pub redirect_uri: String,
    /// Public VAPID key of web push, URL-safe base64.
    pub vapid_key: String,
}

/// Newly registered client with its credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CredentialApplication {
    #[serde(flatten)]
    pub application: Application,
    pub client_id: String,
    /// Only returned once.
    pub client_secret: String,
    /// Unix time in seconds; 0 means never.
    pub client_secret_expires_at: i64,
}

/// Renders a client application for itself.
#[must_use]
pub fn render(application: &view::Application, vapid_key: &str) -> Application {
    Application {
        id: application.id,
        name: application.name.clone(),
        website: application.website.clone(),
        scopes: application.scopes.split_whitespace().map(str::to_owned).collect(),
        redirect_uris: application.redirect_uris.clone(),
        redirect_uri: application.redirect_uris.join("\n"),
        vapid_key: vapid_key.to_owned(),
    }
}

/// Renders the response to a registration. The secret is known only at this moment.
#[must_use]
pub fn render_registered(
    application: &view::Application,
    client_secret: &str,
    vapid_key: &str,
) -> CredentialApplication {
    CredentialApplication {
        application: render(application, vapid_key),
        client_id: application.client_id.clone(),
        client_secret: client_secret.to_owned(),
        client_secret_expires_at: 0,
    }
}
