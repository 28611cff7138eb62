//! Other servers in tests: they find and read accounts of this one.

use reqwest::Method;
use serde_json::Value;
use siskin_federation::{
    address::{Schemes, Uri},
    read::{Actor, Collection, Object, Reader},
};
use siskin_services::accounts;

use super::{Client, Response, TestApp, User};

/// Media type that other servers ask for.
pub const ACTIVITY: &str = "application/activity+json";

/// Reader of documents, as other servers use it. Test servers have no TLS.
pub const READER: Reader = Reader::new(Schemes::HttpToo);

/// Parses an id.
pub fn uri(text: &str) -> Uri {
    Uri::parse(text, Schemes::HttpToo).unwrap()
}

impl TestApp {
    /// Lets other servers find and read this one.
    pub async fn federate(&self) {
        self.set_federation("open").await;
    }

    /// Changes the federation mode: `off`, `allowed` or `open`.
    pub async fn set_federation(&self, mode: &str) {
        let (key, mode) = ("federation.mode".to_owned(), mode.to_owned());
        self.app().change_setting(key, mode).await.unwrap();
    }

    /// Deletes an account with everything that it has.
    pub async fn delete_account(&self, user: &User) {
        let account = user.id.parse().unwrap();
        while !self.app().write(move |tx| accounts::delete_some(tx, account)).await.unwrap() {}
    }

    /// Returns the id of the actor of a local account.
    pub fn actor_id(&self, user: &User) -> String {
        self.app().urls().account_uri(&user.username)
    }
}

impl Client {
    /// Asks for the document at a path, or at an address of this server.
    pub async fn document(&self, path: &str) -> Response {
        self.accepting(ACTIVITY, path).await
    }

    /// Sends GET with this preference.
    pub async fn accepting(&self, accept: &str, path: &str) -> Response {
        self.send(self.request(Method::GET, path).header("accept", accept)).await
    }

    /// Returns the document of an actor as another server reads it.
    pub async fn actor(&self, path: &str) -> Actor {
        READER.actor(&found(&self.document(path).await)).unwrap()
    }

    /// Returns the document of a status as another server reads it.
    pub async fn object(&self, path: &str) -> Object {
        READER.object(&found(&self.document(path).await)).unwrap()
    }

    /// Returns a collection, or a page of one, as another server reads it.
    pub async fn collection(&self, path: &str) -> Collection {
        READER.collection(&found(&self.document(path).await)).unwrap()
    }

    /// Asks `WebFinger` about a resource.
    pub async fn finger(&self, resource: &str) -> Response {
        let request = self.request(Method::GET, "/.well-known/webfinger");
        self.send(request.query(&[("resource", resource)])).await
    }
}

/// Returns the bytes of a document. Checks the headers that all documents have.
fn found(response: &Response) -> Vec<u8> {
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(response.header("content-type"), Some(ACTIVITY), "{response:?}");
    assert_eq!(response.header("vary"), Some("Accept"), "{response:?}");
    assert_eq!(response.header("cache-control"), Some("public, max-age=180"), "{response:?}");
    response.body.clone()
}

/// Returns the path of the document of a status, from the status as clients see it.
pub fn document_of(status: &Value) -> String {
    status["uri"].as_str().unwrap().to_owned()
}
