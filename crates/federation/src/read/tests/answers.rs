//! Answers about accounts and servers.

use super::*;

fn jrd(value: &Value) -> Jrd {
    READER.jrd(value.to_string().as_bytes()).unwrap()
}

#[test]
fn the_actor_is_a_link_to_a_document() {
    let link =
        |media_type: Value, href: &str| json!({"rel": "self", "type": media_type, "href": href});
    for (links, actor) in [
        (json!([link(json!("application/activity+json"), ACTOR)]), Some(ACTOR)),
        (
            json!([link(
                json!("application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\""),
                ACTOR
            )]),
            Some(ACTOR),
        ),
        (
            json!([
                link(json!("text/html"), "https://far.example/x"),
                link(json!("application/activity+json"), ACTOR)
            ]),
            Some(ACTOR),
        ),
        (json!(link(json!("application/activity+json"), ACTOR)), Some(ACTOR)),
        (json!([link(json!("text/html"), ACTOR)]), None),
        (json!([link(json!(null), ACTOR)]), None),
        (json!([link(json!("application/activity+json"), "http://far.example/x")]), None),
        (json!([{"rel": "SELF", "type": "application/activity+json", "href": ACTOR}]), None),
        (json!("x"), None),
        (json!(null), None),
    ] {
        assert_eq!(jrd(&json!({"links": links})).actor().map(Uri::as_str), actor, "{links}");
    }
}

#[test]
fn the_subject_is_a_handle_or_none() {
    for (subject, handle) in [
        (json!("acct:a@far.example"), Some("a@far.example")),
        (json!("acct:A@FAR.example"), Some("A@far.example")),
        (json!("a@far.example"), None),
        (json!("https://far.example/users/a"), None),
        (json!("acct:a@far.example/x"), None),
        (json!("acct:a@b@far.example"), None),
        (json!("acct: a@far.example"), None),
        (json!(7), None),
    ] {
        let read = jrd(&json!({"subject": subject})).handle();
        assert_eq!(read.map(|it| it.to_string()).as_deref(), handle, "{subject}");
    }
}

#[test]
fn host_metadata_names_a_pattern() {
    let xml = |links: &str| {
        format!(
            "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><XRD xmlns=\"http://docs.oasis-open.org/ns/xri/xrd-1.0\">{links}</XRD>"
        )
    };
    for (text, address) in [
        (
            xml(
                "<Link rel=\"lrdd\" type=\"application/jrd+json\" template=\"https://far.example/wf?resource={uri}\"/>",
            ),
            Some("https://far.example/wf?resource=acct%3Aa%40far.example"),
        ),
        (
            xml("<Link  template='https://far.example/wf?a=b&amp;r={uri}' rel='lrdd'></Link>"),
            Some("https://far.example/wf?a=b&r=acct%3Aa%40far.example"),
        ),
        (
            xml(
                "<Link rel=\"lrdd\" type=\"application/xrd+xml\" template=\"https://far.example/xrd?{uri}\"/><Link rel=\"lrdd\" template=\"https://far.example/wf?{uri}\"/>",
            ),
            Some("https://far.example/wf?acct%3Aa%40far.example"),
        ),
        (
            json!({"links": [{"rel": "lrdd", "template": "https://far.example/wf?{uri}"}]})
                .to_string(),
            Some("https://far.example/wf?acct%3Aa%40far.example"),
        ),
        (xml("<Link rel=\"lrdd\" template=\"https://far.example/wf\"/>"), None),
        (xml("<Link rel=\"other\" template=\"https://far.example/{uri}\"/>"), None),
        (xml("<Linkx rel=\"lrdd\" template=\"https://far.example/{uri}\"/>"), None),
        (xml("<Link rel=\"lrdd\" template=\"javascript:{uri}\"/>"), None),
        (xml("<Link rel=\"lrdd\" template=\"https://{uri}/x\"/>"), None),
        (xml("<Link rel=\"lrdd\" template=\"http://far.example/{uri}\"/>"), None),
        ("<Link rel=\"lrdd template=\"".to_owned(), None),
        ("<Link rel=".to_owned(), None),
        ("{}".to_owned(), None),
        (String::new(), None),
    ] {
        let template = READER.host_meta(text.as_bytes()).ok();
        let read = template.and_then(|it| it.address("acct:a@far.example", Schemes::Https).ok());
        assert_eq!(read.as_ref().map(Uri::as_str), address, "{text}");
    }
    assert_eq!(READER.host_meta(b"\xFF<Link").map(drop), Err(ReadError::Xml));
}

#[test]
fn the_newest_known_node_info_is_read() {
    let link = |version: &str| {
        json!({"rel": format!("http://nodeinfo.diaspora.software/ns/schema/{version}"),
            "href": format!("https://far.example/{version}")})
    };
    for (links, address) in [
        (json!([link("2.0"), link("2.1")]), Some("https://far.example/2.1")),
        (json!([link("1.0"), link("2.0")]), Some("https://far.example/2.0")),
        (json!(link("2.0")), Some("https://far.example/2.0")),
        (json!([link("3.0")]), None),
        (
            json!([{"rel": "http://nodeinfo.diaspora.software/ns/schema/2.1", "href": "file:///etc/passwd"}]),
            None,
        ),
        (json!([]), None),
    ] {
        let read = READER.node_info_index(json!({"links": links}).to_string().as_bytes()).ok();
        assert_eq!(read.as_ref().map(Uri::as_str), address, "{links}");
    }
}

#[test]
fn node_info_is_optional_in_all_parts() {
    let full = json!({"version": "2.1", "software": {"name": "GoToSocial", "version": "0.20\r\n.0"},
        "protocols": ["activitypub", 7], "openRegistrations": false, "services": {},
        "usage": {"users": {"total": 12, "activeMonth": "3", "activeHalfyear": -1}, "localPosts": 99},
        "metadata": {}});
    let read = READER.node_info(full.to_string().as_bytes()).unwrap();
    let usage = NodeInfoUsage { users: Some(12), statuses: Some(99), ..NodeInfoUsage::default() };
    assert_eq!(
        read,
        NodeInfo {
            software: Some("gotosocial".to_owned()),
            version: Some("0.20  .0".to_owned()),
            protocols: vec!["activitypub".to_owned()],
            has_open_registrations: Some(false),
            usage,
        }
    );
    for value in [json!({}), json!({"software": "x", "usage": [], "protocols": {"inbound": []}})] {
        assert_eq!(READER.node_info(value.to_string().as_bytes()), Ok(NodeInfo::default()));
    }
}

#[test]
fn collections_are_read_with_their_first_page() {
    let read = |more: &Value| {
        let collection =
            json!({"@context": CONTEXT, "id": "https://far.example/c", "type": "Collection"});
        READER.collection(with(collection, more).to_string().as_bytes()).unwrap()
    };
    assert!(read(&json!({"totalItems": 3})).is_hidden);
    assert!(!read(&json!({"items": []})).is_hidden && !read(&json!({"first": NOTE})).is_hidden);
    let page = json!({"type": "CollectionPage", "next": "https://far.example/c?2", "items": NOTE,
        "first": {"type": "CollectionPage", "items": []}});
    let Some(PageLink::Embedded(first)) = read(&json!({"first": page})).first else { panic!() };
    assert_eq!((first.items.len(), first.is_page), (1, true));
    // A page has no pages in itself.
    assert_eq!(first.first, None);
    assert!(matches!(first.next, Some(PageLink::Uri(_))));
    let items = read(&json!({"orderedItems": [NOTE, 7, {"type": "Hashtag", "name": "#x", "href": "https://far.example/x"},
        {"type": "Follow"}, actor_json(&json!({})), activity_json(&json!({}))]})).items;
    assert!(matches!(
        &items[..],
        [Subject::Id(_), Subject::Hashtag(_), Subject::Actor(_), Subject::Activity(_)]
    ));
}
