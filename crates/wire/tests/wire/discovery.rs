//! Tests of the discovery documents.

use serde_json::json;
use siskin_entities::InstanceFacts;
use siskin_wire::discovery::{self, NodeInfoVersion};

use crate::samples::{self, json, urls};

#[test]
fn node_info_is_found_in_both_versions() {
    assert_eq!(
        json(&discovery::render_node_info_links(&urls())),
        json!({ "links": [
            {
                "rel": "http://nodeinfo.diaspora.software/ns/schema/2.0",
                "href": "https://example.com/nodeinfo/2.0",
            },
            {
                "rel": "http://nodeinfo.diaspora.software/ns/schema/2.1",
                "href": "https://example.com/nodeinfo/2.1",
            },
        ] })
    );
}

#[test]
fn node_info_describes_the_software_and_its_size() {
    let info = discovery::render_node_info(&samples::instance(), NodeInfoVersion::V2_0);
    assert_eq!(
        json(&info),
        json!({
            "version": "2.0",
            "software": { "name": "siskin", "version": "0.1.0" },
            "protocols": ["activitypub"],
            "services": { "inbound": [], "outbound": [] },
            "openRegistrations": true,
            "usage": {
                "users": { "total": 10, "activeMonth": 5, "activeHalfyear": 7 },
                "localPosts": 100,
            },
            "metadata": {
                "nodeName": "Siskin",
                "nodeDescription": "A small one",
                "upstream": { "name": "mastodon" },
            },
        })
    );
}

#[test]
fn node_info_contains_the_source_from_2_1_on() {
    let info = discovery::render_node_info(&samples::instance(), NodeInfoVersion::V2_1);
    assert_eq!(json(&info)["version"], "2.1");
    assert_eq!(json(&info)["software"]["repository"], "https://source.example/siskin");
    let facts = InstanceFacts { source_url: None, ..samples::instance() };
    let info = discovery::render_node_info(&facts, NodeInfoVersion::V2_1);
    assert_eq!(json(&info)["software"].get("repository"), None);
}

#[test]
fn versions_are_parsed_from_their_numbers() {
    for version in [NodeInfoVersion::V2_0, NodeInfoVersion::V2_1] {
        assert_eq!(NodeInfoVersion::from_number(version.as_str()), Some(version));
        assert!(version.schema().ends_with(version.as_str()));
    }
    assert_eq!(NodeInfoVersion::from_number("1.0"), None);
}

#[test]
fn web_finger_describes_the_account() {
    assert_eq!(
        json(&discovery::render_web_finger(&samples::alice(), &urls())),
        json!({
            "subject": "acct:alice@example.com",
            "aliases": ["https://example.com/@alice", "https://example.com/users/alice"],
            "links": [
                {
                    "rel": "http://webfinger.net/rel/profile-page",
                    "type": "text/html",
                    "href": "https://example.com/@alice",
                },
            ],
        })
    );
}

#[test]
fn host_metadata_links_to_web_finger() {
    let template = "https://example.com/.well-known/webfinger?resource={uri}";
    assert_eq!(
        json(&discovery::render_host_meta(&urls())),
        json!({ "links": [{ "rel": "lrdd", "template": template }] })
    );
    assert_eq!(
        discovery::write_host_meta(&urls()),
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <XRD xmlns=\"http://docs.oasis-open.org/ns/xri/xrd-1.0\">\n  \
             <Link rel=\"lrdd\" template=\"{template}\"/>\n</XRD>\n"
        )
    );
}
