//! What a visitor learns about the existence of accounts and addresses: by the time that a response
//! takes, and by the pages that accept an address.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siskin_persistence::{Tx, accounts::Decision};
use siskin_services::{
    accounts::{self, email::NewEmail},
    housekeeping,
    moderation::{act::Decider, sign_ups},
};
use siskin_test_support::{MailSink, Received, both_engines, builders::PASSWORD};

use crate::{
    oauth::{hidden_fields, sign_in, sign_in_at},
    support::{
        Client, Response, TestApp,
        visitors::{newcomer, refused_fields},
        with_mail,
    },
};

const ACCOUNTS: &str = "/api/v1/accounts";
const VERIFY: &str = "/api/v1/accounts/verify_credentials";
const RESEND: &str = "/api/v1/emails/confirmations";
const ANN: &str = "ann@example.com";
/// Password of people who sign up with a taken address. Ann has another one.
const OWN_PASSWORD: &str = "battery staple";

/// Number of attempts for each login. The median of so few is rough, but a skipped hash of a
/// password makes a response many times faster.
const ATTEMPTS: usize = 15;

/// Returns the time that an attempt to sign in takes, without loading the page.
async fn attempt(app: &TestApp, login: &str) -> Duration {
    let browser = app.browser();
    let page = browser.get("/auth/sign_in").await;
    let start = Instant::now();
    let response = sign_in_at(&browser, &page, login, "wrong password").await;
    let took = start.elapsed();
    assert_eq!(response.status, 422, "{login}");
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Sends the form of a page with an address, and returns the response.
async fn submit(browser: &Client, page: &str, address: &str) -> Response {
    let mut form = hidden_fields(&browser.get(page).await.text(), page);
    form.push(("email".to_owned(), address.to_owned()));
    browser.form(page, &form).await
}

/// Opens the registrations of a server that confirms addresses, with a user Ann.
async fn confirming(app: &TestApp) -> Client {
    app.user("ann").await;
    let application = app.open_registrations().await;
    app.store_setting("email_confirmation", "true").await;
    application
}

/// Replaces everything in a JSON value that is random, or that the request contained.
fn shape(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(object) = value.as_object_mut() {
        for (name, length) in [("access_token", 43), ("created_at", 0)] {
            if let Some(found) = object.get_mut(name) {
                let text = found.as_str().map_or(0, str::len);
                assert_eq!(text, length, "{name}");
                *found = Value::Null;
            }
        }
    }
    value
}

/// Signs up through the interface, and returns what the client finds out afterwards.
async fn found_by_client(
    app: &TestApp,
    application: &Client,
    name: &str,
    email: &str,
) -> Vec<(u16, Value)> {
    let mut account = newcomer(name, email);
    account["password"] = json!(OWN_PASSWORD);
    let signed_up = application.json(ACCOUNTS, account).await;
    let token = signed_up.ok();
    let person = app.with_token(token["access_token"].as_str().unwrap());
    let mut found = vec![(signed_up.status, shape(&token))];
    for response in [
        person.get(VERIFY).await,
        person.get("/api/v1/timelines/home").await,
        person.get("/api/v1/apps/verify_credentials").await,
        person.post(RESEND).await,
        person.form(RESEND, &[("email", email)]).await,
        application.sign_up(&name.to_uppercase(), "third@example.com").await,
        app.anonymous().get("/api/v1/timelines/public?local=true").await,
    ] {
        found.push((response.status, response.json()));
    }
    let lookup = app.anonymous().get(&format!("{ACCOUNTS}/lookup?acct={name}")).await.ok();
    let keys: Vec<&String> = lookup.as_object().unwrap().keys().collect();
    found.push((200, json!([lookup["username"] == name, keys])));
    let page = app.anonymous().get(&format!("/@{name}")).await.status;
    for login in [name, email] {
        let response = sign_in(&app.browser(), login, OWN_PASSWORD).await;
        let unconfirmed = response.text().contains("missing a confirmed");
        found.push((response.status, json!([page, unconfirmed])));
    }
    found
}

/// Returns the link in the last email that asks this person to confirm the address.
fn confirmation_for(mails: &[Received], name: &str) -> String {
    let greeting = format!("Hello @{name},");
    let mut links = mails.iter().rev().filter(|mail| mail.text().contains(&greeting));
    let link = links.find_map(|mail| mail.link("/auth/confirmation?"));
    link.unwrap_or_else(|| panic!("no link for {name}: {mails:?}"))
}

/// Signs up on the page, and returns the response.
async fn signs_up_on_page(browser: &Client, name: &str, email: &str) -> (u16, String) {
    let page = "/auth/sign_up";
    let mut form = hidden_fields(&browser.get(page).await.text(), page);
    for (field, value) in
        [("username", name), ("email", email), ("password", PASSWORD), ("agreement", "1")]
    {
        form.push((field.to_owned(), value.to_owned()));
    }
    let response = browser.form(page, &form).await;
    (response.status, response.text())
}

api_tests! {
    // Without a confirmation, the account works at once, so the address must be free.
    async fn addresses_that_need_no_confirmation_must_be_free(app: &TestApp) {
        app.user("ann").await;
        let refused = app.open_registrations().await.sign_up("ben", ANN).await.expect(422);
        assert_eq!(refused_fields(&refused), [("email".to_owned(), "ERR_TAKEN".to_owned())]);
    }

    async fn an_attempt_to_sign_in_takes_as_long_for_unknown_users(app: &TestApp) {
        let client = app.open_registrations().await;
        client.sign_up("ann", "ann@example.com").await.ok();
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..ATTEMPTS {
            for (login, times) in
                ["ann", "ann@example.com", "unknown@example.com"].into_iter().zip(&mut times)
            {
                times.push(attempt(app, login).await);
            }
        }
        let medians = times.map(median);
        let (shortest, longest) = (medians.iter().min().unwrap(), medians.iter().max().unwrap());
        assert!(*longest < 2 * *shortest, "{medians:?}");
    }
}

both_engines! {
    // Accounts in every state, and addresses of no account.
    fn pages_that_accept_an_address_answer_all_addresses_alike(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let mo = app.staff("mo", "Moderator").await;
            app.ask_for_approval().await;
            for name in ["pia", "rex"] {
                app.signs_up(name).await;
            }
            let rejected = app.id_of("rex").await;
            mo.post(&format!("/api/v1/admin/accounts/{rejected}/reject")).await.ok();
            for (name, kind) in [("dan", "disable"), ("sue", "suspend"), ("sil", "silence")] {
                mo.impose(kind, &app.user(name).await).await;
            }
            app.user("ann").await;
            app.app().change_setting("email_confirmation".into(), "true".into()).await.unwrap();
            app.app().drain_jobs().await.unwrap();
            let names = ["ann", "pia", "rex", "dan", "sue", "sil", "mo", "unknown"];
            for page in ["/auth/password/new", "/auth/confirmation/new"] {
                let browser = app.browser();
                let mut responses = Vec::new();
                for name in names {
                    let response = submit(&browser, page, &format!("{name}@example.com")).await;
                    responses.push((response.status, response.text()));
                }
                assert_eq!(responses[0].0, 200, "{page}");
                let differs = responses.iter().position(|response| *response != responses[0]);
                assert_eq!(differs.map(|at| names[at]), None, "{page}");
            }
            // Only those who can sign in get a link to choose a new password.
            app.app().drain_jobs().await.unwrap();
            let mailed = |name: &str| {
                let address = format!("{name}@example.com");
                let mails = sink.mails();
                let to = mails.iter().filter(|mail| mail.to == [address.as_str()]);
                to.filter(|mail| mail.text().contains("/auth/password/edit")).count()
            };
            assert_eq!(mailed("ann"), 1);
            assert_eq!(mailed("rex") + mailed("unknown"), 0);
        });
    }

    fn a_sign_up_with_a_taken_address_looks_like_any_other(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let application = confirming(app).await;
            let free = found_by_client(app, &application, "ben", "free@example.com").await;
            let taken = found_by_client(app, &application, "eve", "Ann@Example.com").await;
            assert_eq!(free, taken);
            let browser = app.browser();
            let on_page = signs_up_on_page(&browser, "carl", "carl@example.com").await;
            assert_eq!(on_page, signs_up_on_page(&browser, "dora", ANN).await);
            assert_eq!(on_page.0, 200);
            // If the name is taken too, only that is said.
            let both = application.sign_up("ann", ANN).await.expect(422);
            let one = application.sign_up("ann", "more@example.com").await.expect(422);
            assert_eq!(both, one);
            // Only the owner of the address learns of it.
            let mails = app.mails(sink, ANN).await;
            assert_eq!(mails.len(), 4);
            for mail in &mails {
                let (text, subject) = (mail.text(), mail.header("subject").unwrap());
                assert!(subject.contains("already have an account"), "{subject}");
                assert!(text.contains("@ann") && text.contains("/auth/password/new"), "{text}");
                assert!(mail.link("/auth/confirmation").is_none(), "{text}");
            }
            let to_free = app.mails(sink, "free@example.com").await;
            assert_eq!(to_free.len(), 3);
            assert!(to_free.iter().all(|mail| mail.link("/auth/confirmation").is_some()));
        });
    }

    fn a_sign_up_takes_as_long_with_a_taken_address(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, _: &MailSink| {
            let application = confirming(app).await;
            let (mut free, mut taken) = (Vec::new(), Vec::new());
            for number in 0..ATTEMPTS {
                for (name, email, times) in [
                    (format!("f{number}"), format!("f{number}@example.com"), &mut free),
                    (format!("t{number}"), ANN.to_owned(), &mut taken),
                ] {
                    let form = newcomer(&name, &email);
                    let start = Instant::now();
                    application.json(ACCOUNTS, form).await.ok();
                    times.push(start.elapsed());
                }
            }
            let (free, taken) = (median(free), median(taken));
            assert!(free < 2 * taken && taken < 2 * free, "{free:?} {taken:?}");
        });
    }

    // Neither by a link nor by staff nor by the operator.
    fn a_taken_address_is_never_confirmed_for_another_account(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let application = confirming(app).await;
            let token = application.sign_up("eve", ANN).await.ok();
            let eve = app.with_token(token["access_token"].as_str().unwrap());
            let id = app.id_of("eve").await.parse().unwrap();
            let confirm = move |tx: &mut Tx<'_>| sign_ups::confirm(tx, Decider::Operator, id);
            let decide = move |tx: &mut Tx<'_>| accounts::decide(tx, id, Decision::Confirm);
            assert!(app.app().write(confirm).await.unwrap_err().to_string().contains("taken"));
            assert!(app.app().write(decide).await.unwrap_err().to_string().contains("taken"));
            assert_eq!(eve.get(VERIFY).await.status, 403);
            // Ann signs in and resets the password as before.
            assert_eq!(sign_in(&app.browser(), ANN, PASSWORD).await.status, 302);
            assert_eq!(submit(&app.browser(), "/auth/password/new", ANN).await.status, 200);
            let mails = app.mails(sink, ANN).await;
            assert!(mails.last().unwrap().text().contains("@ann"));
            // Once the address is free, its owner can confirm it.
            let ann = app.id_of("ann").await.parse().unwrap();
            let other = NewEmail::parse("other@example.com").unwrap();
            let replace = move |tx: &mut Tx<'_>| accounts::email::replace(tx, ann, &other);
            app.app().write(replace).await.unwrap();
            assert_eq!(eve.post(RESEND).await.ok(), json!({}));
            let link = app.mailed_link(sink, ANN).await;
            assert_eq!(app.browser().get(&link).await.status, 200);
            assert_eq!(eve.get(VERIFY).await.ok()["username"], "eve");
        });
    }

    // Each sign-up gets a link of its own. Who signed up first with an address does not own it.
    fn the_owner_of_an_address_chooses_one_of_two_sign_ups(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let application = confirming(app).await;
            let address = "both@example.com";
            let first = application.sign_up("first", address).await.ok();
            let second = application.sign_up("second", address).await.ok();
            let mails = app.mails(sink, address).await;
            assert_eq!(mails.len(), 2);
            let [dead, link] = ["first", "second"].map(|name| confirmation_for(&mails, name));
            assert_eq!(app.browser().get(&link).await.status, 200);
            assert_eq!(app.browser().get(&dead).await.status, 404);
            let token_of = |token: &Value| app.with_token(token["access_token"].as_str().unwrap());
            let (first, second) = (token_of(&first), token_of(&second));
            assert_eq!(second.get(VERIFY).await.ok()["username"], "second");
            first.get(VERIFY).await.expect(403);
            // What the first one tries now is known to the owner of the address.
            assert_eq!(first.post(RESEND).await.ok(), json!({}));
            let mails = app.mails(sink, address).await;
            let text = mails.last().unwrap().text();
            assert!(text.contains("belongs to your account @second"), "{text}");
            // It is deleted like every sign-up that is not confirmed.
            app.advance(Duration::from_secs(2 * 86_400 + 60));
            app.app().write(housekeeping::enqueue_upkeep_jobs).await.unwrap();
            app.app().drain_jobs().await.unwrap();
            app.anonymous().get(&format!("{ACCOUNTS}/lookup?acct=first")).await.expect(404);
            app.anonymous().get(&format!("{ACCOUNTS}/lookup?acct=second")).await.ok();
        });
    }

    // So that none of them keeps the others from the address.
    fn pages_send_an_email_about_each_unconfirmed_sign_up(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let application = confirming(app).await;
            let address = "both@example.com";
            application.sign_up("first", "Both@example.com").await.ok();
            application.sign_up("second", "BOTH@example.com").await.ok();
            let pages = ["/auth/confirmation/new", "/auth/password/new"];
            let request = async || {
                for page in pages {
                    assert_eq!(submit(&app.browser(), page, address).await.status, 200);
                }
                app.app().drain_jobs().await.unwrap();
                let mut found = Vec::new();
                for mail in sink.mails() {
                    for name in ["first", "second", "ann"] {
                        if mail.text().contains(&format!("Hello @{name},")) {
                            found.push((name, mail.link("/auth/password/edit").is_some()));
                        }
                    }
                }
                found.sort_unstable();
                found
            };
            let one = |name| [(name, false), (name, false), (name, true)];
            let both = [one("first"), one("second")].concat();
            assert_eq!(request().await, both);
            // Only the owner gets more, once there is one.
            let mails = sink.mails();
            let link = confirmation_for(&mails, "second");
            assert_eq!(app.browser().get(&link).await.status, 200);
            assert_eq!(request().await, [&both[..], &[("second", true)]].concat());
        });
    }

    fn one_of_several_people_confirms_an_address(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let application = confirming(app).await;
            let address = "one@example.com";
            let mut people = Vec::new();
            for number in 0..6 {
                let token = application.sign_up(&format!("p{number}"), address).await.ok();
                people.push(app.with_token(token["access_token"].as_str().unwrap()));
            }
            let mails = app.mails(sink, address).await;
            let (browser, name) = (app.browser(), |number| format!("p{number}"));
            let links: Vec<String> =
                (0..6).map(|number| confirmation_for(&mails, &name(number))).collect();
            let opened = futures_util::future::join_all(links.iter().map(|link| browser.get(link)));
            let mut statuses: Vec<u16> =
                opened.await.iter().map(|response| response.status).collect();
            statuses.sort_unstable();
            assert_eq!(statuses[0], 200, "{statuses:?}");
            assert!(statuses[1..].iter().all(|status| [404, 422].contains(status)), "{statuses:?}");
            let mut confirmed = 0;
            for person in &people {
                confirmed += usize::from(person.get(VERIFY).await.status == 200);
            }
            assert_eq!(confirmed, 1);
        });
    }

    fn parallel_sign_ups_with_one_address_get_the_same_response(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let application = confirming(app).await;
            let names: Vec<String> = (0..8).map(|number| format!("p{number}")).collect();
            let sign_ups = names.iter().map(|name| application.sign_up(name, "one@example.com"));
            let responses = futures_util::future::join_all(sign_ups).await;
            assert!(responses.iter().all(|response| response.status == 200), "{responses:?}");
            let mails = app.mails(sink, "one@example.com").await;
            assert_eq!(mails.len(), 8);
            for name in &names {
                confirmation_for(&mails, name);
            }
        });
    }

    // Staff see an ordinary sign-up. What they do with it reveals nothing, and confirms nothing.
    fn staff_decide_about_sign_ups_with_a_taken_address(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let mo = app.staff("mo", "Moderator").await;
            let application = confirming(app).await;
            app.ask_for_approval().await;
            application.sign_up("eve", ANN).await.ok();
            let id = app.id_of("eve").await;
            let decide = async |what: &str| mo.post(&format!("/api/v1/admin/accounts/{id}/{what}")).await;
            let shown = mo.get(&format!("/api/v1/admin/accounts/{id}")).await.ok();
            assert_eq!((&shown["email"], &shown["confirmed"]), (&json!(ANN), &json!(false)));
            decide("approve").await.ok();
            let mails = app.mails(sink, ANN).await;
            assert!(mails.iter().all(|mail| mail.link("/auth/confirmation").is_none()), "{mails:?}");
            let eve = application.sign_up("eva", ANN).await.ok();
            let id = app.id_of("eva").await;
            mo.post(&format!("/api/v1/admin/accounts/{id}/reject")).await.ok();
            app.with_token(eve["access_token"].as_str().unwrap()).get(VERIFY).await.expect(401);
            // The rejection can be undone, as that of any other sign-up.
            assert_eq!(mo.decide_in_bulk("restore", &[&id]).await, ["done"]);
            let shown = mo.get(&format!("/api/v1/admin/accounts/{id}")).await.ok();
            assert_eq!((&shown["email"], &shown["confirmed"]), (&json!(ANN), &json!(false)));
            mo.post(&format!("/api/v1/admin/accounts/{id}/approve")).await.ok();
            let mails = app.mails(sink, ANN).await;
            assert!(mails.iter().all(|mail| mail.link("/auth/confirmation").is_none()), "{mails:?}");
        });
    }

    fn a_change_of_the_address_answers_all_addresses_alike(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            app.user("ann").await;
            let bob = app.user("bob").await;
            let browser = app.browser();
            assert_eq!(sign_in(&browser, "bob", PASSWORD).await.status, 302);
            let change = async |email: &str| {
                let page = browser.get("/settings/account").await.text();
                let mut form = hidden_fields(&page, "/settings/email");
                form.push(("email".to_owned(), email.to_owned()));
                form.push(("current_password".to_owned(), PASSWORD.to_owned()));
                let response = browser.form("/settings/email", &form).await;
                let location = response.header("location").map(str::to_owned);
                (response.status, location, browser.get("/settings/account?done=email").await.text())
            };
            assert_eq!(change("free@example.com").await, change(ANN).await);
            let mails = app.mails(sink, ANN).await;
            assert_eq!(mails.len(), 1);
            let text = mails[0].text();
            assert!(text.contains("@ann") && !text.contains("@bob"), "{text}");
            assert!(mails[0].link("/auth/confirmation").is_none());
            bob.get(VERIFY).await.ok();
        });
    }
}
