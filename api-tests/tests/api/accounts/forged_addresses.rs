//! Clients that claim another address, or write the same path in another way: neither evades the
//! limit of sign-ups, nor the block of a network.

use reqwest::Method;
use serde_json::json;
use siskin_server::Config;
use siskin_test_support::both_engines;

use crate::support::{
    Client, TestApp, run,
    visitors::{behind_a_proxy, newcomer},
};

const SIGN_UP: &str = "/api/v1/accounts";
/// Headers in which proxies name the address of their client.
const FORWARDING: [&str; 9] = [
    "forwarded",
    "x-forwarded-for",
    "x-forwarded",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "true-client-ip",
    "cf-connecting-ip",
    "x-originating-ip",
];

/// Lets the limits apply, and two people sign up from each address.
fn limited(config: &mut Config) {
    config.fixed_settings.clear();
    config.fixed_settings.push(("rate_limits.sign_up".to_owned(), "2".to_owned()));
}

/// Signs up at this path with a header, and returns the status.
async fn sign_up(client: &Client, path: &str, name: &str, header: (&str, &str)) -> u16 {
    let request = client.request(Method::POST, path).header(header.0, header.1);
    let form = newcomer(name, &format!("{name}@example.com"));
    client.send(request.json(&form)).await.status
}

/// Returns the value of a header that claims an address.
fn claim(header: &str, address: &str) -> String {
    if header == "forwarded" { format!("for={address}") } else { address.to_owned() }
}

both_engines! {
    fn a_client_cannot_choose_its_address(database: &TestDatabase) {
        run(database, limited, async |app: &TestApp| {
            let client = app.open_registrations().await;
            for name in ["ann", "bob"] {
                assert_eq!(sign_up(&client, SIGN_UP, name, ("accept", "*/*")).await, 200);
            }
            for (number, header) in FORWARDING.iter().enumerate() {
                let claimed = claim(header, &format!("192.0.2.{number}"));
                let status = sign_up(&client, SIGN_UP, "cem", (header, &claimed)).await;
                assert_eq!(status, 429, "{header}");
            }
            for path in [
                "/api/v1/accounts/", "/api/v1/accounts?x=1", "/%61pi/v1/accounts", "//api/v1/accounts",
                "/api/v1/accounts.json", "/api/v1/./accounts", "/API/v1/accounts", "/api/v1/accounts;x",
            ] {
                let status = sign_up(&client, path, "cem", ("accept", "*/*")).await;
                assert!(matches!(status, 404 | 429), "{path}: {status}");
            }
            for method in [Method::PUT, Method::PATCH, Method::HEAD] {
                let request = client.request(method.clone(), SIGN_UP).json(&newcomer("cem", "c@example.com"));
                let status = client.send(request.header("x-http-method-override", "POST")).await.status;
                assert!(status != 500 && (status != 200 || method == Method::HEAD), "{method}: {status}");
            }
            app.anonymous().get("/api/v1/accounts/lookup?acct=cem").await.expect(404);
        });
    }

    // What the client wrote stands before what the proxy added.
    fn a_client_of_a_proxy_cannot_choose_its_address(database: &TestDatabase) {
        let configure = |config: &mut Config| {
            limited(config);
            behind_a_proxy(config);
        };
        run(database, configure, async |app: &TestApp| {
            let client = app.open_registrations().await;
            let from = async |name: &str, header: &str, value: &str| {
                sign_up(&client, SIGN_UP, name, (header, value)).await
            };
            for name in ["ann", "bob"] {
                assert_eq!(from(name, "x-forwarded-for", "198.51.100.1").await, 200);
            }
            for forged in [
                "9.9.9.9, 198.51.100.1", "9.9.9.9,8.8.8.8,198.51.100.1", "127.0.0.1, 198.51.100.1",
                "::1, 198.51.100.1", "unknown, 198.51.100.1", "198.51.100.1, 127.0.0.1",
                " 198.51.100.1 ", "::ffff:198.51.100.1",
            ] {
                assert_eq!(from("cem", "x-forwarded-for", forged).await, 429, "{forged}");
            }
            assert_eq!(from("cem", "x-forwarded-for", "198.51.100.2").await, 200);
        });
    }

    fn a_blocked_network_cannot_choose_its_address(database: &TestDatabase) {
        run(database, behind_a_proxy, async |app: &TestApp| {
            let staff = app.staff("ada", "Admin").await;
            let block = json!({ "ip": "198.51.100.0/24", "severity": "no_access" });
            staff.json("/api/v1/admin/ip_blocks", block).await.ok();
            let anyone = app.anonymous();
            for forwarded in ["198.51.100.1", "9.9.9.9, 198.51.100.1", "127.0.0.1, 198.51.100.1"] {
                for (header, claimed) in FORWARDING.iter().map(|header| (*header, "9.9.9.9")) {
                    let mut request = anyone
                        .request(Method::GET, "/api/v2/instance")
                        .header("x-forwarded-for", forwarded);
                    if header != "x-forwarded-for" {
                        request = request.header(header, claim(header, claimed));
                    }
                    let status = anyone.send(request).await.status;
                    assert_eq!(status, 403, "{forwarded}, {header}");
                }
                for path in ["/%61pi/v2/instance", "/api/v2/instance/", "/about", "/auth/sign_in"] {
                    let status = anyone.get_from(forwarded, path).await.status;
                    assert_eq!(status, 403, "{forwarded} {path}");
                }
            }
            anyone.get_from("9.9.9.9", "/api/v2/instance").await.ok();
        });
    }
}
