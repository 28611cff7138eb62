//! Tests of the description of accounts that no other server can talk to.

use serde_json::json;
use siskin_wire::discovery;

use crate::samples::{self, json, urls};

#[test]
fn web_finger_describes_the_account() {
    assert_eq!(
        json(&discovery::render_web_finger(&samples::alice(), &urls())),
        json!({
            "subject": "acct:alice@example.com",
            "aliases": ["https://example.com/@alice", "https://example.com/users/alice"],
            "links": [
                {
                    "rel": "http://webfinger.net/rel/profile-page",
                    "type": "text/html",
                    "href": "https://example.com/@alice",
                },
            ],
        })
    );
}
