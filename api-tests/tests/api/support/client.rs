//! Test client: sends requests with or without a token.

use reqwest::{Method, RequestBuilder, multipart};
use serde::Serialize;
use serde_json::Value;

use super::Response;

/// A client: a person, an application, or an anonymous one.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base_url: String,
    /// Base address of streams.
    streams_at: String,
    token: Option<String>,
}

impl Client {
    pub(super) fn new(http: reqwest::Client, base_url: &str, token: Option<&str>) -> Self {
        let (base_url, streams_at) = (base_url.to_owned(), base_url.to_owned());
        Self { http, base_url, streams_at, token: token.map(str::to_owned) }
    }

    pub(super) fn with_streams_at(self, streams_at: String) -> Self {
        Self { streams_at, ..self }
    }

    /// Returns the address of a stream of events.
    pub(super) fn stream(&self, path: &str) -> String {
        self.streams_at.clone() + path
    }

    /// Returns the token that the client sends.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Builds a request without sending it. `path` is relative to the base address, or a full
    /// address of this server such as one from a `Link` header.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url =
            if path.starts_with('/') { self.base_url.clone() + path } else { path.to_owned() };
        let request = self.http.request(method, url);
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Sends a request.
    pub async fn send(&self, request: RequestBuilder) -> Response {
        let (http, request) = request.build_split();
        let request = request.unwrap();
        let method = request.method().clone();
        Response::read(&method, http.execute(request).await.unwrap()).await
    }

    pub async fn get(&self, path: &str) -> Response {
        self.send(self.request(Method::GET, path)).await
    }

    /// Sends POST without a body.
    pub async fn post(&self, path: &str) -> Response {
        self.send(self.request(Method::POST, path)).await
    }

    /// Sends POST with a form.
    pub async fn form(&self, path: &str, form: &(impl Serialize + ?Sized)) -> Response {
        self.send(self.request(Method::POST, path).form(form)).await
    }

    /// Sends POST with JSON.
    pub async fn json(&self, path: &str, body: Value) -> Response {
        self.send(self.request(Method::POST, path).json(&body)).await
    }

    /// Sends POST with multipart fields.
    pub async fn multipart(&self, path: &str, form: multipart::Form) -> Response {
        self.send(self.request(Method::POST, path).multipart(form)).await
    }

    /// Sends PATCH with a form.
    pub async fn patch(&self, path: &str, form: &(impl Serialize + ?Sized)) -> Response {
        self.send(self.request(Method::PATCH, path).form(form)).await
    }

    /// Sends PUT with a form.
    pub async fn put(&self, path: &str, form: &(impl Serialize + ?Sized)) -> Response {
        self.send(self.request(Method::PUT, path).form(form)).await
    }

    /// Sends DELETE without a body.
    pub async fn delete(&self, path: &str) -> Response {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// Returns the ids on all pages of a list, following `next`.
    pub async fn walk(&self, path: &str) -> Vec<String> {
        let (mut ids, mut next) = (Vec::new(), Some(path.to_owned()));
        while let Some(path) = next {
            let page = self.get(&path).await;
            assert!(ids.len() < 1000, "{path} has no end");
            ids.extend(page.ids());
            next = page.link("next");
        }
        ids
    }
}
