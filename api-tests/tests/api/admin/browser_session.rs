//! The interface for staff with a browser session instead of a token. A script must send the CSRF
//! token of the session; a request with an access token needs none.

use reqwest::{Method, RequestBuilder};
use serde_json::json;
use siskin_test_support::builders::PASSWORD;

use crate::{
    oauth::sign_in,
    support::{Client, TestApp, User},
};

const BLOCKS: &str = "/api/v1/admin/domain_blocks";
const CSRF: &str = "x-csrf-token";
const FOREIGN: &str = "https://evil.example";
/// How a browser names the origin of a sandboxed page.
const OPAQUE: &str = "null";

/// A browser with a signed-in account, and the CSRF token of its session.
struct Session {
    browser: Client,
    token: String,
}

impl Session {
    async fn of(app: &TestApp, user: &User) -> Self {
        let browser = app.browser();
        let login = format!("{}@example.com", user.username);
        assert_eq!(sign_in(&browser, &login, PASSWORD).await.status, 302);
        let page = browser.get("/").await.text();
        let token = page.split("<meta name=\"csrf-token\" content=\"").nth(1).unwrap();
        let token = token.split('"').next().unwrap().to_owned();
        Self { browser, token }
    }

    /// Builds a request that blocks a domain.
    fn blocking(&self, domain: &str) -> RequestBuilder {
        blocking(&self.browser, domain)
    }

    async fn status(&self, request: RequestBuilder) -> u16 {
        self.browser.send(request).await.status
    }
}

fn blocking(client: &Client, domain: &str) -> RequestBuilder {
    client.request(Method::POST, BLOCKS).form(&[("domain", domain)])
}

async fn blocked(staff: &Client) -> Vec<String> {
    let blocks = staff.get(BLOCKS).await.ok();
    let blocks = blocks.as_array().unwrap().iter();
    blocks.map(|block| block["domain"].as_str().unwrap().to_owned()).collect()
}

api_tests! {
    // Case 125.
    async fn a_session_needs_its_csrf_token_and_this_origin(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let session = Session::of(app, &admin).await;
        let token = session.token.as_str();
        assert_eq!(session.status(session.blocking("a.example")).await, 403);
        for wrong in ["", "wrong", &token.to_ascii_uppercase(), &format!("{token}x")] {
            let request = session.blocking("a.example").header(CSRF, wrong);
            assert_eq!(session.status(request).await, 403, "{wrong:?}");
        }
        for origin in [FOREIGN, OPAQUE, &format!("{FOREIGN}/{}", app.domain())] {
            let request = session.blocking("a.example").header(CSRF, token);
            assert_eq!(session.status(request.header("origin", origin)).await, 403, "{origin}");
        }
        assert_eq!(blocked(&admin).await, [""; 0]);
        let request = session.blocking("b.example").header(CSRF, token);
        assert_eq!(session.status(request).await, 200);
        let request = session.blocking("c.example").header(CSRF, token);
        assert_eq!(session.status(request.header("origin", app.base_url())).await, 200);
        assert_eq!(blocked(&admin).await, ["c.example", "b.example"]);
    }

    // Another site may send no header, so the token counts nowhere else.
    async fn the_csrf_token_is_a_header(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let session = Session::of(app, &admin).await;
        let form = [("domain", "a.example"), ("authenticity_token", &*session.token)];
        let request = session.browser.request(Method::POST, BLOCKS).form(&form);
        assert_eq!(session.status(request).await, 403);
        let query = format!("{BLOCKS}?domain=a.example&authenticity_token={}", session.token);
        assert_eq!(session.browser.post(&query).await.status, 403);
        assert_eq!(blocked(&admin).await, [""; 0]);
    }

    async fn reads_need_the_csrf_token_too(app: &TestApp) {
        let session = Session::of(app, &app.staff("ada", "Admin").await).await;
        assert_eq!(session.browser.get(BLOCKS).await.status, 403);
        let request = session.browser.request(Method::GET, BLOCKS).header(CSRF, &session.token);
        assert_eq!(session.browser.send(request).await.ok(), json!([]));
    }

    async fn a_token_needs_neither_csrf_token_nor_this_origin(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        admin.send(blocking(&admin, "a.example")).await.ok();
        let request = blocking(&admin, "b.example").header("origin", FOREIGN);
        admin.send(request).await.ok();
        // The token counts, also if the request carries cookies.
        let session = Session::of(app, &app.user("zoe").await).await;
        let bearer = admin.token().unwrap();
        let request = session.blocking("c.example").bearer_auth(bearer).header("origin", FOREIGN);
        assert_eq!(session.status(request).await, 200);
        assert_eq!(blocked(&admin).await, ["c.example", "b.example", "a.example"]);
    }

    async fn an_invalid_token_is_not_replaced_by_the_session(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let session = Session::of(app, &admin).await;
        let request = session.blocking("a.example").header(CSRF, &session.token);
        assert_eq!(session.status(request.bearer_auth("garbage")).await, 401);
        let narrow = app.user_with_scopes(&admin, "read").await;
        let request = session.blocking("a.example").header(CSRF, &session.token);
        assert_eq!(session.status(request.bearer_auth(narrow.token().unwrap())).await, 403);
        assert_eq!(blocked(&admin).await, [""; 0]);
    }

    async fn the_role_of_the_account_decides(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        for user in [app.user("zoe").await, app.staff("mo", "Moderator").await] {
            let session = Session::of(app, &user).await;
            let request = session.blocking("a.example").header(CSRF, &session.token);
            let refused = session.browser.send(request).await.expect(403);
            assert_eq!(refused["error"], "This action is not allowed");
        }
        let session = Session::of(app, &admin).await;
        app.give_role(&admin, None).await;
        let request = session.blocking("a.example").header(CSRF, &session.token);
        assert_eq!(session.status(request).await, 403);
    }

    async fn without_credentials_the_caller_is_unknown(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let anonymous = app.anonymous();
        anonymous.send(blocking(&anonymous, "a.example")).await.expect(401);
        let session = Session::of(app, &admin).await;
        let with_token = blocking(&anonymous, "a.example").header(CSRF, &session.token);
        anonymous.send(with_token).await.expect(401);
        // The CSRF token belongs to one session.
        let other = Session::of(app, &admin).await;
        let request = other.blocking("a.example").header(CSRF, &session.token);
        assert_eq!(other.status(request).await, 403);
        let sign_out = session.browser.request(Method::DELETE, "/auth/sign_out");
        assert_eq!(session.status(sign_out.header(CSRF, &session.token)).await, 302);
        let request = session.blocking("a.example").header(CSRF, &session.token);
        assert_eq!(session.status(request).await, 401);
        assert_eq!(blocked(&admin).await, [""; 0]);
    }

    async fn an_account_that_may_not_sign_in_loses_its_session(app: &TestApp) {
        let (owner, admin) = (app.staff("owner", "Owner").await, app.staff("ada", "Admin").await);
        let session = Session::of(app, &admin).await;
        owner.impose("disable", &admin).await;
        let request = session.blocking("a.example").header(CSRF, &session.token);
        assert_eq!(session.status(request).await, 401);
        assert_eq!(blocked(&owner).await, [""; 0]);
    }
}
