//! Addresses and handles that servers send, and those that attackers would like to send.

use proptest::prelude::*;

use super::{AddressError::*, *};

fn uri(text: &str) -> Result<Uri, AddressError> {
    Uri::parse(text, Schemes::Https)
}

#[test]
fn addresses_are_kept_byte_for_byte() {
    for (text, origin) in [
        ("https://a.example", "https://a.example"),
        ("https://a.example/", "https://a.example"),
        ("HTTPS://A.Example/Users/B", "https://a.example"),
        ("https://a.example:443/x", "https://a.example"),
        ("https://a.example:0443/x", "https://a.example"),
        ("https://a.example:8443/x", "https://a.example:8443"),
        ("https://a.example?p=1", "https://a.example"),
        ("https://a.example/?author=0#x", "https://a.example"),
        ("https://a.example/x/../y", "https://a.example"),
        ("https://a.example/@b@c.example", "https://a.example"),
        ("https://a.example/é", "https://a.example"),
        ("https://bücher.example/x", "https://xn--bcher-kva.example"),
        ("https://127.0.0.1:3000/x", "https://127.0.0.1:3000"),
        ("https://under_score.example/x", "https://under_score.example"),
    ] {
        let parsed = uri(text).unwrap();
        assert_eq!((parsed.as_str(), parsed.origin().to_string().as_str()), (text, origin));
    }
}

#[test]
fn what_could_be_read_as_another_address_is_refused() {
    for (text, error) in [
        ("", Scheme),
        ("a.example/x", Scheme),
        ("//a.example/x", Scheme),
        ("http://a.example/x", Scheme),
        ("ftp://a.example/x", Scheme),
        ("javascript://a.example/x", Scheme),
        ("acct:b@a.example", Scheme),
        ("tag:a.example,2026:x", Scheme),
        (" https://a.example/x", Character),
        ("https://a.example/x ", Character),
        ("https://a.example/x\r\nX: y", Character),
        ("https://a.example/x\ty", Character),
        ("https://a.example/\0", Character),
        ("https://a.example\\@b.example/x", Character),
        ("https://a.example/<b>", Character),
        ("https://a.example/\u{200B}x", Character),
        ("https://a.example/\u{202E}x", Character),
        ("https://a.example/\u{3000}x", Character),
        ("https://a.example@b.example/x", Credentials),
        ("https://a:b@b.example/x", Credentials),
        ("https:///x", Host),
        ("https://", Host),
        ("https://?x", Host),
        ("https://a..example/x", Host),
        ("https://a.example./x", Host),
        ("https://.a.example/x", Host),
        ("https://a%2Eexample/x", Host),
        ("https://a.example%2F.b.example/x", Host),
        ("https://a.example:/x", Host),
        ("https://a.example:0/x", Host),
        ("https://a.example:99999/x", Host),
        ("https://a.example:80:80/x", Host),
        ("https://[::1]/x", Host),
        ("https://[::ffff:127.0.0.1]/x", Host),
        ("https://0x7f.1/x", Host),
        ("https://2130706433/x", Host),
        ("https://127.1/x", Host),
        ("https://0177.0.0.1/x", Host),
        ("https://ａ.example/x", Host),
        ("https://a。example/x", Host),
        ("https://a\u{AD}b.example/x", Character),
        ("https://xn--a/x", Host),
        ("https://a'b.example/x", Host),
        ("https://a,b.example/x", Host),
        ("https://{a}.example/x", Host),
    ] {
        assert_eq!(uri(text), Err(error), "{text:?}");
    }
    let long = format!("https://a.example/{}", "x".repeat(MAX_URI_BYTES));
    assert_eq!(uri(&long), Err(TooLong));
    assert!(uri(&long[..MAX_URI_BYTES]).is_ok());
}

#[test]
fn http_is_for_pages_and_tests_only() {
    let page = Uri::parse("http://a.example/x", Schemes::HttpToo).unwrap();
    assert_eq!((page.origin().port(), page.domain().as_str()), (80, "a.example"));
    let tls = uri("https://a.example/x").unwrap();
    assert!(!page.has_origin_of(&tls) && page.domain() == tls.domain());
    assert_eq!(Uri::parse("http://a.example:3000", Schemes::Https), Err(Scheme));
}

#[test]
fn origins_are_compared_as_a_whole() {
    let one = uri("https://a.example/x").unwrap();
    for (text, is_same) in [
        ("https://A.example/y", true),
        ("https://a.example:443/y", true),
        ("https://a.example:444/y", false),
        ("https://b.a.example/y", false),
        ("https://example/y", false),
        ("https://a.example.evil.example/y", false),
        ("https://evila.example/y", false),
    ] {
        assert_eq!(uri(text).unwrap().has_origin_of(&one), is_same, "{text}");
    }
}

#[test]
fn ids_are_equal_only_as_a_whole_but_requests_may_be_written_in_several_ways() {
    let same = |one, other| uri(one).unwrap().is_same_request(&uri(other).unwrap());
    assert_ne!(uri("https://a.example/x").unwrap(), uri("https://A.example/x").unwrap());
    for (one, other) in [
        ("https://a.example", "https://a.example/"),
        ("https://A.example/x", "https://a.example:443/x"),
        ("https://a.example?author=0", "https://a.example/?author=0"),
        ("https://a.example/é", "https://a.example/%C3%A9"),
        ("https://a.example/x/../y", "https://a.example/y"),
    ] {
        assert!(same(one, other), "{one}");
    }
    for (one, other) in [
        ("https://a.example/x", "https://a.example/x/"),
        ("https://a.example/x", "https://a.example/X"),
        ("https://a.example/x", "https://a.example/x?"),
        ("https://a.example/x", "https://a.example/x#y"),
        ("https://a.example/?p=1", "https://a.example/?p=2"),
        ("https://a.example/x", "https://b.example/x"),
    ] {
        assert!(!same(one, other), "{one}");
    }
}

#[test]
fn parts_of_addresses() {
    let key = uri("https://a.example/users/b/#main-key").unwrap();
    assert_eq!(key.fragment(), Some("main-key"));
    assert_eq!(key.without_fragment(), uri("https://a.example/users/b/").unwrap());
    assert_eq!(key.last_path_part(), Some("b"));
    for (text, part) in [
        ("https://a.example", None),
        ("https://a.example/?x=/y", None),
        ("https://a.example/@b", Some("@b")),
    ] {
        assert_eq!(uri(text).unwrap().last_path_part(), part, "{text}");
    }
}

#[test]
fn domains_are_normalised_or_refused() {
    for (text, domain) in [
        ("A.Example", "a.example"),
        ("BÜCHER.example", "xn--bcher-kva.example"),
        ("a.example:443", "a.example"),
        ("a.example:8443", "a.example:8443"),
        ("localhost:3000", "localhost:3000"),
    ] {
        assert_eq!(Domain::parse(text).unwrap().as_str(), domain);
    }
    for text in [
        "",
        ".",
        "a.example.",
        "a.example/",
        "a.example/..",
        "a.example\\",
        "b@a.example",
        "a%2e.example",
        " a.example",
        "a.example\n",
        "a b.example",
        "a.example\0",
        "a.ex\u{200B}ample",
        "[::1]",
        "a.example:",
        "a.example:x",
        "ａ.example",
        "https://a.example",
        "a'b.example",
        "\"",
        "{a}.example",
        "a,b.example",
    ] {
        assert_eq!(Domain::parse(text), Err(Host), "{text:?}");
    }
}

#[test]
fn wild_card_hosts_are_of_one_family() {
    for (domain, family) in [
        ("a.b.c.example", "c.example"),
        ("c.example:8443", "c.example"),
        ("example", "example"),
        ("x.y.co.uk", "y.co.uk"),
        ("x.y.uk", "x.y.uk"),
        ("social.town.de", "town.de"),
        ("127.0.0.1:3000", "127.0.0.1"),
    ] {
        assert_eq!(Domain::parse(domain).unwrap().family(), family, "{domain}");
    }
}

#[test]
fn remote_names_may_be_of_any_script() {
    for text in [
        "alice@a.example",
        "acct:al.ice-b_1@a.example",
        "@Ålice@a.example",
        "日本@a.example",
        "आ\u{93F}@a.example",
        "example.com@a.example",
        "_@a.example",
        "-a-@a.example",
    ] {
        assert!(Handle::parse(text).is_ok(), "{text}");
    }
    for (text, error) in [
        ("alice", Host),
        ("@alice", Host),
        ("alice@", Host),
        ("@a.example", Host),
        ("a@b@c.example", Host),
        ("alice@a.example/", Host),
        (" alice@a.example", Name),
        ("..@a.example", Name),
        ("-@a.example", Name),
        ("al ice@a.example", Name),
        ("al/ice@a.example", Name),
        ("al\u{200B}ice@a.example", Name),
        ("al\u{200D}ice@a.example", Name),
        ("\u{202E}ecila@a.example", Name),
        ("alice\u{3164}@a.example", Name),
        ("al\nice@a.example", Name),
        ("<b>@a.example", Name),
        ("a:b@a.example", Name),
    ] {
        assert_eq!(Handle::parse(text), Err(error), "{text:?}");
    }
    let long = "x".repeat(MAX_NAME_BYTES + 1);
    assert_eq!(Handle::parse(&format!("{long}@a.example")), Err(TooLong));
}

#[test]
fn handles_are_compared_without_case() {
    let parse = |text| Handle::parse(text).unwrap();
    assert!(parse("Alice@A.example").is_same(&parse("alice@a.example")));
    assert!(!parse("alice@b.example").is_same(&parse("alice@a.example")));
    let handle = parse("é@a.example:8443");
    assert_eq!(handle.resource(), "acct:é@a.example:8443");
    assert_eq!(
        handle.webfinger_address(super::Scheme::Https).unwrap().as_str(),
        "https://a.example:8443/.well-known/webfinger?resource=acct%3A%C3%A9%40a.example%3A8443",
    );
}

proptest! {
    #[test]
    fn an_address_has_the_host_to_which_clients_connect(text in "(https|http|HTTPS)://[a-zé0-9.:@%\\\\/?#\\[\\]xX_~-]{0,24}") {
        if let Ok(parsed) = Uri::parse(&text, Schemes::HttpToo) {
            let url = url::Url::parse(&text).unwrap();
            prop_assert_eq!(parsed.as_str(), &text);
            prop_assert_eq!(url.host_str(), Some(parsed.origin().host()));
            prop_assert_eq!(url.port_or_known_default(), Some(parsed.origin().port()));
            prop_assert_eq!(url.username(), "");
            prop_assert!(parsed.is_same_request(&parsed));
            let whole = parsed.without_fragment();
            prop_assert!(whole.has_origin_of(&parsed) && whole.fragment().is_none());
        }
    }

    #[test]
    fn any_text_is_parsed_without_panic(text in any::<String>()) {
        let _ = Uri::parse(&text, Schemes::HttpToo);
        let _ = Domain::parse(&text).map(|it| it.family().len());
        let _ = Handle::parse(&text);
        let _ = Uri::parse(&format!("https://{text}"), Schemes::Https);
    }

    #[test]
    fn a_stored_domain_is_parsed_to_itself(text in "[a-zA-Zé0-9.-]{1,12}(:[0-9]{1,5})?") {
        if let Ok(domain) = Domain::parse(&text) {
            prop_assert_eq!(Domain::parse(domain.as_str()), Ok(domain.clone()));
            prop_assert!(domain.host().ends_with(domain.family()));
        }
    }

    #[test]
    fn a_handle_is_parsed_from_its_text(name in "[\\w.-]{1,9}", domain in "[a-z]{1,5}\\.example") {
        if let Ok(handle) = Handle::parse(&format!("{name}@{domain}")) {
            prop_assert_eq!(handle.name(), &name);
            prop_assert_eq!(Handle::parse(&handle.resource()), Ok(handle.clone()));
            prop_assert!(handle.webfinger_address(super::Scheme::Https).is_ok());
        }
    }
}
