//! What only staff may know, searched in every response, event and email to all others: who decided,
//! who reported, email addresses, networks, and what staff wrote for themselves.

use reqwest::Method;
use serde_json::json;
use siskin_test_support::{Received, both_engines, builders::PASSWORD};

use super::{
    network::{self, Network},
    walk::{RouteValues, Visit, walk},
};
use crate::{
    oauth::sign_in,
    support::{
        Client, TestApp, User, id,
        visitors::{behind_a_proxy, newcomer},
        with_mail_and,
    },
};

/// Names of members of staff. No search of the crawl finds them by their own name.
const MODERATOR: &str = "quorum_mod";
const ADMIN: &str = "quorum_adm";
/// Words that staff wrote for staff, or that only staff get to read.
const NOTE: &str = "zirconium";
const PRIVATE_COMMENT: &str = "vermilion";
const IP_COMMENT: &str = "tangerine";
const REPORT: &str = "saffron";
const REASON: &str = "periwinkle";
const APPEAL: &str = "cinnabar";
const DELETED: &str = "mahogany";
/// The address of a person who signed up, the domain and the address of blocked ones, and a blocked
/// network.
const ADDRESS: &str = "198.51.100.77";
const EMAIL_DOMAIN: &str = "trout-mail.example";
const EMAIL: &str = "carp@pond-mail.example";
const NETWORK: &str = "203.0.113.0";
/// Text of the first strike, which Bob reads.
const STRIKE: &str = "No more none";
/// Beginnings of the addresses of staff.
const STAFF: [&str; 4] = ["quorum", "magistrate", "diplomat", "gatekeeper"];

/// What the work of the staff left.
struct Planted {
    moderator: User,
    admin: User,
    /// Ids of reports, of notes and of an appeal.
    records: Vec<String>,
    /// Events that Bob got meanwhile.
    streamed: Vec<String>,
}

async fn plant(app: &TestApp, network: &Network) -> Planted {
    let Network { alice, bob, .. } = network;
    let owner = app.staff("quorum_own", "Owner").await;
    let moderator = app.staff(MODERATOR, "Moderator").await;
    let admin = app.staff(ADMIN, "Admin").await;
    // Otherwise `/about` names them.
    for role in owner.get("/api/v1/admin/roles").await.ok().as_array().unwrap() {
        if role["highlighted"] == true {
            let path = format!("/api/v1/admin/roles/{}", id(role));
            owner.put_json(&path, json!({ "highlighted": false })).await.ok();
        }
    }
    let mut records = reports(&moderator, alice, bob).await;
    let streamed = strikes(app, &moderator, bob).await;
    let strike = id(&bob.strikes().await[0]);
    let appeal = json!({ "text": format!("My {APPEAL}") });
    bob.json(&format!("/api/v1/strikes/{strike}/appeal"), appeal).await.ok();
    let appeal = admin.get("/api/v1/admin/appeals?state=pending").await.ids().remove(0);
    admin.post(&format!("/api/v1/admin/appeals/{appeal}/reject")).await.ok();
    records.push(appeal);
    blocks(&admin).await;
    sign_up(app).await;
    Planted { moderator, admin, records, streamed }
}

/// Lets Alice report Bob, and the moderator work on the reports. Returns their ids.
async fn reports(moderator: &User, alice: &User, bob: &User) -> Vec<String> {
    let mut reports = Vec::new();
    for action in ["resolve", "reopen"] {
        let report = alice.report_as(bob, json!({ "comment": format!("Rude {REPORT}") })).await;
        moderator.on_report(&report, "assign_to_self").await;
        let note = json!({ "content": format!("A {NOTE}") });
        let notes = format!("/api/v1/admin/reports/{report}/notes");
        reports.push(id(&moderator.json(&notes, note).await.ok()));
        for action in ["resolve", action] {
            moderator.on_report(&report, action).await;
        }
        reports.push(report);
    }
    reports
}

/// Takes every action against Bob, and lifts the restrictions. Returns the events that he got before
/// his streams ended.
async fn strikes(app: &TestApp, moderator: &User, bob: &User) -> Vec<String> {
    let mut socket = app.listen(bob, "stream=user").await;
    let mut streamed = Vec::new();
    for (kind, undo) in [
        ("none", None),
        ("sensitive", Some("unsensitive")),
        ("silence", Some("unsilence")),
        ("disable", Some("enable")),
        ("suspend", Some("unsuspend")),
    ] {
        let warning = json!({ "type": kind, "text": format!("No more {kind}") });
        moderator.act_against(bob, warning).await;
        if !matches!(kind, "disable" | "suspend") {
            streamed.push(socket.until("notification").await.to_string());
        }
        if let Some(undo) = undo {
            moderator.lift(undo, bob).await.ok();
        }
    }
    let status = bob.publish(&format!("A {DELETED} table")).await;
    moderator.act_on_status(&status, json!({ "type": "delete" })).await.ok();
    let status = bob.publish("A chair").await;
    moderator.act_on_status(&status, json!({ "type": "mark_as_sensitive" })).await.ok();
    streamed
}

/// Blocks a server, an email domain, an email address and a network.
async fn blocks(admin: &User) {
    for (kind, block) in [
        (
            "domain_blocks",
            json!({
                "domain": "hidden.example", "severity": "silence",
                "private_comment": PRIVATE_COMMENT, "public_comment": "Spam",
            }),
        ),
        ("email_domain_blocks", json!({ "domain": EMAIL_DOMAIN })),
        ("canonical_email_blocks", json!({ "email": EMAIL })),
        (
            "ip_blocks",
            json!({ "ip": format!("{NETWORK}/24"), "severity": "no_access", "comment": IP_COMMENT }),
        ),
    ] {
        admin.json(&format!("/api/v1/admin/{kind}"), block).await.ok();
    }
}

/// Lets a person sign up from an address, with a reason.
async fn sign_up(app: &TestApp) {
    app.ask_for_approval().await;
    let application = app.application("read write").await;
    let mut form = newcomer("perry", "perry@example.com");
    form["reason"] = json!(format!("I like {REASON}"));
    let request = application.request(Method::POST, "/api/v1/accounts");
    application.send(request.header("x-forwarded-for", ADDRESS).json(&form)).await.ok();
}

impl Planted {
    /// Returns what no one but staff may find.
    fn secrets(&self) -> Vec<String> {
        let words = [
            MODERATOR,
            ADMIN,
            NOTE,
            PRIVATE_COMMENT,
            IP_COMMENT,
            REPORT,
            REASON,
            ADDRESS,
            EMAIL_DOMAIN,
            EMAIL,
            NETWORK,
            "perry@example.com",
            "carol@example.com",
        ];
        let ids = [&self.moderator.id, &self.admin.id].into_iter().chain(&self.records);
        words.iter().map(|word| (*word).to_owned()).chain(ids.cloned()).collect()
    }
}

/// Returns the places of these secrets in responses.
fn leaks(visits: &[Visit], secrets: &[String]) -> Vec<String> {
    let mut leaks = Vec::new();
    for visit in visits {
        let body = visit.response.text();
        let found = secrets.iter().filter(|secret| body.contains(*secret));
        leaks.extend(found.map(|secret| format!("{secret} at {}", visit.path)));
    }
    leaks
}

/// Returns the number of responses with the text of the first strike.
fn with_strikes(visits: &[Visit]) -> usize {
    visits.iter().filter(|visit| visit.response.text().contains(STRIKE)).count()
}

async fn browser(app: &TestApp, user: &User) -> Client {
    let browser = app.browser();
    let login = format!("{}@example.com", user.username);
    assert_eq!(sign_in(&browser, &login, PASSWORD).await.status, 302);
    browser
}

/// Checks the emails to everyone but the staff.
fn check_mails(mails: &[Received], secrets: &[String]) {
    let is_of_staff = |address: &String| STAFF.iter().any(|name| address.contains(name));
    let to_others: Vec<_> = mails.iter().filter(|mail| !mail.to.iter().any(is_of_staff)).collect();
    assert!(to_others.len() > 5, "{}", to_others.len());
    for mail in to_others {
        let whole = format!("{}\n{}\n{}", mail.message, mail.text(), mail.html());
        let is_leak = |secret: &&String| whole.contains(*secret) && !mail.to.contains(*secret);
        let found: Vec<_> = secrets.iter().filter(is_leak).collect();
        assert!(found.is_empty(), "{found:?} in the email to {:?}", mail.to);
    }
}

both_engines! {
    fn no_one_but_staff_learns_who_decided_and_what_staff_know(database: &TestDatabase) {
        with_mail_and(database, behind_a_proxy, async |app: &TestApp, sink| {
            let network = network::build(app).await;
            let (alice, bob) = (&network.alice, &network.bob);
            let stranger = app.user("dave").await;
            let planted = plant(app, &network).await;
            app.settle().await;
            let secrets = planted.secrets();
            let mut of_bob = secrets.clone();
            of_bob.extend([STRIKE, APPEAL, DELETED].map(str::to_owned));
            let route_values = RouteValues {
                strikes: bob.get("/api/v1/strikes").await.ids(),
                ..network.route_values(app).await
            };
            let (by_alice, by_bob) = (browser(app, alice).await, browser(app, bob).await);
            let visitors: [(&str, &Client, &[String]); 7] = [
                ("anyone", &app.anonymous(), &of_bob),
                ("an application", &app.application("read write").await, &of_bob),
                ("a stranger", &stranger, &of_bob),
                ("the reporter", alice, &of_bob),
                ("the reporter's browser", &by_alice, &of_bob),
                ("the person with the strikes", bob, &secrets),
                ("the browser of that person", &by_bob, &secrets),
            ];
            let mut shown = 0;
            for (name, visitor, secrets) in visitors {
                let visits = walk(visitor, &route_values).await;
                let found = leaks(&visits, secrets);
                assert!(found.is_empty(), "{name} finds {found:#?}");
                shown += with_strikes(&visits);
            }
            // Notifications of both versions, strikes, and their pages.
            assert!(shown > 4, "{shown}");
            for event in &planted.streamed {
                assert!(!secrets.iter().any(|secret| event.contains(secret)), "{event}");
            }
            check_mails(&sink.mails(), &secrets);
        });
    }
}
