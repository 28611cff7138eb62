//! Eight accounts with one connection each.

use std::time::Duration;

use reqwest::{
    Method, RequestBuilder,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::post::Post;
use crate::program::{Program, Server};

/// Number of accounts, named `person0` and so on.
pub const PEOPLE: usize = 8;
/// Far longer than any request should take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// An account with its token.
#[derive(Debug, Clone)]
pub struct Person {
    pub number: usize,
    pub id: String,
    pub name: String,
    pub token: String,
}

/// Creates the accounts, each with a token.
pub fn found(program: &Program) -> Vec<Person> {
    (0..PEOPLE)
        .map(|number| {
            let name = format!("person{number}");
            let email = format!("{name}@example.com");
            let account = program.json(&["accounts", "create", &name, "--email", &email]);
            let token =
                program.json(&["tokens", "create", "--account", &name, "--scopes", "read write"]);
            Person { number, id: text(&account["id"]), name, token: text(&token["access_token"]) }
        })
        .collect()
}

/// Returns a string of a response.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a string: {value}")).to_owned()
}

/// A connection to a server, authenticated as one account. Its methods block.
pub struct Connection<'p> {
    pub person: &'p Person,
    runtime: Runtime,
    http: reqwest::Client,
    address: String,
}

/// The reason why there is no successful response.
#[derive(Debug)]
pub enum Failure {
    /// The connection ended before the response was complete, for this reason.
    Unanswered(#[expect(dead_code, reason = "shown by Debug")] reqwest::Error),
    /// Status and body of an error response.
    Refused(u16, String),
}

impl<'p> Connection<'p> {
    pub fn new(person: &'p Person, server: &Server) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        siskin_outbound::prepare_tls();
        let http =
            reqwest::Client::builder().tls_certs_only([]).no_proxy().pool_max_idle_per_host(1);
        let http = http.timeout(PATIENCE).build().unwrap();
        Self { person, runtime, http, address: server.address.clone() }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("http://{}{path}", self.address);
        self.http.request(method, url).bearer_auth(&self.person.token)
    }

    /// Sends a request. Returns the response and the address of the next page.
    fn response(&self, request: RequestBuilder) -> Result<(Value, Option<String>), Failure> {
        self.runtime.block_on(async {
            let response = request.send().await.map_err(unanswered)?;
            let (status, next) = (response.status().as_u16(), next_page(&response));
            let body = response.text().await.map_err(unanswered)?;
            if !(200..300).contains(&status) {
                return Err(Failure::Refused(status, body));
            }
            Ok((serde_json::from_str(&body).unwrap(), next))
        })
    }

    /// Publishes a post and returns the status.
    pub fn publish(&self, post: &Post) -> Result<Value, Failure> {
        let request = self.request(Method::POST, "/api/v1/statuses").json(&post.parameters());
        self.response(request.header("Idempotency-Key", &post.key)).map(|(status, _)| status)
    }

    /// Schedules a post for this time and returns the scheduled status.
    pub fn schedule(&self, post: &Post, at: &str) -> Result<Value, Failure> {
        let mut parameters = post.parameters();
        parameters["scheduled_at"] = at.into();
        let request = self.request(Method::POST, "/api/v1/statuses").json(&parameters);
        self.response(request.header("Idempotency-Key", &post.key)).map(|(scheduled, _)| scheduled)
    }

    /// Performs an action on a status, such as `favourite`.
    pub fn act(&self, action: &str, status: &str) -> Result<Value, Failure> {
        self.post(&format!("/api/v1/statuses/{status}/{action}"), &json!({}))
    }

    /// Sends a POST request with these parameters and returns the response.
    pub fn post(&self, path: &str, parameters: &Value) -> Result<Value, Failure> {
        let request = self.request(Method::POST, path).json(parameters);
        self.response(request).map(|(response, _)| response)
    }

    /// Uploads a file and returns the attachment.
    pub fn upload(&self, content: Vec<u8>) -> Result<Value, Failure> {
        let form = Form::new().part("file", Part::bytes(content).file_name("file"));
        let request = self.runtime.block_on(async {
            // A form must be built inside a runtime.
            self.request(Method::POST, "/api/v2/media").multipart(form)
        });
        self.response(request).map(|(attachment, _)| attachment)
    }

    /// Downloads a file of the server. Returns the status and the number of bytes.
    pub fn download(&self, url: &str) -> (u16, usize) {
        let path = &url[url.find("/media/").unwrap_or_else(|| panic!("no file: {url}"))..];
        self.runtime.block_on(async {
            let response = self.request(Method::GET, path).send().await.unwrap();
            (response.status().as_u16(), response.bytes().await.unwrap().len())
        })
    }

    /// Sends a GET request, which must succeed, and returns the response.
    pub fn get(&self, path: &str) -> Value {
        self.response(self.request(Method::GET, path))
            .unwrap_or_else(|why| panic!("{path}: {why:?}"))
            .0
    }

    /// Returns the entries on all pages of a list.
    pub fn list(&self, path: &str) -> Vec<Value> {
        let (mut items, mut next) = (Vec::new(), Some(path.to_owned()));
        while let Some(path) = next {
            let response = self.response(self.request(Method::GET, &path));
            let (page, after) = response.unwrap_or_else(|why| panic!("{path}: {why:?}"));
            items.extend(page.as_array().unwrap().iter().cloned());
            next = after;
        }
        items
    }
}

fn unanswered(error: reqwest::Error) -> Failure {
    assert!(!error.is_timeout(), "no response within {PATIENCE:?}");
    Failure::Unanswered(error)
}

/// Returns the path of the link with `rel="next"`.
fn next_page(response: &reqwest::Response) -> Option<String> {
    let links = response.headers().get("link")?.to_str().unwrap();
    let next = links.split(", ").find(|link| link.ends_with("rel=\"next\""))?;
    let url = next.trim_start_matches('<').split('>').next()?;
    Some(url[url.find("/api/")?..].to_owned())
}
