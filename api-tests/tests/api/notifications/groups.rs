//! `/api/v2/notifications`: groups of notifications.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{LIST as SINGLE, follow, four_by_bob, post};
use crate::support::{Client, TestApp, User, trends::all_favourite};

const LIST: &str = "/api/v2/notifications";

/// Creates Alice with a status that these fans marked as a favourite, one after the other.
async fn with_fans(app: &TestApp, number: usize) -> (User, String, Vec<User>) {
    let alice = app.user("alice").await;
    let status = post(&alice, "Hello all", "public").await;
    let mut fans = Vec::new();
    for number in 0..number {
        let fan = app.user(&format!("fan{number}")).await;
        fan.post(&format!("/api/v1/statuses/{status}/favourite")).await.ok();
        fans.push(fan);
    }
    (alice, status, fans)
}

async fn groups(viewer: &Client, query: &str) -> Vec<Value> {
    let page = viewer.get(&format!("{LIST}{query}")).await.ok();
    page["notification_groups"].as_array().unwrap().clone()
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect()
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
}

api_tests! {
    async fn similar_notifications_form_one_group(app: &TestApp) {
        let (alice, status, fans) = with_fans(app, 3).await;
        let mention = post(&fans[0], "Hello @alice", "public").await;
        follow(app, &fans[0], &alice).await;
        follow(app, &fans[1], &alice).await;
        let page = alice.get(LIST).await;
        snapshot!("notification_groups", page);
        let shown = page.ok();
        let groups = shown["notification_groups"].as_array().unwrap();
        let types: Vec<&str> = groups.iter().map(|one| one["type"].as_str().unwrap()).collect();
        assert_eq!(types, ["follow", "mention", "favourite"]);
        let single = alice.get(SINGLE).await;
        let [favourites, newest] = [&groups[2], &groups[0]];
        assert_eq!(favourites["notifications_count"], 3);
        assert_eq!(favourites["status_id"], status.as_str());
        let newest_first: Vec<&str> = fans.iter().rev().map(|fan| fan.id.as_str()).collect();
        assert_eq!(texts(&favourites["sample_account_ids"]), newest_first);
        let all = single.ids();
        assert_eq!(favourites["most_recent_notification_id"], all[3].as_str());
        assert_eq!(favourites["page_max_id"], all[3].as_str());
        assert_eq!(favourites["page_min_id"], all[5].as_str());
        let of_single = single.ok();
        assert_eq!(favourites["latest_page_notification_at"].as_str().unwrap()[..19],
            of_single[3]["created_at"].as_str().unwrap()[..19]);
        assert_eq!((&newest["page_max_id"], &newest["page_min_id"]), (&json!(all[0]), &json!(all[1])));
        assert_eq!(newest.get("status_id"), None);
        assert_eq!(groups[1]["group_key"], format!("ungrouped-{}", all[2]));
        assert_eq!(groups[1]["notifications_count"], 1);
        for (place, group) in [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 2)] {
            assert_eq!(of_single[place]["group_key"], groups[group]["group_key"], "{place}");
        }
        let accounts: BTreeSet<&str> = ids(&shown["accounts"]).into_iter().collect();
        assert_eq!(accounts, fans.iter().map(|fan| fan.id.as_str()).collect());
        assert_eq!(ids(&shown["accounts"]).len(), 3, "each once");
        assert_eq!(ids(&shown["statuses"]), [mention.as_str(), status.as_str()]);
        assert_eq!(shown.get("partial_accounts"), None);
    }

    async fn a_group_names_eight_accounts_and_counts_all(app: &TestApp) {
        let (alice, _, fans) = with_fans(app, 12).await;
        let group = groups(&alice, "").await.remove(0);
        assert_eq!(group["notifications_count"], 12);
        let newest: Vec<&str> = fans.iter().rev().take(8).map(|fan| fan.id.as_str()).collect();
        assert_eq!(texts(&group["sample_account_ids"]), newest);
        let path = format!("{LIST}/{}/accounts", group["group_key"].as_str().unwrap());
        let all = alice.get(&path).await.ok();
        assert_eq!(ids(&all), fans.iter().rev().map(|fan| fan.id.as_str()).collect::<Vec<_>>());
    }

    async fn hidden_senders_are_neither_counted_nor_named(app: &TestApp) {
        let (alice, _, fans) = with_fans(app, 4).await;
        alice.post(&format!("/api/v1/accounts/{}/block", fans[3].id)).await.ok();
        alice.post(&format!("/api/v1/accounts/{}/mute", fans[1].id)).await.ok();
        let group = groups(&alice, "").await.remove(0);
        assert_eq!(group["notifications_count"], 2);
        assert_eq!(texts(&group["sample_account_ids"]), [fans[2].id.as_str(), fans[0].id.as_str()]);
        let key = group["group_key"].as_str().unwrap();
        let accounts = alice.get(&format!("{LIST}/{key}/accounts")).await.ok();
        assert_eq!(ids(&accounts), [fans[2].id.as_str(), fans[0].id.as_str()]);
        for fan in [&fans[0], &fans[2]] {
            alice.post(&format!("/api/v1/accounts/{}/block", fan.id)).await.ok();
        }
        assert_eq!(groups(&alice, "").await, [json!(null); 0]);
        let missing = json!({ "error": "Record not found" });
        assert_eq!(alice.get(&format!("{LIST}/{key}")).await.expect(404), missing);
        assert_eq!(alice.get(&format!("{LIST}/{key}/accounts")).await.expect(404), missing);
    }

    async fn a_group_is_found_by_its_key(app: &TestApp) {
        let (alice, status, fans) = with_fans(app, 2).await;
        post(&fans[0], "Hello @alice", "public").await;
        let page = alice.get(LIST).await.ok();
        for group in page["notification_groups"].as_array().unwrap() {
            let path = format!("{LIST}/{}", group["group_key"].as_str().unwrap());
            let found = alice.get(&path).await.ok();
            let single = &found["notification_groups"][0];
            for field in ["group_key", "type", "notifications_count", "sample_account_ids"] {
                assert_eq!(single[field], group[field], "{field}");
            }
            assert_eq!(single["most_recent_notification_id"], group["most_recent_notification_id"]);
            assert_eq!(ids(&found["statuses"]), [group["status_id"].as_str().unwrap()]);
            fans[0].get(&path).await.expect(404);
        }
        let other = format!("favourite-{status}-7");
        for key in ["", "x", "favourite", "ungrouped-7", "ungrouped-x", &other, "mention-1-1"] {
            let missing = alice.get(&format!("{LIST}/{key}")).await;
            if !key.is_empty() {
                assert_eq!(missing.expect(404), json!({ "error": "Record not found" }), "{key}");
            }
        }
    }

    async fn dismissing_a_group_deletes_all_its_notifications(app: &TestApp) {
        let (alice, _, fans) = with_fans(app, 3).await;
        follow(app, &fans[0], &alice).await;
        let all = groups(&alice, "").await;
        let key = all[1]["group_key"].as_str().unwrap();
        let dismiss = format!("{LIST}/{key}/dismiss");
        fans[0].post(&dismiss).await.ok();
        assert_eq!(groups(&alice, "").await.len(), 2, "a stranger dismisses nothing");
        assert_eq!(alice.post(&dismiss).await.ok(), json!({}));
        assert_eq!(alice.get(SINGLE).await.ids().len(), 1);
        assert_eq!(alice.post(&dismiss).await.ok(), json!({}), "again");
        let id = &alice.get(SINGLE).await.ids()[0];
        alice.post(&format!("{LIST}/ungrouped-{id}/dismiss")).await.ok();
        assert_eq!(alice.get(SINGLE).await.ids(), [""; 0]);
        alice.post(&format!("{LIST}/nonsense/dismiss")).await.expect(404);
    }

    async fn clients_choose_the_types_that_form_groups(app: &TestApp) {
        let (alice, status, fans) = with_fans(app, 2).await;
        for fan in &fans {
            fan.post(&format!("/api/v1/statuses/{status}/reblog")).await.ok();
        }
        let count = async |query: &str| groups(&alice, query).await.len();
        assert_eq!(count("").await, 2);
        assert_eq!(count("?grouped_types[]=favourite").await, 3);
        assert_eq!(count("?grouped_types[]=favourite&grouped_types[]=reblog").await, 2);
        assert_eq!(count("?grouped_types[]=mention").await, 4);
        assert_eq!(count("?types[]=favourite").await, 1);
        assert_eq!(count("?exclude_types[]=favourite&grouped_types[]=favourite").await, 2);
        assert_eq!(count(&format!("?account_id={}", fans[0].id)).await, 2);
        let each = groups(&alice, "?grouped_types[]=mention").await;
        let keys: BTreeSet<&str> = each.iter().map(|one| one["group_key"].as_str().unwrap()).collect();
        assert!(keys.len() == 4 && keys.iter().all(|key| key.starts_with("ungrouped-")), "{keys:?}");
    }

    // Of a group, only the notifications that the filter admits are shown.
    async fn a_group_of_one_account_leaves_out_the_others(app: &TestApp) {
        let (alice, status, fans) = with_fans(app, 2).await;
        let single = alice.get(SINGLE).await.ids();
        for (fan, own) in fans.iter().zip([&single[1], &single[0]]) {
            let page = alice.get(&format!("{LIST}?account_id={}", fan.id)).await.ok();
            let [group] = &page["notification_groups"].as_array().unwrap()[..] else {
                panic!("{page}");
            };
            assert_eq!(group["status_id"], status.as_str());
            assert_eq!(group["notifications_count"], 1);
            assert_eq!(texts(&group["sample_account_ids"]), [fan.id.as_str()]);
            for field in ["most_recent_notification_id", "page_max_id", "page_min_id"] {
                assert_eq!(group[field], own.as_str(), "{field}");
            }
            assert_eq!(ids(&page["accounts"]), [fan.id.as_str()]);
            assert_eq!(ids(&page["statuses"]), [status.as_str()]);
        }
        for unknown in ["abc", "999999", "-1", alice.id.as_str()] {
            let page = alice.get(&format!("{LIST}?account_id={unknown}")).await.ok();
            let nothing = json!({ "accounts": [], "statuses": [], "notification_groups": [] });
            assert_eq!(page, nothing, "{unknown}");
        }
        // An empty value is no filter.
        assert_eq!(groups(&alice, "?account_id=").await[0]["notifications_count"], 2);
    }

    async fn each_filtered_notification_is_a_group_of_its_own(app: &TestApp) {
        let (alice, status, _) = with_fans(app, 0).await;
        let rule = [("for_not_following", "filter")];
        alice.patch("/api/v2/notifications/policy", &rule).await.ok();
        let fans = app.crowd("stranger", 2).await;
        all_favourite(&fans, &json!({ "id": status })).await;
        assert_eq!(groups(&alice, "").await, [json!(null); 0]);
        let shown = groups(&alice, "?include_filtered=true").await;
        let keys = |list: &[Value]| -> Vec<String> {
            list.iter().map(|one| one["group_key"].as_str().unwrap().to_owned()).collect()
        };
        let listed = alice.get("/api/v1/notifications?include_filtered=true").await.ok();
        assert_eq!(keys(&shown), keys(listed.as_array().unwrap()));
        let samples: Vec<_> = shown.iter().map(|one| texts(&one["sample_account_ids"])).collect();
        assert_eq!(samples, [[fans[1].id.as_str()], [fans[0].id.as_str()]]);
        let path = format!("{LIST}/{}", keys(&shown)[0]);
        let found = alice.get(&path).await.ok();
        assert_eq!(found["notification_groups"][0]["notifications_count"], 1);
        assert_eq!(ids(&found["statuses"]), [status.as_str()]);
        let accounts = alice.get(&format!("{path}/accounts")).await.ok();
        assert_eq!(ids(&accounts), [fans[1].id.as_str()]);
        assert_eq!(alice.post(&format!("{path}/dismiss")).await.ok(), json!({}));
        assert_eq!(groups(&alice, "?include_filtered=true").await, shown[1..]);
        let missing = json!({ "error": "Record not found" });
        assert_eq!(alice.get(&path).await.expect(404), missing);
        assert_eq!(alice.get(&format!("{path}/accounts")).await.expect(404), missing);
        assert_eq!(alice.get("/api/v1/notifications/requests").await.ids().len(), 1);
    }

    async fn partial_accounts_have_what_an_avatar_needs(app: &TestApp) {
        let (alice, _, fans) = with_fans(app, 3).await;
        let page = alice.get(&format!("{LIST}?expand_accounts=partial_avatars")).await.ok();
        assert_eq!(ids(&page["accounts"]), [fans[2].id.as_str()]);
        let partial = page["partial_accounts"].as_array().unwrap();
        assert_eq!(ids(&page["partial_accounts"]), [fans[1].id.as_str(), fans[0].id.as_str()]);
        let names: BTreeSet<&str> = partial[0].as_object().unwrap().keys().map(String::as_str).collect();
        let expected = ["acct", "avatar", "avatar_static", "bot", "id", "locked", "url"];
        assert_eq!(names, expected.into_iter().collect());
        let full = alice.get(&format!("{LIST}?expand_accounts=full")).await.ok();
        assert_eq!(ids(&full["accounts"]).len(), 3);
        alice.get(&format!("{LIST}?expand_accounts=none")).await.expect(422);
    }

    async fn pages_continue_below_their_last_group(app: &TestApp) {
        let (alice, _, fans) = with_fans(app, 2).await;
        for number in 0..5 {
            post(&fans[0], &format!("@alice {number}"), "direct").await;
        }
        let newest = post(&alice, "Newest", "public").await;
        fans[0].post(&format!("/api/v1/statuses/{newest}/favourite")).await.ok();
        let whole = groups(&alice, "").await;
        assert_eq!(whole.len(), 7);
        let (mut next, mut walked) = (Some(format!("{LIST}?limit=3&types[]=mention&types[]=favourite")), Vec::new());
        while let Some(url) = next {
            let page = alice.get(&url).await;
            let shown = page.ok();
            walked.extend(shown["notification_groups"].as_array().unwrap().iter().map(|one| one["group_key"].clone()));
            next = page.link("next").filter(|_| walked.len() < 50);
        }
        let keys: Vec<Value> = whole.iter().map(|one| one["group_key"].clone()).collect();
        assert_eq!(walked, keys);
        let newer = alice.get(&format!("{LIST}?limit=2")).await.link("prev").unwrap();
        assert_eq!(alice.get(&newer).await.ok()["notification_groups"], json!([]));
        let oldest = alice.get(SINGLE).await.ids().pop().unwrap();
        let upwards = groups(&alice, &format!("?limit=3&min_id={oldest}")).await;
        let upwards: Vec<&Value> = upwards.iter().map(|one| &one["group_key"]).collect();
        assert_eq!(upwards, [&keys[4], &keys[5], &keys[6]]);
    }

    async fn a_large_group_does_not_hide_older_ones(app: &TestApp) {
        let alice = app.user("alice").await;
        let (bob, status) = (app.user("bob").await, post(&alice, "Popular", "public").await);
        post(&bob, "@alice one", "public").await;
        for number in 0..45 {
            let fan = app.user(&format!("fan{number}")).await;
            fan.post(&format!("/api/v1/statuses/{status}/favourite")).await.ok();
        }
        post(&bob, "@alice two", "public").await;
        let shown = groups(&alice, "?limit=3").await;
        let types: Vec<&str> = shown.iter().map(|one| one["type"].as_str().unwrap()).collect();
        assert_eq!(types, ["mention", "favourite", "mention"]);
        assert_eq!(shown[1]["notifications_count"], 45);
    }

    // The viewer's filters mark the statuses of groups.
    async fn statuses_of_groups_carry_the_results_of_filters(app: &TestApp) {
        let [alice, bob] = four_by_bob(app).await;
        let filter = [("title", "x"), ("context[]", "notifications"), ("keywords_attributes[][keyword]", "spoiler")];
        alice.form("/api/v2/filters", &filter).await.ok();
        post(&bob, "A spoiler for @alice", "public").await;
        let page = alice.get(LIST).await.ok();
        assert_eq!(page["statuses"][0]["filtered"][0]["keyword_matches"], json!(["spoiler"]));
        assert_eq!(page["statuses"][1]["filtered"], json!([]));
    }

    async fn reading_and_dismissing_need_their_scopes(app: &TestApp) {
        let (alice, ..) = with_fans(app, 1).await;
        let key = groups(&alice, "").await[0]["group_key"].as_str().unwrap().to_owned();
        let (list, group) = (LIST.to_owned(), format!("{LIST}/{key}"));
        let (accounts, dismiss) = (format!("{group}/accounts"), format!("{group}/dismiss"));
        let reader = app.user_with_scopes(&alice, "read:notifications").await;
        let writer = app.user_with_scopes(&alice, "write:notifications").await;
        let other = app.user_with_scopes(&alice, "read:statuses write:statuses").await;
        for path in [&list, &group] {
            reader.get(path).await.ok();
            writer.get(path).await.expect(403);
            app.anonymous().get(path).await.expect(401);
        }
        reader.get(&accounts).await.ok();
        writer.get(&accounts).await.ok();
        other.get(&accounts).await.expect(403);
        reader.post(&dismiss).await.expect(403);
        writer.post(&dismiss).await.ok();
    }
}
