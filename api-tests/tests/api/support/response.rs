//! Responses.

use reqwest::{Method, header::HeaderMap};
use serde_json::Value;
use siskin_contract::Contract;

use super::promises;

/// A complete response.
pub struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Response {
    pub(super) async fn read(method: &Method, response: reqwest::Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let path = response.url().path().to_owned();
        let body = response.bytes().await.unwrap().to_vec();
        if let Ok(json) = serde_json::from_slice(&body) {
            // In every test, ids and times must have the documented form, and the response must
            // match the contract.
            assert_eq!(promises::violations(&json), Vec::<String>::new(), "{path}");
            let faults = Contract::get().faults_of_response(method.as_str(), &path, status, &json);
            assert_eq!(faults, Vec::<String>::new(), "{method} {path}: {json}");
        }
        Self { status, headers, body }
    }

    /// Returns the body as JSON. Panics if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// Checks that the status is 200 and returns the body.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.json()
    }

    /// Checks that the response has this status and returns the body.
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        self.json()
    }

    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the value of a header. `None` if it is absent.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Returns the address of `next` or `prev` in the `Link` header.
    pub fn link(&self, relation: &str) -> Option<String> {
        let suffix = format!("rel=\"{relation}\"");
        let links = self.header("link")?;
        let link = links.split(", ").find(|link| link.ends_with(&suffix))?;
        Some(link.split_once('>').unwrap().0.trim_start_matches('<').to_owned())
    }

    /// Returns the ids of a list of objects, in order.
    pub fn ids(&self) -> Vec<String> {
        let list = self.ok();
        let items = list.as_array().unwrap_or_else(|| panic!("not a list: {self:?}"));
        items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }
}

impl std::fmt::Debug for Response {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?} {}", self.status, self.headers, self.text())
    }
}
