//! Verified links of a profile: pages that link back to it.

use std::sync::{Arc, Mutex};

use reqwest::Method;
use serde_json::{Value, json};
use siskin_test_support::{
    TestDatabase, both_engines,
    site::{Site, page, redirect},
};

use crate::support::{TestApp, User, run};

/// A site of Alice. Its pages link to the address that the test sets once it is known.
struct Home {
    site: Site,
    profile: Arc<Mutex<String>>,
}

impl Home {
    fn open() -> Self {
        let profile = Arc::<Mutex<String>>::default();
        let linked = Arc::clone(&profile);
        let site = Site::start(move |received| {
            let to = linked.lock().unwrap().clone();
            match received.path.as_str() {
                "/moved" => redirect("/anchor"),
                "/anchor" => page(&format!("<p><a href='{to}' rel='nofollow me'>Siskin</a>")),
                "/link" => page(&format!("<head><link rel=me href='{to}'></head>")),
                "/plain" => page(&format!("<a href='{to}'>not mine</a>")),
                "/other" => page(&format!("<a rel=me href='{to}x'>somebody else's</a>")),
                "/text" => siskin_test_support::site::response(
                    "200 OK",
                    &[("content-type", "text/plain")],
                    format!("<a rel=me href='{to}'>").as_bytes(),
                ),
                _ => siskin_test_support::site::response(
                    "404 Not Found",
                    &[("content-type", "text/html")],
                    format!("<a rel=me href='{to}'>").as_bytes(),
                ),
            }
        });
        Self { site, profile }
    }

    fn links_to(&self, app: &TestApp, user: &User) {
        *self.profile.lock().unwrap() = format!("{}/@{}", app.base_url(), user.username);
    }
}

/// Runs a test with a server that may connect to Alice's site.
fn with_home(database: &TestDatabase, test: impl AsyncFnOnce(&TestApp, &Home)) {
    let home = Home::open();
    let address = home.site.address();
    // No page is checked until the test runs the jobs.
    let configure = |config: &mut siskin_server::Config| {
        config.outbound_allow.push(address);
        config.job_workers = 0;
    };
    run(database, configure, async |app| test(app, &home).await);
}

/// Saves these values as the profile fields and runs the jobs that follow.
async fn save(app: &TestApp, user: &User, values: &[String]) -> Value {
    let fields: Vec<Value> =
        values.iter().map(|value| json!({ "name": "Site", "value": value })).collect();
    let update = user.request(Method::PATCH, "/api/v1/accounts/update_credentials");
    let saved = user.send(update.json(&json!({ "fields_attributes": fields }))).await.ok();
    app.app().drain_jobs().await.unwrap();
    saved
}

/// Returns for each profile field whether it is verified, as an anonymous viewer sees it.
async fn verified(app: &TestApp, user: &User) -> Vec<bool> {
    let shown = app.anonymous().get(&format!("/api/v1/accounts/{}", user.id)).await.ok();
    let fields = shown["fields"].as_array().unwrap().clone();
    fields.iter().map(|field| field["verified_at"].is_string()).collect()
}

both_engines! {
    fn a_rel_me_link_back_verifies_the_field(database: &TestDatabase) {
        with_home(database, async |app, home| {
            let alice = app.user("alice").await;
            home.links_to(app, &alice);
            for (path, is_verified) in [
                ("/anchor", true), ("/link", true), ("/moved", true), ("/plain", false),
                ("/other", false), ("/text", false), ("/gone", false),
            ] {
                let saved = save(app, &alice, &[home.site.url(path)]).await;
                assert_eq!(saved["fields"][0]["verified_at"], Value::Null, "{path}");
                assert_eq!(verified(app, &alice).await, [is_verified], "{path}");
            }
        });
    }

    fn unchanged_fields_stay_verified_and_changed_ones_do_not(database: &TestDatabase) {
        with_home(database, async |app, home| {
            let alice = app.user("alice").await;
            home.links_to(app, &alice);
            let (anchor, plain) = (home.site.url("/anchor"), home.site.url("/plain"));
            save(app, &alice, &[anchor.clone(), plain.clone()]).await;
            assert_eq!(verified(app, &alice).await, [true, false]);
            let received = home.site.received().len();
            let again = save(app, &alice, &[plain.clone(), anchor.clone()]).await;
            assert!(again["fields"][1]["verified_at"].is_string());
            assert_eq!(home.site.received().len(), received + 1, "a known link is not fetched again");
            save(app, &alice, &[format!("{anchor}?x"), "words".to_owned()]).await;
            assert_eq!(verified(app, &alice).await, [false, false]);
            // The page links elsewhere now. The field was not verified before, and is not verified
            // now.
            home.links_to(app, &app.user("bob").await);
            save(app, &alice, &[anchor]).await;
            assert_eq!(verified(app, &alice).await, [false]);
        });
    }

    fn a_page_of_another_person_verifies_no_field(database: &TestDatabase) {
        with_home(database, async |app, home| {
            let (alice, mallory) = (app.user("alice").await, app.user("mallory").await);
            home.links_to(app, &alice);
            save(app, &mallory, &[home.site.url("/anchor")]).await;
            assert_eq!(verified(app, &mallory).await, [false]);
        });
    }

    fn profile_links_cannot_reach_private_addresses(database: &TestDatabase) {
        let hidden = Site::start(|_| page("secret"));
        let away = hidden.url("/");
        let open = Site::start(move |_| redirect(&away));
        let address = open.address();
        run(database, |config| config.outbound_allow.push(address), async |app| {
            let alice = app.user("alice").await;
            let port = hidden.address().port();
            let values = [
                hidden.url("/"),
                format!("http://localhost:{port}/"),
                format!("http://0x7f.1:{port}/"),
                open.url("/"),
            ];
            save(app, &alice, &values).await;
            assert_eq!(verified(app, &alice).await, [false; 4]);
            assert_eq!((hidden.received().len(), open.received().len()), (0, 1));
        });
    }

    fn a_profile_change_during_verification_wins(database: &TestDatabase) {
        with_home(database, async |app, home| {
            let alice = app.user("alice").await;
            home.links_to(app, &alice);
            let account = alice.id.parse().unwrap();
            save(app, &alice, &["words".to_owned()]).await;
            let job = siskin_services::accounts::links::VerifyLink {
                account,
                link: home.site.url("/anchor"),
            };
            app.app()
                .write(move |tx| siskin_services::accounts::links::mark_verified(tx, &job))
                .await
                .unwrap();
            assert_eq!(verified(app, &alice).await, [false]);
        });
    }
}
