//! Tests of the HTTP client with servers on loopback, which it must not reach unless allowed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    io::Write,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use flate2::{Compression, write::GzEncoder};
use siskin_outbound::{
    FetchError, HttpClient, HttpResponse, Limits, LookupFuture, NameResolver, Request,
    header::{AUTHORIZATION, HeaderValue},
};
use siskin_test_support::site::{Site, page, redirect, response};

const QUICK: Limits = Limits { bytes: 10_000, time: Duration::from_secs(5), redirects: 3 };

fn site(html: &'static str) -> Site {
    Site::start(move |_| page(html))
}

/// Returns a client that may reach these sites.
fn client(allowed: &[&Site]) -> HttpClient {
    HttpClient::new("Siskin (test)", allowed.iter().map(|site| site.address()).collect())
}

async fn get(client: &HttpClient, url: &str) -> Result<HttpResponse, FetchError> {
    client.send(&Request::get(url), QUICK).await
}

fn is_private(outcome: &Result<HttpResponse, FetchError>) -> bool {
    matches!(outcome, Err(FetchError::Private(_)))
}

/// Resolver that returns other addresses at each lookup.
struct ChangingNames {
    lookups: Vec<Vec<IpAddr>>,
    received: AtomicUsize,
}

impl ChangingNames {
    fn new(lookups: &[&[&str]]) -> Arc<Self> {
        let parse = |addresses: &&[&str]| addresses.iter().map(|a| a.parse().unwrap()).collect();
        let lookups = lookups.iter().map(parse).collect();
        Arc::new(Self { lookups, received: AtomicUsize::new(0) })
    }
}

impl NameResolver for ChangingNames {
    fn look_up(&self, _: &str) -> LookupFuture {
        let turn = self.received.fetch_add(1, Ordering::Relaxed);
        let resolved = self.lookups[turn.min(self.lookups.len() - 1)].clone();
        Box::pin(async move { Ok(resolved) })
    }
}

#[tokio::test]
async fn allowed_servers_are_reached_by_address_and_by_name() {
    let home = site("hello");
    let client = client(&[&home]);
    let port = home.address().port();
    for url in [home.url("/a?b=c"), format!("http://localhost:{port}/a?b=c")] {
        let response = get(&client, &url).await.unwrap();
        assert_eq!((response.status.as_u16(), response.body), (200, b"hello".to_vec()));
    }
    let received = home.received();
    assert_eq!((received[1].path.as_str(), received.len()), ("/a?b=c", 2));
    assert_eq!(received[0].header("user-agent"), Some("Siskin (test)"));
    assert_eq!((received[0].header("cookie"), received[0].header("referer")), (None, None));
}

#[tokio::test]
async fn loopback_is_refused_in_any_spelling() {
    let (hidden, other) = (site("secret"), site("other"));
    let port = hidden.address().port();
    for client in [client(&[]), client(&[&other])] {
        for host in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "localhost",
            "LocalHost",
            "0.0.0.0",
            "[::ffff:127.0.0.1]",
            "[::1]",
            "[64:ff9b::127.0.0.1]",
        ] {
            let outcome = get(&client, &format!("http://{host}:{port}/")).await;
            assert!(is_private(&outcome), "{host}: {outcome:?}");
        }
    }
    assert_eq!(hidden.received(), []);
}

#[tokio::test]
async fn a_name_that_resolves_to_a_private_address_is_refused() {
    let hidden = site("secret");
    for resolved in
        ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:10.0.0.1"]
    {
        let names = ChangingNames::new(&[&[resolved]]);
        let client = HttpClient::with_resolver("x", Vec::new(), names.clone());
        let url = format!("http://innocent.example:{}/", hidden.address().port());
        assert!(is_private(&get(&client, &url).await), "{resolved}");
        assert_eq!(names.received.load(Ordering::Relaxed), 1);
    }
    assert_eq!(hidden.received(), []);
}

#[tokio::test]
async fn the_client_connects_to_the_address_that_was_checked() {
    let home = site("hello");
    let neighbour = format!("127.0.0.2:{}", home.address().port()).parse().unwrap();
    let neighbour = Site::start_on(neighbour, |_| page("secret"));
    // The check sees the first address; the library would connect to the second one.
    let names = ChangingNames::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let client = HttpClient::with_resolver("x", vec![home.address()], names);
    let url = format!("http://turning.example:{}/", home.address().port());
    assert_eq!(get(&client, &url).await.unwrap().body, b"hello");
    assert!(is_private(&get(&client, &url).await));
    assert_eq!(neighbour.received(), []);
}

#[tokio::test]
async fn every_redirect_is_checked() {
    let hidden = site("secret");
    let (to_hidden, to_name) =
        (hidden.url("/"), format!("http://localhost:{}/", hidden.address().port()));
    let home = Site::start(move |received| match received.path.as_str() {
        "/start" => redirect("/number"),
        "/number" => redirect(&to_hidden),
        "/name" => redirect(&to_name),
        "/mapped" => redirect(&to_hidden.replace("127.0.0.1", "[::ffff:127.0.0.1]")),
        "/file" => redirect("file:///etc/passwd"),
        "/login" => redirect(&to_hidden.replace("http://", "http://me:secret@")),
        _ => redirect("http://["),
    });
    let client = client(&[&home]);
    for path in ["/start", "/number", "/name", "/mapped"] {
        assert!(is_private(&get(&client, &home.url(path)).await), "{path}");
    }
    for path in ["/file", "/login"] {
        let outcome = get(&client, &home.url(path)).await;
        assert!(matches!(outcome, Err(FetchError::Address(_))), "{path}");
    }
    let outcome = get(&client, &home.url("/broken")).await;
    assert!(matches!(outcome, Err(FetchError::Redirects)));
    assert_eq!(hidden.received(), []);
}

#[tokio::test]
async fn redirects_are_followed_up_to_a_limit() {
    let home = Site::start(|received| match received.path.as_str() {
        "/3" => redirect("/2"),
        "/2" => redirect("1"),
        "/1" => redirect("?end"),
        "/1?end" => page("end"),
        "/not-modified" => response("304 Not Modified", &[("location", "/1")], b""),
        _ => redirect("/circle"),
    });
    let client = client(&[&home]);
    let reached = get(&client, &home.url("/3")).await.unwrap();
    assert_eq!(
        (reached.url.as_str(), reached.body),
        (home.url("/1?end").as_str(), b"end".to_vec())
    );
    let outcome = get(&client, &home.url("/circle")).await;
    assert!(matches!(outcome, Err(FetchError::Redirects)));
    assert_eq!(home.received().iter().filter(|received| received.path == "/circle").count(), 4);
    assert_eq!(get(&client, &home.url("/not-modified")).await.unwrap().status, 304);
}

#[tokio::test]
async fn posts_and_headers_do_not_follow_redirects() {
    let away = site("away");
    let to = away.url("/");
    let home = Site::start(move |_| redirect(&to));
    let client = client(&[&home, &away]);
    let secret = HeaderValue::from_static("Bearer secret");
    let delivery =
        Request::post(home.url("/in"), b"body".to_vec()).with(AUTHORIZATION, secret.clone());
    let delivered = client.send(&delivery, QUICK).await.unwrap();
    assert_eq!((delivered.status.as_u16(), away.received().len()), (302, 0));
    assert_eq!(
        (&home.received()[0].body, home.received()[0].method.as_str()),
        (&b"body".to_vec(), "POST")
    );
    let question = Request::get(home.url("/")).with(AUTHORIZATION, secret);
    client.send(&question, QUICK).await.unwrap();
    assert_eq!(home.received()[1].header("authorization"), Some("Bearer secret"));
    assert_eq!(away.received()[0].header("authorization"), None);
}

#[tokio::test]
async fn a_response_above_the_limit_is_refused() {
    let home = Site::start(|received| match received.path.as_str() {
        "/fits" => page(&"x".repeat(10_000)),
        "/announced" => response("200 OK", &[], &[b'x'; 10_001]),
        "/squeezed" => {
            let mut squeezed = GzEncoder::new(Vec::new(), Compression::best());
            squeezed.write_all(&vec![0; 5_000_000]).unwrap();
            let squeezed = squeezed.finish().unwrap();
            assert!(squeezed.len() < 10_000);
            response("200 OK", &[("content-encoding", "gzip")], &squeezed)
        }
        _ => {
            let mut endless = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
            endless.extend_from_slice(&[b'x'; 10_001]);
            endless
        }
    });
    let client = client(&[&home]);
    assert_eq!(get(&client, &home.url("/fits")).await.unwrap().body.len(), 10_000);
    for path in ["/announced", "/squeezed", "/endless"] {
        let outcome = get(&client, &home.url(path)).await;
        assert!(matches!(outcome, Err(FetchError::TooLarge)), "{path}: {outcome:?}");
    }
}

#[tokio::test]
async fn the_timeout_covers_all_redirects() {
    let home = Site::start(|received| {
        std::thread::sleep(Duration::from_millis(400));
        if received.path == "/hops" { redirect("/hops?") } else { page("late") }
    });
    let client = client(&[&home]);
    let limits = Limits { time: Duration::from_millis(700), ..QUICK };
    let start = Instant::now();
    let outcome = client.send(&Request::get(home.url("/hops")), limits).await;
    assert!(matches!(outcome, Err(FetchError::TooSlow)), "{outcome:?}");
    assert!(outcome.unwrap_err().is_passing() && start.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn proxies_of_the_environment_are_not_used() {
    let (home, proxy) = (site("hello"), site("proxy"));
    let inner = std::env::var_os("SISKIN_TEST_BEHIND_PROXY").is_some();
    if inner {
        assert_eq!(get(&client(&[&home]), &home.url("/")).await.unwrap().body, b"hello");
        return;
    }
    let name = "proxies_of_the_environment_are_not_used";
    let ran = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env("SISKIN_TEST_BEHIND_PROXY", "1")
        .envs(["http_proxy", "HTTP_PROXY", "ALL_PROXY"].map(|name| (name, proxy.url("/"))))
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    assert_eq!(proxy.received(), []);
}

#[tokio::test]
async fn an_unreachable_server_is_a_temporary_failure() {
    let gone = {
        let site = site("gone");
        site.address()
    };
    let client = HttpClient::new("x", vec![gone]);
    let outcome = get(&client, &format!("http://{gone}/")).await.unwrap_err();
    assert!(outcome.is_passing() && matches!(outcome, FetchError::Failed(_)), "{outcome:?}");
}
