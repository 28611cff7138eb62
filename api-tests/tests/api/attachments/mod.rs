//! `/api/v1/media` and `/api/v2/media`, and attachments of statuses.

mod films;
mod in_bucket;
mod on_statuses;
mod one;
mod sweeping;
mod upload;

use reqwest::{Method, multipart::Form};
use serde_json::{Value, json};

use crate::support::{
    Client, Response, TestApp, User, id,
    pictures::{file, png},
};

pub const V1: &str = "/api/v1/media";
pub const V2: &str = "/api/v2/media";

/// Builds a form with this upload.
pub fn form(content: Vec<u8>) -> Form {
    Form::new().part("file", file(content, "upload", "application/octet-stream"))
}

/// Returns the path of a URL of this server.
pub fn path_of(app: &TestApp, address: &Value) -> String {
    address.as_str().unwrap().strip_prefix(app.base_url()).unwrap().to_owned()
}

impl Client {
    /// Uploads a file with a description.
    pub async fn upload_media(&self, content: Vec<u8>, description: &str) -> Value {
        let form = form(content).text("description", description.to_owned());
        self.multipart(V2, form).await.ok()
    }

    pub async fn put_media(&self, media: &Value, form: Form) -> Response {
        let path = format!("{V1}/{}", id(media));
        self.send(self.request(Method::PUT, &path).multipart(form)).await
    }
}

impl User {
    /// Publishes a text with a picture and its description.
    pub async fn publish_picture(&self, text: &str, description: &str) -> Value {
        let media = self.upload_media(png(64, 48), description).await;
        self.publish_as(json!({ "status": text, "media_ids": [media["id"]] })).await
    }
}
