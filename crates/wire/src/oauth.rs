//! Entities of the authorization server: tokens, metadata (RFC 8414) and user info.

use serde::Serialize;
use siskin_entities as view;

use crate::{account, urls::Urls};

/// Newly issued token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Token {
    pub access_token: String,
    pub token_type: &'static str,
    /// Scopes, separated by spaces.
    pub scope: String,
    /// Unix time in seconds.
    pub created_at: i64,
}

/// Renders the response with a token. `scopes` are the granted ones, separated by spaces.
#[must_use]
pub fn render_token(access_token: &str, scopes: &str, created_at: view::Timestamp) -> Token {
    Token {
        access_token: access_token.to_owned(),
        token_type: "Bearer",
        scope: scopes.to_owned(),
        created_at: created_at.unix_seconds(),
    }
}

/// Metadata of the authorization server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerMetadata {
    pub issuer: String,
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    pub app_registration_endpoint: String,
    pub revocation_endpoint: String,
    pub userinfo_endpoint: String,
    pub scopes_supported: Vec<String>,
    pub response_types_supported: Vec<&'static str>,
    pub response_modes_supported: Vec<&'static str>,
    pub grant_types_supported: Vec<&'static str>,
    pub token_endpoint_auth_methods_supported: Vec<&'static str>,
    pub code_challenge_methods_supported: Vec<&'static str>,
}

/// Supported grants in addition to authorization codes and client credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grants {
    WithoutPassword,
    /// The password grant is supported, too.
    WithPassword,
}

impl Grants {
    fn names(self) -> Vec<&'static str> {
        let mut names = vec!["authorization_code", "client_credentials"];
        if self == Self::WithPassword {
            names.push("password");
        }
        names
    }
}

/// Renders the metadata of this server. `scopes` are all supported ones.
#[must_use]
pub fn render_metadata<'a>(
    scopes: impl IntoIterator<Item = &'a str>,
    grants: Grants,
    urls: &Urls,
) -> ServerMetadata {
    ServerMetadata {
        issuer: issuer(urls),
        authorization_endpoint: urls.page("/oauth/authorize"),
        token_endpoint: urls.page("/oauth/token"),
        app_registration_endpoint: urls.page("/api/v1/apps"),
        revocation_endpoint: urls.page("/oauth/revoke"),
        userinfo_endpoint: urls.page("/oauth/userinfo"),
        scopes_supported: scopes.into_iter().map(str::to_owned).collect(),
        response_types_supported: vec!["code"],
        response_modes_supported: vec!["query"],
        grant_types_supported: grants.names(),
        token_endpoint_auth_methods_supported: vec!["client_secret_basic", "client_secret_post"],
        code_challenge_methods_supported: vec!["S256"],
    }
}

/// Claims of OpenID Connect about the account of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UserInfo {
    pub iss: String,
    pub sub: String,
    pub name: String,
    pub preferred_username: String,
    pub profile: String,
    pub picture: String,
}

/// Renders the claims about the owner of an account.
#[must_use]
pub fn render_user_info(account: &view::Account, urls: &Urls) -> UserInfo {
    UserInfo {
        iss: issuer(urls),
        sub: account.uri.clone(),
        name: account.display_name.clone(),
        preferred_username: account.username.clone(),
        profile: account::profile_url(account, urls).unwrap_or_else(|| account.uri.clone()),
        picture: urls.avatar(account.avatar.as_ref()),
    }
}

/// Returns the base URL with a trailing slash, the normalised form of a URL without a path.
fn issuer(urls: &Urls) -> String {
    urls.page("/")
}
