//! `/oauth`.

mod authorize;
mod metadata;
mod return_address;
mod revoke;
mod scopes;
mod token;
mod userinfo;

use reqwest::Method;
use serde_json::Value;

use crate::support::{Client, Response, TestApp};

pub const OUT_OF_BAND: &str = "urn:ietf:wg:oauth:2.0:oob";
pub const BACK: &str = "https://app.example/back";
// Values of RFC 7636, appendix B.
pub const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// A registered application.
pub struct Registered {
    pub id: String,
    pub client_id: String,
    pub client_secret: String,
}

/// Registers an application with the redirect URIs [`BACK`] and out of band.
pub async fn register(app: &TestApp, scopes: &str) -> Registered {
    let redirect_uris = format!("{BACK}\n{OUT_OF_BAND}");
    let form = [("client_name", "Tester"), ("redirect_uris", &redirect_uris), ("scopes", scopes)];
    let created = app.anonymous().form("/api/v1/apps", &form).await.ok();
    let text = |name: &str| created[name].as_str().unwrap().to_owned();
    Registered {
        id: text("id"),
        client_id: text("client_id"),
        client_secret: text("client_secret"),
    }
}

impl Registered {
    /// Builds a token request: the credentials of the application and `more`.
    pub fn form<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let own = [
            ("client_id", self.client_id.as_str()),
            ("client_secret", self.client_secret.as_str()),
        ];
        own.into_iter().chain(more.iter().copied()).collect()
    }

    pub async fn token(&self, client: &Client, more: &[(&str, &str)]) -> Response {
        client.form("/oauth/token", &self.form(more)).await
    }

    /// Creates a token that acts for the application alone.
    pub async fn own_token(&self, client: &Client, scope: &str) -> String {
        let more = [("grant_type", "client_credentials"), ("scope", scope)];
        text(&self.token(client, &more).await.ok(), "access_token")
    }

    /// Returns the address of the authorization page, with additional or changed parameters.
    pub fn authorize(&self, more: &[(&str, &str)]) -> String {
        let mut query = vec![
            ("response_type", "code"),
            ("client_id", self.client_id.as_str()),
            ("redirect_uri", BACK),
            ("scope", "read write"),
        ];
        query.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
        query.extend(more.iter().filter(|(_, value)| !value.is_empty()));
        let query = reqwest::Url::parse_with_params("http://x/", query).unwrap();
        format!("/oauth/authorize?{}", query.query().unwrap())
    }
}

pub fn text(object: &Value, name: &str) -> String {
    object[name].as_str().unwrap_or_else(|| panic!("no text {name} in {object}")).to_owned()
}

/// Returns the hidden fields of the form with this `action` on a page, in order.
pub fn hidden_fields(page: &str, action: &str) -> Vec<(String, String)> {
    let form = page.split("<form ").find(|form| form.contains(&format!("action=\"{action}\"")));
    let form = form.unwrap_or_else(|| panic!("no form to {action} in {page}"));
    let form = form.split("</form>").next().unwrap();
    form.split("<input type=\"hidden\" ")
        .skip(1)
        .map(|input| (attribute(input, "name"), attribute(input, "value")))
        .collect()
}

fn attribute(tag: &str, name: &str) -> String {
    let value = tag.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap();
    unescaped(value)
}

/// Decodes an escaped attribute.
fn unescaped(value: &str) -> String {
    let entities =
        [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
    entities.iter().fold(value.to_owned(), |value, (entity, plain)| value.replace(entity, plain))
}

/// Returns the address of the first link to `path` on a page.
pub fn link(page: &Response, path: &str) -> String {
    let page = page.text();
    let mut links = page.split(" href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let found = links.find(|link| link.split('?').next() == Some(path));
    unescaped(found.unwrap_or_else(|| panic!("no link to {path} in {page}")))
}

/// Signs in a browser by the form and returns the response.
pub async fn sign_in(browser: &Client, login: &str, password: &str) -> Response {
    let page = browser.get("/auth/sign_in").await;
    assert_eq!(page.status, 200, "{page:?}");
    sign_in_at(browser, &page, login, password).await
}

/// Submits the form of a sign-in page.
pub async fn sign_in_at(
    browser: &Client,
    page: &Response,
    login: &str,
    password: &str,
) -> Response {
    let mut form = hidden_fields(&page.text(), "/auth/sign_in");
    form.push(("user[email]".to_owned(), login.to_owned()));
    form.push(("user[password]".to_owned(), password.to_owned()));
    browser.form("/auth/sign_in", &form).await
}

/// Returns a browser with a new account signed in.
pub async fn signed_in(app: &TestApp, username: &str) -> Client {
    app.user(username).await;
    let browser = app.browser();
    let login = format!("{username}@example.com");
    let response = sign_in(&browser, &login, siskin_test_support::builders::PASSWORD).await;
    assert_eq!(response.status, 302, "{response:?}");
    browser
}

/// Submits a decision on the consent page at `path`.
pub async fn decide(browser: &Client, path: &str, decision: &str) -> Response {
    let page = browser.get(path).await;
    assert_eq!(page.status, 200, "{page:?}");
    let mut form = hidden_fields(&page.text(), "/oauth/authorize");
    form.push(("decision".to_owned(), decision.to_owned()));
    browser.form("/oauth/authorize", &form).await
}

/// Returns the query parameters of an address.
pub fn query(address: &str) -> Vec<(String, String)> {
    let url = reqwest::Url::parse(address).unwrap();
    url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

/// Returns one query parameter of an address.
pub fn parameter(address: &str, name: &str) -> Option<String> {
    query(address).into_iter().find(|(found, _)| found == name).map(|(_, value)| value)
}

/// Builds a request with the credentials of an application in the `Authorization` header.
pub fn by_header(client: &Client, path: &str, id: &str, secret: &str) -> reqwest::RequestBuilder {
    client.request(Method::POST, path).basic_auth(id, Some(secret))
}
