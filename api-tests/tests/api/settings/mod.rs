//! `/settings`.

pub mod account;
mod archives;
pub mod deletion;
mod export;
mod filters;
mod follow_list;
mod invites;
mod notifications;
mod profile;
mod sessions;
mod writing;

use std::time::Duration;

use siskin_test_support::builders::PASSWORD;

use crate::{
    oauth::{hidden_fields, sign_in},
    support::{Client, Response, TestApp, User},
};

/// Page with the files of a person.
const EXPORT: &str = "/settings/export";
const DAY: Duration = Duration::from_hours(24);

/// Creates an account, and signs it in. Returns it with its browser.
async fn person(app: &TestApp, name: &str) -> (User, Client) {
    let (user, browser) = (app.user(name).await, app.browser());
    sign_in(&browser, name, PASSWORD).await;
    (user, browser)
}

/// Sends the form that requests a file, as the page would show it.
async fn request(browser: &Client, form: &str) -> Response {
    let page = browser.get(EXPORT).await.text();
    // The page does not always show the form; each of its forms has the same token.
    browser.form(form, &hidden_fields(&page, "/auth/sign_out")).await
}

/// Returns the paths of the files that can be downloaded, of those that this form requests.
async fn downloads(browser: &Client, form: &str) -> Vec<String> {
    let (page, link) = (browser.get(EXPORT).await.text(), format!("href=\"{form}/"));
    let links = page.split(&link).skip(1);
    links.map(|rest| format!("{form}/{}", rest.split('"').next().unwrap())).collect()
}

/// Returns the number of stored parts of such files.
fn stored_files(app: &TestApp) -> usize {
    let folders = std::fs::read_dir(app.media_folder()).unwrap().map(|entry| entry.unwrap().path());
    let files =
        folders.filter(|path| path.is_dir()).flat_map(|path| std::fs::read_dir(path).unwrap());
    let names = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".export")).count()
}
