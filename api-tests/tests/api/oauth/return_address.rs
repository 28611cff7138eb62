//! An authorization request is preserved byte for byte until the client gets its code: through
//! sign-in, registration, and all other steps.

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use serde_json::json;
use siskin_test_support::{MailSink, both_engines, builders::PASSWORD};

use super::{decide, hidden_fields, link, parameter, sign_in_at, signed_in, text};
use crate::support::{Client, Response, TestApp, with_mail};

const SIGN_IN: &str = "/auth/sign_in";
const SIGN_UP: &str = "/auth/sign_up";
const FORGOTTEN: &str = "/auth/password/new";
const ANOTHER: &str = "/auth/password/edit";

/// Redirect URIs that differ only in their escapes, or have a query of their own.
static ADDRESSES: [&str; 6] = [
    "https://app.example/back",
    "https://app.example/back?x=1&y=2",
    "https://app.example/a%3A%2Fb?c=%20+%2B",
    "https://app.example/%253A%252F",
    "http://127.0.0.1:9/cb;x=',(!)*?$@",
    "com.example.app:/oauth?z",
];
static SCOPES: [&str; 3] = ["read", "write", "follow"];

/// A request with its expected result.
#[derive(Debug, Clone)]
struct AuthorizationRequest {
    /// Query without the client.
    query: String,
    state: Option<String>,
    scopes: Vec<&'static str>,
    redirect_uri: &'static str,
}

/// Encodes a text as a query value. `choices` selects among the legal encodings.
fn encode(text: &str, choices: &mut impl Iterator<Item = u8>) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        let choice = choices.next().unwrap();
        let may_stand = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let may_stand_here = b"!$'()*,;:@/?".contains(&byte);
        match byte {
            b' ' if choice.is_multiple_of(2) => encoded.push('+'),
            byte if may_stand && !choice.is_multiple_of(8) => encoded.push(char::from(byte)),
            byte if may_stand_here && choice.is_multiple_of(2) => encoded.push(char::from(byte)),
            byte if choice.is_multiple_of(3) => encoded.push_str(&format!("%{byte:02x}")),
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn requests() -> impl Strategy<Value = AuthorizationRequest> {
    let state = proptest::option::of("[ -~]{1,60}|[a-z%+=&#\"\\\\;,é☃]{1,30}");
    let scopes = proptest::sample::subsequence(&SCOPES[..], 1..=3);
    let redirect_uri = proptest::sample::select(&ADDRESSES[..]);
    let choices = proptest::collection::vec(any::<u8>(), 64);
    (state, scopes, redirect_uri, choices).prop_map(|(state, scopes, redirect_uri, choices)| {
        let mut choices = choices.into_iter().cycle();
        let mut pairs = vec![
            ("response_type", "code".to_owned()),
            ("scope", scopes.join(" ")),
            ("redirect_uri", redirect_uri.to_owned()),
        ];
        pairs.extend(state.clone().map(|state| ("state", state)));
        let pairs: Vec<String> = pairs
            .iter()
            .map(|(name, value)| {
                format!("{}={}", encode(name, &mut choices), encode(value, &mut choices))
            })
            .collect();
        AuthorizationRequest { query: pairs.join("&"), state, scopes, redirect_uri }
    })
}

/// Returns requests that failed in the past, and random ones.
fn samples(random: usize) -> Vec<AuthorizationRequest> {
    let fixed = |query: &str, state: Option<&str>, redirect_uri| AuthorizationRequest {
        query: format!("response_type=code&{query}"),
        state: state.map(str::to_owned),
        scopes: vec!["read", "write"],
        redirect_uri,
    };
    let long = "\u{2603}".repeat(600);
    let escaped = "%E2%98%83".repeat(600);
    let mut samples = vec![
        fixed("scope=read%20write&redirect_uri=https://app.example/back", None, ADDRESSES[0]),
        fixed(
            "scope=read+write&redirect_uri=https%3A%2F%2Fapp.example%2F%25253A%25252F",
            None,
            ADDRESSES[3],
        ),
        fixed(
            "scope=read%20write&redirect_uri=https://app.example/back?x=1%26y=2&state=a%2Bb%2Fc%3D%3D%26z",
            Some("a+b/c==&z"),
            ADDRESSES[1],
        ),
        fixed(
            &format!("scope=read%20write&state={escaped}&redirect_uri=https://app.example/back"),
            Some(&long),
            ADDRESSES[0],
        ),
    ];
    let mut runner = TestRunner::default();
    samples.extend((0..random).map(|_| requests().new_tree(&mut runner).unwrap().current()));
    samples
}

/// A registered client that checks its responses.
struct Walker {
    client_id: String,
    client_secret: String,
}

impl Walker {
    async fn register(app: &TestApp) -> Self {
        let form = json!({
            "client_name": "Walker", "redirect_uris": ADDRESSES, "scopes": SCOPES.join(" "),
        });
        let created = app.anonymous().json("/api/v1/apps", form).await.ok();
        Self {
            client_id: text(&created, "client_id"),
            client_secret: text(&created, "client_secret"),
        }
    }

    fn path(&self, request: &AuthorizationRequest) -> String {
        format!("/oauth/authorize?client_id={}&{}", self.client_id, request.query)
    }

    /// Agrees on the page at `address`, and checks that the redirect matches the request.
    async fn agree(&self, browser: &Client, address: &str, request: &AuthorizationRequest) {
        assert!(address.contains("/oauth/authorize?"), "{address} after {request:?}");
        let response = decide(browser, address, "agree").await;
        assert_eq!(response.status, 302, "{response:?} after {request:?}");
        let back = response.header("location").unwrap();
        let joint = if request.redirect_uri.contains('?') { '&' } else { '?' };
        let begin = format!("{}{joint}code=", request.redirect_uri);
        assert!(back.starts_with(&begin), "{back} after {request:?}");
        assert_eq!(parameter(back, "state"), request.state, "{request:?}");
        // Clients that decode only percent signs read the same value.
        let state = back.split("&state=").nth(1).unwrap_or_default();
        assert!(!state.contains('+'), "{back}");

        let code = parameter(back, "code").unwrap();
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", self.client_id.as_str()),
            ("client_secret", self.client_secret.as_str()),
            ("redirect_uri", request.redirect_uri),
            ("code", code.as_str()),
        ];
        let token = browser.form("/oauth/token", &form).await.ok();
        let mut scopes: Vec<String> = text(&token, "scope").split(' ').map(str::to_owned).collect();
        let mut expected: Vec<String> = request.scopes.iter().map(ToString::to_string).collect();
        scopes.sort();
        expected.sort();
        assert_eq!(scopes, expected, "{request:?}");
    }
}

/// Opens an address like a browser, and follows redirects on the server.
async fn open(browser: &Client, address: &str) -> Response {
    let mut response = browser.get(address).await;
    for _ in 0..5 {
        match response.header("location").map(str::to_owned) {
            Some(next) => response = browser.get(&next).await,
            None => break,
        }
    }
    response
}

/// Signs in by the form on a page and returns the redirect target.
async fn sign_in_from(browser: &Client, page: &Response, login: &str) -> String {
    let response = sign_in_at(browser, page, login, PASSWORD).await;
    assert_eq!(response.status, 302, "{response:?}");
    response.header("location").unwrap().to_owned()
}

/// Submits the form with this `action` on a page.
async fn fill_in(
    browser: &Client,
    page: &Response,
    action: &str,
    more: &[(&str, &str)],
) -> Response {
    let mut form = hidden_fields(&page.text(), action);
    form.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    browser.form(action, &form).await
}

async fn set(app: &TestApp, key: &str, value: &str) {
    app.app().change_setting(key.to_owned(), value.to_owned()).await.unwrap();
}

api_tests! {
    async fn a_request_survives_sign_in_and_a_wrong_password_before(app: &TestApp) {
        app.user("ann").await;
        let walker = Walker::register(app).await;
        for (number, request) in samples(24).iter().enumerate() {
            let browser = app.browser();
            let mut page = open(&browser, &walker.path(request)).await;
            for _ in 0..number % 3 {
                page = sign_in_at(&browser, &page, "ann", "wrong").await;
                assert_eq!(page.status, 422);
            }
            let back = sign_in_from(&browser, &page, "ann").await;
            walker.agree(&browser, &back, request).await;
        }
    }

    async fn a_request_survives_sign_up(app: &TestApp) {
        set(app, "registrations", "open").await;
        let walker = Walker::register(app).await;
        for (number, request) in samples(6).iter().enumerate() {
            let browser = app.browser();
            let page = open(&browser, &walker.path(request)).await;
            let page = browser.get(&link(&page, SIGN_UP)).await;
            // Goes to the sign-in page and back, and makes a mistake first.
            let page = browser.get(&link(&page, SIGN_IN)).await;
            let page = browser.get(&link(&page, SIGN_UP)).await;
            let wrong = fill_in(&browser, &page, SIGN_UP, &[("username", "not a name")]).await;
            assert_eq!(wrong.status, 422);
            let (name, email) = (format!("new{number}"), format!("new{number}@example.com"));
            let form =
                [("username", &*name), ("email", email.as_str()), ("password", PASSWORD), ("agreement", "1")];
            let created = fill_in(&browser, &wrong, SIGN_UP, &form).await;
            assert_eq!(created.status, 302, "{created:?}");
            walker.agree(&browser, created.header("location").unwrap(), request).await;
        }
    }

    async fn a_request_survives_signing_in_as_someone_else(app: &TestApp) {
        app.user("ann").await;
        let browser = signed_in(app, "bob").await;
        let walker = Walker::register(app).await;
        for request in samples(6) {
            let again = format!("{}&force%5Flogin=true", walker.path(&request));
            let page = open(&browser, &again).await;
            let back = sign_in_from(&browser, &page, "bob").await;
            let consent = browser.get(&back).await;
            let page = open(&browser, &link(&consent, "/oauth/authorize")).await;
            let back = sign_in_from(&browser, &page, "ann").await;
            assert!(browser.get(&back).await.text().contains("@ann"));
            walker.agree(&browser, &back, &request).await;
        }
    }

    async fn requests_in_two_tabs_stay_separate(app: &TestApp) {
        app.user("ann").await;
        let walker = Walker::register(app).await;
        for pair in samples(8).chunks(2) {
            let [first, second] = pair else { continue };
            let browser = app.browser();
            let one = open(&browser, &walker.path(first)).await;
            let other = open(&browser, &walker.path(second)).await;
            let back = sign_in_from(&browser, &one, "ann").await;
            walker.agree(&browser, &back, first).await;
            // The second form is now older than the session.
            let back = sign_in_from(&browser, &other, "ann").await;
            walker.agree(&browser, &back, second).await;
        }
    }

    async fn a_reloaded_tab_continues_its_request(app: &TestApp) {
        app.user("ann").await;
        let walker = Walker::register(app).await;
        let [first, second] = [0, 2].map(|sample: usize| samples(0).swap_remove(sample));
        let browser = app.browser();
        let one = open(&browser, &walker.path(&first)).await;
        open(&browser, &walker.path(&second)).await;
        let back = sign_in_from(&browser, &one, "ann").await;
        walker.agree(&browser, &back, &first).await;
        let again = browser.get(SIGN_IN).await;
        let back = sign_in_from(&browser, &again, "ann").await;
        walker.agree(&browser, &back, &second).await;
        // The page to return to is used only once.
        let page = browser.get(SIGN_IN).await;
        assert_eq!(sign_in_from(&browser, &page, "ann").await, format!("{}/", app.base_url()));
    }

    async fn a_form_older_than_the_session_can_only_sign_in(app: &TestApp) {
        let browser = app.browser();
        app.user("ann").await;
        let before = browser.get(SIGN_IN).await.text();
        let page = browser.get(SIGN_IN).await;
        sign_in_from(&browser, &page, "ann").await;
        let form = hidden_fields(&before, SIGN_IN);
        for path in ["/auth/sign_out", "/settings/sessions/end_others", "/oauth/authorize"] {
            assert_eq!(browser.form(path, &form).await.status, 403, "{path}");
        }
    }

    async fn a_request_survives_another_host_name(app: &TestApp) {
        app.user("ann").await;
        let walker = Walker::register(app).await;
        let elsewhere = app.base_url().replace("127.0.0.1", "localhost");
        assert_ne!(elsewhere, app.base_url());
        for request in samples(6) {
            let browser = app.browser();
            let page = open(&browser, &format!("{elsewhere}{}", walker.path(&request))).await;
            let back = sign_in_from(&browser, &page, "ann").await;
            assert!(back.starts_with(app.base_url()));
            walker.agree(&browser, &back, &request).await;
        }
    }

    async fn clients_are_redirected_to_the_documented_sign_in_page(app: &TestApp) {
        let walker = Walker::register(app).await;
        let response = app.browser().get(&walker.path(&samples(0)[0])).await;
        let sign_in = format!("{}{SIGN_IN}", app.base_url());
        assert_eq!((response.status, response.header("location")), (302, Some(&*sign_in)));
    }

    async fn return_addresses_cannot_lead_to_other_servers(app: &TestApp) {
        app.user("ann").await;
        for elsewhere in ["https://evil.example/", "//evil.example/", "/%5Cevil.example", "\\evil"] {
            let browser = app.browser();
            let page = browser.get(&format!("{SIGN_IN}?return_to={elsewhere}")).await;
            let back = sign_in_from(&browser, &page, "ann").await;
            assert_eq!(back, format!("{}/", app.base_url()), "{elsewhere}");
        }
    }
}

both_engines! {
    fn a_request_survives_the_confirmation_of_an_address(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            set(app, "registrations", "open").await;
            set(app, "email_confirmation", "true").await;
            let walker = Walker::register(app).await;
            for (number, request) in samples(2).iter().enumerate() {
                let browser = app.browser();
                let page = open(&browser, &walker.path(request)).await;
                let page = browser.get(&link(&page, SIGN_UP)).await;
                let (name, email) = (format!("new{number}"), format!("new{number}@example.com"));
                let form = [
                    ("username", &*name), ("email", email.as_str()), ("password", PASSWORD), ("agreement", "1"),
                ];
                let mut created = fill_in(&browser, &page, SIGN_UP, &form).await;
                assert_eq!(created.status, 200, "{created:?}");
                if number % 2 == 1 {
                    // The email was not delivered.
                    let page = browser.get(&link(&created, SIGN_IN)).await;
                    let page = browser.get(&link(&page, "/auth/confirmation/new")).await;
                    let form = [("email", email.as_str())];
                    created = fill_in(&browser, &page, "/auth/confirmation/new", &form).await;
                    assert_eq!(created.status, 200, "{created:?}");
                }
                // The link in the email is opened on another device.
                let (opened, other) = (app.mailed_link(sink, &email).await, app.browser());
                let confirmed = other.get(&opened).await;
                for (browser, page) in [(&browser, &created), (&other, &confirmed)] {
                    let page = browser.get(&link(page, SIGN_IN)).await;
                    let back = sign_in_from(browser, &page, &name).await;
                    walker.agree(browser, &back, request).await;
                }
            }
        });
    }

    fn a_request_survives_a_forgotten_password(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            app.user("ann").await;
            let walker = Walker::register(app).await;
            for request in samples(2) {
                let browser = app.browser();
                let page = open(&browser, &walker.path(&request)).await;
                let page = browser.get(&link(&page, FORGOTTEN)).await;
                let email = [("email", "ann@example.com")];
                assert_eq!(fill_in(&browser, &page, FORGOTTEN, &email).await.status, 200);
                let (opened, other) = (app.mailed_link(sink, "ann@example.com").await, app.browser());
                let page = other.get(&opened).await;
                let changed = fill_in(&other, &page, ANOTHER, &[("password", PASSWORD)]).await;
                assert_eq!(changed.status, 200, "{changed:?}");
                let page = other.get(&link(&changed, SIGN_IN)).await;
                let back = sign_in_from(&other, &page, "ann").await;
                walker.agree(&other, &back, &request).await;
            }
        });
    }
}
