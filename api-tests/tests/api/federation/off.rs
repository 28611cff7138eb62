//! While federation is off, the default, no other server finds or reads anything.

use siskin_services::federation::base;

use super::answer;
use crate::support::{federation::ACTIVITY, id};

/// Paths that only other servers ask for, of an account `alice` with a status.
fn documents(status: &str) -> Vec<String> {
    let mut paths: Vec<String> =
        ["/actor", "/authorize_interaction?uri=alice"].map(str::to_owned).to_vec();
    let account = ["collections/featured", "collections/tags", "followers", "following", "outbox"];
    paths.extend(account.iter().map(|name| format!("/users/alice/{name}")));
    let of_status = ["activity", "likes", "replies", "shares"];
    paths.extend(of_status.iter().map(|name| format!("/users/alice/statuses/{status}/{name}")));
    paths
}

api_tests! {
    async fn documents_are_unknown_paths(app: &TestApp) {
        let status = id(&app.user("alice").await.publish("Hello").await);
        let anonymous = app.anonymous();
        for path in documents(&status) {
            for accept in [ACTIVITY, "text/html", "application/json"] {
                let response = anonymous.accepting(accept, &path).await;
                let unknown = anonymous.accepting(accept, "/users/alice/unknown").await;
                assert_eq!(answer(&response), answer(&unknown), "{accept} {path}");
                assert_eq!(response.status, 404, "{path}");
            }
        }
    }

    async fn addresses_of_accounts_lead_to_pages_only(app: &TestApp) {
        let status = id(&app.user("alice").await.publish("Hello").await);
        let anonymous = app.anonymous();
        for (path, page) in [
            ("/users/alice".to_owned(), "/@alice".to_owned()),
            (format!("/users/alice/statuses/{status}"), format!("/@alice/{status}")),
        ] {
            for accept in [ACTIVITY, "text/html"] {
                let response = anonymous.accepting(accept, &path).await;
                assert_eq!(response.status, 302, "{path}");
                let address = format!("{}{page}", app.base_url());
                assert_eq!(response.header("location"), Some(&*address), "{path}");
                assert_eq!(response.header("vary"), None, "{path}");
                let response = anonymous.accepting(accept, &page).await;
                assert_eq!(response.status, 200, "{page}");
                assert!(response.header("content-type").unwrap().starts_with("text/html"));
                assert_eq!((response.header("vary"), response.header("link")), (None, None));
                assert!(!response.text().contains(ACTIVITY), "{page}");
            }
        }
    }

    async fn handles_lead_to_pages_only(app: &TestApp) {
        app.user("alice").await;
        let anonymous = app.anonymous();
        let found = anonymous.finger(&format!("acct:alice@{}", app.domain())).await;
        assert!(!found.text().contains("\"self\""), "{found:?}");
        let (host, _) = app.domain().split_once(':').unwrap();
        for resource in
            [format!("acct:{host}@{}", app.domain()), format!("{}/actor", app.base_url())]
        {
            anonymous.finger(&resource).await.expect(404);
        }
    }

    async fn documents_go_when_federation_is_switched_off(app: &TestApp) {
        let status = id(&app.user("alice").await.publish("Hello").await);
        let anonymous = app.anonymous();
        let unknown = answer(&anonymous.document("/users/alice/unknown").await);
        for mode in ["allowed", "open"] {
            app.set_federation(mode).await;
            for path in documents(&status) {
                let response = anonymous.document(&path).await;
                assert!([200, 404].contains(&response.status), "{mode} {path}: {response:?}");
                assert_ne!(answer(&response), unknown, "{mode} {path}");
            }
            assert_eq!(anonymous.document("/users/alice").await.status, 200);
        }
        app.set_federation("off").await;
        for path in documents(&status) {
            assert_eq!(answer(&anonymous.document(&path).await), unknown, "{path}");
        }
        assert_eq!(anonymous.document("/users/alice").await.status, 302);
    }

    // Others bind accounts to the address only when they read a document.
    async fn the_first_document_fixes_the_address(app: &TestApp) {
        app.user("alice").await;
        let anonymous = app.anonymous();
        let is_fixed = async || app.app().read(base::is_fixed).await.unwrap();
        anonymous.document("/users/alice").await;
        app.federate().await;
        for path in ["/@alice", "/users/alice", "/nodeinfo/2.1", "/.well-known/host-meta"] {
            anonymous.get(path).await;
        }
        anonymous.finger(&format!("acct:alice@{}", app.domain())).await.ok();
        assert_eq!(anonymous.document("/users/bob").await.status, 404);
        assert!(!is_fixed().await);
        assert_eq!(anonymous.document("/users/alice").await.status, 200);
        assert!(is_fixed().await);
        app.set_federation("off").await;
        assert!(is_fixed().await);
    }
}
