//! Answers of `WebFinger`, host metadata, handles, domains and addresses.

use siskin_federation::{
    address::{AddressError, Domain, Handle, Scheme, Schemes, Uri},
    read::ReadError,
};

use super::{READER, feature};

pub const FRAGMENTS: &[&[u8]] = &[
    b"{\"subject\":\"acct:b@far.example\",\"links\":[{\"rel\":\"self\",\"type\":\"application/activity+json\",\"href\":\"https://far.example/u\"}]}",
    b"<XRD><Link rel=\"lrdd\" template=\"https://far.example/.well-known/webfinger?resource={uri}\"/></XRD>",
    b"{\"links\":[{\"rel\":\"http://nodeinfo.diaspora.software/ns/schema/2.1\",\"href\":\"https://far.example/n\"}]}",
    b"{\"links\":[{\"rel\":\"lrdd\",\"template\":\"https://far.example/{uri}\"}]}",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b":",
    b",",
    b"\"subject\":",
    b"\"aliases\":[\"https://far.example/@b\"],",
    b"\"links\":[",
    b"{\"rel\":\"self\"},",
    b"\"template\":\"x{uri}{uri}\",",
    b"\"href\":\"http://far.example\",",
    b"<Link",
    b" rel='lrdd'",
    b" template='",
    b" type=\"application/xrd+xml\"",
    b"'/>",
    b"<!DOCTYPE x [<!ENTITY a \"b\">]>",
    b"&amp;",
    b"&a;",
    b"<!--",
    b"acct:",
    b"@",
    b"b@far.example",
    b"far.example:8443",
    b"far.example:443",
    b"far.example.",
    b"https://",
    b"http://",
    b"HTTPS://Far.Example/",
    b"far.example",
    b"/users/b?a=1#main-key",
    b"//",
    b"\\",
    b"%40",
    b"%2e",
    b"..",
    b"0x7f.1",
    b"127.0.0.1",
    b"[::1]",
    b"xn--bcher-kva",
    "bücher.example".as_bytes(),
    "ｆａｒ。example".as_bytes(),
    "Ålice".as_bytes(),
    "\u{200B}".as_bytes(),
    "\u{202E}".as_bytes(),
    "ß".as_bytes(),
    "日本".as_bytes(),
    b" ",
    b"\t",
    b"\n",
    b"\0",
    b"\xFF",
];

pub fn check(input: &[u8]) -> Vec<u64> {
    let mut features = check_answers(input);
    let text = String::from_utf8_lossy(input);
    features.extend(check_names(&text));
    features
}

fn check_answers(input: &[u8]) -> Vec<u64> {
    let jrd = READER.jrd(input);
    if let Ok(jrd) = &jrd {
        assert!(jrd.actor().is_none_or(|id| id.origin().scheme() == Scheme::Https));
        assert!(jrd.subscribe_template().is_none_or(|template| template.contains("{uri}")));
    }
    let jrd = jrd.map(|it| (it.actor().is_some(), it.handle().is_some(), it.links.len().min(3)));
    let meta = READER.host_meta(input);
    if let Ok(template) = &meta {
        let address = template.address("acct:b@far.example", Schemes::Https);
        let is_whole = |address: &Uri| address.as_str().contains("acct%3Ab%40far.example");
        assert!(address.as_ref().map_or(true, is_whole), "{address:?}");
    }
    let index = READER.node_info_index(input);
    vec![
        feature(jrd.map_err(ReadError::reason)),
        feature(meta.map(drop).map_err(ReadError::reason)),
        feature(index.map(drop).map_err(ReadError::reason)),
    ]
}

/// Checks that what is accepted stays the same when it is written and read again.
fn check_names(text: &str) -> Vec<u64> {
    let handle = Handle::parse(text);
    if let Ok(handle) = &handle {
        assert_eq!(Handle::parse(&handle.to_string()).as_ref(), Ok(handle));
        assert!(handle.is_same(handle));
        if let Ok(address) = handle.webfinger_address(Scheme::Https) {
            assert_eq!(address.domain(), *handle.domain());
        }
    }
    let domain = Domain::parse(text);
    if let Ok(domain) = &domain {
        assert_eq!(Domain::parse(domain.as_str()).as_ref(), Ok(domain));
        assert!(domain.host().ends_with(domain.family()));
        // A number is a domain, but programs read it as several addresses.
        if let Ok(address) = Uri::parse(&format!("https://{domain}/"), Schemes::Https) {
            assert_eq!(address.domain(), *domain);
        }
    }
    let uri = Uri::parse(text, Schemes::HttpToo);
    if let Ok(uri) = &uri {
        assert_eq!(uri.as_str(), text);
        assert!(uri.is_same_request(uri) && uri.has_origin_of(&uri.without_fragment()));
        assert_eq!(
            Uri::parse(&uri.origin().to_string(), Schemes::HttpToo)
                .map(|it| it.origin().clone())
                .as_ref(),
            Ok(uri.origin())
        );
    }
    vec![
        feature(handle.map(drop).map_err(AddressError::reason)),
        feature(domain.map(drop).map_err(AddressError::reason)),
        feature(uri.map(|it| it.origin().scheme()).map_err(AddressError::reason)),
    ]
}
