//! Every operation that reads accounts, for every relationship between the viewer and the account.

use serde_json::{Value, json};
use siskin_entities::AccountState;

use crate::support::{Client, GOOD, Response, TestApp, User, id};

/// Relationships between the viewer and the subject account, or moderation states of that account.
const KINDS: [&str; 9] = [
    "anonymous",
    "stranger",
    "follower",
    "mutual",
    "blocked",
    "blocking",
    "muting",
    "silenced",
    "suspended",
];

/// Expected results by kind. For one account: `shown`, `limited` or a `shell` without content. For
/// a list about it: the number of entries. For a list of a friend: whether the account is `in` it
/// or `out`. Otherwise: the status.
const TABLE: [(&str, [&str; 9]); 17] = [
    ("show", ["shown", "shown", "shown", "shown", "shown", "shown", "shown", "limited", "shell"]),
    ("lookup", ["shown", "shown", "shown", "shown", "shown", "shown", "shown", "limited", "shell"]),
    // One status is public and one is for followers.
    ("statuses", ["1", "1", "2", "2", "0", "1", "1", "1", "0"]),
    // The friend, and the viewer if they follow.
    ("followers", ["1", "1", "2", "2", "0", "1", "1", "1", "0"]),
    ("following", ["1", "1", "1", "2", "0", "1", "1", "1", "0"]),
    ("endorsements", ["1", "1", "1", "1", "0", "1", "1", "1", "0"]),
    ("relationships", ["401", "1", "1", "1", "1", "1", "1", "1", "0"]),
    ("accounts/relationships", ["401", "1", "1", "1", "1", "1", "1", "1", "0"]),
    ("with_suspended", ["401", "1", "1", "1", "1", "1", "1", "1", "1"]),
    // The friend, because every viewer follows the friend.
    ("familiar_followers", ["401", "1", "1", "1", "0", "1", "1", "1", "0"]),
    ("search by name", ["1", "1", "1", "1", "1", "1", "1", "1", "0"]),
    ("search by part", ["1", "1", "1", "1", "0", "0", "0", "1", "0"]),
    ("friend's followers", ["in", "in", "in", "in", "out", "out", "out", "in", "out"]),
    ("friend's following", ["in", "in", "in", "in", "out", "out", "out", "in", "out"]),
    ("friend's endorsements", ["in", "in", "in", "in", "out", "out", "out", "in", "out"]),
    ("favourited_by", ["in", "in", "in", "in", "out", "out", "out", "in", "out"]),
    ("reblogged_by", ["in", "in", "in", "in", "out", "out", "out", "in", "out"]),
];

struct Scene {
    viewer: Client,
    subject: User,
    friend: User,
    /// Id of a status of the friend.
    status: String,
}

async fn set_up(app: &TestApp, kind: &str) -> Scene {
    let user = async |role: &str| app.user(&format!("{kind}_{role}")).await;
    let [viewer, subject, friend] =
        [user("reader").await, user("subject").await, user("friend").await];
    for (actor, other) in [(&subject, &friend), (&friend, &subject)] {
        actor.act_on("follow", other).await;
        actor.act_on("endorse", other).await;
    }
    viewer.act_on("follow", &friend).await;
    subject.publish("for everyone").await;
    subject.publish_as(json!({ "status": "for followers", "visibility": "private" })).await;
    let status = friend.publish("hello").await;
    subject.act("favourite", &status).await;
    subject.act("reblog", &status).await;
    let decide = async |state: AccountState| app.set_state(&subject, state).await;
    match kind {
        "follower" => drop(viewer.act_on("follow", &subject).await),
        "mutual" => {
            viewer.act_on("follow", &subject).await;
            subject.act_on("follow", &viewer).await;
        }
        "blocked" => drop(subject.act_on("block", &viewer).await),
        "blocking" => drop(viewer.act_on("block", &subject).await),
        "muting" => drop(viewer.act_on("mute", &subject).await),
        "silenced" => decide(AccountState { silenced: true, ..GOOD }).await,
        "suspended" => decide(AccountState { suspended: true, ..GOOD }).await,
        _ => {}
    }
    let viewer = if kind == "anonymous" { app.anonymous() } else { viewer.client.clone() };
    Scene { viewer, status: id(&status), subject, friend }
}

impl Scene {
    /// Returns the result of an operation for the viewer, in the terms of the table.
    async fn outcome(&self, operation: &str) -> String {
        let (subject, friend, status) = (&self.subject.id, &self.friend.id, &self.status);
        let accounts = "/api/v1/accounts";
        let name = &self.subject.username;
        let path = match operation {
            "show" => format!("{accounts}/{subject}"),
            "lookup" => format!("{accounts}/lookup?acct={name}"),
            "statuses" => format!("{accounts}/{subject}/statuses?exclude_reblogs=true"),
            "followers" | "following" | "endorsements" => {
                format!("{accounts}/{subject}/{operation}")
            }
            "relationships" | "accounts/relationships" => {
                format!("/api/v1/{operation}?id[]={subject}")
            }
            "with_suspended" => {
                format!("/api/v1/relationships?id[]={subject}&with_suspended=true")
            }
            "familiar_followers" => format!("{accounts}/familiar_followers?id[]={subject}"),
            "search by name" => format!("/api/v2/search?q={name}"),
            "search by part" => format!("/api/v2/search?q={}", &name[..name.len() - 2]),
            "favourited_by" | "reblogged_by" => format!("/api/v1/statuses/{status}/{operation}"),
            _ => {
                let list = operation.strip_prefix("friend's ").unwrap();
                format!("{accounts}/{friend}/{list}")
            }
        };
        self.in_words(operation, &self.viewer.get(&path).await)
    }

    fn in_words(&self, operation: &str, response: &Response) -> String {
        if response.status != 200 {
            return response.status.to_string();
        }
        let body = response.ok();
        let length = |list: &Value| list.as_array().unwrap().len().to_string();
        match operation {
            "show" | "lookup" => {
                let is = |what: &str| body[what].as_bool().unwrap_or_default();
                let word = match (is("suspended"), is("limited")) {
                    (true, _) => "shell",
                    (_, true) => "limited",
                    _ => "shown",
                };
                word.to_owned()
            }
            "familiar_followers" => length(&body[0]["accounts"]),
            "search by name" | "search by part" => length(&body["accounts"]),
            "favourited_by" | "reblogged_by" => self.place_in(response),
            _ if operation.starts_with("friend's") => self.place_in(response),
            _ => length(&body),
        }
    }

    fn place_in(&self, response: &Response) -> String {
        let place = if response.ids().contains(&self.subject.id) { "in" } else { "out" };
        place.to_owned()
    }
}

api_tests! {
    async fn every_operation_respects_the_visibility_of_accounts(app: &TestApp) {
        let mut wrong = Vec::new();
        for (at, kind) in KINDS.iter().enumerate() {
            let scene = set_up(app, kind).await;
            for (operation, expected) in &TABLE {
                let outcome = scene.outcome(operation).await;
                if outcome != expected[at] {
                    wrong.push(format!("{operation} for {kind}: {outcome}, not {}", expected[at]));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
