//! Lookups of mail servers in the DNS.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use siskin_outbound::{DnsClient, DnsServers, LookupError};
use siskin_test_support::DnsServer;

/// Maximum time of a lookup.
const DEADLINE: Duration = Duration::from_secs(2);
/// Time that a busy machine may add.
const TOLERANCE: Duration = Duration::from_secs(1);

fn client(servers: &[&DnsServer]) -> DnsClient {
    DnsClient::new(DnsServers::At(servers.iter().map(|server| server.address()).collect()))
}

async fn found(client: &DnsClient, domain: &str) -> Vec<String> {
    let servers = client.mail_servers(domain).await.unwrap();
    servers.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn names_come_before_addresses_and_in_order_of_preference() {
    let dns = DnsServer::start();
    dns.mx("mail.example", &[(20, "b.mx.example"), (10, "A.MX.Example"), (20, "b.mx.example")]);
    dns.host("a.mx.example", &["192.0.2.1", "192.0.2.2"]);
    dns.host("b.mx.example", &["192.0.2.3"]);
    let expected = ["a.mx.example", "b.mx.example", "192.0.2.1", "192.0.2.2", "192.0.2.3"];
    assert_eq!(found(&client(&[&dns]), "mail.example").await, expected);
}

#[tokio::test]
async fn a_domain_without_records_is_its_own_server() {
    let dns = DnsServer::start();
    dns.host("mail.example", &["192.0.2.7"]);
    dns.exists("empty.example");
    let client = client(&[&dns]);
    assert_eq!(found(&client, "mail.example").await, ["mail.example", "192.0.2.7"]);
    assert_eq!(found(&client, "empty.example").await, ["empty.example"]);
}

#[tokio::test]
async fn domains_without_email_have_no_servers() {
    let dns = DnsServer::start();
    dns.mx("refusing.example", &[(0, "")]);
    let client = client(&[&dns]);
    for domain in ["refusing.example", "unknown.example", "a..b", "", &"a.".repeat(200)] {
        assert!(found(&client, domain).await.is_empty(), "{domain}");
    }
}

#[tokio::test]
async fn addresses_need_no_query() {
    let dns = DnsServer::start();
    let client = client(&[&dns]);
    assert_eq!(found(&client, "192.0.2.1").await, ["192.0.2.1"]);
    assert!(dns.queries().is_empty());
    dns.mx("mail.example", &[(10, "192.0.2.9")]);
    assert_eq!(found(&client, "mail.example").await, ["192.0.2.9"]);
    assert_eq!(dns.queries(), ["MX mail.example"]);
}

#[tokio::test]
async fn all_names_count_and_the_addresses_of_ten() {
    let dns = DnsServer::start();
    let names: Vec<String> = (0..25).map(|number| format!("mx{number}.example")).collect();
    let records: Vec<(u16, &str)> = (0..25).zip(names.iter().map(String::as_str)).collect();
    dns.mx("mail.example", &records);
    for name in &names {
        dns.host(name, &["192.0.2.1"]);
    }
    let servers = found(&client(&[&dns]), "mail.example").await;
    assert_eq!(servers[..25], names);
    assert_eq!(servers[25..], ["192.0.2.1"; 10]);
    assert_eq!(dns.queries().iter().filter(|query| query.starts_with("A ")).count(), 10);
}

#[tokio::test]
async fn a_truncated_response_is_asked_for_again_by_tcp() {
    let dns = DnsServer::start();
    dns.mx("mail.example", &[(10, "mx.example")]);
    dns.truncate_datagrams();
    assert_eq!(found(&client(&[&dns]), "mail.example").await, ["mx.example"]);
}

#[tokio::test]
async fn responses_are_used_again() {
    let dns = DnsServer::start();
    dns.mx("mail.example", &[(10, "mx.example")]);
    dns.host("mx.example", &["192.0.2.1"]);
    let client = client(&[&dns]);
    for _ in 0..3 {
        assert_eq!(found(&client, "mail.example").await.len(), 2);
        assert!(found(&client, "unknown.example").await.is_empty());
    }
    let expected = ["MX mail.example", "A mx.example", "MX unknown.example"];
    assert_eq!(dns.queries(), expected);
}

#[tokio::test]
async fn errors_of_the_servers_are_no_results() {
    let dns = DnsServer::start();
    dns.fail("failing.example");
    let client = client(&[&dns]);
    let failed = client.mail_servers("failing.example").await.unwrap_err();
    assert!(matches!(failed, LookupError::Refused), "{failed:?}");
    assert!(!failed.to_string().contains("failing"), "{failed}");
}

#[tokio::test]
async fn a_lookup_ends_after_two_seconds() {
    let dns = DnsServer::start();
    dns.ignore("silent.example");
    let start = Instant::now();
    let failed = client(&[&dns]).mail_servers("silent.example").await.unwrap_err();
    assert!(matches!(failed, LookupError::NoResponse), "{failed:?}");
    assert!(start.elapsed() < DEADLINE + TOLERANCE, "{:?}", start.elapsed());
}

#[tokio::test]
async fn names_without_known_addresses_count_in_time() {
    let dns = DnsServer::start();
    dns.mx("mail.example", &[(1, "a.silent.example"), (2, "b.silent.example"), (3, "c.example")]);
    dns.ignore("a.silent.example");
    dns.ignore("b.silent.example");
    let start = Instant::now();
    let servers = found(&client(&[&dns]), "mail.example").await;
    assert_eq!(servers, ["a.silent.example", "b.silent.example", "c.example"]);
    assert!(start.elapsed() < DEADLINE + TOLERANCE, "{:?}", start.elapsed());
}

// What a lookup leaves behind must not need its runtime.
#[test]
fn a_client_outlives_the_runtime_of_a_lookup() {
    let dns = DnsServer::start();
    dns.mx("a.example", &[(10, "mx.example")]);
    dns.mx("b.example", &[(10, "mx.example")]);
    let client = client(&[&dns]);
    for domain in ["a.example", "b.example"] {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let servers = runtime.block_on(found(&client, domain));
        assert_eq!(servers, ["mx.example"], "{domain}");
    }
}

/// Checks that the mail server of `domain` is found: `mx.example`.
async fn assert_found(client: &DnsClient, domain: &str) {
    let servers = client.mail_servers(domain).await.unwrap();
    assert_eq!(servers.iter().map(ToString::to_string).collect::<Vec<_>>(), ["mx.example"]);
}

#[tokio::test]
async fn a_server_that_works_stands_in_for_others() {
    let (failing, silent, working) = (DnsServer::start(), DnsServer::start(), DnsServer::start());
    let later: Vec<String> = (0..10).map(|number| format!("b{number}.example")).collect();
    for domain in later.iter().map(String::as_str).chain(["a.example", "c.example"]) {
        failing.fail(domain);
        silent.ignore(domain);
        working.mx(domain, &[(10, "mx.example")]);
    }
    assert_found(&client(&[&failing, &failing, &working]), "a.example").await;
    assert_found(&client(&[&failing, &working]), "a.example").await;
    assert_found(&client(&[&silent, &working]), "a.example").await;
    // After a lookup, the server that answered is known and is asked first. The others are asked
    // only if it is slow, which a busy machine can make it, but not each time.
    let client = client(&[&silent, &failing, &working]);
    assert_found(&client, "a.example").await;
    let mut asked = 0;
    for domain in &later {
        assert_found(&client, domain).await;
        asked += usize::from(failing.queries().contains(&format!("MX {domain}")));
    }
    assert!(asked < later.len());
    working.truncate_datagrams();
    assert_found(&client, "c.example").await;
}

#[tokio::test]
async fn a_query_is_repeated_once_and_only_after_silence() {
    let dns = DnsServer::start();
    dns.ignore("silent.example");
    let failed = client(&[&dns]).mail_servers("silent.example").await.unwrap_err();
    assert!(matches!(failed, LookupError::NoResponse), "{failed:?}");
    assert_eq!(dns.queries(), ["MX silent.example"; 2]);

    let dns = DnsServer::start();
    dns.fail("failing.example");
    let client = client(&[&dns]);
    let failed = client.mail_servers("failing.example").await.unwrap_err();
    assert!(matches!(failed, LookupError::Refused), "{failed:?}");
    assert_eq!(dns.queries(), ["MX failing.example"]);
    // The next lookup asks again.
    dns.mx("failing.example", &[(10, "mx.example")]);
    assert_found(&client, "failing.example").await;
}

#[tokio::test]
async fn an_error_of_a_server_says_more_than_silence() {
    let (failing, silent) = (DnsServer::start(), DnsServer::start());
    failing.fail("mail.example");
    silent.ignore("mail.example");
    for servers in [[&failing, &silent], [&silent, &failing]] {
        let failed = client(&servers).mail_servers("mail.example").await.unwrap_err();
        assert!(matches!(failed, LookupError::Refused), "{failed:?}");
    }
}

#[test]
fn a_lookup_outlives_the_runtime_of_another_one() {
    let dns = DnsServer::start();
    dns.ignore("mail.example");
    let client = client(&[&dns]);
    let new = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let lookup = client.mail_servers("mail.example");
            let most = Duration::from_millis(400);
            let runtime = new();
            runtime.block_on(async { tokio::time::timeout(most, lookup).await }).unwrap_err();
            // The other lookup asks again as soon as this runtime ends.
            dns.mx("mail.example", &[(10, "mx.example")]);
            drop(runtime);
        });
        std::thread::sleep(Duration::from_millis(200));
        new().block_on(assert_found(&client, "mail.example"));
    });
}

#[tokio::test]
async fn without_servers_there_is_no_response() {
    let failed = client(&[]).mail_servers("mail.example").await.unwrap_err();
    assert!(matches!(failed, LookupError::NoResponse), "{failed:?}");
}
