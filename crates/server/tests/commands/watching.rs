//! Tests of monitoring: metrics, the access log and the log as JSON.

use std::time::Duration;

use serde_json::{Value, json};
use siskin_test_support::{
    Engine, Site, both_engines,
    site::{ReceivedRequest, response},
};

use crate::program::Program;

/// Personal data that must not appear in any log.
const PASSWORD: &str = "correct horse battery";
const EMAIL: &str = "ann@example.com";

/// Keys of a push client: the example of RFC 8291.
const P256DH: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZG\
                      H6SRpkNtoIAiw4";
const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";
/// End of the paths of all endpoints of push clients.
const CLIENT: &str = "endpoint-of-ann";

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn client() -> reqwest::Client {
    siskin_outbound::prepare_tls();
    let client = reqwest::Client::builder().tls_certs_only([]).no_proxy();
    client.redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

async fn status(url: &str, token: Option<&str>) -> u16 {
    let mut request = client().get(url);
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    request.send().await.unwrap().status().as_u16()
}

async fn scrape(address: &str) -> String {
    let response = client().get(format!("http://{address}/metrics")).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    response.text().await.unwrap()
}

/// Returns the value of a sample, which must exist.
fn value(metrics: &str, sample: &str) -> f64 {
    let line = metrics
        .lines()
        .find(|line| line.strip_prefix(sample).is_some_and(|rest| rest.starts_with(' ')));
    let line = line.unwrap_or_else(|| panic!("{sample} is not in {metrics}"));
    line.rsplit_once(' ').unwrap().1.parse().unwrap()
}

/// Returns the address of the metrics from the log.
fn metrics_address(program: &Program) -> String {
    for _ in 0..200 {
        let log = program.log();
        if let Some((_, rest)) = log.split_once("metrics are served on http://") {
            return rest.split_once('/').unwrap().0.to_owned();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("no metrics: {}", program.log());
}

/// Creates an owner and a token with all scopes.
fn ann(program: &Program) -> String {
    program.run(&["accounts", "create", "ann", "--email", EMAIL, "--password", PASSWORD]);
    let token = program.json(&["tokens", "create", "--account", "ann", "--scopes", "read write"]);
    token["access_token"].as_str().unwrap().to_owned()
}

/// Creates a token of Ann, who exists, and subscribes its client to push messages at `endpoint`.
/// Returns the token and the status of the response.
async fn subscribe(program: &Program, main: &str, endpoint: &str, auth: &str) -> (String, u16) {
    let scopes = ["tokens", "create", "--account", "ann", "--scopes", "read push"];
    let token = program.json(&scopes)["access_token"].as_str().unwrap().to_owned();
    let keys = json!({ "p256dh": P256DH, "auth": auth });
    let subscription = json!({
        "subscription": { "endpoint": endpoint, "keys": keys, "standard": true },
        "data": { "alerts": { "mention": true } },
    });
    let url = format!("http://{main}/api/v1/push/subscription");
    let request = client().post(url).bearer_auth(&token).json(&subscription);
    let status = request.send().await.unwrap().status().as_u16();
    (token, status)
}

/// Responds as the first part of the path names it.
fn as_named(request: &ReceivedRequest) -> Vec<u8> {
    let status = match request.path.split('/').nth(1) {
        Some("gone") => "410 Gone",
        Some("busy") => "503 Service Unavailable",
        Some("refused") => "400 Bad Request",
        _ => "201 Created",
    };
    response(status, &[], b"")
}

/// Waits until the log contains each of these texts as often as its number says.
async fn logged(program: &Program, texts: &[(&str, usize)]) {
    for _ in 0..600 {
        let log = program.log();
        if texts.iter().all(|(text, times)| log.matches(text).count() >= *times) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{texts:?} are not in the log");
}

both_engines! {
    fn metrics_count_requests_by_route_and_report_resources(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_LOG", "info");
        let token = ann(&program);
        let server = program.serve_with(&["--metrics-bind", "127.0.0.1:0"]);
        let (main, metrics) = (&server.address, metrics_address(&program));
        runtime().block_on(async {
            for _ in 0..3 {
                assert_eq!(status(&format!("http://{main}/api/v1/instance"), None).await, 200);
            }
            for id in ["1", "2", "not-an-id"] {
                let url = format!("http://{main}/api/v1/statuses/{id}");
                assert_eq!(status(&url, Some(&token)).await, 404);
            }
            assert_eq!(status(&format!("http://{main}/nothing/at/all"), None).await, 404);
            let form = [("status", "Hello")];
            let posted = client()
                .post(format!("http://{main}/api/v1/statuses"))
                .bearer_auth(&token)
                .form(&form)
                .send()
                .await
                .unwrap();
            assert_eq!(posted.status(), 200);
            // Metrics and API are served at different addresses only.
            assert_eq!(status(&format!("http://{main}/metrics"), None).await, 404);
            assert_eq!(status(&format!("http://{metrics}/api/v1/instance"), None).await, 404);

            let text = scrape(&metrics).await;
            let requests = |labels: &str| value(&text, &format!("siskin_http_requests_total{{{labels}}}"));
            assert_eq!(requests(r#"method="GET",route="/api/v1/instance",status="200""#), 3.0);
            assert_eq!(requests(r#"method="GET",route="/api/v1/statuses/{id}",status="404""#), 3.0);
            assert_eq!(requests(r#"method="POST",route="/api/v1/statuses",status="200""#), 1.0);
            assert_eq!(requests(r#"method="GET",route="none",status="404""#), 2.0);
            let durations = |end: &str| format!("siskin_http_request_duration_seconds_{end}");
            let instance = r#"method="GET",route="/api/v1/instance""#;
            assert_eq!(value(&text, &durations(&format!("count{{{instance}}}"))), 3.0);
            let all = durations(&format!("bucket{{le=\"+Inf\",{instance}}}"));
            assert_eq!(value(&text, &all), 3.0);
            assert!(!text.contains("not-an-id") && !text.contains("/nothing"), "{text}");

            assert_eq!(value(&text, "siskin_streams"), 0.0);
            assert!(value(&text, "siskin_pool_size") >= 1.0);
            assert!(value(&text, "siskin_commits_total") >= 1.0);
            assert!(value(&text, r#"siskin_cache_lookups_total{cache="callers",result="miss"}"#) >= 1.0);
            assert_eq!(value(&text, r#"siskin_mail_server_lookups_total{result="failed"}"#), 0.0);
            let is_embedded = database.engine() == Engine::Sqlite;
            assert_eq!(text.contains("siskin_writer_writes_total"), is_embedded, "{text}");
            assert!(text.ends_with("# EOF\n"), "{text}");
        });
    }

    fn metrics_count_jobs_by_kind_and_outcome(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_LOG", "info");
        let token = ann(&program);
        let server = program.serve_with(&["--metrics-bind", "127.0.0.1:0"]);
        let (main, metrics) = (&server.address, metrics_address(&program));
        runtime().block_on(async {
            // A poll leaves a job for its end.
            let form = [
                ("status", "Well?"), ("poll[options][]", "yes"), ("poll[options][]", "no"),
                ("poll[expires_in]", "3600"),
            ];
            let response = client().post(format!("http://{main}/api/v1/statuses"));
            let response = response.bearer_auth(&token).form(&form).send().await.unwrap();
            assert_eq!(response.status(), 200);
            let text = scrape(&metrics).await;
            assert_eq!(value(&text, r#"siskin_jobs{kind="polls.end",state="later"}"#), 1.0);
            assert_eq!(value(&text, r#"siskin_jobs{kind="polls.end",state="due"}"#), 0.0);
        });
        runtime().block_on(async {
            // A link in a profile leaves a job that runs at once. It reaches no address of this
            // machine, so the link stays unverified.
            let form = [
                ("fields_attributes[0][name]", "Site"),
                ("fields_attributes[0][value]", "http://127.0.0.1:9/"),
            ];
            let edited = client().patch(format!("http://{main}/api/v1/accounts/update_credentials"));
            let edited = edited.bearer_auth(&token).form(&form).send().await.unwrap();
            assert_eq!(edited.status(), 200);
            let runs = "siskin_job_runs_total{kind=\"verify_link\",outcome=\"";
            for _ in 0..200 {
                let text = scrape(&metrics).await;
                if let Some(line) = text.lines().find(|line| line.starts_with(runs)) {
                    assert!(line.ends_with("} 1"), "{line}");
                    let took = "siskin_job_run_duration_seconds_total{kind=\"verify_link\"}";
                    assert!(value(&text, took) > 0.0);
                    return;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            panic!("no job was counted: {}", scrape(&metrics).await);
        });
    }

    fn the_access_log_has_no_secrets_and_no_email_addresses(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_LOG", "info");
        let token = ann(&program);
        let server = program.serve_with(&["--access-log", "--log-format", "json"]);
        let main = server.address.clone();
        let secrets = [
            "tok-in-the-query", "reset-4711", "setup-4711", "code-4711", "state-4711", EMAIL,
            "ann%40example.com", "cookie-4711", "agent-4711", "referrer-4711", "file-4711", PASSWORD,
        ];
        runtime().block_on(async {
            for path in [
                "/api/v1/timelines/home?access_token=tok-in-the-query",
                "/api/v1/streaming/user?access_token=tok-in-the-query",
                "/auth/password/edit?reset_password_token=reset-4711",
                "/setup?token=setup-4711",
                "/oauth/authorize?client_id=code-4711&state=state-4711&response_type=code",
                "/api/v1/accounts/lookup?acct=ann@example.com",
                "/@ann@example.com", "/ann@example.com", "/ann%40example.com",
                "/media/file-4711.png", "/api/v1/statuses/12345", "/api/v1/statuses/ann@example.com",
                "//ann@example.com//", "/settings/profile?email=ann@example.com",
            ] {
                let request = client()
                    .get(format!("http://{main}{path}"))
                    .bearer_auth(&token)
                    .header("cookie", "session=cookie-4711")
                    .header("user-agent", "agent-4711")
                    .header("referer", "http://127.0.0.1/?referrer-4711");
                drop(request.send().await.unwrap());
            }
            let made_up = reqwest::Method::from_bytes(b"ANN-4711").unwrap();
            drop(client().request(made_up, format!("http://{main}/health")).send().await.unwrap());
            let form = [("user[email]", EMAIL), ("user[password]", PASSWORD)];
            let url = format!("http://{main}/auth/sign_in");
            drop(client().post(url).form(&form).send().await.unwrap());
        });
        server.signal("TERM");
        assert_eq!(server.wait().0, Some(0));
        let log = program.log();
        for secret in secrets.iter().chain([&token.as_str(), &"ANN-4711"]) {
            assert!(!log.contains(*secret), "{secret} is in {log}");
        }
        let lines: Vec<Value> =
            log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        let access: Vec<_> = lines.iter().filter(|line| line["target"] == "access").collect();
        assert_eq!(access.len(), 16, "{log}");
        for line in &access {
            assert_eq!(line["address"], "127.0.0.1", "{line}");
            assert!(line["ms"].is_u64() && line["request"].is_string(), "{line}");
        }
        let has = |path: &str, status: u64| {
            access.iter().any(|line| line["path"] == path && line["status"] == status)
        };
        assert!(has("/api/v1/statuses/12345", 404), "{log}");
        assert!(has("/api/v1/statuses/{id}", 404), "{log}");
        assert!(has("/@{handle}", 404) || has("/@{handle}", 302) || has("/@{handle}", 200), "{log}");
    }

    // Who knows the endpoint of a client can send messages to it, and a search may contain
    // anything. So neither is logged, even at the most detailed level.
    fn no_log_has_secrets_of_push_clients_or_searches(database: &TestDatabase) {
        const SEARCHED: &str = "whinchat";
        let service = Site::start(as_named);
        let program = Program::on(database).with("SISKIN_LOG", "trace");
        let mut secrets = vec![ann(&program)];
        program.run(&["accounts", "create", "bob", "--email", "bob@example.com"]);
        let bob = ["tokens", "create", "--account", "bob", "--scopes", "read write"];
        let bob = program.json(&bob)["access_token"].as_str().unwrap().to_owned();
        // No server answers at the second address.
        let allowed = format!("{},127.0.0.1:9", service.address());
        let server = program.serve_with(&["--access-log", "--outbound-allow", &allowed]);
        let main = &server.address;
        runtime().block_on(async {
            for answer in ["accepted", "gone", "busy", "refused"] {
                let endpoint = service.url(&format!("/{answer}/{CLIENT}"));
                let (token, status) = subscribe(&program, main, &endpoint, AUTH).await;
                assert_eq!(status, 200, "{answer}");
                secrets.push(token);
            }
            let nobody = format!("http://127.0.0.1:9/{CLIENT}");
            let (token, subscribed) = subscribe(&program, main, &nobody, AUTH).await;
            assert_eq!(subscribed, 200);
            secrets.push(token);
            let private = format!("http://10.0.0.1/{CLIENT}");
            for (endpoint, auth) in [(&nobody, P256DH), (&private, AUTH)] {
                let (token, status) = subscribe(&program, main, endpoint, auth).await;
                assert_eq!(status, 422, "{endpoint}");
                secrets.push(token);
            }
            let search = format!("http://{main}/api/v2/search?type=statuses&q={SEARCHED}");
            let by_query = format!("{search}&access_token={}", secrets[0]);
            let malformed = format!("{search}&limit=-1");
            for (url, token, expected) in [
                (&search, Some(bob.as_str()), 200), (&by_query, None, 200), (&malformed, None, 400),
            ] {
                assert_eq!(status(url, token).await, expected, "{url}");
            }
            let url = format!("http://{main}/api/v1/statuses");
            let post = client().post(url).bearer_auth(&bob).form(&[("status", "@ann hello")]);
            assert_eq!(post.send().await.unwrap().status(), 200);
            let outcomes = [("its client is gone", 1), ("is retried", 2), ("is dropped", 1)];
            logged(&program, &outcomes).await;
        });
        secrets.push(bob);
        let received = service.received();
        for answer in ["accepted", "gone", "busy", "refused"] {
            let path = format!("/{answer}/{CLIENT}");
            assert!(received.iter().any(|request| request.path == path), "{path}: {received:?}");
        }
        server.signal("TERM");
        assert_eq!(server.wait().0, Some(0));
        let log = program.log();
        assert!(log.contains("TRACE") && log.contains("/api/v2/search"), "{log}");
        secrets.extend([CLIENT, P256DH, AUTH, SEARCHED].map(str::to_owned));
        for secret in secrets {
            assert!(!log.contains(&secret), "{secret} is in the log");
        }
    }

    fn the_access_log_is_off_by_default(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_LOG", "debug");
        let server = program.serve();
        let url = format!("http://{}/health", server.address);
        assert_eq!(runtime().block_on(status(&url, None)), 200);
        assert!(!program.log().contains("address="), "{}", program.log());
    }
}
