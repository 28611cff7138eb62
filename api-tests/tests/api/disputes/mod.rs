//! `/disputes`, and the sessions of people who may not act.

mod appeals;
mod restricted_sessions;

use siskin_services::accounts::{self, Decision};
use siskin_test_support::builders::PASSWORD;

use crate::{
    oauth::{hidden_fields, sign_in},
    support::{Client, Response, TestApp, User, id},
};

const STRIKES: &str = "/disputes/strikes";

/// Both ways to keep a person from acting, with words on the pages.
const RESTRICTIONS: [(Decision, &str); 2] = [
    (Decision::Suspended(true), "Your account is suspended"),
    (Decision::Disabled(true), "Your login is disabled"),
];

fn lifted(decision: Decision) -> Decision {
    match decision {
        Decision::Suspended(_) => Decision::Suspended(false),
        _ => Decision::Disabled(false),
    }
}

pub async fn decide(app: &TestApp, user: &User, decision: Decision) {
    let account = user.id.parse().unwrap();
    app.app().write(move |tx| accounts::decide(tx, account, decision)).await.unwrap();
}

/// Signs a person in who may not act, and returns the browser.
pub async fn restricted(app: &TestApp, user: &User) -> Client {
    let browser = app.browser();
    let response = sign_in(&browser, &user.username, PASSWORD).await;
    assert_eq!(response.status, 302, "{}", response.text());
    let first_page = format!("{}{STRIKES}", app.base_url());
    assert_eq!(response.header("location"), Some(first_page.as_str()));
    browser
}

/// Returns the path of the page of the latest strike.
async fn page_of_strike(user: &User) -> String {
    format!("{STRIKES}/{}", id(&user.strikes().await[0]))
}

/// Sends the form of the page of a strike with this text.
async fn appeal(browser: &Client, page: &str, text: &str) -> Response {
    let action = format!("{page}/appeal");
    let mut form = hidden_fields(&browser.get(page).await.text(), &action);
    form.push(("text".to_owned(), text.to_owned()));
    browser.form(&action, &form).await
}
