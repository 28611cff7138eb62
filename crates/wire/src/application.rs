//! Registered client applications.

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::ApplicationId;

/// Client application as it sees itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Application {
    /// Id of the application.
    pub id: ApplicationId,
    /// Name that users see.
    pub name: String,
    /// Address of the application's page; null if it has none.
    pub website: Option<String>,
    /// Scopes that it may request.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Addresses to which an authorization code may be sent.
    #[serde(default)]
    pub redirect_uris: Vec<String>,
    /// The same URIs, one per line.
    #[serde(default)]
    pub redirect_uri: String,
    /// Public VAPID key of web push, URL-safe base64.
    #[serde(default)]
    pub vapid_key: String,
}

/// Newly registered client with its credentials.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct CredentialApplication {
    /// The application. In JSON, the fields are those of the entity itself.
    #[serde(flatten)]
    pub application: Application,
    /// Public identifier for OAuth.
    pub client_id: String,
    /// Only returned once.
    pub client_secret: String,
    /// Unix time in seconds; 0 means never.
    #[serde(default)]
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
