//! Handles lead to actors, and actors back to their handles.

use siskin_entities::AccountState;
use siskin_federation::{
    address::Schemes,
    read::Jrd,
    rules::{self, Closing, Renamed},
};

use crate::support::{
    Client, GOOD, Response,
    federation::{READER, uri},
    pictures::png,
};

/// Reads an answer, with its headers.
fn answer(response: &Response) -> Jrd {
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(response.header("content-type"), Some("application/jrd+json"));
    assert_eq!(response.header("access-control-allow-origin"), Some("*"));
    READER.jrd(&response.body).unwrap()
}

/// Checks as another server does that an actor has the handle that it claims.
pub async fn assert_closes(client: &Client, actor: &str, handle: &str) {
    let actor = client.actor(actor).await;
    let claimed = actor.claimed_handle().unwrap();
    assert_eq!(claimed.to_string(), handle);
    let found = answer(&client.finger(&claimed.resource()).await);
    let closing = rules::closes(&actor.id, &claimed, &found, Renamed::No);
    assert_eq!(closing, Closing::Closed(claimed));
}

api_tests! {
    async fn every_name_of_an_account_has_the_same_answer(app: &TestApp) {
        app.federate().await;
        let alice = app.user("Alice").await;
        let anonymous = app.anonymous();
        let found = anonymous.finger(&format!("acct:Alice@{}", app.domain())).await;
        let read = answer(&found);
        let base = app.base_url();
        let (actor, page) = (format!("{base}/users/Alice"), format!("{base}/@Alice"));
        assert_eq!(read.handle().unwrap().to_string(), format!("Alice@{}", app.domain()));
        assert_eq!(read.aliases, [uri(&page), uri(&actor)]);
        assert_eq!(read.actor(), Some(&uri(&actor)));
        assert_eq!(read.page(), Some(&uri(&page)));
        assert_eq!(
            read.subscribe_template(),
            Some(&*format!("{base}/authorize_interaction?uri={{uri}}"))
        );
        for resource in [
            format!("alice@{}", app.domain()),
            format!("acct:ALICE@{}", app.domain()),
            format!("acct:@Alice@{}", app.domain()),
            page,
            actor,
            format!("{base}/users/alice/"),
        ] {
            assert_eq!(anonymous.finger(&resource).await.ok(), found.ok(), "{resource}");
        }
        // The same answer by host metadata.
        let template =
            READER.host_meta(&anonymous.get("/.well-known/host-meta").await.body).unwrap();
        let address = template.address(&format!("acct:Alice@{}", app.domain()), Schemes::HttpToo);
        assert_eq!(anonymous.get(address.unwrap().as_str()).await.ok(), found.ok());
        alice.upload("avatar", png(20, 20)).await.ok();
        let found = answer(&anonymous.finger(&format!("acct:alice@{}", app.domain())).await);
        let avatar =
            found.links.iter().find(|it| it.rel == "http://webfinger.net/rel/avatar").unwrap();
        assert_eq!(avatar.media_type.as_deref(), Some("image/png"));
        assert_eq!(anonymous.get(avatar.href.as_ref().unwrap().as_str()).await.status, 200);
    }

    async fn handles_close(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        let anonymous = app.anonymous();
        let handle = format!("alice@{}", app.domain());
        assert_closes(&anonymous, "/users/alice", &handle).await;
        let (host, _) = app.domain().split_once(':').unwrap();
        assert_closes(&anonymous, "/actor", &format!("{host}@{}", app.domain())).await;
        // A suspended account is still known.
        app.set_state(&alice, AccountState { suspended: true, ..GOOD }).await;
        assert_closes(&anonymous, "/users/alice", &handle).await;
    }

    async fn the_server_is_found_by_handle_and_address(app: &TestApp) {
        app.federate().await;
        let anonymous = app.anonymous();
        let (host, _) = app.domain().split_once(':').unwrap();
        let actor = format!("{}/actor", app.base_url());
        for resource in [format!("acct:{host}@{}", app.domain()), actor.clone()] {
            let found = answer(&anonymous.finger(&resource).await);
            assert_eq!(found.actor(), Some(&uri(&actor)), "{resource}");
        }
    }

    async fn only_accounts_that_others_see_are_found(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        app.remote("zoe", "far.example").await;
        app.set_state(&alice, AccountState { reachable: false, ..GOOD }).await;
        let anonymous = app.anonymous();
        let free = anonymous.finger(&format!("acct:nobody@{}", app.domain())).await;
        free.expect(404);
        for resource in [
            format!("acct:alice@{}", app.domain()),
            format!("{}/users/alice", app.base_url()),
            "acct:zoe@far.example".to_owned(),
            "https://far.example/users/zoe".to_owned(),
            format!("acct:zoe@{}", app.domain()),
            format!("{}/tags/birds", app.base_url()),
            "acct:alice".to_owned(),
        ] {
            let response = anonymous.finger(&resource).await;
            assert_eq!((response.status, response.body), (404, free.body.clone()), "{resource}");
        }
        anonymous.get("/.well-known/webfinger").await.expect(400);
    }

    async fn deleted_accounts_are_gone(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        app.delete_account(&alice).await;
        for resource in
            [format!("acct:alice@{}", app.domain()), format!("{}/users/alice", app.base_url())]
        {
            app.anonymous().finger(&resource).await.expect(410);
        }
    }

    async fn node_info_says_that_the_server_federates(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        alice.publish("Hello").await;
        let anonymous = app.anonymous();
        let index = anonymous.get("/.well-known/nodeinfo").await;
        let address = READER.node_info_index(&index.body).unwrap();
        assert_eq!(address, uri(&format!("{}/nodeinfo/2.1", app.base_url())));
        for version in ["2.0", "2.1"] {
            let response = anonymous.get(&format!("/nodeinfo/{version}")).await;
            let schema = format!("http://nodeinfo.diaspora.software/ns/schema/{version}");
            assert_eq!(
                response.header("content-type"),
                Some(&*format!("application/json; profile=\"{schema}#\""))
            );
            let info = READER.node_info(&response.body).unwrap();
            assert_eq!(
                (info.software.as_deref(), info.protocols),
                (Some("siskin"), vec!["activitypub".to_owned()])
            );
            assert_eq!(info.has_open_registrations, Some(false));
            assert_eq!(response.ok()["metadata"]["upstream"]["name"], "mastodon");
        }
    }
}
