//! `/@name` and `/@name/with_replies`.

use reqwest::Method;
use serde_json::json;
use siskin_entities::AccountState;
use siskin_ids::AccountId;
use siskin_persistence::Tx;
use siskin_services::accounts::migration;
use siskin_test_support::{both_engines, builders};

use super::{leads_to, page, refused};
use crate::support::{GOOD, TestApp, User, id, run};

pub(super) const NO_INDEX: &str = "<meta name=\"robots\" content=\"noindex\">";

async fn edit(user: &User, profile: serde_json::Value) {
    let path = "/api/v1/accounts/update_credentials";
    user.send(user.request(Method::PATCH, path).json(&profile)).await.ok();
}

/// Returns the ids of the statuses on a page, from the links of their times.
pub(super) fn shown(page: &str) -> Vec<String> {
    let links = page.split("<a class=\"when\" href=\"").skip(1);
    links
        .map(|rest| rest.split('"').next().unwrap().rsplit('/').next().unwrap().to_owned())
        .collect()
}

pub(super) fn link(page: &str, relation: &str) -> Option<String> {
    let rest = page.split(&format!("rel=\"{relation}\" href=\"")).nth(1)?;
    Some(rest.split('"').next().unwrap().to_owned())
}

both_engines! {
    fn long_pages_need_as_many_statements_as_short_ones(database: &TestDatabase) {
        run(database, |config| config.count_statements = true, async |app: &TestApp| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let root = alice.publish("Hello #birds").await;
            for number in 0..5 {
                alice.publish(&format!("@bob #birds{number}")).await;
                alice.act("reblog", &bob.reply(&root, "@alice again").await).await;
            }
            let cost = async |path: String| {
                // The first request fills the caches; the second one shows the cost of a page.
                page(&app.anonymous().get(&path).await);
                drop(app.app().store().take_counted());
                page(&app.anonymous().get(&path).await);
                let counted = app.app().store().take_counted();
                let of_request = counted.iter().filter(|cost| cost.at.file().contains("crates/http"));
                of_request.map(|cost| cost.statements).sum::<u32>()
            };
            let long = cost("/@alice?limit=10".to_owned()).await;
            assert_eq!(cost("/@alice?limit=2".to_owned()).await, long);
            assert!(long > 0, "no statement was counted");
            let long = cost("/tags/birds0?limit=10".to_owned()).await;
            assert_eq!(cost("/tags/birds?limit=10".to_owned()).await, long);
            let status = |id: &str| format!("/@alice/{id}");
            let lonely = alice.reply(&root, "Alone").await;
            assert_eq!(cost(status(&id(&root))).await, cost(status(&id(&lonely))).await);
        });
    }
}

api_tests! {
    async fn a_profile_page_links_to_the_moved_account(app: &TestApp) {
        let (old, new) = (app.user("old").await, app.user("new").await);
        let before = page(&app.anonymous().get("/@old").await);
        assert!(!before.contains("has moved to"));
        let (from, to): (AccountId, AccountId) =
            (old.id.parse().unwrap(), new.id.parse().unwrap());
        let moved = move |tx: &mut Tx<'_>| {
            migration::add_alias(tx, to, from)?;
            migration::move_to(tx, from, to)
        };
        app.app().write(moved).await.unwrap();
        let after = page(&app.anonymous().get("/@old").await);
        assert!(after.contains("has moved to <a href=") && after.contains("/@new\" rel=\"me\""));
    }

    async fn a_profile_page_has_metadata(app: &TestApp) {
        let alice = app.user("alice").await;
        edit(&alice, json!({
            "display_name": "Alice <A>", "note": "Birds & more", "discoverable": true,
            "indexable": true,
            "fields_attributes": [{ "name": "Site", "value": "https://alice.example" }],
        })).await;
        let response = app.anonymous().get("/@alice").await;
        let page = page(&response);
        let url = format!("{}/@alice", app.base_url());
        for part in [
            "<h1 dir=\"auto\">Alice &lt;A&gt;</h1>".to_owned(),
            "rel=\"me nofollow noopener\"".to_owned(),
            "Birds &amp; more".to_owned(),
            format!("<link rel=\"canonical\" href=\"{url}\">"),
            format!("<meta property=\"og:url\" content=\"{url}\">"),
            "<meta property=\"og:type\" content=\"profile\">".to_owned(),
            "<meta property=\"og:description\" content=\"Birds &#38; more\">".to_owned(),
            format!("<meta property=\"profile:username\" content=\"alice@{}\">", app.domain()),
            "<meta name=\"twitter:card\" content=\"summary\">".to_owned(),
            "<a class=\"skip\" href=\"#content\">".to_owned(),
            "There are no statuses to show here.".to_owned(),
        ] {
            assert!(page.contains(&part), "{part} is not in {page}");
        }
        assert!(!page.contains(NO_INDEX));
        assert_eq!(response.header("x-frame-options"), Some("DENY"));
    }

    async fn an_unchanged_page_is_not_sent_again(app: &TestApp) {
        let alice = app.user("alice").await;
        let anonymous = app.anonymous();
        let tag = anonymous.get("/@alice").await.header("etag").unwrap().to_owned();
        let again = || anonymous.request(Method::GET, "/@alice").header("if-none-match", &tag);
        let same = anonymous.send(again()).await;
        assert_eq!((same.status, same.body.len()), (304, 0));
        assert_eq!(same.header("etag"), Some(tag.as_str()));
        alice.publish("New").await;
        assert_eq!(anonymous.send(again()).await.status, 200);
    }

    async fn a_profile_page_shows_public_statuses_only(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&bob, &alice).await;
        let mut open = Vec::new();
        for (visibility, is_open) in
            [("public", true), ("unlisted", true), ("private", false), ("direct", false)]
        {
            let created = json!({ "status": format!("A {visibility} \
                                                  word"), "visibility": visibility });
            let status = alice.publish_as(created).await;
            if is_open {
                open.insert(0, id(&status));
            }
        }
        for viewer in [&app.anonymous(), &alice.client, &bob.client] {
            assert_eq!(shown(&page(&viewer.get("/@alice").await)), open);
        }
    }

    async fn replies_to_others_have_a_page_of_their_own(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let root = bob.publish("Hello").await;
        let reply = alice.reply(&root, "@bob yes").await;
        let own = alice.publish("Mine").await;
        let boosted = bob.publish("Boosted").await;
        alice.act("reblog", &boosted).await;
        let anonymous = app.anonymous();
        let plain = page(&anonymous.get("/@alice").await);
        assert_eq!(shown(&plain), [id(&boosted), id(&own)]);
        assert!(plain.contains("<bdi>alice</bdi> reblogged"));
        let all = page(&anonymous.get("/@alice/with_replies").await);
        assert_eq!(shown(&all), [id(&boosted), id(&own), id(&reply)]);
        assert!(all.contains("In reply to"));
    }

    async fn statuses_are_paged_by_links(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut written = Vec::new();
        for number in 0..45 {
            written.insert(0, id(&alice.publish(&format!("Number {number}")).await));
        }
        let anonymous = app.anonymous();
        let (mut seen, mut pages) = (Vec::new(), Vec::new());
        let mut next = Some("/@alice".to_owned());
        while let Some(path) = next {
            let page = page(&anonymous.get(&path).await);
            seen.extend(shown(&page));
            next = link(&page, "next");
            pages.push(page);
        }
        assert_eq!(seen, written);
        assert_eq!(pages.len(), 3);
        assert_eq!(link(&pages[0], "prev"), None);
        let back = page(&anonymous.get(&link(&pages[1], "prev").unwrap()).await);
        assert_eq!(shown(&back), shown(&pages[0]));
        assert!(link(&back, "next").is_some());
        let odd = anonymous.get("/@alice?max_id=abc").await;
        assert_eq!(odd.status, 422);
        assert!(odd.text().contains("<h1>"));
    }

    async fn profile_pages_have_one_canonical_url(app: &TestApp) {
        app.user("alice").await;
        let anonymous = app.anonymous();
        let url = format!("{}/@alice", app.base_url());
        let named = format!("/@alice@{}", app.domain());
        for path in ["/@Alice", "/users/alice", named.as_str()] {
            assert_eq!(leads_to(&anonymous.get(path).await), url, "{path}");
        }
        assert_eq!(anonymous.get("/@alice/").await.status, 200);
    }

    async fn remote_profiles_redirect_to_their_server(app: &TestApp) {
        app.remote("zoe", "elsewhere.example").await;
        let response = app.anonymous().get("/@zoe@elsewhere.example").await;
        assert_eq!(leads_to(&response), "https://elsewhere.example/@zoe");
        for path in ["/@zoe", "/@zoe@other.example", "/@nobody", "/@", "/@%00", "/@a%20b@c@d"] {
            let response = app.anonymous().get(path).await;
            assert_eq!(response.status, 404, "{path}");
        }
        refused(&app.anonymous().get("/@nobody").await, 404);
    }

    async fn unconfirmed_profiles_are_not_found_and_suspended_ones_are_gone(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = id(&alice.publish("Hello").await);
        let paths = ["/@alice".to_owned(), format!("/@alice/{status}"),
            format!("/@alice/{status}/embed"), "/@alice/with_replies".to_owned()];
        let anonymous = app.anonymous();
        app.set_state(&alice, AccountState { suspended: true, ..GOOD }).await;
        for path in &paths {
            refused(&anonymous.get(path).await, 410);
        }
        app.set_state(&alice, AccountState { reachable: false, ..GOOD }).await;
        for path in &paths {
            refused(&anonymous.get(path).await, 404);
        }
    }

    async fn silenced_profiles_are_shown_on_their_page_only(app: &TestApp) {
        let alice = app.user("alice").await;
        edit(&alice, json!({ "note": "Secretive", "indexable": true })).await;
        let status = alice.publish("Hello").await;
        app.set_state(&alice, AccountState { silenced: true, ..GOOD }).await;
        let profile = page(&app.anonymous().get("/@alice").await);
        assert!(profile.contains(NO_INDEX));
        assert!(!profile.contains("content=\"Secretive\""));
        let (before, behind) = profile.split_once("<details class=\"limited\">").unwrap();
        assert!(!before.contains("Secretive</p>") && behind.contains("Secretive</p>"));
        assert_eq!(shown(behind), [id(&status)]);
    }

    async fn only_indexable_profiles_are_for_search_engines(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = id(&alice.publish("Hello").await);
        let paths = ["/@alice".to_owned(), format!("/@alice/{status}")];
        for (indexable, discoverable, indexed) in
            [(false, true, false), (true, false, false), (true, true, true)]
        {
            edit(&alice, json!({ "indexable": indexable, "discoverable": discoverable })).await;
            for path in &paths {
                let page = page(&app.anonymous().get(path).await);
                assert_eq!(!page.contains(NO_INDEX), indexed, "{path}");
            }
        }
    }

    async fn the_page_is_the_same_for_signed_in_viewers(app: &TestApp) {
        app.user("alice").await;
        let browser = app.browser();
        crate::oauth::sign_in(&browser, "alice@example.com", builders::PASSWORD).await;
        assert_eq!(browser.get("/@alice").await.body, app.anonymous().get("/@alice").await.body);
    }
}
