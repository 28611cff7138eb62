//! `/api/v1/invites`, and sign-up with an invite.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use siskin_entities::AccountState;
use siskin_persistence::Tx;
use siskin_services::accounts::{self, Decision};

use crate::{
    oauth::hidden_fields,
    support::{Client, GOOD, Response, TestApp, User, id, visitors::newcomer},
};

const INVITES: &str = "/api/v1/invites";
const VERIFY: &str = "/api/v1/accounts/verify_credentials";
const SIGN_UP: &str = "/auth/sign_up";
const NO_LONGER_VALID: &str = "This invite is no longer valid";
/// Permissions in decimal.
const INVITE_USERS: u32 = 0x1_0000;
const MANAGE_INVITES: u32 = 0x800;
const MANAGE_USERS: u32 = 0x400;

fn code(invite: &Value) -> String {
    invite["code"].as_str().unwrap().to_owned()
}

/// Signs up with an invite.
async fn join(client: &Client, code: &str, username: &str) -> Response {
    let mut form = newcomer(username, &format!("{username}@example.com"));
    form["invite_code"] = json!(code);
    client.json("/api/v1/accounts", form).await
}

/// Returns `true` if the account that signed up waits for the approval of the staff.
async fn is_pending(app: &TestApp, response: &Response) -> bool {
    let client = app.with_token(response.ok()["access_token"].as_str().unwrap());
    client.get(VERIFY).await.status == 403
}

/// Creates a user with a role of these permissions and this priority.
async fn user_with(
    app: &TestApp,
    owner: &User,
    name: &str,
    permissions: u32,
    priority: i32,
) -> User {
    let role = json!({
        "name": format!("Role of {name}"),
        "permissions": permissions.to_string(),
        "priority": priority,
    });
    let role = owner.json("/api/v1/admin/roles", role).await.ok();
    let user = app.user(name).await;
    let path = format!("/api/v1/admin/accounts/{}/role", user.id);
    owner.put_json(&path, json!({ "role_id": role["id"] })).await.ok();
    user
}

async fn set(app: &TestApp, mode: &str) {
    app.store_setting("registrations", mode).await;
}

async fn decide(app: &TestApp, account: &str, decision: Decision) {
    let account = account.parse().unwrap();
    let decide = move |tx: &mut Tx<'_>| accounts::decide(tx, account, decision);
    app.app().write(decide).await.unwrap();
}

api_tests! {
    async fn only_users_with_the_permission_create_invites(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let (ann, bob) = (user_with(app, &owner, "ann", INVITE_USERS, 1).await, app.user("bob").await);
        app.anonymous().post(INVITES).await.expect(401);
        app.anonymous().get(INVITES).await.expect(401);
        bob.post(INVITES).await.expect(403);
        let reads = app.user_with_scopes(&ann, "read admin:write").await;
        reads.post(INVITES).await.expect(403);
        let writes = app.user_with_scopes(&ann, "write:accounts").await;
        writes.get(INVITES).await.expect(403);
        let invite = writes.post(INVITES).await.ok();
        writes.delete(&format!("{INVITES}/{}", id(&invite))).await.ok();
        assert_eq!(bob.get(INVITES).await.ok(), json!([]));
        assert_eq!(reads.get(INVITES).await.ok(), json!([]));
    }

    async fn an_invite_is_created_listed_and_deleted(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let ann = user_with(app, &owner, "ann", INVITE_USERS, 1).await;
        let form = [
            ("max_uses", "5"), ("expires_in", "3600"), ("autofollow", "true"), ("comment", " Friends "),
        ];
        let limited = ann.form(INVITES, &form).await.ok();
        assert_eq!(limited["account_id"], json!(ann.id));
        assert_eq!((&limited["max_uses"], &limited["uses"]), (&json!(5), &json!(0)));
        assert_eq!((&limited["autofollow"], &limited["comment"]), (&json!(true), &json!("Friends")));
        assert!(limited["expires_at"].as_str() > limited["created_at"].as_str());
        let url = format!("{}/invite/{}", app.base_url(), code(&limited));
        assert_eq!(limited["url"], url);
        let plain = ann.form(INVITES, &[("max_uses", ""), ("expires_in", "")]).await.ok();
        assert_eq!((&plain["max_uses"], &plain["expires_at"]), (&Value::Null, &Value::Null));
        assert!(code(&plain).len() == 16 && code(&plain) != code(&limited));
        assert_eq!(ann.get(INVITES).await.ok(), json!([plain, limited]));
        assert_eq!(ann.walk(&format!("{INVITES}?limit=1")).await, [id(&plain), id(&limited)]);
        let path = format!("{INVITES}/{}", id(&limited));
        assert_eq!(ann.delete(&path).await.ok(), json!({}));
        ann.delete(&path).await.expect(404);
        for wrong in [
            json!({ "max_uses": 0 }),
            json!({ "max_uses": 1001 }),
            json!({ "max_uses": "many" }),
            json!({ "expires_in": -1 }),
            json!({ "comment": "x".repeat(421) }),
        ] {
            ann.json(INVITES, wrong).await.expect(422);
        }
        for _ in 1..100 {
            ann.post(INVITES).await.ok();
        }
        let refused = ann.post(INVITES).await.expect(422);
        assert_eq!(refused["error"], "Validation failed: At most 100 invites can exist");
    }

    async fn others_see_invites_only_with_a_permission(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let ann = user_with(app, &owner, "ann", INVITE_USERS, 5).await;
        let equal = user_with(app, &owner, "equal", MANAGE_INVITES | INVITE_USERS, 5).await;
        let manager = user_with(app, &owner, "manager", MANAGE_INVITES, 6).await;
        let invite = ann.post(INVITES).await.ok();
        let path = format!("{INVITES}/{}", id(&invite));
        let all = format!("{INVITES}?all=true");
        ann.get(&all).await.expect(403);
        app.user("bob").await.delete(&path).await.expect(404);
        assert_eq!(manager.get(INVITES).await.ok(), json!([]));
        assert_eq!(manager.get(&all).await.ok(), json!([invite]));
        equal.delete(&path).await.expect(403);
        manager.delete(&path).await.ok();
        assert_eq!(owner.audited("invite", &id(&invite)).await, ["delete"]);
        let own = equal.post(INVITES).await.ok();
        equal.delete(&format!("{INVITES}/{}", id(&own))).await.ok();
        assert_eq!(owner.audited("invite", &id(&own)).await, Vec::<String>::new());
    }

    async fn an_invite_opens_closed_registrations(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let ann = user_with(app, &owner, "ann", INVITE_USERS, 1).await;
        let staff = user_with(app, &owner, "staff", INVITE_USERS | MANAGE_USERS, 1).await;
        let (plain, by_staff) =
            (code(&ann.post(INVITES).await.ok()), code(&staff.post(INVITES).await.ok()));
        let client = app.application("read write").await;
        let mut number = 0;
        let mut join_as = async |code: &str| {
            number += 1;
            join(&client, code, &format!("new{number}")).await
        };
        for (mode, plain_waits) in [("none", true), ("approval", true), ("open", false)] {
            set(app, mode).await;
            let joined = join_as(&plain).await;
            assert_eq!(is_pending(app, &joined).await, plain_waits, "{mode}");
            let joined = join_as(&by_staff).await;
            assert!(!is_pending(app, &joined).await, "{mode}");
        }
        set(app, "none").await;
        assert_eq!(join_as("nonsense").await.expect(403)["error"], NO_LONGER_VALID);
        assert_eq!(join_as("").await.expect(403)["error"], "Registrations are closed on this server");
        set(app, "external").await;
        join_as(&by_staff).await.expect(403);
        set(app, "approval").await;
        let joined = join_as("nonsense").await;
        assert!(is_pending(app, &joined).await);
        assert_eq!(ann.get(INVITES).await.ok()[0]["uses"], 3);
    }

    async fn an_invite_is_not_valid_for_ever(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let ann = user_with(app, &owner, "ann", INVITE_USERS, 1).await;
        let client = app.application("read write").await;
        let refused = async |code: &str| {
            let refused = join(&client, code, "eve").await.expect(403);
            assert_eq!(refused["error"], NO_LONGER_VALID);
        };
        let once = code(&ann.form(INVITES, &[("max_uses", "1")]).await.ok());
        // A refused form does not use the invite.
        join(&client, &once, "a.b").await.expect(422);
        join(&client, &once, "ann").await.expect(422);
        join(&client, &once, "bob").await.ok();
        refused(&once).await;
        let brief = code(&ann.form(INVITES, &[("expires_in", "60")]).await.ok());
        app.advance(Duration::from_secs(61));
        refused(&brief).await;
        let invite = ann.post(INVITES).await.ok();
        let frozen = AccountState { suspended: true, ..GOOD };
        app.set_state(&ann, frozen).await;
        refused(&code(&invite)).await;
        app.set_state(&ann, GOOD).await;
        app.give_role(&ann, None).await;
        refused(&code(&invite)).await;
        app.give_role(&ann, Some("Admin")).await;
        join(&client, &code(&invite), "cat").await.ok();
        ann.delete(&format!("{INVITES}/{}", id(&invite))).await.ok();
        refused(&code(&invite)).await;
    }

    async fn parallel_sign_ups_do_not_exceed_the_limit(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let client = app.application("read write").await;
        let invite = code(&owner.form(INVITES, &[("max_uses", "2")]).await.ok());
        let names: Vec<String> = (0..10).map(|number| format!("new{number}")).collect();
        let responses = join_all(names.iter().map(|name| join(&client, &invite, name))).await;
        let statuses: Vec<u16> = responses.iter().map(|response| response.status).collect();
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 2, "{statuses:?}");
        assert!(statuses.iter().all(|status| matches!(status, 200 | 403)), "{statuses:?}");
        assert_eq!(owner.get(INVITES).await.ok()[0]["uses"], 2);
    }

    async fn blocks_also_apply_to_invited_people(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let client = app.application("read write").await;
        let invite = code(&owner.post(INVITES).await.ok());
        let domain = json!({ "domain": "example.com" });
        owner.json("/api/v1/admin/email_domain_blocks", domain).await.ok();
        join(&client, &invite, "ann").await.expect(422);
        let mut block = json!({ "ip": "127.0.0.1", "severity": "sign_up_block" });
        owner.json("/api/v1/admin/ip_blocks", block.clone()).await.ok();
        join(&client, &invite, "ann").await.expect(403);
        assert_eq!(owner.get(INVITES).await.ok()[0]["uses"], 0);
        let blocks = owner.get("/api/v1/admin/ip_blocks").await.ids();
        block["severity"] = json!("sign_up_requires_approval");
        owner.put_json(&format!("/api/v1/admin/ip_blocks/{}", blocks[0]), block).await.ok();
        let mut form = newcomer("ann", "ann@example.org");
        form["invite_code"] = json!(invite);
        let joined = client.json("/api/v1/accounts", form).await;
        assert!(is_pending(app, &joined).await);
    }

    async fn an_invited_account_follows_its_inviter_once_it_is_admitted(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let ann = user_with(app, &owner, "ann", INVITE_USERS, 1).await;
        let client = app.open_registrations().await;
        let invite = code(&ann.form(INVITES, &[("autofollow", "true")]).await.ok());
        join(&client, &invite, "bob").await.ok();
        assert_eq!(ann.counts().await, (1, 0));
        assert_eq!(ann.notification_types().await, ["follow"]);
        let without = code(&ann.post(INVITES).await.ok());
        join(&client, &without, "cat").await.ok();
        assert_eq!(ann.counts().await, (1, 0));
        set(app, "approval").await;
        app.store_setting("email_confirmation", "true").await;
        join(&client, &invite, "dan").await.ok();
        let dan = app.id_of("dan").await;
        decide(app, &dan, Decision::Confirm).await;
        assert_eq!(ann.counts().await, (1, 0));
        decide(app, &dan, Decision::Approve).await;
        assert_eq!(ann.counts().await, (2, 0));
        ann.post(&format!("/api/v1/accounts/{dan}/remove_from_followers")).await.ok();
        decide(app, &dan, Decision::Approve).await;
        assert_eq!(ann.counts().await, (1, 0));
    }

    async fn the_page_of_an_invite_leads_to_the_sign_up(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let invite = owner.form(INVITES, &[("max_uses", "1")]).await.ok();
        let browser = app.browser();
        assert!(!browser.get(SIGN_UP).await.text().contains("id=\"username\""));
        let opened = browser.get(invite["url"].as_str().unwrap()).await;
        assert_eq!(opened.status, 302);
        let location = opened.header("location").unwrap().to_owned();
        assert_eq!(location, format!("{}{SIGN_UP}?invite_code={}", app.base_url(), code(&invite)));
        let page = browser.get(&location).await.text();
        let mut form = hidden_fields(&page, SIGN_UP);
        assert!(form.contains(&("invite_code".to_owned(), code(&invite))), "{form:?}");
        let fields = newcomer("ann", "ann@example.com");
        for name in ["username", "email", "password"] {
            form.push((name.to_owned(), fields[name].as_str().unwrap().to_owned()));
        }
        // The form keeps the invite if it is refused.
        let refused = browser.form(SIGN_UP, &form).await;
        assert_eq!(refused.status, 422);
        let again = hidden_fields(&refused.text(), SIGN_UP);
        assert!(again.contains(&("invite_code".to_owned(), code(&invite))), "{again:?}");
        form.push(("agreement".to_owned(), "1".to_owned()));
        assert_eq!(browser.form(SIGN_UP, &form).await.status, 302);
        assert!(browser.get("/").await.text().contains("@ann"));
        let late = app.browser().get(&location).await;
        assert!(late.status == 200 && late.text().contains(NO_LONGER_VALID), "{late:?}");
        let odd = app.anonymous().get("/invite/a%26b%3Dc").await;
        let expected = format!("{}{SIGN_UP}?invite_code=a%26b%3Dc", app.base_url());
        assert_eq!(odd.header("location"), Some(expected.as_str()));
    }

    async fn the_sign_up_page_says_at_once_that_an_invite_is_lost(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let client = app.application("read write").await;
        let once = async || code(&owner.form(INVITES, &[("max_uses", "1")]).await.ok());
        let used = once().await;
        join(&client, &used, "bob").await.ok();
        for (mode, words, has_form) in [
            ("open", "You can sign up without it.", true),
            ("approval", "the staff decides then.", true),
            ("none", "", false),
        ] {
            set(app, mode).await;
            for sent in [&*used, "nonsense"] {
                let page = format!("{SIGN_UP}?invite_code={sent}");
                let page = app.browser().get(&page).await.text();
                assert_eq!(page.matches(NO_LONGER_VALID).count(), 1, "{mode}: {page}");
                assert!(page.contains(words), "{mode}: {page}");
                assert_eq!(page.contains("id=\"username\""), has_form, "{mode}: {page}");
                assert!(!page.contains("name=\"invite_code\""), "{mode}: {page}");
            }
        }
        // The last use, while another person fills the form.
        set(app, "approval").await;
        let last = once().await;
        let browser = app.browser();
        let page = browser.get(&format!("{SIGN_UP}?invite_code={last}")).await.text();
        assert!(!page.contains(NO_LONGER_VALID), "{page}");
        let filled = |page: &str| {
            let mut form = hidden_fields(page, SIGN_UP);
            let typed = [
                ("username", "cat"), ("email", "cat@example.com"), ("password", "correct horse"),
                ("agreement", "1"), ("reason", "Birds"),
            ];
            form.extend(typed.map(|(name, value)| (name.to_owned(), value.to_owned())));
            form
        };
        join(&client, &last, "dan").await.ok();
        let refused = browser.form(SIGN_UP, &filled(&page)).await;
        assert_eq!(refused.status, 403, "{refused:?}");
        let page = refused.text();
        assert_eq!(page.matches(NO_LONGER_VALID).count(), 1, "{page}");
        assert!(page.contains("value=\"cat\"") && !page.contains("name=\"invite_code\""), "{page}");
        let asked = browser.form(SIGN_UP, &filled(&page)).await;
        assert_eq!(asked.status, 200, "{asked:?}");
        assert!(asked.text().contains("The staff will review your request."), "{asked:?}");
    }
}
