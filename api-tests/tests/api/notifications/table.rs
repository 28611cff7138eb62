//! The table of all types of notifications and all conditions, for the list, groups, streams, push
//! messages and emails alike.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::{AccountState, NotificationKind};
use siskin_test_support::{Received, both_engines};

use super::{LIST, types};
use crate::support::{
    Client, GOOD, STAFF_SCOPES, TestApp, User, id,
    push::{PushClient, PushService, with_push_and_mail},
};

/// Time after which new notifications are mailed.
const MAIL_WAIT: Duration = Duration::from_mins(2);

/// A state of the relations between sender and recipient, or a choice of the recipient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    Nothing,
    Block,
    Mute,
    MuteWithNotifications,
    MutedConversation,
    SilencedSender,
    NotFollowed,
    NewAccount,
    PrivateMention,
    Filter,
}

/// What the recipient gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// A notification everywhere.
    Shown,
    /// The same, with a result of a filter.
    Marked,
    /// A notification that waits in a request.
    Filtered,
    Nothing,
}

use Condition::{
    Block, Filter, Mute, MuteWithNotifications, MutedConversation, NewAccount, NotFollowed,
    PrivateMention, SilencedSender,
};
use NotificationKind::{
    AdminReport, AdminSignUp, Favourite, Follow, FollowRequest, Mention, ModerationWarning, Poll,
    Quote, QuotedUpdate, Reblog, Status as Published, Update,
};
use Outcome::{Filtered, Marked, Shown};

/// The columns of the table.
const KINDS: [NotificationKind; 11] = [
    Mention,
    Published,
    Reblog,
    Favourite,
    Follow,
    FollowRequest,
    Update,
    Poll,
    Quote,
    QuotedUpdate,
    ModerationWarning,
];

/// Outcomes if a rule about strangers applies.
const OF_STRANGERS: [Outcome; 11] =
    [Filtered, Shown, Filtered, Filtered, Filtered, Filtered, Shown, Shown, Filtered, Shown, Shown];

/// Outcomes if the recipient rejects the sender. It cannot reject a warning.
const REJECTED: [Outcome; 11] = {
    let mut outcomes = [Outcome::Nothing; 11];
    outcomes[10] = Shown;
    outcomes
};

/// A recipient of a `status` follows the sender, so no rule about strangers applies.
const TABLE: [(Condition, [Outcome; 11]); 10] = [
    (Condition::Nothing, [Shown; 11]),
    (Block, REJECTED),
    (Mute, [Shown; 11]),
    (MuteWithNotifications, REJECTED),
    // The recipient cannot mute the conversation of a status that is published later.
    (
        MutedConversation,
        [
            Outcome::Nothing,
            Shown,
            Outcome::Nothing,
            Outcome::Nothing,
            Shown,
            Shown,
            Outcome::Nothing,
            Outcome::Nothing,
            Outcome::Nothing,
            Outcome::Nothing,
            Shown,
        ],
    ),
    (SilencedSender, OF_STRANGERS),
    (NotFollowed, OF_STRANGERS),
    (NewAccount, OF_STRANGERS),
    (
        PrivateMention,
        [Filtered, Shown, Shown, Shown, Shown, Shown, Shown, Shown, Shown, Shown, Shown],
    ),
    // Filters also apply to the recipient's own statuses.
    (Filter, [Marked, Marked, Marked, Marked, Shown, Shown, Marked, Marked, Marked, Marked, Shown]),
];

/// Prepares what must exist before the condition begins. Returns the status that the notification
/// will be about or, for a mention, its parent.
async fn prepare(app: &TestApp, kind: NotificationKind, alice: &User, bob: &User) -> Value {
    match kind {
        Published => {
            app.follow_with(alice, bob, true, true, None).await;
            Value::Null
        }
        Mention | Reblog | Favourite | Quote => alice.publish("My birds").await,
        QuotedUpdate => {
            let first = bob.publish("First birds").await;
            let quote = json!({ "status": "See these birds", "quoted_status_id": first["id"] });
            alice.publish_as(quote).await;
            first
        }
        Update => {
            let first = bob.publish("First birds").await;
            alice.act("reblog", &first).await;
            first
        }
        Poll => {
            let poll = json!({ "options": ["a", "b"], "expires_in": 3600 });
            let question = bob.publish_as(json!({ "status": "Which birds?", "poll": poll })).await;
            let path = format!("/api/v1/polls/{}/votes", id(&question["poll"]));
            alice.json(&path, json!({ "choices": [0] })).await.ok();
            question
        }
        FollowRequest => {
            alice.lock().await;
            Value::Null
        }
        Follow => Value::Null,
        ModerationWarning => {
            app.give_role(bob, Some("Moderator")).await;
            Value::Null
        }
        AdminReport | AdminSignUp => unreachable!("not in the table"),
    }
}

async fn begin(app: &TestApp, condition: Condition, alice: &User, bob: &User, about: &Value) {
    let policy = async |rule: &str| {
        alice.patch("/api/v2/notifications/policy", &[(rule, "filter")]).await.ok();
    };
    match condition {
        Condition::Nothing => {}
        Block => drop(alice.act_on("block", bob).await),
        Mute => drop(alice.act_on_with("mute", bob, json!({ "notifications": false })).await),
        MuteWithNotifications => drop(alice.act_on("mute", bob).await),
        MutedConversation if about.is_null() => {}
        MutedConversation => drop(alice.act("mute", about).await),
        SilencedSender => {
            app.set_state(bob, AccountState { silenced: true, ..GOOD }).await;
        }
        NotFollowed => policy("for_not_following").await,
        NewAccount => policy("for_new_accounts").await,
        PrivateMention => policy("for_private_mentions").await,
        Filter => {
            let keywords = json!([{ "keyword": "birds" }]);
            alice.json("/api/v2/filters", json!({
                "title": "Birds", "context": ["notifications"], "keywords_attributes": keywords,
            })).await.ok();
        }
    }
}

/// Lets Bob act. Under a block the server refuses some of it.
async fn act(
    app: &TestApp,
    (condition, kind): (Condition, NotificationKind),
    alice: &User,
    bob: &User,
    about: &Value,
) {
    let status = || format!("/api/v1/statuses/{}", id(about));
    match kind {
        Mention => {
            let direct = condition == PrivateMention;
            let mut post = json!({
                "status": format!("@{} birds", alice.username),
                "visibility": if direct { "direct" } else { "public" },
            });
            if condition == MutedConversation {
                post["in_reply_to_id"] = about["id"].clone();
            }
            bob.publish_as(post).await;
        }
        Published => drop(bob.publish("Other birds").await),
        Reblog => drop(bob.post(&format!("{}/reblog", status())).await),
        Favourite => drop(bob.post(&format!("{}/favourite", status())).await),
        Follow | FollowRequest => {
            bob.post(&format!("/api/v1/accounts/{}/follow", alice.id)).await;
        }
        Quote => {
            let quote = json!({ "status": "See these birds", "quoted_status_id": about["id"] });
            bob.json("/api/v1/statuses", quote).await;
        }
        Update | QuotedUpdate => {
            let body = json!({ "status": "Second birds" });
            bob.send(bob.request(Method::PUT, &status()).json(&body)).await.ok();
        }
        Poll => app.advance(Duration::from_hours(1)),
        ModerationWarning => {
            let staff = app.user_with_scopes(bob, STAFF_SCOPES).await;
            staff.act_against(alice, json!({ "type": "none", "text": "No birds" })).await;
        }
        AdminReport | AdminSignUp => unreachable!("not in the table"),
    }
    app.settle().await;
}

/// What one channel shows: the types, and whether each is marked by a filter.
type Seen = Vec<(String, bool)>;

fn seen(list: &[Value]) -> Seen {
    let is_marked =
        |one: &Value| one["status"]["filtered"].as_array().is_some_and(|all| !all.is_empty());
    list.iter().map(|one| (one["type"].as_str().unwrap().to_owned(), is_marked(one))).collect()
}

async fn grouped(viewer: &Client) -> Seen {
    let page = viewer.get("/api/v2/notifications").await.ok();
    let statuses = page["statuses"].as_array().unwrap();
    let with_status = |group: &Value| {
        let status = statuses.iter().find(|status| status["id"] == group["status_id"]);
        json!({ "type": group["type"], "status": status })
    };
    let groups = page["notification_groups"].as_array().unwrap();
    seen(&groups.iter().map(with_status).collect::<Vec<_>>())
}

/// Returns what the messages at this path show. The title of a filter replaces a text.
fn pushed(service: &PushService, client: &PushClient, path: &str) -> Seen {
    let received = service.received();
    let own = received.iter().filter(|one| one.path == path).map(|one| client.read(one));
    let seen = |message: Value| {
        let name = message["notification_type"].as_str().unwrap().to_owned();
        (name, message["body"] == "Birds")
    };
    own.map(seen).collect()
}

/// Returns the line of an email that introduces a notification by this account.
fn title(kind: NotificationKind, name: &str) -> String {
    match kind {
        Mention => format!("{name} mentioned you:"),
        Published => format!("{name} published a post:"),
        Reblog => format!("{name} reblogged your post:"),
        Favourite => format!("{name} favourited your post:"),
        Follow => format!("{name} followed you:"),
        FollowRequest => format!("{name} requested to follow you:"),
        Update => format!("{name} edited a post that you reblogged:"),
        Poll => format!("A poll of {name} has ended:"),
        Quote => format!("{name} quoted your post:"),
        QuotedUpdate => format!("{name} edited a post that you quoted:"),
        // A warning has an email of its own, which names no moderator.
        ModerationWarning => "They wrote:".to_owned(),
        AdminReport | AdminSignUp => unreachable!("not in the table"),
    }
}

/// Returns what these emails show about an account. The title of a filter replaces a text.
fn mailed(mails: &[Received], name: &str) -> Seen {
    let mut seen = Seen::new();
    for text in mails.iter().map(Received::text) {
        let has = |line: &str| text.lines().any(|found| found == line);
        let kinds = KINDS.into_iter().filter(|kind| has(&title(*kind, name)));
        seen.extend(kinds.map(|kind| (kind.as_str().to_owned(), has("> Birds"))));
    }
    seen
}

both_engines! {
    fn every_channel_shows_what_the_table_says(database: &TestDatabase) {
        with_push_and_mail(database, async |app, service, sink| {
            let mut number = 0;
            for (condition, outcomes) in TABLE {
                for (kind, outcome) in KINDS.into_iter().zip(outcomes) {
                    number += 1;
                    let alice = app.user(&format!("alice{number}")).await;
                    let bob = app.user(&format!("bob{number}")).await;
                    let (client, path) = (PushClient::new(number), format!("/{number}"));
                    client.subscribe(&alice, &service.endpoint(&path)).await;
                    app.mail_everything(&alice).await;
                    let about = prepare(app, kind, &alice, &bob).await;
                    begin(app, condition, &alice, &bob, &about).await;
                    let mut socket = app.listen(&alice, "stream=user:notification").await;
                    act(app, (condition, kind), &alice, &bob, &about).await;
                    // A silenced account can only request to follow.
                    let is_request = kind == Follow && condition == SilencedSender;
                    let name = if is_request { FollowRequest } else { kind }.as_str();
                    let one = |marked| vec![(name.to_owned(), marked)];
                    let expected: Seen = match outcome {
                        Shown => one(false),
                        Marked => one(true),
                        Filtered | Outcome::Nothing => Vec::new(),
                    };
                    let case = format!("{condition:?} {kind:?}");
                    let listed = alice.get(LIST).await.ok();
                    assert_eq!(seen(listed.as_array().unwrap()), expected, "list: {case}");
                    assert_eq!(grouped(&alice).await, expected, "groups: {case}");
                    assert_eq!(pushed(service, &client, &path), expected, "push: {case}");
                    app.advance(MAIL_WAIT);
                    let mails = app.mails(sink, &format!("alice{number}@example.com")).await;
                    assert_eq!(mailed(&mails, &bob.username), expected, "email: {case}");
                    // A later mention by a followed account shows that the stream is complete.
                    let friend = app.user(&format!("friend{number}")).await;
                    alice.act_on("follow", &friend).await;
                    friend.publish(&format!("@alice{number} anything else?")).await;
                    let mut streamed = Vec::new();
                    loop {
                        let (event, payload) = socket.event().await;
                        assert_eq!(event, "notification", "{case}");
                        if payload["account"]["id"] == friend.id.as_str() {
                            break;
                        }
                        streamed.push(payload);
                    }
                    assert_eq!(seen(&streamed), expected, "stream: {case}");
                    let sender = if kind == ModerationWarning { &alice } else { &bob };
                    let of_sender = format!("?include_filtered=true&account_id={}", sender.id);
                    let stored = types(&alice, &of_sender).await;
                    let is_stored = outcome != Outcome::Nothing;
                    assert_eq!(stored.len(), usize::from(is_stored), "stored: {case}");
                    let requests = alice.get("/api/v1/notifications/requests").await.ids();
                    assert_eq!(requests.len(), usize::from(outcome == Filtered), "request: {case}");
                }
            }
        });
    }
}
