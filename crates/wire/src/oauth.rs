//! Entities of the authorization server: tokens, metadata (RFC 8414) and user info.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities as view;

use crate::urls::Urls;

/// Newly issued token.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Token {
    /// The token, which is secret.
    pub access_token: String,
    /// `Bearer`.
    pub token_type: Cow<'static, str>,
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
        token_type: "Bearer".into(),
        scope: scopes.to_owned(),
        created_at: created_at.unix_seconds(),
    }
}

/// Metadata of the authorization server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ServerMetadata {
    /// Base address of the server.
    pub issuer: String,
    /// Address where users authorize applications.
    pub authorization_endpoint: String,
    /// Address where applications get tokens.
    pub token_endpoint: String,
    /// Address where applications register.
    pub app_registration_endpoint: String,
    /// Address where applications revoke tokens.
    pub revocation_endpoint: String,
    /// Address of [`UserInfo`].
    pub userinfo_endpoint: String,
    /// Names of all scopes.
    pub scopes_supported: Vec<String>,
    /// Response types (RFC 6749).
    pub response_types_supported: Vec<Cow<'static, str>>,
    /// Ways in which a code is returned.
    pub response_modes_supported: Vec<Cow<'static, str>>,
    /// Ways to get a token.
    pub grant_types_supported: Vec<Cow<'static, str>>,
    /// Ways in which applications authenticate.
    pub token_endpoint_auth_methods_supported: Vec<Cow<'static, str>>,
    /// Methods of PKCE (RFC 7636).
    pub code_challenge_methods_supported: Vec<Cow<'static, str>>,
}

/// Supported grants in addition to authorization codes and client credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grants {
    /// No further grant.
    WithoutPassword,
    /// The password grant is supported, too.
    WithPassword,
}

impl Grants {
    fn names(self) -> Vec<Cow<'static, str>> {
        let mut names = vec!["authorization_code".into(), "client_credentials".into()];
        if self == Self::WithPassword {
            names.push("password".into());
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
        response_types_supported: vec!["code".into()],
        response_modes_supported: vec!["query".into()],
        grant_types_supported: grants.names(),
        token_endpoint_auth_methods_supported: vec![
            "client_secret_basic".into(),
            "client_secret_post".into(),
        ],
        code_challenge_methods_supported: vec!["S256".into()],
    }
}

/// Claims of OpenID Connect about the account of a token.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct UserInfo {
    /// Base address of the server.
    pub iss: String,
    /// URI of the account.
    pub sub: String,
    /// Display name; may be empty.
    pub name: String,
    /// Name without the domain.
    pub preferred_username: String,
    /// Address of the profile page.
    pub profile: String,
    /// Address of the avatar.
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
        profile: account.page_or_uri(urls),
        picture: urls.avatar(account.avatar.as_ref()),
    }
}

/// Returns the base URL with a trailing slash, the normalised form of a URL without a path.
fn issuer(urls: &Urls) -> String {
    urls.page("/")
}
