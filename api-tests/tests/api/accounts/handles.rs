//! Handles that look like the handle of another account, in all places where people and programs
//! send handles.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Client, Response, TestApp};

/// Variants of `alice` that try to impersonate her.
const LOOK_ALIKES: [&str; 9] = [
    "ａｌｉｃｅ",
    "ＡＬＩＣＥ",
    "аlice",
    "al\u{200B}ice",
    "alice\u{200D}",
    "\u{202E}alice",
    "alice.",
    "ali\u{AD}ce",
    "𝐚lice",
];

/// Variants of `example.com`, the domain of the server, that try to impersonate it.
const DOMAINS: [&str; 6] = [
    "ｅxample.com",
    "example.com.",
    "example\u{3002}com",
    "exаmple.com",
    "exam\u{200B}ple.com",
    "example.com@example.com",
];

async fn request(client: &Client, path: &str, key: &str, value: &str) -> Response {
    client.send(client.request(Method::GET, path).query(&[(key, value)])).await
}

/// Returns how many accounts each way of looking up a handle finds.
async fn count_matches(app: &TestApp, client: &Client, handle: &str) -> [usize; 4] {
    let lookup = request(client, "/api/v1/accounts/lookup", "acct", handle).await;
    let finger = format!("acct:{handle}");
    let finger = request(client, "/.well-known/webfinger", "resource", &finger).await;
    let handles = format!("@{}", handle.trim_start_matches('@'));
    let searched = request(client, "/api/v1/accounts/search", "q", &handles).await.ok();
    let page = format!("{}/@{handle}", app.base_url());
    let by_address = request(client, "/api/v1/accounts/search", "q", &page).await.ok();
    for response in [&lookup, &finger] {
        assert!([200, 404].contains(&response.status), "{handle}: {response:?}");
    }
    [
        usize::from(lookup.status == 200),
        usize::from(finger.status == 200),
        searched.as_array().unwrap().len(),
        by_address.as_array().unwrap().len(),
    ]
}

async fn sign_up(client: &Client, username: &str, number: usize) -> Response {
    let form = json!({
        "username": username, "email": format!("new{number}@mail.example"),
        "password": "correct horse", "agreement": true, "locale": "en",
    });
    client.json("/api/v1/accounts", form).await
}

fn named(status: &Value) -> Vec<&str> {
    let mentions = status["mentions"].as_array().unwrap();
    mentions.iter().map(|mention| mention["acct"].as_str().unwrap()).collect()
}

api_tests! {
    async fn look_alike_handles_find_no_account(app: &TestApp) {
        let alice = app.user("alice").await;
        for name in LOOK_ALIKES {
            assert_eq!(count_matches(app, &alice, name).await, [0; 4], "{name}");
            let handle = format!("{name}@{}", app.domain());
            assert_eq!(count_matches(app, &alice, &handle).await, [0; 4], "{handle}");
        }
        for domain in DOMAINS {
            let handle = format!("alice@{domain}");
            assert_eq!(count_matches(app, &alice, &handle).await, [0; 4], "{handle}");
        }
        let handle = format!("Alice@{}", app.domain());
        assert_eq!(count_matches(app, &alice, &handle).await[..3], [1; 3]);
        assert_eq!(count_matches(app, &alice, "ALICE").await, [1, 0, 1, 1]);
    }

    async fn look_alike_handles_cannot_be_followed_and_have_no_page(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let domains = DOMAINS.map(|domain| format!("alice@{domain}"));
        for handle in LOOK_ALIKES.into_iter().chain(domains.iter().map(String::as_str)) {
            let followed = bob.form("/api/v1/follows", &[("uri", handle)]).await;
            assert_eq!(followed.status, 404, "{handle}: {followed:?}");
            let page = bob.get(&format!("/@{handle}")).await;
            assert_eq!(page.status, 404, "{handle}: {page:?}");
        }
        assert_eq!(alice.counts().await, (0, 0));
    }

    async fn look_alike_names_cannot_be_registered(app: &TestApp) {
        app.app().change_setting("registrations".into(), "open".into()).await.unwrap();
        let client = app.application("read write").await;
        sign_up(&client, "alice", 0).await.ok();
        for (number, name) in (1..).zip(LOOK_ALIKES) {
            let refused = sign_up(&client, name, number).await.expect(422);
            assert_eq!(refused["details"]["username"][0]["error"], "ERR_INVALID", "{name}");
        }
        for (number, name) in (20..).zip(["Alice", "ALICE", " alice ", "\talice\n"]) {
            let refused = sign_up(&client, name, number).await.expect(422);
            assert_eq!(refused["details"]["username"][0]["error"], "ERR_TAKEN", "{name}");
        }
        sign_up(&client, " bob ", 30).await.ok();
        let bob = app.anonymous().get("/api/v1/accounts/lookup?acct=bob").await.ok();
        assert_eq!(bob["username"], "bob");
    }

    async fn look_alike_handles_mention_no_account(app: &TestApp) {
        let alice = app.user("alice").await;
        // A dot after a name ends the sentence and does not belong to the name.
        for name in LOOK_ALIKES.into_iter().filter(|name| !matches!(*name, "alice." | "alice\u{200D}")) {
            let status = alice.publish(&format!("Hello @{name} there")).await;
            assert_eq!(named(&status), [""; 0], "{name}");
        }
        for domain in ["ｅxample.com", "exаmple.com", "exam\u{200B}ple.com"] {
            let status = alice.publish(&format!("Hello @alice@{domain} there")).await;
            assert_eq!(named(&status), [""; 0], "{domain}");
        }
        for typed in ["@Alice", "@ALICE.", &format!("@alice@{}", app.domain())] {
            let status = alice.publish(&format!("Hello {typed} again")).await;
            assert_eq!(named(&status), ["alice"], "{typed}");
        }
    }
}
