//! Sign-up after a sign-in at an external provider.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, users};
use siskin_services::accounts::{self, Decision};
use siskin_test_support::{both_engines, builders::PASSWORD};

use super::{assert_page, with_provider_and_mail};
use crate::{
    oauth::{hidden_fields, link, sign_in},
    support::{
        Client, TestApp,
        providers::{Provider, SIGN_UP, with_provider, with_provider_and},
    },
};

const START: &str = "/auth/external/main";
const ANN: &str = "ann@people.example";

async fn open(app: &TestApp) {
    app.store_setting("registrations", "open").await;
}

/// Signs a new browser in at the provider, so that it shows the form of the sign-up.
async fn arrive(app: &TestApp, provider: &Provider) -> Client {
    let browser = app.browser();
    let back = browser.sign_in_at(provider).await;
    let form = format!("{}{SIGN_UP}", app.base_url());
    assert_eq!(back.header("location"), Some(&*form), "{back:?}");
    browser
}

async fn decide(app: &TestApp, account: AccountId, decision: Decision) {
    app.app().write(move |tx| accounts::decide(tx, account, decision)).await.unwrap();
}

/// Returns the account of a user in any state.
async fn account_of(app: &TestApp, name: &str) -> AccountId {
    let name = name.to_owned();
    let find =
        move |conn: &mut Conn| Ok(users::find_by_login(conn, users::Login::Username(&name))?);
    app.app().read(find).await.unwrap().unwrap().owner.account
}

both_engines! {
    fn a_newcomer_chooses_a_name_and_is_signed_in(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            open(app).await;
            provider.tell(json!({
                "sub": "7", "preferred_username": "Ann.Bell", "email": ANN, "email_verified": true,
            }));
            let browser = app.browser();
            browser.sign_in_by(provider, &format!("{START}?return_to=/settings/account")).await;
            let page = browser.get(SIGN_UP).await;
            assert_page(&page, 200, "You signed in at The main provider");
            for part in ["value=\"Ann_Bell\"", "ann@people.example</strong>", "for=\"agreement\""] {
                assert!(page.text().contains(part), "{part}: {page:?}");
            }
            for part in ["name=\"password\"", "name=\"email\"", "id=\"reason\""] {
                assert!(!page.text().contains(part), "{part}: {page:?}");
            }
            let created = browser.send_sign_up(&page, &[("username", "Ann_Bell")]).await;
            let settings = format!("{}/settings/account", app.base_url());
            assert_eq!(created.header("location"), Some(&*settings), "{created:?}");
            let account = browser.get("/settings/account").await.text();
            assert!(account.contains(ANN) && account.contains("You have none"), "{account}");
            app.anonymous().get("/api/v1/accounts/lookup?acct=Ann_Bell").await.ok();
            // The form is over, and the login signs in from now on.
            assert_eq!(browser.get(SIGN_UP).await.status, 302);
            let again = app.browser();
            let back = again.sign_in_at(provider).await;
            assert_eq!(back.header("location"), Some(&*format!("{}/", app.base_url())));
            assert!(again.is_signed_in().await);
            // No password fits the value that is stored in its place.
            for password in ["", "none", "!", "*", "NULL"] {
                let refused = sign_in(&app.browser(), "Ann_Bell", password).await;
                assert_eq!(refused.status, 422, "{password}");
                assert!(refused.text().contains("password is wrong"), "{refused:?}");
            }
        });
    }

    fn a_verified_address_is_confirmed_at_once(database: &TestDatabase) {
        with_provider_and_mail(database, async |app, provider, sink| {
            open(app).await;
            app.store_setting("email_confirmation", "true").await;
            // Some providers send texts in place of booleans.
            for (name, verified) in [("ann", json!(true)), ("bob", json!("true"))] {
                let email = format!("{name}@people.example");
                provider.tell(json!({ "sub": name, "email": email, "email_verified": verified }));
                let browser = arrive(app, provider).await;
                // The browser cannot replace it.
                let values = [("username", name), ("email", "eve@evil.example")];
                assert_eq!(browser.finish_sign_up(&values).await.status, 302);
                let account = browser.get("/settings/account").await.text();
                assert!(account.contains(&email), "{account}");
                assert!(app.mails(sink, &email).await.is_empty());
            }
            assert!(app.mails(sink, "eve@evil.example").await.is_empty());
        });
    }

    fn another_address_is_confirmed_by_our_email(database: &TestDatabase) {
        with_provider_and_mail(database, async |app, provider, sink| {
            open(app).await;
            app.store_setting("email_confirmation", "true").await;
            for (name, claims) in [
                ("ann", json!({ "sub": "1", "email": ANN, "email_verified": false })),
                ("bob", json!({ "sub": "2", "email": "bob@people.example" })),
                ("cat", json!({ "sub": "3" })),
                ("dan", json!({ "sub": "4", "email": "no address", "email_verified": true })),
            ] {
                let claimed = claims["email"].as_str().unwrap_or_default().to_owned();
                provider.tell(claims);
                let browser = arrive(app, provider).await;
                let page = browser.get(SIGN_UP).await.text();
                assert!(page.contains(&format!("type=\"email\" value=\"{claimed}\"")), "{page}");
                let typed = format!("{name}@home.example");
                let sent = browser.finish_sign_up(&[("username", name), ("email", &typed)]).await;
                assert_page(&sent, 200, "We sent you an email with a link");
                assert!(!browser.is_signed_in().await);
                // Until then, the login signs in to nothing, and the sign-up could begin again.
                assert!(!arrive(app, provider).await.is_signed_in().await);
                let confirmation = app.mailed_link(sink, &typed).await;
                assert_eq!(app.browser().get(&confirmation).await.status, 200);
                let again = app.browser();
                again.sign_in_at(provider).await;
                assert!(again.is_signed_in().await, "{name}");
            }
        });
    }

    fn a_sign_up_that_was_not_confirmed_begins_again(database: &TestDatabase) {
        with_provider_and_mail(database, async |app, provider, sink| {
            open(app).await;
            app.store_setting("email_confirmation", "true").await;
            provider.tell(json!({ "sub": "1" }));
            let (browser, other) = (arrive(app, provider).await, arrive(app, provider).await);
            let mistyped = "anm@home.example";
            let sent = browser.finish_sign_up(&[("email", mistyped)]).await;
            assert_page(&sent, 200, "We sent you an email with a link");
            let dead = app.mailed_link(sink, mistyped).await;
            // A form that was opened before does not replace the sign-up.
            let late = other.finish_sign_up(&[("username", "bob"), ("email", ANN)]).await;
            assert_page(&late, 409, "An account with this login exists already");
            app.advance(Duration::from_secs(1));
            let again = arrive(app, provider).await;
            let typed = "ann@home.example";
            let sent = again.finish_sign_up(&[("email", typed)]).await;
            assert_page(&sent, 200, "We sent you an email with a link");
            assert_eq!(app.browser().get(&dead).await.status, 404);
            let confirmation = app.mailed_link(sink, typed).await;
            assert_eq!(app.browser().get(&confirmation).await.status, 200);
            let browser = app.browser();
            browser.sign_in_at(provider).await;
            assert!(browser.get("/settings/account").await.text().contains(typed));
            // What the moderators decided stays in force.
            provider.tell(json!({ "sub": "2" }));
            let values = [("username", "eve"), ("email", "eve@home.example")];
            arrive(app, provider).await.finish_sign_up(&values).await;
            decide(app, account_of(app, "eve").await, Decision::Suspended(true)).await;
            app.advance(Duration::from_secs(1));
            let back = app.browser().sign_in_at(provider).await;
            assert_ne!(back.header("location"), Some(&*format!("{}{SIGN_UP}", app.base_url())));
        });
    }

    fn a_verified_address_leaves_a_sign_up_that_was_not_confirmed(database: &TestDatabase) {
        with_provider_and_mail(database, async |app, provider, sink| {
            open(app).await;
            app.store_setting("email_confirmation", "true").await;
            app.application("read write").await.sign_up("eve", ANN).await.ok();
            let dead = app.mailed_link(sink, ANN).await;
            let browser = arrive(app, provider).await;
            assert_eq!(browser.finish_sign_up(&[]).await.status, 302);
            assert!(browser.get("/settings/account").await.text().contains(ANN));
            assert_eq!(app.browser().get(&dead).await.status, 404);
        });
    }

    // Others may have signed up with the address before its owner, or linked a login of theirs.
    fn a_new_password_by_email_removes_every_login(database: &TestDatabase) {
        with_provider_and_mail(database, async |app, provider, sink| {
            open(app).await;
            app.store_setting("email_confirmation", "true").await;
            let victim = "vic@home.example";
            provider.tell(json!({ "sub": "1", "email": victim, "email_verified": false }));
            let values = [("username", "vic"), ("email", victim)];
            let sent = arrive(app, provider).await.finish_sign_up(&values).await;
            assert_page(&sent, 200, "We sent you an email with a link");
            app.reset_password(sink, victim, "battery staple").await;
            assert!(app.logins("vic").await.is_empty());
            assert!(!arrive(app, provider).await.is_signed_in().await);
            assert_eq!(sign_in(&app.browser(), victim, "battery staple").await.status, 302);

            app.linked(provider, "ann").await;
            app.reset_password(sink, "ann@example.com", "battery staple").await;
            assert!(app.logins("ann").await.is_empty());
            assert!(!arrive(app, provider).await.is_signed_in().await);
        });
    }

    fn a_provider_that_is_not_trusted_confirms_nothing(database: &TestDatabase) {
        with_provider_and(database, |_, provider| provider.trusts_emails = false, async |app, provider| {
            open(app).await;
            app.store_setting("email_confirmation", "true").await;
            app.user("bob").await;
            let page = arrive(app, provider).await.get(SIGN_UP).await.text();
            assert!(page.contains(&format!("type=\"email\" value=\"{ANN}\"")), "{page}");
            // Nor does it prove that the person is the owner of an account.
            provider.tell(json!({ "sub": "9", "email": "bob@example.com", "email_verified": true }));
            arrive(app, provider).await;
        });
    }

    fn the_staff_approve_the_sign_up(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.store_setting("registrations", "approval").await;
            let browser = arrive(app, provider).await;
            assert!(browser.get(SIGN_UP).await.text().contains("<label for=\"reason\""));
            let sent = browser.finish_sign_up(&[("reason", "I like birds")]).await;
            assert_page(&sent, 200, "The staff will review your request");
            assert!(!browser.is_signed_in().await);
            let waiting = app.browser().sign_in_at(provider).await;
            assert_page(&waiting, 403, "pending approval");
            decide(app, account_of(app, "ann").await, Decision::Approve).await;
            assert_eq!(app.browser().sign_in_at(provider).await.status, 302);
            let staff = app.staff("ada", "Admin").await;
            let shown = staff.get("/api/v2/admin/accounts?username=ann").await.ok();
            assert_eq!(shown[0]["invite_request"], "I like birds", "{shown}");
        });
    }

    fn closed_registrations_admit_no_newcomers(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            for (message, words) in [
                ("", "Registrations are closed on this server"),
                ("Come back in <May>.", "Come back in &#60;May&#62;."),
            ] {
                app.store_setting("registrations_message", message).await;
                let browser = app.browser();
                let page = browser.sign_in_at(provider).await;
                assert_page(&page, 403, "No account here belongs to this login.");
                assert!(page.text().contains(words), "{page:?}");
                assert_eq!(browser.get(SIGN_UP).await.status, 302);
            }
            // They close while the form is open.
            open(app).await;
            let browser = arrive(app, provider).await;
            let page = browser.get(SIGN_UP).await;
            app.store_setting("registrations", "none").await;
            assert_eq!(browser.send_sign_up(&page, &[]).await.status, 403);
            assert!(browser.get(SIGN_UP).await.text().contains("Come back in"));
            assert!(!app.has_user("ann").await && !app.is_linked(provider, "ann").await);
        });
    }

    fn an_invite_opens_closed_registrations(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let owner = app.staff("owner", "Owner").await;
            let invite = owner.form("/api/v1/invites", &[("max_uses", "1")]).await.ok();
            let code = invite["code"].as_str().unwrap();
            let (first, second) = (app.browser(), app.browser());
            for (browser, name) in [(&first, "ann"), (&second, "bob")] {
                provider.sign_in_as(name);
                let page = browser.get(&format!("/auth/sign_up?invite_code={code}")).await;
                let back = browser.sign_in_by(provider, &link(&page, START)).await;
                assert_eq!(back.status, 302, "{back:?}");
            }
            assert_eq!(first.finish_sign_up(&[]).await.status, 302);
            let late = second.get(SIGN_UP).await.text();
            assert!(late.contains("This invite is no longer valid"), "{late}");
            assert!(app.is_linked(provider, "ann").await && !app.is_linked(provider, "bob").await);
            let invite = owner.get("/api/v1/invites").await.ok();
            assert_eq!(invite[0]["uses"], 1, "{invite}");
        });
    }

    fn only_the_provider_creates_accounts_if_the_operator_says_so(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.app().change_setting("registrations".into(), "external".into()).await.unwrap();
            let page = app.browser().get("/auth/sign_up").await;
            assert!(page.text().contains("sign-in provider"), "{page:?}");
            let browser = app.browser();
            let back = browser.sign_in_by(provider, &link(&page, START)).await;
            assert_eq!(back.status, 302, "{back:?}");
            assert_eq!(browser.finish_sign_up(&[]).await.status, 302);
            let application = app.application("read write").await;
            application.sign_up("bob", "bob@example.com").await.expect(403);
            let instance = app.anonymous().get("/api/v2/instance").await.ok();
            let sign_in_page = format!("{}/auth/sign_in", app.base_url());
            assert_eq!(instance["registrations"]["enabled"], false);
            assert_eq!(instance["registrations"]["url"], sign_in_page.as_str());
            // The password sign-in stays.
            app.user("cat").await;
            assert_eq!(sign_in(&app.browser(), "cat", PASSWORD).await.status, 302);
        });
    }

    fn every_check_of_a_sign_up_applies(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            open(app).await;
            app.store_setting("sign_up.reserved_names", "boss").await;
            app.user("bob").await;
            let browser = arrive(app, provider).await;
            for (name, value, words) in [
                ("username", "not a name", "Username must"),
                ("username", "BOB", "Username is already taken"),
                ("username", "admin", "Username is reserved"),
                ("username", "boss", "Username is reserved"),
                ("username", "", "Username can"),
                ("agreement", "", "Agreement must be accepted"),
            ] {
                let refused = browser.finish_sign_up(&[(name, value)]).await;
                assert_page(&refused, 422, words);
                assert!(refused.text().contains("role=\"alert\""), "{refused:?}");
            }
            // A field without a value has one error.
            let refused = browser.finish_sign_up(&[("username", "")]).await.text();
            assert!(refused.contains("<li>Username can&#39;t be blank</li>"), "{refused}");
            assert_eq!(refused.matches("<li>Username ").count(), 1, "{refused}");
            assert!(!app.has_user("ann").await);
            assert_eq!(browser.finish_sign_up(&[]).await.status, 302);
        });
    }

    fn blocks_apply_to_newcomers(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            open(app).await;
            let staff = app.staff("ada", "Admin").await;
            let browser = arrive(app, provider).await;
            let domains = "/api/v1/admin/email_domain_blocks";
            let blocked = staff.form(domains, &[("domain", "people.example")]).await.ok();
            let refused = browser.finish_sign_up(&[]).await;
            assert_page(&refused, 422, "Email is not allowed on this server");
            staff.delete(&format!("{domains}/{}", blocked["id"].as_str().unwrap())).await.ok();

            let canonical = "/api/v1/admin/canonical_email_blocks";
            let blocked = staff.form(canonical, &[("email", ANN)]).await.ok();
            let refused = browser.finish_sign_up(&[]).await;
            assert_page(&refused, 422, "Email is not allowed on this server");
            staff.delete(&format!("{canonical}/{}", blocked["id"].as_str().unwrap())).await.ok();

            let block = json!({ "ip": "127.0.0.0/8", "severity": "sign_up_block" });
            staff.json("/api/v1/admin/ip_blocks", block).await.ok();
            let page = app.browser().sign_in_at(provider).await;
            assert_page(&page, 403, "Sign-ups from your network are not allowed");
            let shown = browser.get(SIGN_UP).await.text();
            assert!(shown.contains("Sign-ups from your network are not allowed"), "{shown}");
            assert!(!app.has_user("ann").await && !app.is_linked(provider, "ann").await);
        });
    }

    fn sign_ups_are_limited(database: &TestDatabase) {
        with_provider_and(database, |config, _| config.fixed_settings.clear(), async |app, provider| {
            open(app).await;
            app.store_setting("rate_limits.sign_up", "1").await;
            for (name, status) in [("ann", 302), ("bob", 429)] {
                provider.sign_in_as(name);
                let browser = arrive(app, provider).await;
                let sent = browser.finish_sign_up(&[("username", name)]).await;
                assert_eq!(sent.status, status, "{sent:?}");
            }
        });
    }

    fn the_agreement_includes_the_terms_of_service(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            open(app).await;
            app.write_terms("Be kind", 0).await;
            let browser = arrive(app, provider).await;
            let page = browser.get(SIGN_UP).await;
            assert!(page.text().contains("<a href=\"/terms-of-service\">"), "{page:?}");
            assert_eq!(browser.send_sign_up(&page, &[]).await.status, 302);
            let account = account_of(app, "ann").await;
            let load = move |conn: &mut Conn| Ok(users::terms_accepted_at(conn, account)?);
            assert!(app.app().read(load).await.unwrap().is_some());
        });
    }

    fn a_form_that_is_sent_many_times_creates_one_account(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            open(app).await;
            let browser = arrive(app, provider).await;
            let page = browser.get(SIGN_UP).await;
            let names = ["ann", "bob", "cat", "dan", "eve"];
            let values = names.map(|name| [("username", name)]);
            let sent = values.iter().map(|values| browser.send_sign_up(&page, values));
            let mut statuses: Vec<u16> =
                join_all(sent).await.iter().map(|response| response.status).collect();
            statuses.sort_unstable();
            assert_eq!(statuses[0], 302, "{statuses:?}");
            // The others come too late, with or without the cookie.
            assert!(statuses[1..].iter().all(|status| [400, 409].contains(status)), "{statuses:?}");
            let mut created = Vec::new();
            for name in names {
                if app.has_user(name).await {
                    created.push(name);
                }
            }
            assert_eq!(created.len(), 1, "{created:?}");
        });
    }

    fn a_repeated_form_creates_nothing(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            open(app).await;
            let browser = arrive(app, provider).await;
            let page = browser.get(SIGN_UP).await;
            // Another tab has the same form, and another browser the same login.
            let other = arrive(app, provider).await;
            assert_eq!(browser.send_sign_up(&page, &[]).await.status, 302);
            let late = browser.send_sign_up(&page, &[("username", "bob")]).await;
            assert_page(&late, 400, "This sign-up is over");
            let late = other.finish_sign_up(&[("username", "bob")]).await;
            assert_page(&late, 409, "An account with this login exists already");
            assert_eq!(link(&late, START), START);
            assert!(!app.has_user("bob").await);
        });
    }

    fn the_form_is_open_for_half_an_hour(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            open(app).await;
            let browser = arrive(app, provider).await;
            let page = browser.get(SIGN_UP).await;
            app.advance(Duration::from_secs(31 * 60));
            assert_eq!(browser.get(SIGN_UP).await.status, 302);
            assert_page(&browser.send_sign_up(&page, &[]).await, 400, "This sign-up is over");
            assert!(!app.has_user("ann").await);
        });
    }

    fn the_form_needs_the_cookie_and_the_csrf_token(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            open(app).await;
            let visitor = app.browser();
            let led = visitor.get(SIGN_UP).await;
            assert_eq!((led.status, led.header("location").unwrap().ends_with("/auth/sign_in")), (302, true));
            let sign_up = visitor.get("/auth/sign_up").await.text();
            let mut form = hidden_fields(&sign_up, "/auth/sign_up");
            form.push(("username".to_owned(), "ann".to_owned()));
            assert_page(&visitor.form(SIGN_UP, &form).await, 400, "This sign-up is over");
            let browser = arrive(app, provider).await;
            let fields = [("username", "ann"), ("agreement", "1")];
            assert_eq!(browser.form(SIGN_UP, &fields).await.status, 403);
            // The cookie of a sign-in that is not finished is none of a sign-up.
            let left = app.anonymous().get(START).await;
            let cookie = left.header("set-cookie").unwrap().split(';').next().unwrap();
            let cookie = cookie.replace("siskin_external=", "siskin_newcomer=");
            let request = app.anonymous().request(Method::GET, SIGN_UP).header("cookie", cookie);
            assert_eq!(app.anonymous().send(request).await.status, 302);
            assert!(!app.has_user("ann").await);
        });
    }

    fn the_address_of_an_account_never_links_it(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            open(app).await;
            app.user("ann").await;
            provider.tell(json!({
                "sub": "7", "email": "ANN@example.com", "email_verified": true,
            }));
            let browser = app.browser();
            let page = browser.sign_in_by(provider, &format!("{START}?return_to=/about")).await;
            assert_page(&page, 409, "An account on this server has your email address");
            assert!(page.text().contains("Sign in to it with its password first"), "{page:?}");
            assert!(page.text().contains("href=\"/auth/sign_in?return_to=%2Fabout\""), "{page:?}");
            assert!(!browser.is_signed_in().await);
            assert_eq!(browser.get(SIGN_UP).await.status, 302);
            assert!(app.logins("ann").await.is_empty());
        });
    }

    fn others_learn_nothing_about_an_address(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            open(app).await;
            app.user("qqq").await;
            let mut pages = Vec::new();
            for name in ["qqq", "zzz"] {
                let email = format!("{name}@example.com");
                provider.tell(json!({ "sub": name, "email": email, "email_verified": false }));
                let page = arrive(app, provider).await.get(SIGN_UP).await.text();
                let token = page.split("name=\"authenticity_token\" value=\"").nth(1).unwrap();
                let token = token.split('"').next().unwrap();
                pages.push(page.replace(token, "").replace(name, ""));
            }
            assert_eq!(pages[0], pages[1]);
        });
    }

    // The claims that the ID token lacks come from another endpoint.
    fn a_terse_provider_is_asked_for_more(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            open(app).await;
            provider.be_terse();
            let browser = arrive(app, provider).await;
            let page = browser.get(SIGN_UP).await.text();
            assert!(page.contains("value=\"ann\"") && page.contains(ANN), "{page}");
            assert_eq!(provider.requests("/userinfo"), 1);
            assert_eq!(browser.finish_sign_up(&[]).await.status, 302);
            provider.tell(json!({ "sub": "7" }));
            let page = arrive(app, provider).await.get(SIGN_UP).await.text();
            assert!(page.contains("name=\"username\" type=\"text\" value=\"\""), "{page}");
        });
    }
}
