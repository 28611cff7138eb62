//! A server with its handles on another domain: `alice@town.example` at
//! `http://127.0.0.1:40123/users/alice`.

use siskin_server::Config;
use siskin_test_support::both_engines;

use super::webfinger::assert_closes;
use crate::support::{
    TestApp,
    federation::{READER, uri},
    id, run,
};

const DOMAIN: &str = "town.example";

fn split(config: &mut Config) {
    config.domain = Some(DOMAIN.to_owned());
}

/// Returns the host of the server, with its port.
fn host(app: &TestApp) -> &str {
    app.app().urls().host()
}

both_engines! {
    fn handles_close_on_their_own_domain(database: &TestDatabase) {
        run(database, split, async |app: &TestApp| {
            app.federate().await;
            app.user("alice").await;
            assert_eq!(app.domain(), DOMAIN);
            let anonymous = app.anonymous();
            assert_closes(&anonymous, "/users/alice", "alice@town.example").await;
            assert_closes(&anonymous, "/actor", "town.example@town.example").await;
            let actor = anonymous.actor("/users/alice").await;
            assert_eq!(actor.id, uri(&format!("{}/users/alice", app.base_url())));
        });
    }

    fn both_domains_are_asked_about(database: &TestDatabase) {
        run(database, split, async |app: &TestApp| {
            app.federate().await;
            app.user("alice").await;
            let anonymous = app.anonymous();
            let expected = anonymous.finger("acct:alice@town.example").await.ok();
            assert_eq!(expected["subject"], "acct:alice@town.example");
            for resource in [
                format!("acct:alice@{}", host(app)),
                format!("{}/users/alice", app.base_url()),
                format!("{}/@alice", app.base_url()),
            ] {
                assert_eq!(anonymous.finger(&resource).await.ok(), expected, "{resource}");
            }
            for resource in ["acct:alice@other.example", "https://town.example/users/alice"] {
                anonymous.finger(resource).await.expect(404);
            }
            let server = anonymous.finger(&format!("acct:town.example@{}", host(app))).await;
            assert_eq!(
                READER.jrd(&server.body).unwrap().actor(),
                Some(&uri(&format!("{}/actor", app.base_url())))
            );
        });
    }

    fn both_domains_name_accounts_of_this_server(database: &TestDatabase) {
        run(database, split, async |app: &TestApp| {
            app.federate().await;
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            for domain in [DOMAIN, host(app)] {
                let path = format!("/api/v1/accounts/lookup?acct=alice@{domain}");
                let found = bob.get(&path).await.ok();
                assert_eq!(found["id"], alice.id, "{domain}");
                assert_eq!(found["acct"], "alice", "{domain}");
                bob.form("/api/v1/domain_blocks", &[("domain", domain)]).await.expect(422);
            }
            let status = bob.publish("Hello @alice@town.example").await;
            assert_eq!(status["mentions"][0]["id"], alice.id);
            let document = app.anonymous().object(status["uri"].as_str().unwrap()).await;
            assert_eq!(document.tags.mentions[0].name, "@alice@town.example");
            assert_eq!(app.anonymous().get("/@alice").await.status, 200);
            let instance = app.anonymous().get("/api/v2/instance").await.ok();
            assert_eq!(instance["domain"], DOMAIN);
        });
    }

    // Clients and pages show handles as they are typed on other servers.
    fn pages_show_the_domain_of_handles(database: &TestDatabase) {
        run(database, split, async |app: &TestApp| {
            let status = id(&app.user("alice").await.publish("Hello").await);
            for path in ["/@alice".to_owned(), format!("/@alice/{status}")] {
                let page = app.anonymous().get(&path).await;
                assert!(page.text().contains("@alice@town.example"), "{path}");
                assert!(page.text().contains(&format!("{}/@alice", app.base_url())), "{path}");
            }
        });
    }
}
