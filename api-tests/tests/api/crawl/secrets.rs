//! Secret words that only some viewers may read, searched in every response to all other viewers.

use std::time::Duration;

use serde_json::json;
use siskin_test_support::builders::PASSWORD;

use super::{
    network,
    walk::{RouteValues, Visit, walk},
};
use crate::{
    oauth::sign_in,
    support::{Client, TestApp, User, id, pictures::png},
};

/// One word for Alice's followers, one for Bob alone, and one for a scheduled status. Nothing else
/// contains them.
pub(super) const TO_FOLLOWERS: &str = "xylophone";
pub(super) const TO_BOB: &str = "marzipan";
pub(super) const LATER: &str = "quicksilver";
/// A word in private statuses of many accounts without followers.
pub(super) const OF_MANY: &str = "obsidian";

/// Publishes Alice's two secrets, each in the text, the content warning, a hashtag, the description
/// of a picture and a poll, and then edits them. Returns the ids of statuses, pictures and polls.
pub(super) async fn plant(alice: &User) -> [[String; 3]; 2] {
    let mut planted = Vec::new();
    for (word, to, visibility) in [(TO_FOLLOWERS, "", "private"), (TO_BOB, "@bob", "direct")] {
        let media = alice.upload_media(png(9, 9), &format!("A {word}")).await;
        let status = alice
            .publish_as(json!({
                "media_ids": [media["id"]],
                "status": format!("{to} {word} https://{word}.example #{word}"),
                "spoiler_text": word,
                "visibility": visibility,
            }))
            .await;
        alice.act("favourite", &status).await;
        alice.act("bookmark", &status).await;
        if visibility == "private" {
            alice.act("pin", &status).await;
        }
        // Creates a second version, so that only the first one has all of it.
        let edited = [("status", format!("{to} {word} again"))];
        alice.put(&format!("/api/v1/statuses/{}", id(&status)), &edited).await.ok();
        let poll = json!({ "options": [word, "other"], "expires_in": 3600 });
        let with_poll =
            json!({ "status": to.to_owned() + " ?", "visibility": visibility, "poll": poll });
        let asking = alice.publish_as(with_poll).await;
        planted.push([id(&status), id(&media), id(&asking["poll"])]);
    }
    planted.try_into().unwrap()
}

/// Schedules a public status of Alice with the word in the text, the content warning, a hashtag,
/// and either the description of a picture or a poll. Returns the ids of both, and of the picture.
pub(super) async fn plant_for_later(app: &TestApp, alice: &User) -> [String; 3] {
    let media = alice.upload_media(png(9, 9), &format!("A {LATER}")).await;
    let at = app.app().now().after(Duration::from_hours(1)).to_string();
    let mut post = json!({
        "status": format!("@bob {LATER} https://{LATER}.example #{LATER}"), "spoiler_text": LATER,
        "media_ids": [media["id"]], "scheduled_at": at,
    });
    let with_picture = alice.publish_as(post.clone()).await;
    post["media_ids"].take();
    post["poll"] = json!({ "options": [LATER, "other"], "expires_in": 3600 });
    let with_poll = alice.publish_as(post).await;
    [id(&with_picture), id(&with_poll), id(&media)]
}

/// Lets many accounts use the same word privately, as a hashtag and in a link to an article, and
/// counts what trends.
pub(super) async fn plant_among_many(app: &TestApp) {
    for user in app.crowd("secretive", 15).await {
        let text = format!("#{OF_MANY} https://{OF_MANY}.example/");
        user.publish_as(json!({ "status": text, "visibility": "private" })).await;
    }
    app.make_article("https://obsidian.example/").await;
    app.count_trends().await;
}

/// Adds the ids of these statuses, and searches for the words, to the places of the crawl.
fn add(route_values: &mut RouteValues, planted: &[[String; 3]; 2]) {
    let words = [TO_FOLLOWERS, TO_BOB].map(str::to_owned);
    for [status, media, poll] in planted {
        route_values.statuses.push(status.clone());
        route_values.media.push(media.clone());
        route_values.polls.push(poll.clone());
    }
    route_values.hashtags.extend(words.clone());
    route_values.searches.extend(words);
}

/// Returns the text of a response. The name of a hashtag in the request is removed, because the
/// response repeats it.
fn body_of(visit: &Visit) -> String {
    let Some(mut tag) = visit.json().filter(|_| visit.route == "/api/v1/tags/{name}") else {
        return visit.response.text();
    };
    tag["name"].take();
    tag["url"].take();
    tag.to_string()
}

/// Returns the paths with a response that contains one of `words`.
fn paths_with<'v>(visits: &'v [Visit], words: &[&str]) -> Vec<&'v str> {
    let read = |visit: &&Visit| {
        let body = body_of(visit).to_lowercase();
        words.iter().any(|word| body.contains(word))
    };
    visits.iter().filter(read).map(|visit| visit.path.as_str()).collect()
}

api_tests! {
    async fn no_route_reveals_private_content(app: &TestApp) {
        let network = network::build(app).await;
        let [stranger, blocked] = [app.user("dave").await, app.user("erin").await];
        app.follow(&blocked, &network.alice).await;
        app.follow(&stranger, &network.bob).await;
        let planted = plant(&network.alice).await;
        network.alice.act_on("block", &blocked).await;
        plant_among_many(app).await;
        app.federate().await;
        let mut route_values = network.route_values(app).await;
        route_values.links.push(format!("https://{OF_MANY}.example/"));
        add(&mut route_values, &planted);
        let later = plant_for_later(app, &network.alice).await;
        route_values.scheduled.extend(later[..2].iter().cloned());
        route_values.statuses.extend(later[..2].iter().cloned());
        route_values.media.push(later[2].clone());
        route_values.hashtags.push(LATER.to_owned());
        route_values.searches.push(LATER.to_owned());
        let [[followers_only, theirs, polled], [direct, bobs, with_poll]] = &planted;
        let [_, _, picture] = &later;
        let not_yet = [LATER, picture, OF_MANY];
        let for_bob = [&not_yet[..], &[TO_BOB, direct, bobs, with_poll]].concat();
        let secrets = [&for_bob[..], &[TO_FOLLOWERS, followers_only, theirs, polled]].concat();
        let moderator = app.moderator("staff").await;
        let browser = app.browser();
        sign_in(&browser, "staff@example.com", PASSWORD).await;
        let visitors: [(&str, &Client, &[&str], &[&str]); 8] = [
            ("anonymous", &app.anonymous(), &[], &secrets),
            ("a stranger", &stranger, &[], &secrets),
            ("who is blocked", &blocked, &[], &secrets),
            ("Carol", &network.carol, &[TO_FOLLOWERS], &for_bob),
            ("Bob", &network.bob, &[TO_BOB], &not_yet),
            ("Alice", &network.alice, &[TO_FOLLOWERS, TO_BOB, LATER], &[OF_MANY]),
            ("a moderator", &moderator, &[], &secrets),
            ("a moderator's browser", &browser, &[], &secrets),
        ];
        for (name, visitor, known, hidden) in visitors {
            let visits = walk(visitor, &route_values).await;
            let leaks = paths_with(&visits, hidden);
            assert!(leaks.is_empty(), "{name} can read a secret at {leaks:?}");
            for word in known {
                assert!(!paths_with(&visits, &[word]).is_empty(), "{name} can read {word}");
            }
        }
    }
}
