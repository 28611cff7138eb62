//! Statuses with texts that tell the expected result.

use rand::seq::IndexedRandom as _;
use serde_json::{Value, json};

use super::crowd::PEOPLE;

/// A post that can be distinguished from all others.
#[derive(Debug, Clone)]
pub struct Post {
    /// First word of the text, and the `Idempotency-Key`.
    pub key: String,
    pub text: String,
    mention: String,
    tag: String,
    visibility: &'static str,
    in_reply_to: Option<String>,
}

impl Post {
    /// Builds a post by the account `author` that mentions another account and has a hashtag. Every
    /// other post replies to one of the statuses `known`.
    pub fn new(key: String, author: usize, known: &[String]) -> Self {
        let number: usize = rand::random_range(0..1000);
        let mention = format!("person{}", (author + 1 + number % (PEOPLE - 1)) % PEOPLE);
        let tag = format!("burst{}", number % 7);
        let visibility = ["public", "public", "unlisted", "private", "direct"][number % 5];
        let in_reply_to =
            known.choose(&mut rand::rng()).filter(|_| number.is_multiple_of(2)).cloned();
        let text = format!("{key}: to @{mention} about #{tag}");
        Self { key, text, mention, tag, visibility, in_reply_to }
    }

    /// Returns the parameters of the request.
    pub fn parameters(&self) -> Value {
        json!({
            "status": self.text,
            "visibility": self.visibility,
            "in_reply_to_id": self.in_reply_to,
        })
    }

    /// Returns `true` if every account may favourite it.
    pub fn is_open(&self) -> bool {
        ["public", "unlisted"].contains(&self.visibility)
    }

    pub fn mentions(&self, name: &str) -> bool {
        self.mention == name
    }

    /// Panics if a status differs from this post.
    pub fn assert_whole(&self, status: &Value) {
        let names = |list: &str, key: &str| -> Vec<&str> {
            status[list].as_array().unwrap().iter().map(|one| one[key].as_str().unwrap()).collect()
        };
        assert_eq!(key_of(status), self.key);
        assert_eq!(names("mentions", "username"), [self.mention.as_str()], "{status}");
        assert_eq!(names("tags", "name"), [self.tag.as_str()], "{status}");
        assert_eq!(status["visibility"], self.visibility, "{status}");
        assert_eq!(status["in_reply_to_id"], json!(self.in_reply_to), "{status}");
    }
}

/// Returns the key of the post that became this status.
pub fn key_of(status: &Value) -> &str {
    let content = status["content"].as_str().unwrap();
    content.trim_start_matches("<p>").split(':').next().unwrap()
}
