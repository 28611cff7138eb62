//! People with an authenticator app.

use std::time::Duration;

use ring::hmac;
use siskin_entities::Timestamp;
use siskin_test_support::builders::PASSWORD;

use super::{Client, Response, TestApp, User};
use crate::oauth::{hidden_fields, sign_in};

/// Page on which people set up their second factor.
pub const SETTINGS: &str = "/settings/second-factor";
/// Page that asks for the code at a sign-in.
pub const CODE_PAGE: &str = "/auth/second_factor";
/// Time for which an app shows a code.
pub const STEP: Duration = Duration::from_secs(30);

/// An authenticator app with one secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authenticator {
    secret: Vec<u8>,
}

impl Authenticator {
    /// Adds a key as a person types it: Base32, with spaces.
    pub fn with_key(key: &str) -> Self {
        let letters = key.chars().filter(|c| !c.is_whitespace());
        let bits = letters.flat_map(|letter| {
            let value = match letter {
                'A'..='Z' => letter as u32 - 'A' as u32,
                '2'..='7' => letter as u32 - '2' as u32 + 26,
                other => panic!("{other} in {key}"),
            };
            (0..5).rev().map(move |place| (value >> place) & 1)
        });
        let bits: Vec<u32> = bits.collect();
        let byte = |bits: &[u32]| bits.iter().fold(0, |byte, bit| (byte << 1) | bit);
        let secret: Vec<u8> =
            bits.chunks_exact(8).map(|bits| u8::try_from(byte(bits)).unwrap()).collect();
        assert_eq!(secret.len(), 20, "{key}");
        Self { secret }
    }

    /// Reads the key from the page of a setup.
    pub fn of_page(page: &str) -> Self {
        Self::with_key(between(page, "<code class=\"copy\">", "</code>"))
    }

    /// Returns the code that the app shows at this time.
    pub fn code(&self, now: Timestamp) -> String {
        let step = now.unix_ms().div_euclid(30_000);
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &self.secret);
        let hash = hmac::sign(&key, &step.to_be_bytes());
        let hash = hash.as_ref();
        let start = usize::from(hash[19] % 16);
        let number = u32::from_be_bytes(hash[start..start + 4].try_into().unwrap());
        format!("{:06}", (number & 0x7fff_ffff) % 1_000_000)
    }

    /// Returns six digits that are no code around this time.
    pub fn wrong_code(&self, now: Timestamp) -> String {
        let around = [now.before(STEP), now, now.after(STEP)].map(|time| self.code(time));
        let mut wrong = (0..).map(|number| format!("{number:06}"));
        wrong.find(|code| !around.contains(code)).unwrap()
    }
}

/// Returns the part of a page between two texts.
pub fn between<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    let rest = page.split_once(start).unwrap_or_else(|| panic!("no {start} in {page}")).1;
    rest.split_once(end).unwrap().0
}

/// Returns the recovery codes on a page.
pub fn recovery_codes(page: &str) -> Vec<String> {
    let codes = page.split("<li><code>").skip(1);
    codes.map(|rest| rest.split("</code>").next().unwrap().to_owned()).collect()
}

/// A person with a second factor.
pub struct Guarded {
    pub user: User,
    /// A browser with a session.
    pub browser: Client,
    pub app: Authenticator,
    pub recovery_codes: Vec<String>,
}

impl TestApp {
    /// Creates an account with a second factor.
    pub async fn guarded(&self, username: &str) -> Guarded {
        let user = self.user(username).await;
        let browser = self.browser();
        sign_in(&browser, username, PASSWORD).await;
        let (app, recovery_codes) = self.guard(&browser).await;
        Guarded { user, browser, app, recovery_codes }
    }

    /// Sets up a second factor for the person who is signed in.
    pub async fn guard(&self, browser: &Client) -> (Authenticator, Vec<String>) {
        let setup = browser.begin_setup().await;
        let app = Authenticator::of_page(&setup.text());
        let done = browser.confirm_setup(&setup, &app.code(self.app().now())).await;
        assert_eq!(done.status, 200, "{done:?}");
        (app, recovery_codes(&done.text()))
    }

    /// Signs a new browser in with the password, so that it waits for the code.
    pub async fn waiting(&self, username: &str) -> Client {
        let browser = self.browser();
        let response = sign_in(&browser, username, PASSWORD).await;
        let page = format!("{}{CODE_PAGE}", self.base_url());
        assert_eq!(response.header("location"), Some(&*page), "{response:?}");
        browser
    }

    /// Moves the clock to the beginning of the next time step.
    pub fn begin_step(&self) {
        let into = self.app().now().unix_ms().rem_euclid(30_000);
        self.advance(Duration::from_millis(u64::try_from(30_000 - into).unwrap()));
    }

    /// Returns the code of the next time step, which was not used before.
    pub fn next_code(&self, app: &Authenticator) -> String {
        self.begin_step();
        app.code(self.app().now())
    }
}

impl Client {
    /// Sends the form on a page with these values.
    pub async fn send_form(&self, page: &str, action: &str, values: &[(&str, &str)]) -> Response {
        let mut form = hidden_fields(page, action);
        form.extend(values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self.form(action, &form).await
    }

    /// Opens the settings of the second factor, and sends the form with this action and the
    /// password.
    pub async fn send_with_password(&self, action: &str) -> Response {
        let page = self.get(SETTINGS).await.text();
        let action = format!("{SETTINGS}/{action}");
        self.send_form(&page, &action, &[("current_password", PASSWORD)]).await
    }

    /// Begins a setup and returns the page with the key.
    pub async fn begin_setup(&self) -> Response {
        let response = self.send_with_password("setup").await;
        assert_eq!(response.status, 200, "{response:?}");
        response
    }

    /// Sends the code on the page of a setup.
    pub async fn confirm_setup(&self, setup: &Response, code: &str) -> Response {
        let action = format!("{SETTINGS}/enable");
        self.send_form(&setup.text(), &action, &[("code", code)]).await
    }

    /// Sends a code after the password.
    pub async fn enter_code(&self, code: &str) -> Response {
        let page = self.get(CODE_PAGE).await;
        assert_eq!(page.status, 200, "{page:?}");
        self.send_form(&page.text(), CODE_PAGE, &[("code", code)]).await
    }

    /// Returns `true` if the browser has a session of an active person.
    pub async fn is_signed_in(&self) -> bool {
        self.get("/settings/sessions").await.status == 200
    }
}
