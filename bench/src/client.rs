//! Client that prepares the requests of the scenarios.

use anyhow::{Context, Result};
use serde_json::Value;

/// Client of one account, or of an anonymous caller.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    token: Option<String>,
}

impl Client {
    /// Returns an anonymous client of the server at `base`.
    pub fn new(base: &str) -> Self {
        Self { http: reqwest::Client::new(), base: base.to_owned(), token: None }
    }

    /// Returns a client with this access token, which shares the connections.
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    /// Sends a `GET` request and returns the elements of the response.
    pub async fn list(&self, path: &str) -> Result<Vec<Value>> {
        let request = self.http.get(format!("{}{path}", self.base));
        match self.send(request).await? {
            Value::Array(elements) => Ok(elements),
            other => anyhow::bail!("{path} is not a list: {other}"),
        }
    }

    /// Sends a form and returns the response.
    pub async fn post(&self, path: &str, form: &[(&str, &str)]) -> Result<Value> {
        self.send(self.http.post(format!("{}{path}", self.base)).form(form)).await
    }

    async fn send(&self, mut request: reqwest::RequestBuilder) -> Result<Value> {
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        Ok(request.send().await?.error_for_status()?.json().await?)
    }
}

/// Returns a field of a JSON object that is a string.
pub fn text(value: &Value, field: &str) -> Result<String> {
    Ok(value[field].as_str().with_context(|| format!("no {field} in {value}"))?.to_owned())
}
