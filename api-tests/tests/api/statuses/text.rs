//! Rendering of the text of a status, in every content type.

use serde_json::{Value, json};

use crate::support::{TestApp, User, id};

const PATH: &str = "/api/v1/statuses";

async fn written(user: &User, content_type: &str, text: &str) -> Value {
    user.publish_as(json!({ "status": text, "content_type": content_type })).await
}

fn names(status: &Value, list: &str, name: &str) -> Vec<String> {
    let entries = status[list].as_array().unwrap();
    entries.iter().map(|entry| entry[name].as_str().unwrap().to_owned()).collect()
}

/// Returns the content, with `here` in place of the address of this server.
fn content(app: &TestApp, status: &Value) -> String {
    status["content"].as_str().unwrap().replace(app.domain(), "here")
}

api_tests! {
    async fn markdown_and_html_are_rendered(app: &TestApp) {
        let alice = app.user("alice").await;
        for (kind, text, shown) in [
            ("text/plain", "**a** <b>b</b>", "<p>**a** &lt;b&gt;b&lt;/b&gt;</p>"),
            ("text/markdown", "**a** <b>b</b>\nc", "<p><strong>a</strong> <b>b</b><br />c</p>"),
            ("text/html", "**a** <b>b</b>\nc", "<p>**a** <b>b</b> c</p>"),
            ("text/markdown", "# T\n1. a\n2. `b`", "<p><strong>T</strong></p><ol><li>a</li><li><code>b</code></li></ol>"),
            ("Text/HTML; charset=utf-8", "<h1>T</h1><ul><li>a</ul>", "<p><strong>T</strong></p><ul><li>a</li></ul>"),
        ] {
            let status = written(&alice, kind, text).await;
            assert_eq!(status["content"], shown, "{text}");
            let read = app.anonymous().get(&format!("{PATH}/{}", id(&status))).await.ok();
            assert_eq!(read["content"], shown, "{text}");
        }
    }

    async fn handles_of_other_servers_do_not_mention_local_accounts(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for handle in [
            "@bob@🌈.st",
            "@bob@♥.ws",
            "@bob@-x.example",
            "@bob@[::1]",
            "@bob@@x.example",
            "@bob@",
            "@bób@x.example",
        ] {
            for kind in ["text/plain", "text/markdown", "text/html"] {
                let parameters = json!({
                    "status": format!("{handle} a secret"), "visibility": "direct",
                    "content_type": kind,
                });
                let status = alice.publish_as(parameters).await;
                assert_eq!(status["mentions"], json!([]), "{handle} in {kind}");
                bob.get(&format!("{PATH}/{}", id(&status))).await.expect(404);
            }
        }
        assert_eq!(bob.notification_types().await, Vec::<String>::new());
        let named = json!({ "status": "@bob hello", "visibility": "direct" });
        assert_eq!(names(&alice.publish_as(named).await, "mentions", "acct"), ["bob"]);
    }

    async fn links_in_html_cannot_imitate_mentions(app: &TestApp) {
        let alice = app.user("alice").await;
        let link = |label: &str| {
            format!("<p><a href=\"https://evil.example/x\" rel=\"nofollow noopener\">{label}</a></p>")
        };
        for (label, shown) in [
            ("@<span>admin</span>", "@admin [evil.example]"),
            ("https://bank.example", "https://bank.example [evil.example]"),
            ("<span class=invisible>https://evil.example/</span>bank.example", "https://evil.example/bank.example"),
        ] {
            let text = format!("<a class=\"u-url mention\" href=https://evil.example/x>{label}</a>");
            for kind in ["text/html", "text/markdown"] {
                assert_eq!(written(&alice, kind, &text).await["content"], link(shown), "{kind}");
            }
        }
    }

    async fn html_is_reduced_to_the_supported_elements(app: &TestApp) {
        let alice = app.user("alice").await;
        for text in [
            "<script>alert(1)</script>x",
            "<img src=x onerror=alert(1)><p onclick=alert(1)>x</p>",
            "<a href=\"javascript:alert(1)\">x</a>",
            "<svg><style><img src=x onerror=alert(1)></style></svg>x",
            "<iframe src=https://evil.example></iframe>x",
            "<p style=\"position:fixed\" class=\"evil\">x</p>",
        ] {
            for kind in ["text/html", "text/markdown"] {
                let status = written(&alice, kind, text).await;
                assert_eq!(status["content"], "<p>x</p>", "{kind} {text}");
            }
        }
        let link = written(&alice, "text/html", "<a href=https://a.example target=x>b</a>").await;
        assert_eq!(
            link["content"],
            "<p><a href=\"https://a.example\" rel=\"nofollow noopener\">b</a></p>"
        );
    }

    async fn names_work_in_all_content_types_and_not_in_code(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let plain = alice.publish("Hi @bob #BLÅHAJ https://a.example/_x_").await;
        for kind in ["text/markdown", "text/html"] {
            let status = written(&alice, kind, "Hi @bob #BLÅHAJ https://a.example/_x_").await;
            assert_eq!(content(app, &status), content(app, &plain), "{kind}");
            assert_eq!(names(&status, "mentions", "id"), [bob.id.as_str()]);
            assert_eq!(names(&status, "tags", "name"), ["blahaj"]);
        }
        for (kind, text) in [
            ("text/markdown", "`@bob #tag`"),
            ("text/markdown", "```\n@bob #tag\n```"),
            ("text/html", "<pre>@bob #tag</pre>"),
        ] {
            let status = written(&alice, kind, text).await;
            assert!(names(&status, "mentions", "id").is_empty(), "{text}");
            assert!(names(&status, "tags", "name").is_empty(), "{text}");
        }
        let mention_ids = bob.get("/api/v1/notifications?types[]=mention").await.ids();
        assert_eq!(mention_ids.len(), 3, "a mention inside code notifies no account");
    }

    async fn the_source_is_the_submitted_text_in_every_content_type(app: &TestApp) {
        let alice = app.user("alice").await;
        for (kind, text) in [
            ("text/markdown", "**a**  \n* b\n&amp; @bob"),
            ("text/html", "<b>a<script>b</script>\r\n&amp;"),
        ] {
            let status = written(&alice, kind, text).await;
            let source = alice.get(&format!("{PATH}/{}/source", id(&status))).await.ok();
            assert_eq!(source["text"], text);
            let deleted = alice.delete(&format!("{PATH}/{}", id(&status))).await.ok();
            assert_eq!(deleted["text"], text, "to be drafted again");
        }
    }

    async fn the_length_counts_the_submitted_text(app: &TestApp) {
        let alice = app.user("alice").await;
        let too_long = "Validation failed: Text character limit of 500 exceeded";
        for kind in ["text/plain", "text/markdown", "text/html"] {
            for (text, fits) in [
                (format!("<b>{}</b>", "x".repeat(493)), true),
                (format!("<b>{}</b>", "x".repeat(494)), false),
                (format!("{} https://a.example/{}", "é".repeat(476), "x".repeat(500)), true),
                (format!("{} https://a.example/{}", "é".repeat(477), "x".repeat(500)), false),
                (format!("@bob@{}.example {}", "x".repeat(60), "👩‍👩‍👧‍👦".repeat(495)), true),
                (format!("@bob@{}.example {}", "x".repeat(60), "👩‍👩‍👧‍👦".repeat(496)), false),
            ] {
                let response = alice.json(PATH, json!({ "status": text, "content_type": kind })).await;
                if fits {
                    response.ok();
                } else {
                    assert_eq!(response.expect(422)["error"], too_long, "{kind} {text}");
                }
            }
        }
    }

    async fn an_unknown_content_type_and_marks_without_text_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        for kind in ["text/rtf", "markdown", "text/x.misskeymarkdown", "x"] {
            let response = alice.json(PATH, json!({ "status": "x", "content_type": kind })).await;
            assert_eq!(
                response.expect(422)["error"],
                "Validation failed: Content type is not included in the list"
            );
        }
        for (kind, text) in [("text/html", "<p><br></p>"), ("text/markdown", "<!-- x -->\n***")] {
            let response = alice.json(PATH, json!({ "status": text, "content_type": kind })).await;
            assert_eq!(response.expect(422)["error"], "Validation failed: Text can't be blank");
        }
        assert!(alice.get(&format!("/api/v1/accounts/{}/statuses", alice.id)).await.ids().is_empty());
        for kind in [json!(""), json!(null)] {
            alice.publish_as(json!({ "status": "x", "content_type": kind })).await;
        }
    }
}
