//! Visitors who sign up, from different addresses.

use reqwest::Method;
use serde_json::{Value, json};
use siskin_server::Config;

use super::{Client, Response, TestApp};

/// Lets the server trust the `X-Forwarded-For` header of the tests.
pub fn behind_a_proxy(config: &mut Config) {
    config.trusted_proxies.push("127.0.0.0/8".to_owned());
}

/// Returns the form of a sign-up.
pub fn newcomer(username: &str, email: &str) -> Value {
    json!({
        "username": username,
        "email": email,
        "password": "correct horse",
        "agreement": true,
        "locale": "en",
    })
}

/// Returns the fields that a response refuses, each with its first code.
pub fn refused_fields(response: &Value) -> Vec<(String, String)> {
    let details = response["details"].as_object().unwrap_or_else(|| panic!("{response}"));
    let code = |faults: &Value| faults[0]["error"].as_str().unwrap().to_owned();
    details.iter().map(|(field, faults)| (field.clone(), code(faults))).collect()
}

impl TestApp {
    /// Opens the registrations and returns an application that signs up users.
    pub async fn open_registrations(&self) -> Client {
        self.store_setting("registrations", "open").await;
        self.application("read write").await
    }

    /// Returns the id of the account with this name.
    pub async fn id_of(&self, username: &str) -> String {
        let path = format!("/api/v1/accounts/lookup?acct={username}");
        super::id(&self.anonymous().get(&path).await.ok())
    }
}

impl Client {
    /// Signs up.
    pub async fn sign_up(&self, username: &str, email: &str) -> Response {
        self.json("/api/v1/accounts", newcomer(username, email)).await
    }

    /// Signs up from this address, behind the trusted proxy.
    pub async fn sign_up_from(&self, address: &str, username: &str, email: &str) -> Response {
        let request = self.request(Method::POST, "/api/v1/accounts");
        let request = request.header("x-forwarded-for", address);
        self.send(request.json(&newcomer(username, email))).await
    }

    /// Sends GET from this address, behind the trusted proxy.
    pub async fn get_from(&self, address: &str, path: &str) -> Response {
        self.send(self.request(Method::GET, path).header("x-forwarded-for", address)).await
    }

    /// Sends PUT with JSON.
    pub async fn put_json(&self, path: &str, body: Value) -> Response {
        self.send(self.request(Method::PUT, path).json(&body)).await
    }

    /// Returns the actions on a target in the audit log, the latest first.
    pub async fn audited(&self, kind: &str, target: &str) -> Vec<String> {
        let path = format!("/api/v1/admin/audit_log?target_kind={kind}&target_id={target}");
        super::trends::each(&self.get(&path).await.ok(), "action")
    }
}
