//! A small network with an example of everything that routes return.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::{Actor, announcement::Period};
use siskin_persistence::Tx;
use siskin_services::{exports, rules};
use siskin_test_support::builders;

use super::walk::RouteValues;
use crate::{
    oauth::{self, BACK, sign_in},
    support::{
        Client, TestApp, User, id,
        pictures::png,
        push::PushClient,
        trends::{all_favourite, all_publish},
    },
};

/// Address of a page that trends.
const ARTICLE: &str = "https://news.example/trend";

/// Accounts, their content, and the responses of the server while it was created.
pub struct Network {
    pub alice: User,
    pub bob: User,
    /// Has a follow request, and has sent none.
    pub carol: User,
    pub answers: Vec<Value>,
    pub statuses: Vec<String>,
    /// Attachments, of which all but the last belong to one of the statuses.
    media: Vec<String>,
    polls: Vec<String>,
    scheduled: String,
    lists: Vec<String>,
    /// A report of Bob by Alice.
    report: String,
    /// An appealed strike against Alice.
    strike: String,
    /// A blocked domain, and an allowed one.
    domain_block: String,
    domain_allow: String,
    /// Blocks of sign-ups and an invite, created by an administrator.
    sign_ups: SignUpRecords,
    /// Date of the terms of service.
    terms: String,
    /// Filter of Alice, with a keyword and a status.
    filter: Value,
    /// Export and archive of Alice, which are complete.
    export: String,
    archive: String,
    remote: String,
    application: Client,
    /// Query of the consent page.
    authorization: String,
}

/// Ids of blocks, and the code of an invite.
struct SignUpRecords {
    email_domain_block: String,
    canonical_email_block: String,
    ip_block: String,
    invite: String,
}

/// Fills the server. Time passes between the statuses.
pub async fn build(app: &TestApp) -> Network {
    let (alice, bob, carol) =
        (app.user("alice").await, app.user("bob").await, app.user("carol").await);
    let remote = app.remote("zoe", "elsewhere.example").await;
    let rule = rules::prepare("Be kind", "To everyone").unwrap();
    app.app().write(move |tx| rules::add(tx, Actor::Operator, &rule)).await.unwrap();
    announce(app, &alice).await;
    let terms = app.write_terms("# Terms\n\nBe *kind*", 0).await;
    let (application, mut answers) = application(app).await;
    let client_id = oauth::text(&answers[0], "client_id");
    let authorization = format!("response_type=code&client_id={client_id}&redirect_uri={BACK}");
    answers.extend(connect_accounts(&alice, &bob, &carol).await);
    let lists = lists(&alice, &bob).await;
    let written = publish_statuses(app, &alice, &bob).await;
    let statuses: Vec<String> = written.iter().map(id).collect();
    let mut media = attached(&written);
    // `GET /api/v1/media/{id}` returns only attachments that are not attached yet.
    media.push(id(&alice.upload_media(png(9, 9), "A third bird").await));
    let asking = written.iter().filter(|status| !status["poll"].is_null());
    let polls: Vec<String> = asking.map(|status| id(&status["poll"])).collect();
    let path = format!("/api/v1/polls/{}/votes", polls[0]);
    answers.push(bob.form(&path, &[("choices[]", "1")]).await.ok());
    answers.extend(reactions(&alice, &bob, &written).await);
    answers.extend(written);
    let later = schedule(app, &alice).await;
    let scheduled = id(&later);
    answers.push(later);
    trend(app).await;
    let ids = lists.iter().map(id).collect();
    answers.extend(lists);
    let filter = filter(&alice, &statuses).await;
    answers.push(filter.clone());
    let about = written_by(&answers, &bob);
    let report = alice.report_as(&bob, json!({ "status_ids": [about], "comment": "Rude" })).await;
    let strike = strike(app, &alice, &mut answers).await;
    let [domain_block, domain_allow] = domains(app).await;
    let [export, archive] = exports(app, &alice).await;
    Network {
        alice,
        bob,
        carol,
        lists: ids,
        report,
        strike,
        domain_block,
        domain_allow,
        sign_ups: sign_ups(app).await,
        terms,
        answers,
        statuses,
        media,
        polls,
        scheduled,
        filter,
        export,
        archive,
        remote,
        application,
        authorization,
    }
}

/// Publishes an announcement with everything that one can contain.
async fn announce(app: &TestApp, alice: &User) {
    let page = id(&alice.publish("Hello").await);
    let page = format!("{}/@alice/{page}", app.base_url());
    let text = format!("@alice and @zoe@elsewhere.example meet #birds, see {page}");
    let end = app.app().now().after(Duration::from_hours(10_000));
    let period = Period::of_times(app.app().now(), end);
    let announcement = app.announce_event(&text, period).await;
    let path = format!("/api/v1/announcements/{announcement}");
    alice.put(&format!("{path}/reactions/🐦"), &[("", "")]).await.ok();
}

/// Registers an application and creates a token of its own.
async fn application(app: &TestApp) -> (Client, Vec<Value>) {
    let anonymous = app.anonymous();
    let form = [("client_name", "Tester"), ("redirect_uris", BACK), ("scopes", "read write")];
    let created = anonymous.form("/api/v1/apps", &form).await.ok();
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", created["client_id"].as_str().unwrap()),
        ("client_secret", created["client_secret"].as_str().unwrap()),
        ("scope", "read write"),
    ];
    let token = anonymous.form("/oauth/token", &form).await.ok();
    (app.with_token(&oauth::text(&token, "access_token")), vec![created, token])
}

/// Makes Alice and Bob follow each other and Alice request to follow Carol, and fills all profiles.
async fn connect_accounts(alice: &User, bob: &User, carol: &User) -> Vec<Value> {
    let profile = json!({
        "note": "Hello #all", "display_name": "Alice",
        "fields_attributes": [{ "name": "Site", "value": "https://alice.example" }],
    });
    let update = "/api/v1/accounts/update_credentials";
    let follow = |target: &User| format!("/api/v1/accounts/{}/follow", target.id);
    let mute = json!({ "duration": 600 });
    let position = [("home[last_read_id]", "5"), ("notifications[last_read_id]", "6")];
    vec![
        alice.send(alice.request(Method::PATCH, update).json(&profile)).await.ok(),
        alice.upload("avatar", png(20, 20)).await.ok(),
        carol.patch(update, &[("locked", "true")]).await.ok(),
        alice.json(&follow(bob), json!({ "notify": true })).await.ok(),
        bob.post(&follow(alice)).await.ok(),
        alice.post(&follow(carol)).await.ok(),
        carol.post(&follow(alice)).await.ok(),
        alice.post(&format!("/api/v1/accounts/{}/endorse", bob.id)).await.ok(),
        alice.form("/api/v1/domain_blocks", &[("domain", "blocked.example")]).await.ok(),
        carol.json(&format!("/api/v1/accounts/{}/mute", bob.id), mute).await.ok(),
        alice.form("/api/v1/markers", &position).await.ok(),
        bob.form("/api/v1/markers", &position).await.ok(),
    ]
}

/// Creates lists with members, and follows hashtags.
async fn lists(alice: &User, bob: &User) -> Vec<Value> {
    let mut created = Vec::new();
    for (owner, member) in [(alice, bob), (bob, alice)] {
        let list = json!({ "title": "Neighbours", "replies_policy": "followed" });
        let list = owner.json("/api/v1/lists", list).await.ok();
        owner.enlist(&id(&list), &[member]).await;
        owner.post("/api/v1/tags/birds/follow").await.ok();
        created.push(list);
    }
    created
}

/// Publishes statuses of every visibility, and a thread.
async fn publish_statuses(app: &TestApp, alice: &User, bob: &User) -> Vec<Value> {
    let mut written = Vec::new();
    for (text, visibility) in [
        ("Hello @bob and @zoe@elsewhere.example, see https://a.example #Birds", "public"),
        ("Quietly", "unlisted"),
        ("Among us", "private"),
        ("@bob only you", "direct"),
    ] {
        let parameters = json!({
            "status": text, "visibility": visibility, "language": "en", "spoiler_text": "Words",
            "poll": { "options": ["Yes", "No"], "expires_in": 2_000_000 },
        });
        written.push(alice.publish_as(parameters).await);
        app.advance(Duration::from_secs(90));
    }
    written.push(alice.publish_picture("Look", "A bird").await);
    let reply = bob.reply(&written[0], "Hello @alice #birds").await;
    app.advance(Duration::from_hours(30));
    written.push(alice.reply(&reply, "@bob again").await);
    written.push(reply);
    for text in ["One", "Two", "Three"] {
        written.push(bob.publish(text).await);
    }
    for (author, quoted) in [(bob, 0), (alice, 2)] {
        let quote = json!({ "status": "See", "quoted_status_id": written[quoted]["id"] });
        written.push(author.publish_as(quote).await);
    }
    written
}

/// Makes a hashtag, a link and a status trend.
async fn trend(app: &TestApp) {
    app.trend_by_default().await;
    let crowd = app.crowd("crowd", 15).await;
    all_publish(&crowd, &format!("#trending {ARTICLE}")).await;
    app.make_article(ARTICLE).await;
    let status = app.famous("frank").await.publish("Popular").await;
    all_favourite(&crowd[..5], &status).await;
    app.count_trends().await;
}

/// Schedules a status of Alice.
async fn schedule(app: &TestApp, alice: &User) -> Value {
    let media = alice.upload_media(png(9, 9), "Another bird").await;
    let at = app.app().now().after(Duration::from_hours(1)).to_string();
    let later = json!({ "status": "Later", "media_ids": [media["id"]], "scheduled_at": at });
    alice.publish_as(later).await
}

/// Creates a filter of Alice.
async fn filter(alice: &User, statuses: &[String]) -> Value {
    let created = json!({
        "title": "Birds", "context": ["home", "thread"], "expires_in": 3600,
        "keywords_attributes": [{ "keyword": "bird" }],
    });
    let created = alice.json("/api/v2/filters", created).await.ok();
    let path = format!("/api/v2/filters/{}", id(&created));
    alice.form(&format!("{path}/statuses"), &[("status_id", &statuses[0])]).await.ok();
    alice.get(&path).await.ok()
}

/// Exports the statuses of Alice, and makes an archive of the account. Returns the ids of both.
async fn exports(app: &TestApp, alice: &User) -> [String; 2] {
    let account = alice.id.parse().unwrap();
    let request = move |tx: &mut Tx<'_>| {
        Ok([exports::request(tx, account)?, exports::archives::request(tx, account)?])
    };
    let requested = app.app().write(request).await.unwrap();
    app.settle().await;
    requested.map(|id| id.to_string())
}

/// Blocks a server, which all visitors may see, and allows another. Returns the ids of both.
async fn domains(app: &TestApp) -> [String; 2] {
    let admin = app.staff("diplomat", "Admin").await;
    for key in ["domain_blocks.visibility", "domain_blocks.reasons"] {
        app.app().change_setting(key.to_owned(), "all".to_owned()).await.unwrap();
    }
    let block = json!({
        "domain": "spam.example", "severity": "suspend", "public_comment": "Spam",
        "private_comment": "Reported twice", "obfuscate": true,
    });
    let block = admin.json("/api/v1/admin/domain_blocks", block).await.ok();
    let allow = json!({ "domain": "elsewhere.example" });
    let allow = admin.json("/api/v1/admin/domain_allows", allow).await.ok();
    [id(&block), id(&allow)]
}

/// Blocks a domain, an email address and a network, and creates an invite.
async fn sign_ups(app: &TestApp) -> SignUpRecords {
    let admin = app.staff("gatekeeper", "Admin").await;
    let create = async |kind: &str, body: Value| {
        id(&admin.json(&format!("/api/v1/admin/{kind}"), body).await.ok())
    };
    let email = json!({ "email": "spam@mail.example" });
    let network = json!({ "ip": "192.0.2.0/24", "severity": "no_access", "expires_in": 3600 });
    SignUpRecords {
        email_domain_block: create("email_domain_blocks", json!({ "domain": "m.example" })).await,
        canonical_email_block: create("canonical_email_blocks", email).await,
        ip_block: create("ip_blocks", network).await,
        invite: oauth::text(&admin.post("/api/v1/invites").await.ok(), "code"),
    }
}

/// Warns Alice because of a status that is deleted, and lets her appeal. Returns the id of the
/// strike.
async fn strike(app: &TestApp, alice: &User, answers: &mut Vec<Value>) -> String {
    let moderator = app.staff("magistrate", "Moderator").await;
    let rude = alice.publish("Rude").await;
    let action = json!({ "type": "delete", "text": "Be kind" });
    answers.push(moderator.act_on_status(&rude, action).await.ok());
    let strike = id(&alice.strikes().await[0]);
    let appeal = json!({ "text": "It was a joke" });
    answers.push(alice.json(&format!("/api/v1/strikes/{strike}/appeal"), appeal).await.ok());
    strike
}

/// Returns the id of a public status of this author among the responses.
fn written_by(answers: &[Value], author: &User) -> String {
    let is_theirs = |answer: &&Value| {
        answer["account"]["id"] == author.id.as_str() && answer["visibility"] == "public"
    };
    id(answers.iter().find(is_theirs).unwrap())
}

/// Returns the ids of all attachments of the statuses.
fn attached(statuses: &[Value]) -> Vec<String> {
    let media = statuses.iter().filter_map(|status| status["media_attachments"].as_array());
    media.flatten().map(id).collect()
}

async fn reactions(alice: &User, bob: &User, written: &[Value]) -> Vec<Value> {
    let mut answers = Vec::new();
    for action in ["favourite", "reblog", "bookmark"] {
        answers.push(bob.act(action, &written[0]).await);
        answers.push(alice.act(action, written.last().unwrap()).await);
    }
    answers.push(alice.act("reblog", &written[2]).await);
    let regretted = alice.publish("Not that").await;
    answers.push(alice.delete(&format!("/api/v1/statuses/{}", id(&regretted))).await.ok());
    answers.push(regretted);
    answers
}

impl Network {
    /// Returns all kinds of viewers, by name.
    pub async fn visitors(&self, app: &TestApp) -> Vec<(&'static str, Client)> {
        let all = "read write follow push profile";
        let browser = app.browser();
        sign_in(&browser, "alice@example.com", builders::PASSWORD).await;
        let owner = app.user_with_scopes(&self.alice, all).await;
        PushClient::new(1).subscribe(&owner, "https://push.example/").await;
        vec![
            ("the owner", owner),
            ("another", app.user_with_scopes(&self.bob, all).await),
            ("an anonymous caller", app.anonymous()),
            ("a moderator", app.moderator("moderator").await),
            ("an owner of the server", app.staff("boss", "Owner").await.client),
            ("an application", self.application.clone()),
            ("the owner's browser", browser),
        ]
    }

    /// Returns the values for the parameters of routes.
    pub async fn route_values(&self, app: &TestApp) -> RouteValues {
        let people = [&self.alice, &self.bob, &self.carol];
        let mut accounts: Vec<_> = people.iter().map(|user| user.id.clone()).collect();
        accounts.push(self.remote.clone());
        let (mut notifications, mut notification_groups) = (Vec::new(), Vec::new());
        let mut notification_requests = Vec::new();
        for person in people {
            let all = person.get("/api/v1/notifications?limit=80").await;
            notifications.extend(all.ids());
            let all = all.ok();
            let keys = all.as_array().unwrap().iter().map(|one| one["group_key"].as_str().unwrap());
            notification_groups.extend(keys.map(str::to_owned));
            notification_requests.extend(person.get("/api/v1/notifications/requests").await.ids());
        }
        let avatar = self.alice.credentials().await.ok()["avatar"].clone();
        let (_, file) = avatar.as_str().unwrap().rsplit_once('/').unwrap();
        let file = file.to_owned();
        let handle = |user: &&User| format!("{}@{}", user.username, app.domain());
        let page = |id: &String| format!("{}/@{}/{id}", app.base_url(), self.alice.username);
        RouteValues {
            pages: self.statuses.iter().map(page).collect(),
            accounts,
            statuses: self.statuses.clone(),
            polls: self.polls.clone(),
            scheduled: vec![self.scheduled.clone()],
            filters: vec![id(&self.filter)],
            filter_keywords: vec![id(&self.filter["keywords"][0])],
            filter_statuses: vec![id(&self.filter["statuses"][0])],
            exports: vec![self.export.clone()],
            archives: vec![self.archive.clone()],
            notifications,
            notification_groups,
            notification_requests,
            media: self.media.clone(),
            lists: self.lists.clone(),
            reports: vec![self.report.clone()],
            strikes: vec![self.strike.clone()],
            domain_blocks: vec![self.domain_block.clone()],
            domain_allows: vec![self.domain_allow.clone()],
            email_domain_blocks: vec![self.sign_ups.email_domain_block.clone()],
            canonical_email_blocks: vec![self.sign_ups.canonical_email_block.clone()],
            ip_blocks: vec![self.sign_ups.ip_block.clone()],
            invites: vec![self.sign_ups.invite.clone()],
            terms: vec![self.terms.clone()],
            files: vec![file],
            hashtags: vec!["birds".to_owned(), "BIRDS".to_owned(), "none".to_owned()],
            handles: people.iter().map(handle).collect(),
            authorizations: vec![self.authorization.clone()],
            links: vec![ARTICLE.to_owned()],
            searches: vec!["alice".to_owned(), "e".to_owned(), "@zoe@elsewhere.example".to_owned()],
        }
    }
}
