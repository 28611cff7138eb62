//! What came back.

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::promises;

/// A whole answer.
pub struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Response {
    pub(super) async fn read(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let path = response.url().path().to_owned();
        let body = response.bytes().await.unwrap().to_vec();
        if let Ok(json) = serde_json::from_slice(&body) {
            // Whatever a test is about, ids and times must have their forms.
            assert_eq!(promises::broken(&json), Vec::<String>::new(), "{path}");
        }
        Self { status, headers, body }
    }

    /// The body as JSON; panics where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// The body of an answer that must be a success.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.json()
    }

    /// The body of an answer that must have this status.
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        self.json()
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header's value; None where it is absent.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The address of `next` or `prev` in the `Link` header.
    pub fn link(&self, relation: &str) -> Option<String> {
        let wanted = format!("rel=\"{relation}\"");
        let links = self.header("link")?;
        let link = links.split(", ").find(|link| link.ends_with(&wanted))?;
        Some(link.split_once('>').unwrap().0.trim_start_matches('<').to_owned())
    }

    /// The ids of a list of objects, in order.
    pub fn ids(&self) -> Vec<String> {
        let list = self.ok();
        let items = list.as_array().unwrap_or_else(|| panic!("no list: {self:?}"));
        items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }
}

impl std::fmt::Debug for Response {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?} {}", self.status, self.headers, self.text())
    }
}
