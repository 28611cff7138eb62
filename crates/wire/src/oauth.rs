//! What the authorization server says: tokens, its metadata (RFC 8414), who signed in.

use serde::Serialize;
use siskin_entities as view;

use crate::{account, urls::Urls};

/// A token just issued.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Token {
    pub access_token: String,
    pub token_type: &'static str,
    /// Separated by spaces.
    pub scope: String,
    /// Unix seconds.
    pub created_at: i64,
}

/// The answer that hands out a token; `scopes` are those granted, separated by spaces.
#[must_use]
pub fn render_token(access_token: &str, scopes: &str, created_at: view::Timestamp) -> Token {
    Token {
        access_token: access_token.to_owned(),
        token_type: "Bearer",
        scope: scopes.to_owned(),
        created_at: created_at.unix_seconds(),
    }
}

/// Where and how clients ask for tokens.
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

/// How a client can come by a token, beside a person's consent and its own secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grants {
    WithoutPassword,
    /// A person's password is traded for a token.
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

/// The metadata of this server; `scopes` are all that a client can ask for.
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

/// Who a token speaks for, in the claims of OpenID Connect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UserInfo {
    pub iss: String,
    pub sub: String,
    pub name: String,
    pub preferred_username: String,
    pub profile: String,
    pub picture: String,
}

/// The claims about the person whose account this is.
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

/// The base address with a slash, the form in which a URL without a path is normalised.
fn issuer(urls: &Urls) -> String {
    urls.page("/")
}
