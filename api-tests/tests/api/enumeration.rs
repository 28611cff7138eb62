//! What a visitor learns about the existence of accounts and addresses: by the time that a response
//! takes, and by the pages that accept an address.

use std::time::{Duration, Instant};

use siskin_test_support::{MailSink, both_engines};

use crate::{
    oauth::{hidden_fields, sign_in_at},
    support::{Client, Response, TestApp, with_mail},
};

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

api_tests! {
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
}
