//! `/admin`: pages of the staff.

mod access;
mod accounts;
mod appeals;
mod areas;
mod blocks;
mod bulk;
mod contents;
mod domains;
mod first_steps;
mod logs;
mod reports;
mod roles;
mod settings;
mod sign_ups;
mod trends;
mod waiting;
mod warning_presets;

use siskin_entities::TargetKind;
use siskin_test_support::builders::PASSWORD;

use crate::{
    oauth::{hidden_fields, sign_in},
    support::{Client, Response, TestApp, User},
};

/// A text that would run a script, if a page did not escape it.
const SCRIPT: &str = "<script>alert(1)</script>\"><img src=x onerror=alert(2)>";

/// Creates a member of staff with this role, and a browser in which that person is signed in.
async fn staff_in_browser(app: &TestApp, name: &str, role: &'static str) -> (User, Client) {
    let user = app.staff(name, role).await;
    let browser = app.browser();
    let response = sign_in(&browser, &format!("{name}@example.com"), PASSWORD).await;
    assert_eq!(response.status, 302, "{response:?}");
    (user, browser)
}

/// Returns the hidden fields of the form on a page that posts to `action`.
fn posted_fields(page: &str, action: &str) -> Vec<(String, String)> {
    hidden_fields(page, &format!("{action}\" method=\"post"))
}

/// Submits the form to `action` on a page, with its hidden fields and these.
async fn submit(browser: &Client, page: &str, action: &str, fields: &[(&str, &str)]) -> Response {
    let mut form = posted_fields(&browser.get(page).await.text(), action);
    form.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    browser.form(action, &form).await
}

/// Submits the form to `action` on a page that asks for a confirmation.
async fn confirm(browser: &Client, asked: &Response, action: &str) -> Response {
    assert_eq!(asked.status, 200, "{asked:?}");
    let mut form = posted_fields(&asked.text(), action);
    form.push(("confirmed".to_owned(), "1".to_owned()));
    browser.form(action, &form).await
}

/// Returns the actions in the audit log about a target, the first one first.
async fn actions_on(app: &TestApp, kind: TargetKind, id: &str) -> Vec<&'static str> {
    app.audit_of(kind, id).await.iter().map(|entry| entry.action.as_str()).collect()
}

/// Follows the redirect after a form, and returns the page.
async fn followed(browser: &Client, response: &Response) -> String {
    assert_eq!(response.status, 303, "{response:?}");
    let page = browser.get(response.header("location").unwrap()).await;
    assert_eq!(page.status, 200, "{page:?}");
    page.text()
}

/// Checks that a page shows no text of a user as HTML.
fn assert_escaped(page: &str) {
    assert!(!page.contains("<script") && !page.contains("<img src=x"), "{page}");
}
