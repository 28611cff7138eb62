//! Registered client applications.

use serde::Serialize;
use siskin_entities as view;
use siskin_ids::ApplicationId;

/// A client as it is shown to itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Application {
    pub id: ApplicationId,
    pub name: String,
    pub website: Option<String>,
    pub scopes: Vec<String>,
    pub redirect_uris: Vec<String>,
    /// The same, one on each line.
    pub redirect_uri: String,
    /// The public key of web push, URL-safe base64.
    pub vapid_key: String,
}

/// A client just registered, with what it signs in by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CredentialApplication {
    #[serde(flatten)]
    pub application: Application,
    pub client_id: String,
    /// Told this once.
    pub client_secret: String,
    /// Unix seconds; 0 is never.
    pub client_secret_expires_at: i64,
}

/// A client as it is shown to itself.
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

/// The answer to a registration. The secret is known at this moment only.
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
