//! `/api/v1/conversations`.

mod id;
mod index;
mod told;

use serde_json::{Value, json};

use crate::support::{Client, User, id};

const PATH: &str = "/api/v1/conversations";

impl User {
    /// Publishes a direct status to the accounts that it mentions.
    pub async fn tell(&self, text: &str) -> Value {
        self.publish_as(json!({ "status": text, "visibility": "direct" })).await
    }

    /// Replies to it with a direct status.
    pub async fn tell_in_answer(&self, to: &Value, text: &str) -> Value {
        let response = json!({
            "status": text, "visibility": "direct", "in_reply_to_id": to["id"],
        });
        self.publish_as(response).await
    }
}

/// A conversation as these tests compare it: names of the other participants, last status, unread
/// flag.
type Summary = (Vec<String>, Option<String>, bool);

fn summary(conversation: &Value) -> Summary {
    let name = |account: &Value| account["username"].as_str().unwrap().to_owned();
    let last = &conversation["last_status"];
    (
        conversation["accounts"].as_array().unwrap().iter().map(name).collect(),
        (!last.is_null()).then(|| id(last)),
        conversation["unread"].as_bool().unwrap(),
    )
}

async fn all(viewer: &Client) -> Vec<Summary> {
    viewer.get(PATH).await.ok().as_array().unwrap().iter().map(summary).collect()
}

fn conversation(with: &[&str], last: &Value, unread: bool) -> Summary {
    (with.iter().map(|name| (*name).to_owned()).collect(), Some(id(last)), unread)
}
